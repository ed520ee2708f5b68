#include "compiler/host_headers.hpp"

#include <algorithm>
#include <array>

#include "base/template.hpp"
#include "compiler/shims.hpp"

namespace warpmark {

namespace {

// Calls `taken` with each word of a list with blanks between, until one is taken.
template <typename Taken>
bool any_word(std::string_view list, const Taken& taken) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(' '), list.size());
    if (taken(list.substr(0, end))) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool lists(std::string_view list, std::string_view name) {
  return any_word(list, [&](std::string_view word) { return word == name; });
}

bool begins_with_one(std::string_view list, std::string_view name) {
  return any_word(list, [&](std::string_view word) { return name.starts_with(word); });
}

// Headers of the C and C++ libraries, of systems, and of the CUDA toolkit.
constexpr std::string_view kHostHeaders =
    "iostream fstream sstream iomanip string vector map set list deque queue stack "
    "memory thread mutex chrono random algorithm numeric unordered_map unordered_set "
    "functional ctime iterator stdexcept exception ostream istream iosfwd future "
    "condition_variable filesystem regex locale system_error typeindex forward_list any "
    "codecvt csignal csetjmp cwchar cctype cerrno execution memory_resource string_view "
    "streambuf charconv format shared_mutex stop_token scoped_allocator typeinfo "
    "valarray variant optional iso646.h bits/stdc++.h time.h unistd.h windows.h "
    "sys/time.h sys/stat.h sys/types.h signal.h getopt.h pthread.h dlfcn.h ctype.h "
    "errno.h malloc.h omp.h mpi.h dirent.h fcntl.h strings.h io.h direct.h libgen.h "
    "termios.h sys/mman.h sys/wait.h sys/resource.h xmmintrin.h immintrin.h emmintrin.h "
    "cuda.h cuda_runtime.h cuda_runtime_api.h cuda_profiler_api.h cudaProfiler.h nvrtc.h "
    "nvml.h curand.h cudnn.h nccl.h nvToolsExt.h cublas.h cufft.h cufftw.h cufftXt.h "
    "cuda_gl_interop.h cuda_vdpau_interop.h cublas_v2.h cublasLt.h cublasXt.h cusparse.h "
    "cusparse_v2.h cusolverDn.h cusolverSp.h cusolver_common.h curand_discrete.h npp.h "
    "nppi.h helper_cuda.h helper_functions.h helper_string.h helper_timer.h "
    "helper_image.h helper_gl.h helper_cusolver.h exception.h helper_multiprocess.h "
    "GL/gl.h GL/glew.h GL/freeglut.h cuda_egl_interop.h cudaEGL.h";

constexpr std::string_view kHostStd =
    "cout cerr clog cin endl string wstring string_view vector map multimap "
    "unordered_map unordered_multimap set multiset unordered_set list forward_list deque "
    "queue priority_queue stack function thread mutex lock_guard unique_lock scoped_lock "
    "shared_ptr unique_ptr weak_ptr make_shared make_unique ostream istream ofstream "
    "ifstream fstream stringstream ostringstream istringstream iostream ios to_string "
    "stoi stof getline filesystem regex future async promise random_device mt19937 "
    "mt19937_64 default_random_engine uniform_int_distribution uniform_real_distribution "
    "normal_distribution runtime_error logic_error exception invalid_argument "
    "out_of_range bad_alloc setw setprecision fixed hex condition_variable once_flag "
    "call_once any locale cerr allocator error_code system_error type_index generate "
    "shuffle chrono printf";

// Folders of libraries for the CPU.
constexpr std::string_view kFolders =
    "torch/ ATen/ c10/ caffe2/ THC/ TH/ pybind11/ gtest/ gmock/ boost/ opencv2/ nvtx3/ "
    "benchmark/ Eigen/ tensorflow/ absl/ glog/ gflags/ fmt/ spdlog/ nlohmann/ Python.h "
    "cub/device/ thrust/ numpy/ nccl cudnn torch_ GL/ GLFW/ SDL2/ hdf5 rapidjson/ "
    "cereal/ tbb/ sycl/";

// The headers of Thrust that kernels use.
constexpr std::string_view kThrust =
    "thrust/complex.h thrust/functional.h thrust/pair.h thrust/swap.h thrust/tuple.h "
    "thrust/version.h";

constexpr std::string_view kOfTorch = "torch/ ATen/ c10/ THC/ TH/ caffe2/";

// Headers of std, and names that they declare.
struct StdHeader {
  std::string_view header, names;
};
constexpr std::array<StdHeader, 12> kStdHeaders = {
    {{"algorithm", "min max clamp swap sort fill fill_n copy lower_bound upper_bound reverse"},
     {"limits", "numeric_limits"},
     {"type_traits",
      "is_same is_same_v enable_if enable_if_t conditional conditional_t is_integral is_integral_v "
      "is_floating_point is_floating_point_v is_signed is_unsigned make_unsigned make_unsigned_t "
      "make_signed_t remove_reference remove_reference_t remove_cv_t remove_const_t remove_const "
      "decay decay_t true_type false_type integral_constant is_pointer is_convertible "
      "is_arithmetic is_trivially_copyable common_type common_type_t is_enum is_empty is_trivial "
      "extent rank remove_cv remove_extent_t add_const_t negation conjunction disjunction "
      "is_signed_v is_unsigned_v is_arithmetic_v is_convertible_v is_pointer_v is_class_v "
      "is_void_v make_signed underlying_type type_identity_t is_base_of_v is_trivially_copyable_v "
      "remove_cvref_t is_const is_array void_t is_void aligned_storage remove_pointer_t is_const_v "
      "is_class underlying_type_t bool_constant is_base_of is_constructible result_of "
      "invoke_result_t"},
     {"utility",
      "forward move pair make_pair declval exchange integer_sequence index_sequence "
      "make_index_sequence"},
     {"tuple", "tuple make_tuple get tie tuple_size tuple_element"},
     {"array", "array"},
     {"functional", "plus minus multiplies divides less greater equal_to"},
     {"complex", "complex"},
     {"initializer_list", "initializer_list"},
     {"cmath",
      "abs fabs sqrt exp log pow sin cos tan tanh floor ceil round isnan isinf isfinite fmax fmin "
      "fma cosh sinh atan2 atan acos asin log2 exp2 hypot cbrt erf signbit trunc fmod log1p expm1 "
      "rint nearbyint"},
     {"cstdint",
      "int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t uintptr_t intptr_t"},
     {"cstddef", "size_t ptrdiff_t nullptr_t byte"}}};

}  // namespace

