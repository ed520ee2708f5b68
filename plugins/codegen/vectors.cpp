#include "codegen/vectors.hpp"

#include <algorithm>

namespace warpmark::codegen {

Layout lay_out(const std::vector<Parameter>& parameters, const Expression& expression) {
  Layout layout;
  bool stray_write = false;
  uint32_t widest = 0, narrowest = 16;
  for (const Parameter& parameter : parameters) {
    Access access;
    access.parameter = parameter;
    access.usage = expression.of(parameter.name);
    if (parameter.is_array && access.usage.count > 0) {
      access.lane = access.usage.own_only && parameter.bytes > 0 && !parameter.is_volatile;
      access.stores = access.lane && parameter.kind != "in";
      access.loads = access.lane && !(parameter.kind == "out" && access.usage.always_assigned);
      if (access.lane) {
        widest = std::max(widest, parameter.bytes);
        narrowest = std::min(narrowest, parameter.bytes);
      } else if (parameter.kind != "in") {
        stray_write = true;
      }
    }
    layout.accesses.push_back(std::move(access));
  }
  if (stray_write || widest == 0) {
    for (Access& access : layout.accesses) access.lane = access.loads = access.stores = false;
    return layout;
  }
  layout.width = static_cast<int>(std::max(16 / widest, 4 / std::min(narrowest, 4U)));
  return layout;
}

std::vector<Parameter> lanes_of(const Layout& layout) {
  std::vector<Parameter> lanes;
  for (const Access& access : layout.accesses) {
    if (access.lane) lanes.push_back(access.parameter);
  }
  return lanes;
}

const std::string& vector_prelude() {
  static const std::string kPrelude = R"(namespace warpmark {

// An array that an expression uses as NAME[i] only: the element of that i, in a register. Another
// index, which a macro may have hidden, reads the array itself; for the right one the comparison is
// between a value and itself and vanishes.
template <class T> struct Lane {
  T &element;
  T *array;
  long long index;
  __device__ __forceinline__ T &operator[](long long at) const {
    return at == index ? element : array[at];
  }
};

template <int bytes> struct Word;
template <> struct Word<4> { using Type = unsigned; };
template <> struct Word<8> { using Type = uint2; };
template <> struct Word<16> { using Type = uint4; };

// The widest access, in bytes, for `bytes` bytes in a row.
__device__ constexpr int access(int bytes) { return bytes < 16 ? bytes : 16; }

template <int count, class T> __device__ __forceinline__ void load(T (&to)[count], const T *from) {
  using Type = typename Word<access(count * sizeof(T))>::Type;
  constexpr int words = count * sizeof(T) / sizeof(Type);
  Type word[words];
#pragma unroll
  for (int k = 0; k < words; ++k) word[k] = reinterpret_cast<const Type *>(from)[k];
  memcpy(to, word, sizeof word);
}

template <int count, class T> __device__ __forceinline__ void store(T *to, const T (&from)[count]) {
  using Type = typename Word<access(count * sizeof(T))>::Type;
  constexpr int words = count * sizeof(T) / sizeof(Type);
  Type word[words];
  memcpy(word, from, sizeof word);
#pragma unroll
  for (int k = 0; k < words; ++k) reinterpret_cast<Type *>(to)[k] = word[k];
}

template <int count, class T> __device__ __forceinline__ bool aligned(const T *array) {
  return reinterpret_cast<unsigned long long>(array) % access(count * sizeof(T)) == 0;
}

}  // namespace warpmark
)";
  return kPrelude;
}

namespace {

// `, ` between what `text` gives for each parameter.
template <class Text>
std::string listed(const Layout& layout, const Text& text) {
  std::string list;
  for (const Access& access : layout.accesses) {
    list += (list.empty() ? "" : ", ") + text(access);
  }
  return list;
}

std::string lane_type(const Access& access) {
  const bool constant = access.parameter.kind == "in";
  return "warpmark::Lane<" + std::string(constant ? "const " : "") + access.parameter.element + ">";
}

}  // namespace

std::string device_parameters(const Layout& layout) {
  return listed(layout, [](const Access& access) {
    return access.lane ? lane_type(access) + " " + access.parameter.name : access.parameter.text;
  });
}

std::string kernel_parameters(const Layout& layout) {
  return listed(layout, [](const Access& access) { return access.parameter.text; });
}

std::string arguments_from_memory(const Layout& layout, const std::string& index) {
  return listed(layout, [&](const Access& access) {
    const std::string& name = access.parameter.name;
    if (!access.lane) return name;
    return lane_type(access) + "{" + name + "[" + index + "], " + name + ", " + index + "}";
  });
}

std::string vectors_of(const Parameter& parameter) {
  return "warpmark_of_" + parameter.name;
}

std::string arguments_from_vectors(const Layout& layout, const std::string& index,
                                   const std::string& subscript) {
  return listed(layout, [&](const Access& access) {
    const std::string& name = access.parameter.name;
    if (!access.lane) return name;
    return lane_type(access) + "{" + vectors_of(access.parameter) + subscript + ", " + name + ", " +
           index + "}";
  });
}

std::string size_assertions(const Layout& layout) {
  std::string text;
  for (const Access& access : layout.accesses) {
    if (!access.lane) continue;
    const Parameter& parameter = access.parameter;
    text += "static_assert(sizeof(" + parameter.element +
            ") == " + std::to_string(parameter.bytes) + ", \"`" + parameter.element +
            "` is a type of CUDA C++ with another size: give yours another name\");\n";
  }
  return text;
}

std::string alignment_test(const Layout& layout, const std::string& start) {
  std::string text;
  for (const Access& access : layout.accesses) {
    if (!access.lane) continue;
    text += (text.empty() ? "" : " && ") + std::string("warpmark::aligned<") +
            std::to_string(layout.width) + ">(" + access.parameter.name +
            (start.empty() ? "" : " + " + start) + ")";
  }
  return text;
}

}  // namespace warpmark::codegen
