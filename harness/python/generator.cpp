#include "python/generator.hpp"

#include <cstdint>

namespace warpmark {

namespace {

std::string little_endian(uint64_t value) {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>((value >> shift) & 0xFF);
  return bytes;
}

std::string counted(const std::string& text) {
  return little_endian(text.size()) + text;
}

}  // namespace

std::string GeneratorKey::message() const {
  return "warpmark rng 1\n" + little_endian(seed) + counted(suite) + counted(case_id) +
         counted(argument) + little_endian(trial);
}

}  // namespace warpmark
