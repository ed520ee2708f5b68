#include "compiler/host_headers.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/text.hpp"
#include "compiler/shims.hpp"

namespace warpmark {

namespace {

// Headers of the C and C++ libraries, of systems, and of the CUDA toolkit.
constexpr std::array<std::string_view, 129> kHostHeaders = {"iostream",
                                                            "fstream",
                                                            "sstream",
                                                            "iomanip",
                                                            "string",
                                                            "vector",
                                                            "map",
                                                            "set",
                                                            "list",
                                                            "deque",
                                                            "queue",
                                                            "stack",
                                                            "memory",
                                                            "thread",
                                                            "mutex",
                                                            "chrono",
                                                            "random",
                                                            "algorithm",
                                                            "numeric",
                                                            "unordered_map",
                                                            "unordered_set",
                                                            "functional",
                                                            "ctime",
                                                            "iterator",
                                                            "stdexcept",
                                                            "exception",
                                                            "ostream",
                                                            "istream",
                                                            "iosfwd",
                                                            "future",
                                                            "condition_variable",
                                                            "filesystem",
                                                            "regex",
                                                            "locale",
                                                            "system_error",
                                                            "typeindex",
                                                            "forward_list",
                                                            "any",
                                                            "codecvt",
                                                            "csignal",
                                                            "csetjmp",
                                                            "cwchar",
                                                            "cctype",
                                                            "cerrno",
                                                            "execution",
                                                            "memory_resource",
                                                            "string_view",
                                                            "streambuf",
                                                            "charconv",
                                                            "format",
                                                            "shared_mutex",
                                                            "stop_token",
                                                            "scoped_allocator",
                                                            "typeinfo",
                                                            "valarray",
                                                            "variant",
                                                            "optional",
                                                            "iso646.h",
                                                            "bits/stdc++.h",
                                                            "time.h",
                                                            "unistd.h",
                                                            "windows.h",
                                                            "sys/time.h",
                                                            "sys/stat.h",
                                                            "sys/types.h",
                                                            "signal.h",
                                                            "getopt.h",
                                                            "pthread.h",
                                                            "dlfcn.h",
                                                            "ctype.h",
                                                            "errno.h",
                                                            "malloc.h",
                                                            "omp.h",
                                                            "mpi.h",
                                                            "dirent.h",
                                                            "fcntl.h",
                                                            "strings.h",
                                                            "io.h",
                                                            "direct.h",
                                                            "libgen.h",
                                                            "termios.h",
                                                            "sys/mman.h",
                                                            "sys/wait.h",
                                                            "sys/resource.h",
                                                            "xmmintrin.h",
                                                            "immintrin.h",
                                                            "emmintrin.h",
                                                            "cuda.h",
                                                            "cuda_runtime.h",
                                                            "cuda_runtime_api.h",
                                                            "cuda_profiler_api.h",
                                                            "cudaProfiler.h",
                                                            "nvrtc.h",
                                                            "nvml.h",
                                                            "curand.h",
                                                            "cudnn.h",
                                                            "nccl.h",
                                                            "nvToolsExt.h",
                                                            "cublas.h",
                                                            "cufft.h",
                                                            "cufftw.h",
                                                            "cufftXt.h",
                                                            "cuda_gl_interop.h",
                                                            "cuda_vdpau_interop.h",
                                                            "cublas_v2.h",
                                                            "cublasLt.h",
                                                            "cublasXt.h",
                                                            "cusparse.h",
                                                            "cusparse_v2.h",
                                                            "cusolverDn.h",
                                                            "cusolverSp.h",
                                                            "cusolver_common.h",
                                                            "curand_discrete.h",
                                                            "npp.h",
                                                            "nppi.h",
                                                            "helper_cuda.h",
                                                            "helper_functions.h",
                                                            "helper_string.h",
                                                            "helper_timer.h",
                                                            "helper_image.h",
                                                            "helper_gl.h",
                                                            "helper_cusolver.h",
                                                            "exception.h",
                                                            "helper_multiprocess.h",
                                                            "GL/gl.h",
                                                            "GL/glew.h",
                                                            "GL/freeglut.h",
                                                            "cuda_egl_interop.h",
                                                            "cudaEGL.h"};

constexpr std::array<std::string_view, 83> kHostStd = {"cout",
                                                       "cerr",
                                                       "clog",
                                                       "cin",
                                                       "endl",
                                                       "string",
                                                       "wstring",
                                                       "string_view",
                                                       "vector",
                                                       "map",
                                                       "multimap",
                                                       "unordered_map",
                                                       "unordered_multimap",
                                                       "set",
                                                       "multiset",
                                                       "unordered_set",
                                                       "list",
                                                       "forward_list",
                                                       "deque",
                                                       "queue",
                                                       "priority_queue",
                                                       "stack",
                                                       "function",
                                                       "thread",
                                                       "mutex",
                                                       "lock_guard",
                                                       "unique_lock",
                                                       "scoped_lock",
                                                       "shared_ptr",
                                                       "unique_ptr",
                                                       "weak_ptr",
                                                       "make_shared",
                                                       "make_unique",
                                                       "ostream",
                                                       "istream",
                                                       "ofstream",
                                                       "ifstream",
                                                       "fstream",
                                                       "stringstream",
                                                       "ostringstream",
                                                       "istringstream",
                                                       "iostream",
                                                       "ios",
                                                       "to_string",
                                                       "stoi",
                                                       "stof",
                                                       "getline",
                                                       "filesystem",
                                                       "regex",
                                                       "future",
                                                       "async",
                                                       "promise",
                                                       "random_device",
                                                       "mt19937",
                                                       "mt19937_64",
                                                       "default_random_engine",
                                                       "uniform_int_distribution",
                                                       "uniform_real_distribution",
                                                       "normal_distribution",
                                                       "runtime_error",
                                                       "logic_error",
                                                       "exception",
                                                       "invalid_argument",
                                                       "out_of_range",
                                                       "bad_alloc",
                                                       "setw",
                                                       "setprecision",
                                                       "fixed",
                                                       "hex",
                                                       "condition_variable",
                                                       "once_flag",
                                                       "call_once",
                                                       "any",
                                                       "locale",
                                                       "cerr",
                                                       "allocator",
                                                       "error_code",
                                                       "system_error",
                                                       "type_index",
                                                       "generate",
                                                       "shuffle",
                                                       "chrono",
                                                       "printf"};

// Folders of libraries for the CPU.
constexpr std::array<std::string_view, 36> kFolders = {
    "torch/",     "ATen/",   "c10/",        "caffe2/",  "THC/",        "TH/",
    "pybind11/",  "gtest/",  "gmock/",      "boost/",   "opencv2/",    "nvtx3/",
    "benchmark/", "Eigen/",  "tensorflow/", "absl/",    "glog/",       "gflags/",
    "fmt/",       "spdlog/", "nlohmann/",   "Python.h", "cub/device/", "thrust/",
    "numpy/",     "nccl",    "cudnn",       "torch_",   "GL/",         "GLFW/",
    "SDL2/",      "hdf5",    "rapidjson/",  "cereal/",  "tbb/",        "sycl/"};

// The headers of Thrust that kernels use.
constexpr std::array<std::string_view, 6> kThrust = {"thrust/complex.h", "thrust/functional.h",
                                                     "thrust/pair.h",    "thrust/swap.h",
                                                     "thrust/tuple.h",   "thrust/version.h"};

constexpr std::array<std::string_view, 6> kOfTorch = {"torch/", "ATen/", "c10/",
                                                      "THC/",   "TH/",   "caffe2/"};

// The parts of PyTorch's interface that device code uses, with its layouts: PackedTensorAccessor is
// a pointer, sizes and strides; Half and BFloat16 are their 16 bits (c10/util/Half.h,
// ATen/core/TensorAccessor.h, ATen/cuda/Atomic.cuh, c10/macros/Macros.h).
constexpr std::string_view kTorch = R"(#ifndef WARPMARK_STAND_IN_TORCH
#define WARPMARK_STAND_IN_TORCH
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <math.h>
#include <stdint.h>
#include <limits>
#include <type_traits>
#include <utility>
#include <algorithm>
#include <driver_types.h>
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_ALWAYS_INLINE __forceinline__
#define C10_UNUSED
#define C10_RESTRICT __restrict__
#define C10_WARP_SIZE 32
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define C10_MAX_THREADS_PER_BLOCK(n) (n)
#define C10_MIN_BLOCKS_PER_SM(threads, blocks) (blocks)
#define AT_HOST_DEVICE __host__ __device__
#define AT_DEVICE __device__
#define AT_HOST __host__
#define AT_FORALL_SCALAR_TYPES(...)
#define CUDA_KERNEL_ASSERT(condition) assert(condition)
#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                                    \
  index_type _i_n_d_e_x = static_cast<index_type>(blockIdx.x) * blockDim.x + threadIdx.x; \
  for (index_type i = _i_n_d_e_x; _i_n_d_e_x < (n);                                \
       _i_n_d_e_x += blockDim.x * gridDim.x, i = _i_n_d_e_x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
namespace c10 {
struct alignas(2) Half {
  unsigned short x;
  Half() = default;
  __host__ __device__ Half(float value) : x(__half_as_ushort(__float2half(value))) {}
  __host__ __device__ Half(const __half& value) : x(__half_as_ushort(value)) {}
  __host__ __device__ operator float() const { return __half2float(__ushort_as_half(x)); }
  __device__ operator __half() const { return __ushort_as_half(x); }
};
struct alignas(2) BFloat16 {
  unsigned short x;
  BFloat16() = default;
  __host__ __device__ BFloat16(float value) : x(__bfloat16_as_ushort(__float2bfloat16(value))) {}
  __host__ __device__ BFloat16(const __nv_bfloat16& value) : x(__bfloat16_as_ushort(value)) {}
  __host__ __device__ operator float() const { return __bfloat162float(__ushort_as_bfloat16(x)); }
  __device__ operator __nv_bfloat16() const { return __ushort_as_bfloat16(x); }
};
#define WARPMARK_16_BITS(T)                                                                   \
  __host__ __device__ inline T operator+(T a, T b) { return T(float(a) + float(b)); }         \
  __host__ __device__ inline T operator-(T a, T b) { return T(float(a) - float(b)); }         \
  __host__ __device__ inline T operator*(T a, T b) { return T(float(a) * float(b)); }         \
  __host__ __device__ inline T operator/(T a, T b) { return T(float(a) / float(b)); }         \
  __host__ __device__ inline T operator-(T a) { return T(-float(a)); }                        \
  __host__ __device__ inline T& operator+=(T& a, T b) { return a = T(float(a) + float(b)); }  \
  __host__ __device__ inline T& operator-=(T& a, T b) { return a = T(float(a) - float(b)); }  \
  __host__ __device__ inline T& operator*=(T& a, T b) { return a = T(float(a) * float(b)); }  \
  __host__ __device__ inline T& operator/=(T& a, T b) { return a = T(float(a) / float(b)); }  \
  __host__ __device__ inline float operator+(T a, float b) { return float(a) + b; }           \
  __host__ __device__ inline float operator-(T a, float b) { return float(a) - b; }           \
  __host__ __device__ inline float operator*(T a, float b) { return float(a) * b; }           \
  __host__ __device__ inline float operator/(T a, float b) { return float(a) / b; }           \
  __host__ __device__ inline float operator+(float a, T b) { return a + float(b); }           \
  __host__ __device__ inline float operator-(float a, T b) { return a - float(b); }           \
  __host__ __device__ inline float operator*(float a, T b) { return a * float(b); }           \
  __host__ __device__ inline float operator/(float a, T b) { return a / float(b); }
WARPMARK_16_BITS(Half)
WARPMARK_16_BITS(BFloat16)
#undef WARPMARK_16_BITS
enum class ScalarType : int8_t { Byte, Char, Short, Int, Long, Half, Float, Double };
}  // namespace c10
namespace at {
using c10::BFloat16;
using c10::Half;
using c10::ScalarType;
template <typename T> struct DefaultPtrTraits { typedef T* PtrType; };
template <typename T> struct RestrictPtrTraits { typedef T* __restrict__ PtrType; };
template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits,
          typename I = int64_t>
class TensorAccessor {
 public:
  typedef typename Traits<T>::PtrType PtrType;
  __host__ __device__ TensorAccessor(PtrType data, const I* sizes, const I* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  __host__ __device__ I stride(I i) const { return strides_[i]; }
  __host__ __device__ I size(I i) const { return sizes_[i]; }
  __host__ __device__ T* data() const { return data_; }
  __host__ __device__ auto operator[](I i) const {
    return TensorAccessor<T, N - 1, Traits, I>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
  }
 private:
  PtrType data_;
  const I* sizes_;
  const I* strides_;
};
template <typename T, template <typename> class Traits, typename I>
class TensorAccessor<T, 1, Traits, I> {
 public:
  typedef typename Traits<T>::PtrType PtrType;
  __host__ __device__ TensorAccessor(PtrType data, const I* sizes, const I* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  __host__ __device__ I stride(I i) const { return strides_[i]; }
  __host__ __device__ I size(I i) const { return sizes_[i]; }
  __host__ __device__ T* data() const { return data_; }
  __host__ __device__ T& operator[](I i) const { return data_[strides_[0] * i]; }
 private:
  PtrType data_;
  const I* sizes_;
  const I* strides_;
};
template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits,
          typename I = int64_t>
class GenericPackedTensorAccessor {
 public:
  typedef typename Traits<T>::PtrType PtrType;
  __host__ __device__ I stride(I i) const { return strides_[i]; }
  __host__ __device__ I size(I i) const { return sizes_[i]; }
  __host__ __device__ PtrType data() const { return data_; }
  __device__ auto operator[](I i) const {
    if constexpr (N == 1) {
      return TensorAccessor<T, 2, Traits, I>(data_, sizes_, strides_)[i];
    } else {
      return TensorAccessor<T, N - 1, Traits, I>(data_ + strides_[0] * i, sizes_ + 1,
                                                 strides_ + 1);
    }
  }
 private:
  PtrType data_;
  I sizes_[N];
  I strides_[N];
};
template <typename T, template <typename> class Traits, typename I>
class GenericPackedTensorAccessor<T, 1, Traits, I> {
 public:
  typedef typename Traits<T>::PtrType PtrType;
  __host__ __device__ I stride(I i) const { return strides_[i]; }
  __host__ __device__ I size(I i) const { return sizes_[i]; }
  __host__ __device__ PtrType data() const { return data_; }
  __device__ T& operator[](I i) const { return data_[strides_[0] * i]; }
 private:
  PtrType data_;
  I sizes_[1];
  I strides_[1];
};
template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, int64_t>;
template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits,
          typename I = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, I>;
template <typename T> struct OpMathType { using type = T; };
template <> struct OpMathType<Half> { using type = float; };
template <> struct OpMathType<BFloat16> { using type = float; };
template <typename T> using opmath_type = typename OpMathType<T>::type;
template <typename T, bool cuda> using acc_type = typename OpMathType<T>::type;
template <typename T> __host__ __device__ inline T ceil_div(T a, T b) { return (a + b - 1) / b; }
struct PhiloxCudaState { uint64_t seed, offset; };
namespace cuda { namespace detail {
template <typename T, typename I> struct TensorInfo {
  T* data;
  I sizes[25];
  I strides[25];
  int dims;
};
template <typename T, typename I, int Dims> struct IndexToOffset {
  __host__ __device__ static I get(I at, const TensorInfo<T, I>& info) {
    I offset = 0;
    const int dims = Dims < 0 ? info.dims : Dims;
    for (int i = dims - 1; i > 0; --i) {
      offset += at % info.sizes[i] * info.strides[i];
      at /= info.sizes[i];
    }
    return offset + at * info.strides[0];
  }
};
} }  // namespace cuda::detail
}  // namespace at
namespace torch {
using at::BFloat16;
using at::DefaultPtrTraits;
using at::GenericPackedTensorAccessor;
using at::Half;
using at::PackedTensorAccessor;
using at::PackedTensorAccessor32;
using at::PackedTensorAccessor64;
using at::RestrictPtrTraits;
using at::TensorAccessor;
}  // namespace torch
template <typename T> __device__ inline T WARP_SHFL_DOWN(T value, unsigned delta, int width = 32, unsigned mask = 0xffffffff) {
  return __shfl_down_sync(mask, value, delta, width);
}
template <typename T> __device__ inline T WARP_SHFL_XOR(T value, int lanes, int width = 32, unsigned mask = 0xffffffff) {
  return __shfl_xor_sync(mask, value, lanes, width);
}
template <typename T> __device__ inline T WARP_SHFL(T value, int lane, int width = 32, unsigned mask = 0xffffffff) {
  return __shfl_sync(mask, value, lane, width);
}
namespace at {
namespace native {}
}
#endif
)";

// The numbers of cuFFT.
constexpr std::string_view kCufft = R"(#ifndef WARPMARK_STAND_IN_CUFFT
#define WARPMARK_STAND_IN_CUFFT
#include <cuComplex.h>
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
#endif
)";

// The parts of CUB for threads, warps and blocks: those for devices are for the CPU.
constexpr std::string_view kCub = R"(#ifndef WARPMARK_STAND_IN_CUB
#define WARPMARK_STAND_IN_CUB
#include <math.h>
#undef INFINITY
#undef NAN
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/thread/thread_load.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/thread/thread_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cub/warp/warp_store.cuh>
#ifndef INFINITY
#define INFINITY (__int_as_float(0x7f800000))
#endif
#ifndef NAN
#define NAN (__int_as_float(0x7fffffff))
#endif
#endif
)";

// ATen/cuda/Atomic.cuh: programs without it have their own.
constexpr std::string_view kTorchAtomics = R"(#ifndef WARPMARK_STAND_IN_TORCH_ATOMICS
#define WARPMARK_STAND_IN_TORCH_ATOMICS
#include <ATen/ATen.h>
__device__ inline c10::Half atomicAdd(c10::Half* at, c10::Half value) {
  return atomicAdd(reinterpret_cast<__half*>(at), static_cast<__half>(value));
}
__device__ inline c10::BFloat16 atomicAdd(c10::BFloat16* at, c10::BFloat16 value) {
  return atomicAdd(reinterpret_cast<__nv_bfloat16*>(at), static_cast<__nv_bfloat16>(value));
}
__device__ inline int64_t atomicAdd(int64_t* at, int64_t value) {
  return atomicAdd(reinterpret_cast<unsigned long long*>(at), (unsigned long long)value);
}
template <typename T> __device__ inline T gpuAtomicAdd(T* at, T value) { return atomicAdd(at, value); }
template <typename T> __device__ inline void gpuAtomicAddNoReturn(T* at, T value) { atomicAdd(at, value); }
namespace at {
using ::gpuAtomicAdd;
}
#endif
)";

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

// Headers by name.
const std::unordered_map<std::string, std::string_view>& std_headers() {
  static const std::unordered_map<std::string, std::string_view> kHeaders = [] {
    std::unordered_map<std::string, std::string_view> headers;
    for (const StdHeader& one : kStdHeaders) {
      for (const std::string& name : split(std::string(one.names), ' ')) headers[name] = one.header;
    }
    return headers;
  }();
  return kHeaders;
}

}  // namespace

bool is_host_header(std::string_view name) {
  if (find_shim(name)) return false;
  if (std::ranges::find(kHostHeaders, name) != kHostHeaders.end()) return true;
  if (std::ranges::find(kThrust, name) != kThrust.end()) return false;
  return std::ranges::any_of(kFolders,
                             [&](std::string_view folder) { return name.starts_with(folder); });
}

bool is_host_std(std::string_view name) {
  return std::ranges::find(kHostStd, name) != kHostStd.end();
}

std::string_view header_of_std(std::string_view name) {
  const auto found = std_headers().find(std::string(name));
  return found == std_headers().end() ? std::string_view() : found->second;
}

std::optional<std::string_view> find_stand_in(std::string_view name) {
  if (name == "cub/cub.cuh") return kCub;
  if (name == "cufft.h" || name == "cufftXt.h") return kCufft;
  const bool is_torch = std::ranges::any_of(
      kOfTorch, [&](std::string_view folder) { return name.starts_with(folder); });
  if (!is_torch) return std::nullopt;
  return name.ends_with("Atomic.cuh") || name.ends_with("Atomics.cuh") ? kTorchAtomics : kTorch;
}

}  // namespace warpmark
