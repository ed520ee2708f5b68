// Single instructions against results that an H200 and an H100 gave, to the bit.
//
// operations_h200.txt and operations_h100.txt say how they were recorded: those instructions whose
// NaNs, flushed results or out-of-range operands the PTX ISA leaves open, or that were found to
// differ from its text.
#include <fstream>
#include <sstream>

#include "device/support/operation.hpp"

namespace warpmark::cpu {
namespace {

struct Recorded {
  std::string instruction, kinds;
  std::vector<U> results;
  std::vector<std::array<U, 4>> operands;
};

std::vector<Recorded> recorded(const std::string& name) {
  std::ifstream file(std::string(WARPMARK_RECORDED) + "/" + name);
  std::vector<Recorded> all;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    std::istringstream header(line);
    Recorded one;
    std::size_t count = 0;
    header >> one.instruction >> one.kinds >> count;
    for (std::size_t i = 0; i < count && std::getline(file, line); ++i) {
      std::istringstream row(line);
      row >> std::hex >> one.results.emplace_back();
      std::array<U, 4>& operands = one.operands.emplace_back();
      for (std::size_t k = 1; k < one.kinds.size(); ++k) row >> operands[k - 1];
      EXPECT_FALSE(row.fail()) << line;
    }
    all.push_back(one);
  }
  return all;
}

// How many results of a file were compared.
std::size_t compare(const std::string& file, std::size_t instructions) {
  const std::vector<Recorded> all = recorded(file);
  EXPECT_GE(all.size(), instructions) << file;
  std::size_t compared = 0;
  for (const Recorded& one : all) {
    const std::string& name = one.instruction;
    const std::string text =
        name.starts_with("testp") ? name + " %p1, $1; selp.b32 $0, 1, 0, %p1" : name;
    // Approximations come from a table of the hardware's that is not known; one unit of the high
    // word is what they may be off, and few are.
    const bool approximate = name.find(".approx") != std::string::npos;
    auto operands = one.operands;
    operands.resize((operands.size() + 31) / 32 * 32);
    for (const int level : {2, 3, 4}) {
      if (handlers_of_level(level, Watch::bounds) == nullptr) continue;
      const std::vector<U> got = run_op(level, text, one.kinds, operands);
      std::size_t equal = 0;
      for (std::size_t i = 0; i < one.results.size(); ++i) {
        const U want = one.results[i];
        equal += got[i] == want ? 1 : 0;
        const U distance = got[i] > want ? got[i] - want : want - got[i];
        const bool normal = std::isfinite(f64(want)) && want << 1 != 0;
        EXPECT_LE(distance, approximate && normal ? U{1} << 32 : 0)
            << name << " at level " << level << std::hex << " of " << one.operands[i][0] << ", "
            << one.operands[i][1] << ", " << one.operands[i][2] << ", " << one.operands[i][3]
            << ": got " << got[i] << ", the GPU gave " << want;
      }
      EXPECT_GE(equal * 10, one.results.size() * 9) << name;
      compared += one.results.size();
    }
  }
  return compared;
}

TEST(OperationsRecorded, ResultsAreTheH200s) {
  EXPECT_GT(compare("operations_h200.txt", 30), 800u);
}

TEST(OperationsRecorded, CornerCasesAreTheH100s) {
  EXPECT_GT(compare("operations_h100.txt", 45), 800u);
}

}  // namespace
}  // namespace warpmark::cpu
