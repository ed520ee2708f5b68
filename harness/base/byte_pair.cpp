#include "base/byte_pair.hpp"

#include "base/text.hpp"

namespace warpmark {

namespace {

std::string exact(uint64_t bytes) {
  std::string digits = std::to_string(bytes);
  for (size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, 1, ',');
  return digits + " bytes";
}

}  // namespace

std::pair<std::string, std::string> format_byte_pair(uint64_t one, uint64_t other) {
  std::pair<std::string, std::string> texts = {format_bytes(one), format_bytes(other)};
  if (one != other && texts.first == texts.second) texts = {exact(one), exact(other)};
  return texts;
}

}  // namespace warpmark
