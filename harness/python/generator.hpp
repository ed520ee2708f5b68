// The random numbers of an argument: what seeds its generator.
#pragma once

#include <cstdint>
#include <string>

namespace warpmark {

/// Names the stream of one argument in one trial of one case, so that the order of arguments, and
/// further ones, change nothing else.
///
/// `rng` is `np.random.Generator(np.random.Philox(key=k))`, where k is the first 16 bytes,
/// little-endian, of SHA-256 over
///
///     "warpmark rng 1\n"  seed  len(suite) suite  len(case) case  len(argument) argument  trial
///
/// with seed, trial and each len (a count of UTF-8 bytes) as 8 bytes, little-endian. The lengths
/// keep
/// ("ab", "c") apart from ("a", "bc").
struct GeneratorKey {
  uint64_t seed = 0;
  std::string suite;
  std::string case_id;
  std::string argument;
  uint64_t trial = 0;

  /// The bytes that are hashed.
  std::string message() const;
};

}  // namespace warpmark
