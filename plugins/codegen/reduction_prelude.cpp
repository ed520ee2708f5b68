#include "codegen/reduction_prelude.hpp"

namespace warpmark::codegen {

const std::string& reduction_prelude() {
  static const std::string kPrelude = R"(namespace warpmark {

// As NumPy has them: a NaN wins.
template <class T> __device__ __forceinline__ T maximum(T a, T b) {
  return a > b || a != a ? a : b;
}
template <class T> __device__ __forceinline__ T minimum(T a, T b) {
  return a < b || a != a ? a : b;
}

// The least and the greatest value of a type: infinities, where there are any.
template <class T> struct Limits {
  static __device__ T lowest() { return T(-__int_as_float(0x7f800000)); }
  static __device__ T highest() { return T(__int_as_float(0x7f800000)); }
};
template <class T> struct IntegerLimits {
  static constexpr bool is_signed = T(-1) < T(0);
  static constexpr unsigned long long sign = 1ull << (8 * sizeof(T) - 1);
  static __device__ constexpr T lowest() { return is_signed ? T(sign) : T(0); }
  static __device__ constexpr T highest() { return is_signed ? T(sign - 1) : T(-1); }
};
template <> struct Limits<bool> : IntegerLimits<bool> {};
template <> struct Limits<char> : IntegerLimits<char> {};
template <> struct Limits<signed char> : IntegerLimits<signed char> {};
template <> struct Limits<unsigned char> : IntegerLimits<unsigned char> {};
template <> struct Limits<short> : IntegerLimits<short> {};
template <> struct Limits<unsigned short> : IntegerLimits<unsigned short> {};
template <> struct Limits<int> : IntegerLimits<int> {};
template <> struct Limits<unsigned> : IntegerLimits<unsigned> {};
template <> struct Limits<long> : IntegerLimits<long> {};
template <> struct Limits<unsigned long> : IntegerLimits<unsigned long> {};
template <> struct Limits<long long> : IntegerLimits<long long> {};
template <> struct Limits<unsigned long long> : IntegerLimits<unsigned long long> {};
template <class T> __device__ __forceinline__ T lowest() { return Limits<T>::lowest(); }
template <class T> __device__ __forceinline__ T highest() { return Limits<T>::highest(); }

// A value and where it is. -1, of the neutral element, is behind all others.
template <class T> struct Indexed {
  T value;
  long long index;
};
// As NumPy's argmax and argmin: the first of several that are equal, and the first NaN.
template <class T> __device__ __forceinline__ bool is_before(Indexed<T> a, Indexed<T> b) {
  return static_cast<unsigned long long>(a.index) < static_cast<unsigned long long>(b.index);
}
template <class T> __device__ __forceinline__ Indexed<T> larger(Indexed<T> a, Indexed<T> b) {
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  const bool same = a.value == b.value || (a_nan && b_nan);
  return (same ? is_before(a, b) : a_nan || (!b_nan && a.value > b.value)) ? a : b;
}
template <class T> __device__ __forceinline__ Indexed<T> smaller(Indexed<T> a, Indexed<T> b) {
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  const bool same = a.value == b.value || (a_nan && b_nan);
  return (same ? is_before(a, b) : a_nan || (!b_nan && a.value < b.value)) ? a : b;
}
// Combines with values that come after the total, in the order of their indices. The extreme of the
// values needs one comparison for each; where it is has to be found only if it replaces the total.
template <int count, class T, class Extreme, class Beats>
__device__ __forceinline__ void take(Indexed<T> &total, const Indexed<T> (&value)[count],
                                     Extreme extreme, Beats beats) {
  T most = value[0].value;
#pragma unroll
  for (int k = 1; k < count; ++k) most = extreme(most, value[k].value);
  const bool is_nan = most != most;
  if (!(total.index < 0 || beats(most, total.value) || (is_nan && total.value == total.value))) {
    return;
  }
#pragma unroll
  for (int k = count - 1; k >= 0; --k) {
    if (is_nan ? value[k].value != value[k].value : value[k].value == most) total = value[k];
  }
}
template <int count, class T>
__device__ __forceinline__ void take_larger(Indexed<T> &total, const Indexed<T> (&value)[count]) {
  take(total, value, [](T a, T b) { return maximum(a, b); }, [](T a, T b) { return a > b; });
}
template <int count, class T>
__device__ __forceinline__ void take_smaller(Indexed<T> &total, const Indexed<T> (&value)[count]) {
  take(total, value, [](T a, T b) { return minimum(a, b); }, [](T a, T b) { return a < b; });
}

// Number, mean, and sum of the squares of the distances from it. Two are merged as by Chan, Golub
// and LeVeque, Updating formulae and a pairwise algorithm for computing sample variances, 1979. The
// number is a weight, which may be rounded, so that no merge converts it.
template <class T> struct Spread {
  T count, mean, squares;
};
template <class T> __device__ __forceinline__ Spread<T> merged(Spread<T> a, Spread<T> b) {
  if (a.count == T(0)) return b;
  if (b.count == T(0)) return a;
  const T count = a.count + b.count;
  const T share = b.count / count;
  const T distance = b.mean - a.mean;
  return {count, a.mean + distance * share,
          a.squares + b.squares + distance * distance * (a.count * share)};
}
// Combines with values of one element each. Their own spread takes no division: distances from the
// first of them lose nothing of a mean that is large.
template <int count, class T>
__device__ __forceinline__ void take_spread(Spread<T> &total, const Spread<T> (&value)[count]) {
  T distance[count], sum[count];
#pragma unroll
  for (int k = 0; k < count; ++k) sum[k] = distance[k] = value[k].mean - value[0].mean;
#pragma unroll
  for (int step = 1; step < count; step *= 2) {
#pragma unroll
    for (int k = 0; k + step < count; k += 2 * step) sum[k] += sum[k + step];
  }
  const T offset = sum[0] * (T(1) / T(count));
  T squares = 0;
#pragma unroll
  for (int k = 0; k < count; ++k) squares += (distance[k] - offset) * (distance[k] - offset);
  total = merged(total, Spread<T>{T(count), value[0].mean + offset, squares});
}
template <class T> struct Moments {
  T mean, variance;
};

template <class T> __device__ T &&value_of();
template <class To, class From, class = To> constexpr bool converts = false;
template <class To, class From>
constexpr bool converts<To, From, decltype(static_cast<To>(value_of<From>()))> = true;

template <class T> __device__ constexpr bool negative(T value) {
  return !(value > T(0)) && value != T(0);  // no comparison that is pointless for unsigned
}
// Whether a number keeps its value in another type.
template <class To, class From> __device__ constexpr bool keeps(From value) {
  if constexpr (converts<To, From> && converts<From, To>) {
    return static_cast<From>(static_cast<To>(value)) == value &&
           negative(value) == negative(static_cast<To>(value));
  } else {
    return false;
  }
}

// The result of a total: as itself, or the one member that a number can be.
template <class To> struct Result {
  template <class From> static __device__ To of(const From &from) { return static_cast<To>(from); }
  template <class T> static __device__ To of(const Indexed<T> &from) {
    if constexpr (!__is_aggregate(To)) {
      return static_cast<To>(from.index);
    } else {
      return To{from.value, from.index};
    }
  }
  template <class T> static __device__ To of(const Moments<T> &from) {
    if constexpr (!__is_aggregate(To)) {
      return static_cast<To>(from.variance);
    } else {
      return To{from.mean, from.variance};
    }
  }
};

// Neighbours first, so that every operand on the left comes before that on the right.
template <int count, class T, class Reduce>
__device__ __forceinline__ T fold(T (&value)[count], Reduce reduce) {
#pragma unroll
  for (int distance = 1; distance < count; distance *= 2) {
#pragma unroll
    for (int k = 0; k + distance < count; k += 2 * distance) {
      value[k] = reduce(value[k], value[k + distance]);
    }
  }
  return value[0];
}

// A value on its way between the lanes of a warp: `move` takes one word there.
template <class T, class Move> __device__ __forceinline__ T shuffled(T value, Move move) {
  unsigned word[(sizeof(T) + 3) / 4] = {};
  memcpy(word, &value, sizeof(T));
#pragma unroll
  for (unsigned &each : word) each = move(each);
  memcpy(&value, word, sizeof(T));
  return value;
}
template <class T> __device__ __forceinline__ T shuffle_down(T value, int distance) {
  return shuffled(value, [=](unsigned word) {
    return __shfl_down_sync(0xffffffffu, word, distance);
  });
}

template <class T, class Reduce> __device__ __forceinline__ T reduce_warp(T value, Reduce reduce) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    value = reduce(value, shuffle_down(value, distance));
  }
  return value;
}

