#include "compiler/shims_std.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace warpmark {

namespace {

// The headers of libcu++ that have the standard's names.
constexpr std::array kOfLibcu = {"array",    "atomic",     "bit",     "bitset",           "complex",
                                 "concepts", "functional", "limits",  "numbers",          "numeric",
                                 "ratio",    "optional",   "span",    "initializer_list", "tuple",
                                 "utility",  "iterator",   "variant", "type_traits"};

// The parts of <algorithm>, for libcu++ without a header of that name (seen: CUDA 13.0).
constexpr std::array kAlgorithms = {"adjacent_find",
                                    "all_of",
                                    "any_of",
                                    "binary_search",
                                    "clamp",
                                    "copy",
                                    "copy_backward",
                                    "copy_if",
                                    "copy_n",
                                    "count",
                                    "count_if",
                                    "equal",
                                    "equal_range",
                                    "fill",
                                    "fill_n",
                                    "find",
                                    "find_end",
                                    "find_first_of",
                                    "find_if",
                                    "find_if_not",
                                    "for_each",
                                    "for_each_n",
                                    "generate",
                                    "generate_n",
                                    "includes",
                                    "is_heap",
                                    "is_heap_until",
                                    "is_partitioned",
                                    "is_permutation",
                                    "is_sorted",
                                    "is_sorted_until",
                                    "iter_swap",
                                    "lower_bound",
                                    "lexicographical_compare",
                                    "make_heap",
                                    "max",
                                    "max_element",
                                    "merge",
                                    "min",
                                    "min_element",
                                    "minmax",
                                    "minmax_element",
                                    "mismatch",
                                    "move",
                                    "move_backward",
                                    "next_permutation",
                                    "none_of",
                                    "partial_sort",
                                    "partial_sort_copy",
                                    "partition",
                                    "partition_copy",
                                    "partition_point",
                                    "pop_heap",
                                    "prev_permutation",
                                    "push_heap",
                                    "remove",
                                    "remove_copy",
                                    "remove_copy_if",
                                    "remove_if",
                                    "replace",
                                    "replace_copy",
                                    "replace_copy_if",
                                    "replace_if",
                                    "reverse",
                                    "reverse_copy",
                                    "rotate",
                                    "rotate_copy",
                                    "search",
                                    "search_n",
                                    "set_difference",
                                    "set_intersection",
                                    "set_symmetric_difference",
                                    "set_union",
                                    "shift_left",
                                    "shift_right",
                                    "sort_heap",
                                    "swap_ranges",
                                    "transform",
                                    "unique",
                                    "unique_copy",
                                    "upper_bound"};

// The names of std come first and hide those of cuda::std: the functions of <cmath> would hide the
// ones for complex numbers.
constexpr std::string_view kComplexFunctions = R"(#include <math.h>
namespace std {
template <class T> __device__ inline T abs(const cuda::std::complex<T>& z) {
  return cuda::std::abs(z);
}
#define WARPMARK_COMPLEX(name)                                                              \
  template <class T> __device__ inline cuda::std::complex<T> name(const cuda::std::complex<T>& z) { \
    return cuda::std::name(z);                                                              \
  }
WARPMARK_COMPLEX(exp) WARPMARK_COMPLEX(log) WARPMARK_COMPLEX(log10) WARPMARK_COMPLEX(sqrt)
WARPMARK_COMPLEX(sin) WARPMARK_COMPLEX(cos) WARPMARK_COMPLEX(tan) WARPMARK_COMPLEX(asin)
WARPMARK_COMPLEX(acos) WARPMARK_COMPLEX(atan) WARPMARK_COMPLEX(sinh) WARPMARK_COMPLEX(cosh)
WARPMARK_COMPLEX(tanh) WARPMARK_COMPLEX(asinh) WARPMARK_COMPLEX(acosh) WARPMARK_COMPLEX(atanh)
#undef WARPMARK_COMPLEX
template <class T, class U>
__device__ inline auto pow(const cuda::std::complex<T>& z, const U& power)
    -> decltype(cuda::std::pow(z, power)) {
  return cuda::std::pow(z, power);
}
}
)";

// NVRTC knows placement new by itself.
constexpr std::string_view kNew = R"(#if __has_include(<cuda/std/__new_>)
#include <cuda/std/__new_>
namespace std { using namespace cuda::std; }
#endif
)";

std::string guarded(std::string_view name, std::string_view text) {
  std::string guard = "WARPMARK_SHIM_STD_" + std::string(name);
  std::ranges::transform(guard, guard.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  return fmt::format("#ifndef {0}\n#define {0}\n{1}#endif\n", guard, text);
}

// The functions of <algorithm> that kernels most often want, for libcu++ that has none of it (seen: CUDA 12.4).
constexpr std::string_view kFewAlgorithms = R"(#include <cuda/std/utility>
namespace std {
using namespace cuda::std;
template <class T> __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> __device__ constexpr const T& clamp(const T& x, const T& low, const T& high) {
  return x < low ? low : high < x ? high : x;
}
}
)";

// `text` if the toolkit has `header`, which may define INFINITY and NAN anew, else an error that
// says what to do. Headers of libcu++ 12.4 ask for each other by such names: then the names of the
// first one are enough.
std::string if_there(std::string_view name, std::string_view header, const std::string& text) {
  return fmt::format(
      "#if __has_include(<{1}>)\n#ifdef WARPMARK_SHIM_STD\n{2}#else\n#define WARPMARK_SHIM_STD\n"
      "#undef INFINITY\n#undef NAN\n{2}#ifndef INFINITY\n#define "
      "INFINITY (__int_as_float(0x7f800000))\n#endif\n#ifndef NAN\n#define NAN "
      "(__int_as_float(0x7fffffff))\n#endif\n#undef WARPMARK_SHIM_STD\n#endif\n"
      "namespace std {{ using namespace cuda::std; }}\n#else\n"
      "#error This toolkit has no <{0}> for kernels: write without it, with plain loops and types\n"
      "#endif\n",
      name, header, text);
}

std::vector<std::pair<std::string, std::string>> make() {
  std::vector<std::pair<std::string, std::string>> shims;
  for (const std::string name : kOfLibcu) {
    const std::string header = "cuda/std/" + name;
    std::string text = if_there(name, header, fmt::format("#include <{}>\n", header));
    if (name == "complex") text += kComplexFunctions;
    shims.emplace_back(name, guarded(name, text));
  }
  std::string algorithms;
  for (const char* name : kAlgorithms) {
    algorithms += fmt::format("#include <cuda/std/__algorithm/{}.h>\n", name);
  }
  algorithms += "#include <cuda/std/utility>\n#include <cuda/std/initializer_list>\n";
  const std::string parts = if_there("algorithm", "cuda/std/__algorithm/sort_heap.h", algorithms);
  shims.emplace_back("algorithm",
                     guarded("algorithm",
                             "#include <math.h>\n#if __has_include(<cuda/std/algorithm>)\n#include "
                             "<cuda/std/algorithm>\nnamespace "
                             "std { using namespace cuda::std; }\n#elif "
                             "__has_include(<cuda/std/utility>) && "
                             "!__has_include(<cuda/std/__algorithm/sort_heap.h>)\n" +
                                 std::string(kFewAlgorithms) + "#else\n" + parts + "#endif\n"));
  shims.emplace_back("new", guarded("new", kNew));
  return shims;
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& std_shims() {
  static const std::vector<std::pair<std::string, std::string>> kShims = make();
  return kShims;
}

}  // namespace warpmark
