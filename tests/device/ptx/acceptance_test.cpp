// Verdicts of ptxas on many slightly changed instructions, and on operands in each place, as
// acceptance/record.py wrote them down, against those of this device. WARPMARK_TEST_RECORD names
// another record, a longer one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>
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

// Each of the operands, which blanks part, in the place of the statement's #.
void add_operands(Record& record, const Recorded& place, const std::string& operands) {
  std::istringstream all(operands);
  for (std::string operand; all >> operand;) {
    record.statements.push_back(place);
    std::string& statement = record.statements.back().statement;
    statement.replace(statement.find('#'), 1, operand);
  }
}

Record read_record(const std::string& path) {
  Record record;
  std::ifstream file(path);
  std::string line, target, place;
  while (std::getline(file, line)) {
    if (line.size() < 2 || line[0] == '#') continue;
    const std::string rest = line.substr(2);
    if (line[0] == '<')
      record.head += rest + "\n";
    else if (line[0] == '>')
      record.tail += rest + "\n";
    else if (line[0] == '=')
      target = rest;
    else if (line[0] == '?')
      place = rest;
    else if (place.empty())
      record.statements.push_back({target, rest, line[0] == '+'});
    else
      add_operands(record, {target, place, line[0] == '+'}, rest);
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
    // Statements that ptxas takes and this device refuses.
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
    {R"((mov\.u32\.v4|tld4\.r\.v4|suq\.b32|tex\.level\.2d\.v4\.uni|tex\.grad\S*\.uni)\b.*)", true,
     "words of vectors and images in an order that nobody writes"},
    {R"((suld|sust|sured)\..*(1\.5|0d3FF0000000000000|\{%r1,%r2\}, \[%rd1, \{%r3,%r4\}).*)", true,
     "more coordinates than the surface has, and floating-point ones"},
    {R"(clusterlaunchcontrol\.query\S* %p1, \d+)", true, "a number of 128 bits"},
    {R"(cp\.\S*tensor\S* .*(%b8|%f8|0d3FF0000000000000|0f3F800000).*)", true,
     "operands of tensor copies that are no integers"},
    {R"(cvt\.\S*ue8m0x2\.bf16x2 %h1, (%u8|0f3F800000))", true,
     "two bfloat16 as an integer of its own, or as one number"},
    {R"(stmatrix\..*\{.*-1.*\})", true, "a number in a matrix"},
    {R"(wgmma\.mma_async\S* .*\{%r1,70000,.*)", true, "a number in a matrix"},
    {R"(wgmma\.mma_async\.sp\S* .*, \{%r5,%r5\}, .*)", true, "a vector where a register belongs"},
    {R"(mma\..*block_scale\S* .*\{0,%(r8|ud8)\}.*)", true, "numbers of lanes in wider registers"},
    // Statements that this device takes and ptxas refuses.
    {R"(.*%hx8.*)", false, "a register of two binary16 where ptxas wants an integer of its own"},
};
// Further ones for what later versions of PTX have added.
const std::vector<Exception> kNewestExceptions = {
    {R"(multimem\.cp\S* \[%([rsu]8\]|r1\], \[%rd1).*)", true,
     "addresses of 32 bits in a space of 64"},
    {R"(mbarrier\.\w+_wait\.parity\S* %p1\|%p2, %b1, .*, (70000|-1).*)", true,
     "a parity that is neither 0 nor 1"},
    {R"((suld|sust)\.b\S*\.b(8|16|32)\..*\{%(rd|fd|ud|sd|q)\d.*)", true,
     "registers of 64 bits for narrower elements of surfaces"},
    {R"(.*cp_mask .*\{%h1,%h1\})", true, "a vector where a number belongs"},
    {R"((\w+)\.sync\.\S+\.sync\..*)", true, "a word said twice"},
    {R"(vote\.\S+ %hx8, .*)", true, "two binary16 as a predicate"},
};
// The same for operands in places. What ptxas takes and this device refuses are oddities of ptxas: no
// compiler writes them, and the PTX ISA has none of them.
const std::vector<Exception> kPlaceExceptions = {
    {R"(.*\[%(b8|h8|uh8|clock64)\].*)", true, "addresses in registers of other sizes"},
    {R"(.*[ ]glob\+4(,.*)?)", true, "an address with an offset as a number of 32 bits"},
    {R"((mbarrier|st\.async|cp\.async\.bulk\.shared)\S* .*\{(%h8|%r8|%rd8|16|%r8,%r8)\}.*)", true,
     "a vector where a number belongs"},
    {R"(.*%r8\|_.*)", true, "a pair of a result and nothing"},
    {R"(cp\.\S* \[%r1\], \[%r(d1|2)\], (64|%r3), (?!\[|\{).*)", true, "no barrier for a copy"},
    {R"(cp\.\S*tensor\S* (.*[\[{ ])?(%(b8|h8|uh8|hf8|f8|hx8|fd8|q8|p8|tid\.x)|-?[01]\.5|0f\w+)\b.*)",
     true, "operands of tensor copies that are no integers"},
    {R"(cp\.\S*tensor\S* (.*, )?(%(r8|u8|rd8|sd8)(\+4)?|sh)(,.*)?)", true,
     "addresses of tensor copies without their brackets"},
    {R"(fence\.proxy\.tensormap\S* \[.*)", true, "addresses of fences in any register and space"},
    {R"((st|red)\.async\S* .*(%rd?8\+4|callee|%tid\.x).*)", true,
     "what stands in no register, as a value"},
    {R"(st\.async\S*v2\S* \[%rd1\], [^{].*)", true, "one value for a vector of two"},
    {R"(st\.bulk\S* .*, (%u8|%r8\+4), 0)", true, "a size of 32 bits for one of 64"},
    {R"((mapa|getctarank)\S* .*(callee|%rd?8\+4).*)", true, "addresses of other sizes"},
    {R"(bar(rier)?\.red\S*pred %hx8.*)", true, "two binary16 as a predicate"},
    {R"(createpolicy\S* %rd1, %r8\+4)", true, "a fraction with an offset"},
    // Statements that this device takes and ptxas refuses.
    {R"(.*%hx8.*)", false, "a register of two binary16 where ptxas wants an integer of its own"},
};

// Compares a record with this device. With `may_refuse` the device may say that it lacks an
// instruction that ptxas takes.
void compare(const Record& record, const std::vector<Exception>& known, bool whole,
             bool may_refuse) {
  ASSERT_NE(record.head, "");
  std::vector<std::pair<std::regex, bool>> exceptions;  // and whether it was needed
  for (const Exception& one : known) exceptions.emplace_back(std::regex(one.pattern), false);
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
    if (said.empty() == ptxas || (ptxas && unsupported && may_refuse)) continue;
    bool is_known = false;
    for (std::size_t i = 0; i < exceptions.size() && !is_known; ++i) {
      is_known = known[i].taken == ptxas && std::regex_match(statement, exceptions[i].first);
      exceptions[i].second = exceptions[i].second || is_known;
    }
    if (is_known) continue;
    ++differences;
    ADD_FAILURE() << target << " " << (ptxas ? "+ " : "- ") << statement << "\n      "
                  << (said.empty() ? "taken, but ptxas refuses it" : said);
  }
  EXPECT_EQ(differences, 0U) << "of " << record.statements.size() << " statements, " << taken
                             << " of which ptxas takes";
  if (!whole) return;
  for (std::size_t i = 0; i < exceptions.size(); ++i)
    EXPECT_TRUE(exceptions[i].second) << known[i].pattern << " is no exception any more";
}

TEST(Acceptance, RecordedVerdictsOfChangedInstructions) {
  const char* other = std::getenv("WARPMARK_TEST_RECORD");
  const Record record = read_record(other != nullptr ? other : WARPMARK_ACCEPTANCE "/recorded.txt");
  if (other == nullptr) {
    EXPECT_GT(record.statements.size(), 4000U);
  }
  compare(record, kExceptions, other == nullptr, false);
}

TEST(Acceptance, RecordedVerdictsOfTheNewestInstructions) {
  const Record record = read_record(WARPMARK_ACCEPTANCE "/recorded_newest.txt");
  EXPECT_GT(record.statements.size(), 1000U);
  std::vector<Exception> known = kExceptions;
  known.insert(known.end(), kNewestExceptions.begin(), kNewestExceptions.end());
  compare(record, known, false, false);
}

TEST(Acceptance, RecordedVerdictsOfOperandsInPlaces) {
  const Record record = read_record(WARPMARK_ACCEPTANCE "/recorded_places.txt");
  EXPECT_GT(record.statements.size(), 10000U);
  compare(record, kPlaceExceptions, true, true);
}

}  // namespace
}  // namespace warpmark::cpu
