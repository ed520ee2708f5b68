// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
#pragma once

#include <cstdint>

namespace warpmark {

/// Its finalizer: each bit of the result depends on all of x.
constexpr uint64_t mixed_bits(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}
  uint64_t next() { return mixed_bits(state_ += 0x9e3779b97f4a7c15); }
  uint64_t below(uint64_t end) { return next() % end; }
  bool one_of(uint64_t many) { return below(many) == 0; }

 private:
  uint64_t state_;
};

}  // namespace warpmark
