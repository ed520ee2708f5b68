#include "prelude.hpp"

namespace warpmark::codegen {

const std::string& scan_prelude() {
  static const std::string kPrelude = R"(namespace warpmark {

// A value, and whether a segment begins at it or before it in what it combines: what comes earlier
// then does not reach it (Sengupta, Harris, Zhang, Owens, Scan Primitives for GPU Computing, 2007).
template <class T> struct Segmented {
  T value;
  bool head;
};
template <class T, class Reduce> struct SegmentedReduce {
  __device__ __forceinline__ Segmented<T> operator()(const Segmented<T> &a,
                                                     const Segmented<T> &b) const {
    return {b.head ? b.value : Reduce()(a.value, b.value), a.head || b.head};
  }
};

// The values of a thread. Whether segments begin takes a bit of each, and no register.
template <class Value, int count> struct Items {
  Value value[count];
  __device__ __forceinline__ Value at(int k) const { return value[k]; }
  __device__ __forceinline__ void set(int k, const Value &to) { value[k] = to; }
};
template <class T, int count> struct Items<Segmented<T>, count> {
  T value[count];
  unsigned heads[(count + 31) / 32] = {};
  __device__ __forceinline__ Segmented<T> at(int k) const {
    return {value[k], (heads[k / 32] >> k % 32 & 1) != 0};
  }
  __device__ __forceinline__ void set(int k, const Segmented<T> &to) {
    value[k] = to.value;
    heads[k / 32] = (heads[k / 32] & ~(1u << k % 32)) | unsigned(to.head) << k % 32;
  }
  __device__ __forceinline__ unsigned long long all_heads() const {
    unsigned long long all = heads[0];
    if constexpr (count > 32) all |= static_cast<unsigned long long>(heads[1]) << 32;
    return all;
  }
};

template <class T> __device__ __forceinline__ T shuffle_up(T value, int distance) {
  return shuffled(value, [=](unsigned word) {
    return __shfl_up_sync(0xffffffffu, word, distance);
  });
}
template <class T> __device__ __forceinline__ T shuffle(T value, int lane) {
  return shuffled(value, [=](unsigned word) { return __shfl_sync(0xffffffffu, word, lane); });
}
template <class T> __device__ __forceinline__ Segmented<T> shuffle_up(Segmented<T> from, int distance) {
  return {shuffle_up(from.value, distance), __shfl_up_sync(0xffffffffu, from.head, distance) != 0};
}
template <class T> __device__ __forceinline__ Segmented<T> shuffle(Segmented<T> from, int lane) {
  return {shuffle(from.value, lane), __shfl_sync(0xffffffffu, from.head, lane) != 0};
}
template <class T> __device__ __forceinline__ Segmented<T> shuffle_down(Segmented<T> from, int distance) {
  return {shuffle_down(from.value, distance), __shfl_down_sync(0xffffffffu, from.head, distance) != 0};
}

// Brings `count` elements into the L2 cache, a line by each thread of a block.
template <int block, class T> __device__ __forceinline__ void fetch_ahead(const T *first, int count) {
  const char *bytes = reinterpret_cast<const char *>(first);
#pragma unroll
  for (int at = 128 * threadIdx.x; at < count * static_cast<int>(sizeof(T)); at += 128 * block) {
    asm volatile("prefetch.global.L2 [%0];" : : "l"(bytes + at));
  }
}

// They are load and store for elements that are read or written once, and leave the cache first.
template <int count, class T>
__device__ __forceinline__ void load_once(T (&to)[count], const T *from) {
  using Type = typename Word<access(count * sizeof(T))>::Type;
  constexpr int words = count * sizeof(T) / sizeof(Type);
  Type word[words];
#pragma unroll
  for (int k = 0; k < words; ++k) word[k] = __ldcs(reinterpret_cast<const Type *>(from) + k);
  memcpy(to, word, sizeof word);
}
template <int count, class T>
__device__ __forceinline__ void store_once(T *to, const T (&from)[count]) {
  using Type = typename Word<access(count * sizeof(T))>::Type;
  constexpr int words = count * sizeof(T) / sizeof(Type);
  Type word[words];
  memcpy(word, from, sizeof word);
#pragma unroll
  for (int k = 0; k < words; ++k) __stcs(reinterpret_cast<Type *>(to) + k, word[k]);
}

// Each lane gets what it and all lanes before it combine to.
template <class T, class Reduce> __device__ __forceinline__ T scan_warp(T value, Reduce reduce) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const T before = shuffle_up(value, distance);
    if (threadIdx.x % 32 >= distance) value = reduce(before, value);
  }
  return value;
}

