// Two byte counts in one sentence: texts that tell them apart.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace warpmark {

/// As format_bytes writes them, exact where two different counts would read alike: "4,194,308
/// bytes" and "4,194,304 bytes" in the place of twice "4 MiB".
std::pair<std::string, std::string> format_byte_pair(uint64_t one, uint64_t other);

}  // namespace warpmark
