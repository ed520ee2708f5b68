#include "grade/similarity/code_prints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/split_mix.hpp"
#include "compiler/ptx_normal.hpp"
#include "compiler/source_tokens.hpp"
#include "grade/similarity/similarity.hpp"

namespace warpmark {
namespace {

// Words that say what a program does. Those of types are left out: float and double, int and
// unsigned are changed as easily as names.
constexpr std::array kKept = {
    "asm",    "auto",     "break",     "case",      "const",    "constexpr", "continue", "default",
    "delete", "do",       "else",      "enum",      "extern",   "false",     "for",      "goto",
    "if",     "inline",   "namespace", "new",       "operator", "return",    "sizeof",   "static",
    "struct", "switch",   "template",  "this",      "true",     "typename",  "union",    "using",
    "void",   "volatile", "while",     "threadIdx", "blockIdx", "blockDim",  "gridDim",  "warpSize",
    "min",    "max",      "atomicAdd", "atomicCAS"};

uint64_t hash_of(std::string_view text) {
  uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

std::string_view normalised(const SourceToken& token) {
  switch (token.kind) {
    case TokenKind::number:
    case TokenKind::literal:
      return "0";
    case TokenKind::word: {
      const bool kept = token.text.starts_with("__") ||
                        std::ranges::find(kKept, std::string_view(token.text)) != kKept.end();
      return kept ? std::string_view(token.text) : std::string_view("n");
    }
    default:
      return token.text;
  }
}

// Returns the prints of tokens, given by their hashes and the line of each.
CodePrints winnowed(const std::vector<uint64_t>& hashes, const std::vector<int>& lines) {
  CodePrints made;
  made.tokens = hashes.size();
  std::vector<CodePrint> runs;
  for (size_t i = 0; i + kPrintTokens <= hashes.size(); ++i) {
    uint64_t hash = 0;
    for (size_t j = i; j < i + kPrintTokens; ++j) hash = mixed_bits(hash ^ hashes[j]) + j - i;
    runs.push_back({hash, lines[i], lines[i + kPrintTokens - 1]});
    made.all.insert(hash);
  }
  // Winnowing takes the least hash of each window, the last one of equals, and each position once.
  const size_t window = std::min(kPrintWindow, runs.size());
  size_t chosen = runs.size();
  for (size_t begin = 0; window > 0 && begin + window <= runs.size(); ++begin) {
    size_t least = begin;
    for (size_t i = begin + 1; i < begin + window; ++i) {
      if (runs[i].hash <= runs[least].hash) least = i;
    }
    if (least != chosen) made.prints.push_back(runs[least]);
    chosen = least;
  }
  return made;
}

}  // namespace

CodePrints code_prints(std::string_view source) {
  std::vector<uint64_t> hashes;
  std::vector<int> lines;
  for (const SourceToken& token : source_tokens(source)) {
    if (token.directive) continue;
    hashes.push_back(hash_of(normalised(token)));
    lines.push_back(token.line);
  }
  return winnowed(hashes, lines);
}

std::vector<std::string> ptx_prints(std::string_view ptx) {
  constexpr size_t kMost = 4000;
  std::vector<uint64_t> hashes;
  for (const std::string& token : normalised_ptx(ptx)) hashes.push_back(hash_of(token));
  std::vector<std::string> digits;
  for (const CodePrint& print : winnowed(hashes, std::vector<int>(hashes.size())).prints) {
    digits.push_back(fmt::format("{:016x}", print.hash));
  }
  std::ranges::sort(digits);
  digits.erase(std::unique(digits.begin(), digits.end()), digits.end());
  digits.resize(std::min(digits.size(), kMost));
  return digits;
}

}  // namespace warpmark