// What tiles leave for later ones: `states` are 0 until they do. Values of up to 4 bytes travel in
// one access with their state; others lie in `values`, and fences keep them before it.
template <class T> struct Board {
  static constexpr bool packed = sizeof(T) <= 4;
  static constexpr int words = (sizeof(T) + 3) / 4 + 1;
  unsigned long long *states;
  unsigned *values;

  __device__ __forceinline__ void write(long long slot, const T &value, bool head) const {
    if constexpr (packed) {
      unsigned bits = 0;
      memcpy(&bits, &value, sizeof(T));
      *reinterpret_cast<volatile unsigned long long *>(states + slot) =
          bits | (head ? 3ull << 32 : 1ull << 32);
    } else {
      put(values + slot * words, value);
      *reinterpret_cast<volatile unsigned *>(values + slot * words + words - 1) = head;
      __threadfence();
      *reinterpret_cast<volatile unsigned long long *>(states + slot) = 1;
    }
  }
  __device__ __forceinline__ T read(long long slot, bool &head) const {
    const volatile unsigned long long *state = states + slot;
    unsigned long long seen = *state;
    while (seen == 0) seen = *state;
    T value;
    if constexpr (packed) {
      const unsigned bits = static_cast<unsigned>(seen);
      memcpy(&value, &bits, sizeof(T));
      head = (seen >> 33) != 0;
    } else {
      __threadfence();
      value = get<T>(values + slot * words);
      head = *reinterpret_cast<const volatile unsigned *>(values + slot * words + words - 1) != 0;
    }
    return value;
  }
  __device__ __forceinline__ void publish(long long slot, const T &value) const {
    write(slot, value, false);
  }
  __device__ __forceinline__ void publish(long long slot, const Segmented<T> &from) const {
    write(slot, from.value, from.head);
  }
  __device__ __forceinline__ void wait(long long slot, T &to) const {
    bool head;
    to = read(slot, head);
  }
  __device__ __forceinline__ void wait(long long slot, Segmented<T> &to) const {
    to.value = read(slot, to.head);
  }
};

// What all tiles before this one combine to. Tiles are counted in groups of 32, and groups in 32s;
// the last tile of a group leaves the group's value, the last of 32 groups what everything up to it
// combines to. A group's value comes one access later than its tiles', so that the `near` groups
// before the tile's own are read tile by tile. Each part is waited for by one warp, and which values
// are combined in which order never depends on which tile was faster. (Merrill and Garland,
// Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016, takes whatever is there.)
template <int near, class T, class Value, class Reduce>
__device__ __forceinline__ Value before_tile(const Board<T> board, const long long tile,
                                             const long long tiles, const Value own,
                                             const Value neutral, Reduce reduce) {
  // It has four or eight values, as compilers read three aligned ones by one access of that size.
  __shared__ __align__(16) unsigned char memory[(near > 0 ? 8 : 4) * sizeof(Value)];
  Value *part = reinterpret_cast<Value *>(memory);
  const long long groups = 1 + tiles, wholes = groups + (tiles + 31) / 32;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int group = tile / 32 % 32;  // of its 1024 tiles
  if (threadIdx.x == 0) board.publish(1 + tile, own);
  if (warp == 0) {
    Value value = neutral;
    if (lane < tile % 32) board.wait(1 + tile / 32 * 32 + lane, value);
    __syncwarp();
    value = reduce_warp(value, reduce);
    if (lane == 0) part[2] = value;
    if (lane == 0 && tile % 32 == 31) board.publish(groups + tile / 32, reduce(value, own));
  } else if (warp == 1) {
    Value value = neutral;
    if (lane < group - near) board.wait(groups + tile / 1024 * 32 + lane, value);
    __syncwarp();
    value = reduce_warp(value, reduce);
    if (lane == 0) part[1] = value;
  } else if (warp == 2 && lane == 0) {
    Value value = neutral;
    if (tile >= 1024) board.wait(wholes + tile / 1024 - 1, value);
    part[0] = value;
  } else if (warp > 2 && warp <= 2 + near) {
    const int back = warp - 2;
    Value value = neutral;
    if (back <= group) board.wait(1 + (tile / 32 - back) * 32 + lane, value);
    __syncwarp();
    value = reduce_warp(value, reduce);
    if (lane == 0) part[warp] = value;
  }
  __syncthreads();
  Value before = reduce(part[0], part[1]);
#pragma unroll
  for (int back = near; back > 0; --back) before = reduce(before, part[2 + back]);
  before = reduce(before, part[2]);
  if (threadIdx.x == 0 && tile % 1024 == 1023) {
    board.publish(wholes + tile / 1024, reduce(before, own));
  }
  return before;
}

}  // namespace warpmark
)";
  return kPrelude;
}

}  // namespace warpmark::codegen
