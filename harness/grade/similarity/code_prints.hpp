// Fingerprints of a CUDA C++ source that renaming, reordering and reformatting leave as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace warpmark {

/// Tokens in one fingerprint, and how many neighbours compete for being one: of two texts that have
/// kPrintTokens + kPrintWindow - 1 tokens in a row in common, at least one print is the same.
constexpr size_t kPrintTokens = 12;
constexpr size_t kPrintWindow = 5;

struct CodePrint {
  uint64_t hash = 0;
  int first_line = 0, last_line = 0;
};

struct CodePrints {
  std::vector<CodePrint> prints;     ///< that winnowing chose, in the order of the text
  std::unordered_set<uint64_t> all;  ///< of each run of kPrintTokens tokens
  size_t tokens = 0;
};

/// Winnowing (Schleimer, Wilkerson, Aiken, SIGMOD 2003) over tokens without comments, blanks and
/// directives, in which names other than CUDA's and the language's are one name, and all literals
/// one literal. Takes any bytes.
CodePrints code_prints(std::string_view source);

}  // namespace warpmark
