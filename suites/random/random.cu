// Random numbers by Philox4x32-10. Element i is made of counter i / k alone, if a counter makes k
// elements: the geometry of the launch changes nothing.
#include "philox.cuh"

namespace {

// All counters, however many threads there are.
template <class Each>
__device__ void for_each_block(unsigned long long blocks, Each each) {
  const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < blocks; i += threads) {
    each(i);
  }
}

// The `count` numbers of block `i`, fewer at the end of the array; by 16 bytes if they fit.
template <class T, int count>
__device__ void store(T *out, unsigned long long n, unsigned long long i, const T (&value)[count]) {
  const unsigned long long first = i * count;
  if (first + count <= n) {
    uint4 word;
    memcpy(&word, value, 16);
    reinterpret_cast<uint4 *>(out)[i] = word;
    return;
  }
  for (int k = 0; k < count; ++k) {
    if (first + k < n) out[first + k] = value[k];
  }
}

}  // namespace

extern "C" __global__ void bits(unsigned *out, unsigned long long n, unsigned long long seed,
                                unsigned long long stream) {
  for_each_block((n + 3) / 4, [=](unsigned long long i) {
    const uint4 word = philox_block(seed, stream, i);
    const unsigned words[] = {word.x, word.y, word.z, word.w};
    store(out, n, i, words);
  });
}

extern "C" __global__ void uniform_float(float *out, unsigned long long n, unsigned long long seed,
                                         unsigned long long stream) {
  for_each_block((n + 3) / 4, [=](unsigned long long i) {
    const uint4 word = philox_block(seed, stream, i);
    const float values[] = {uniform(word.x), uniform(word.y), uniform(word.z), uniform(word.w)};
    store(out, n, i, values);
  });
}

extern "C" __global__ void uniform_double(double *out, unsigned long long n,
                                          unsigned long long seed, unsigned long long stream) {
  for_each_block((n + 1) / 2, [=](unsigned long long i) {
    const uint4 word = philox_block(seed, stream, i);
    const double values[] = {uniform(word.x, word.y), uniform(word.z, word.w)};
    store(out, n, i, values);
  });
}

// Box and Muller, A Note on the Generation of Random Normal Deviates, 1958. 1 - u is never 0.
extern "C" __global__ void normal_float(float *out, unsigned long long n, unsigned long long seed,
                                        unsigned long long stream) {
  for_each_block((n + 3) / 4, [=](unsigned long long i) {
    const uint4 word = philox_block(seed, stream, i);
    const float far = sqrtf(-2 * logf(1 - uniform(word.x))), angle = 2 * uniform(word.y);
    const float far2 = sqrtf(-2 * logf(1 - uniform(word.z))), angle2 = 2 * uniform(word.w);
    const float values[] = {far * cospif(angle), far * sinpif(angle), far2 * cospif(angle2),
                            far2 * sinpif(angle2)};
    store(out, n, i, values);
  });
}

extern "C" __global__ void normal_double(double *out, unsigned long long n,
                                         unsigned long long seed, unsigned long long stream) {
  for_each_block((n + 1) / 2, [=](unsigned long long i) {
    const uint4 word = philox_block(seed, stream, i);
    const double far = sqrt(-2 * log(1 - uniform(word.x, word.y)));
    const double angle = 2 * uniform(word.z, word.w);
    const double values[] = {far * cospi(angle), far * sinpi(angle)};
    store(out, n, i, values);
  });
}

// The generator alone, for the answers that are known.
extern "C" __global__ void answers(const unsigned *counters, const unsigned *keys, unsigned *out,
                                   int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned *c = counters + 4 * i, *k = keys + 2 * i;
  const uint4 word = philox({c[0], c[1], c[2], c[3]}, {k[0], k[1]});
  const unsigned words[] = {word.x, word.y, word.z, word.w};
  for (int j = 0; j < 4; ++j) out[4 * i + j] = words[j];
}
