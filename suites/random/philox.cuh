// Philox4x32-10 after Salmon, Moraes, Dror and Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, 2011:
// four random words are a function of a counter and a key, so that any thread can make any of them.
#pragma once

__device__ inline uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xD2511F53u, counter.x), low0 = 0xD2511F53u * counter.x;
    const unsigned high1 = __umulhi(0xCD9E8D57u, counter.z), low1 = 0xCD9E8D57u * counter.z;
    counter = {high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0};
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

// The words of block `index` of a stream, as cuRAND and NumPy count: the low words go up, the high
// ones are the stream.
__device__ inline uint4 philox_block(unsigned long long seed, unsigned long long stream,
                                     unsigned long long index) {
  return philox({static_cast<unsigned>(index), static_cast<unsigned>(index >> 32),
                 static_cast<unsigned>(stream), static_cast<unsigned>(stream >> 32)},
                {static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)});
}

// In [0, 1), with all bits that the type has: multiples of 2^-24 and 2^-53.
__device__ inline float uniform(unsigned word) { return (word >> 8) * 0x1p-24f; }
__device__ inline double uniform(unsigned low, unsigned high) {
  return ((static_cast<unsigned long long>(high) << 32 | low) >> 11) * 0x1p-53;
}