// Thread 0 gets the values of all threads, in their order.
template <int block, class T, class Reduce>
__device__ __forceinline__ T reduce_block(T value, T neutral, Reduce reduce) {
  constexpr bool shuffles = sizeof(T) <= 8;
  __shared__ __align__(16) unsigned char memory[(shuffles ? 32 : block) * sizeof(T)];
  T *shared = reinterpret_cast<T *>(memory);
  __syncthreads();  // an earlier call may still read
  if constexpr (shuffles) {
    value = reduce_warp(value, reduce);
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
      value = threadIdx.x < block / 32 ? shared[threadIdx.x] : neutral;
      value = reduce_warp(value, reduce);
    }
  } else {
    shared[threadIdx.x] = value;
    for (int distance = 1; distance < block; distance *= 2) {
      __syncthreads();
      if (threadIdx.x % (2 * distance) == 0 && threadIdx.x + distance < block) {
        shared[threadIdx.x] = reduce(shared[threadIdx.x], shared[threadIdx.x + distance]);
      }
    }
    __syncthreads();  // compilers let all threads read it, even if one alone asks for it
    value = shared[0];
  }
  return value;
}

// The first warp gets, in each lane, the values of that lane of all warps.
template <int block, class T, class Reduce>
__device__ __forceinline__ T reduce_lanes(T value, Reduce reduce) {
  __shared__ __align__(16) unsigned char memory[block * sizeof(T)];
  T *shared = reinterpret_cast<T *>(memory);
  __syncthreads();  // an earlier call may still read
  shared[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
#pragma unroll
    for (int other = 32; other < block; other += 32) {
      value = reduce(value, shared[threadIdx.x + other]);
    }
  }
  return value;
}

// A block's value on its way to another block, past the first-level caches.
template <class T> __device__ __forceinline__ void put(unsigned *to, const T &value) {
  unsigned word[(sizeof(T) + 3) / 4] = {};
  memcpy(word, &value, sizeof(T));
#pragma unroll
  for (int k = 0; k < int(sizeof word / 4); ++k) {
    reinterpret_cast<volatile unsigned *>(to)[k] = word[k];
  }
}
template <class T> __device__ __forceinline__ T get(const unsigned *from) {
  unsigned word[(sizeof(T) + 3) / 4];
#pragma unroll
  for (int k = 0; k < int(sizeof word / 4); ++k) {
    word[k] = reinterpret_cast<const volatile unsigned *>(from)[k];
  }
  T value;
  memcpy(&value, word, sizeof(T));
  return value;
}

}  // namespace warpmark
)";
  return kPrelude;
}

}  // namespace warpmark::codegen
