// The parts of PyTorch's interface that device code uses, with its layouts: PackedTensorAccessor is
// a pointer, sizes and strides; Half and BFloat16 are their 16 bits (c10/util/Half.h,
// ATen/core/TensorAccessor.h, ATen/cuda/Atomic.cuh, c10/macros/Macros.h).
#ifndef WARPMARK_STAND_IN_TORCH
#define WARPMARK_STAND_IN_TORCH
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <driver_types.h>
#include <math.h>
#include <stdint.h>
#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
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
#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                                           \
  index_type _i_n_d_e_x = static_cast<index_type>(blockIdx.x) * blockDim.x + threadIdx.x; \
  for (index_type i = _i_n_d_e_x; _i_n_d_e_x < (n);                                       \
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
#define WARPMARK_OPERATOR(T, op)                               \
  __host__ __device__ inline T operator op(T a, T b) {         \
    return T(float(a) op float(b));                            \
  }                                                            \
  __host__ __device__ inline T& operator op##=(T& a, T b) {    \
    return a = T(float(a) op float(b));                        \
  }                                                            \
  __host__ __device__ inline float operator op(T a, float b) { \
    return float(a) op b;                                      \
  }                                                            \
  __host__ __device__ inline float operator op(float a, T b) { \
    return a op float(b);                                      \
  }
#define WARPMARK_16_BITS(T)                     \
  WARPMARK_OPERATOR(T, +)                       \
  WARPMARK_OPERATOR(T, -)                       \
  WARPMARK_OPERATOR(T, *)                       \
  WARPMARK_OPERATOR(T, /)                       \
  __host__ __device__ inline T operator-(T a) { \
    return T(-float(a));                        \
  }
WARPMARK_16_BITS(Half)
WARPMARK_16_BITS(BFloat16)
#undef WARPMARK_16_BITS
#undef WARPMARK_OPERATOR
enum class ScalarType : int8_t { Byte, Char, Short, Int, Long, Half, Float, Double };
}  // namespace c10
namespace at {
using c10::BFloat16;
using c10::Half;
using c10::ScalarType;
template <typename T>
struct DefaultPtrTraits {
  typedef T* PtrType;
};
template <typename T>
struct RestrictPtrTraits {
  typedef T* __restrict__ PtrType;
};
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
      return TensorAccessor<T, N - 1, Traits, I>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
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
template <typename T>
struct OpMathType {
  using type = T;
};
template <>
struct OpMathType<Half> {
  using type = float;
};
template <>
struct OpMathType<BFloat16> {
  using type = float;
};
template <typename T>
using opmath_type = typename OpMathType<T>::type;
template <typename T, bool cuda>
using acc_type = typename OpMathType<T>::type;
template <typename T>
__host__ __device__ inline T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}
struct PhiloxCudaState {
  uint64_t seed, offset;
};
namespace cuda {
namespace detail {
template <typename T, typename I>
struct TensorInfo {
  T* data;
  I sizes[25];
  I strides[25];
  int dims;
};
template <typename T, typename I, int Dims>
struct IndexToOffset {
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
}  // namespace detail
}  // namespace cuda
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
template <typename T>
__device__ inline T WARP_SHFL_DOWN(T value, unsigned delta, int width = 32,
                                   unsigned mask = 0xffffffff) {
  return __shfl_down_sync(mask, value, delta, width);
}
template <typename T>
__device__ inline T WARP_SHFL_XOR(T value, int lanes, int width = 32, unsigned mask = 0xffffffff) {
  return __shfl_xor_sync(mask, value, lanes, width);
}
template <typename T>
__device__ inline T WARP_SHFL(T value, int lane, int width = 32, unsigned mask = 0xffffffff) {
  return __shfl_sync(mask, value, lane, width);
}
namespace at {
namespace native {}
}  // namespace at
#endif