bool is_host_header(std::string_view name) {
  if (find_shim(name)) return false;
  if (lists(kHostHeaders, name)) return true;
  if (lists(kThrust, name)) return false;
  return begins_with_one(kFolders, name);
}

bool is_host_std(std::string_view name) {
  return lists(kHostStd, name);
}

std::string_view header_of_std(std::string_view name) {
  for (const StdHeader& one : kStdHeaders) {
    if (lists(one.names, name)) return one.header;
  }
  return "";
}

std::optional<std::string_view> find_stand_in(std::string_view name) {
  if (name == "cub/cub.cuh") return embedded_text("compiler/stand_ins/cub.h");
  if (name == "cufft.h" || name == "cufftXt.h") return embedded_text("compiler/stand_ins/cufft.h");
  if (name == "thrust/device_ptr.h" || name == "thrust/device_vector.h") {
    return embedded_text("compiler/stand_ins/thrust_device_ptr.h");
  }
  if (!begins_with_one(kOfTorch, name)) return std::nullopt;
  const bool is_atomic = name.ends_with("Atomic.cuh") || name.ends_with("Atomics.cuh");
  return embedded_text(is_atomic ? "compiler/stand_ins/torch_atomics.h"
                                 : "compiler/stand_ins/torch.h");
}

}  // namespace warpmark
