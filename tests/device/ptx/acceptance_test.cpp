// What ptxas takes and refuses of many slightly changed instructions, as acceptance/record.py wrote
// it down, against what this device does. WARPMARK_TEST_RECORD names another record, a longer one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "device/ptx/verdict.hpp"

namespace warpmark::cpu {
namespace {

struct Recorded {
  std::string target, statement;
  bool taken = false;
};

struct Record {
  std::string head, tail;  ///< around a statement; TARGET stands for the target
  std::vector<Recorded> statements;
};

Record read_record(const std::string& path) {
  Record record;
  std::ifstream file(path);
  std::string line, target;
  while (std::getline(file, line)) {
    if (line.size() < 2 || line[0] == '#') continue;
    const std::string rest = line.substr(2);
    if (line[0] == '<')
      record.head += rest + "\n";
    else if (line[0] == '>')
      record.tail += rest + "\n";
    else if (line[0] == '=')
      target = rest;
    else
      record.statements.push_back({target, rest, line[0] == '+'});
  }
  return record;
}

/// Statements on which this device and ptxas differ, and why that is to be so.
struct Exception {
  std::string pattern;  ///< of the whole statement
  bool taken = false;   ///< by ptxas
  std::string why;
};
const std::vector<Exception> kExceptions = {
    // What ptxas takes and this device refuses.
    {R"((?!mov\.u64|\{).*\bcallee\b.*)", true,
     "a function's name as a number: no compiler writes it"},
    {R"(mov\..*\bcst\b.*)", true, "an address in constant memory of 32 bits"},
    {R"(.*\[%(b8|h8|uh8|sh8|clock|clock64)[+\]].*)", true,
     "addresses in registers of other sizes, of which ptxas gives no meaning, or crashes"},
    {R"((?!\S*shared(?!\.global)).*\[%[rsu]\d[+\]].*)", true,
     "addresses of 32 bits in a space of 64"},
    {R"([\w.:]*\.(sync|cc|sat|NaN|approx|relu|uni|shiftamt)\.\1\b.*)", true, "a word said twice"},
    {R"([\w.]+ .*%(f|fd|h|hf|r)\d\+4.*)", true,
     "a floating-point register with an offset: ptxas crashes where the result is used"},
    {R"(mov\.u32 %r1, %\w+\+4)", true, "a special register with an offset"},
    {R"([\w.]+\.bf16\S* .*\{.*)", true, "a vector where a bfloat16 belongs"},
    {R"((atom|red)\.\S+ [^,]+(, [^,]+){3})", true, "an operand that nothing uses"},
    {R"(.*%q[18].*)", true, "a register of 128 bits for a narrow value"},
    {R"(.*[{,]%(tid\.x|clock|clock64|p8)[,}].*)", true,
     "a special register or a predicate as an element of a result or a fragment"},
    {R"(mov\.b128 .*, \d+)", true, "a number of 128 bits"},
    {R"(mov\.b32 .*1\.5\})", true, "the half of a floating-point number"},
    {R"(mma\..*\{-1\}.*)", true, "an integer as binary64"},
    {R"((mov\.u32\.v4|tld4\.r\.v4|suq\.b32|tex\.level\.2d\.v4\.uni)\b.*)", true,
     "words of vectors and images in an order that nobody writes"},
    {R"((suld|sust|sured)\..*(1\.5|0d3FF0000000000000|\{%r1,%r2\}, \[%rd1, \{%r3,%r4\}).*)", true,
     "more coordinates than the surface has, and floating-point ones"},
    // What it takes and ptxas refuses.
    {R"(.*%hx8.*)", false, "a register of two binary16 where ptxas wants an integer of its own"},
};

TEST(Acceptance, RecordedVerdictsOfChangedInstructions) {
  const char* other = std::getenv("WARPMARK_TEST_RECORD");
  const Record record = read_record(other != nullptr ? other : WARPMARK_ACCEPTANCE "/recorded.txt");
  ASSERT_NE(record.head, "");
  if (other == nullptr) {
    EXPECT_GT(record.statements.size(), 4000U);
  }
  std::vector<std::pair<std::regex, bool>> exceptions;  // and whether it was needed
  for (const Exception& one : kExceptions) exceptions.emplace_back(std::regex(one.pattern), false);
  std::size_t differences = 0, taken = 0;
  for (const auto& [target, statement, ptxas] : record.statements) {
    taken += ptxas ? 1 : 0;
    std::string text = record.head + statement + ";\n" + record.tail;
    text.replace(text.find("TARGET"), 6, target);
    bool unsupported = false;
    const std::string said = verdict(text, nullptr, &unsupported);
    if (!ptxas && unsupported) {
      ++differences;
      ADD_FAILURE() << target << " - " << statement << "\n      is no PTX: " << said;
    }
    if (said.empty() == ptxas) continue;
    bool known = false;
    for (std::size_t i = 0; i < exceptions.size() && !known; ++i) {
      known = kExceptions[i].taken == ptxas && std::regex_match(statement, exceptions[i].first);
      exceptions[i].second = exceptions[i].second || known;
    }
    if (known) continue;
    ++differences;
    ADD_FAILURE() << target << " " << (ptxas ? "+ " : "- ") << statement << "\n      "
                  << (said.empty() ? "taken, but ptxas refuses it" : said);
  }
  EXPECT_EQ(differences, 0U) << "of " << record.statements.size() << " statements, " << taken
                             << " of which ptxas takes";
  if (other != nullptr) return;
  for (std::size_t i = 0; i < exceptions.size(); ++i)
    EXPECT_TRUE(exceptions[i].second) << kExceptions[i].pattern << " is no exception any more";
}

}  // namespace
}  // namespace warpmark::cpu
