// Instructions whose results are the same in all blocks of a launch.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {
namespace {

/// The texts of the invariant statements of a kernel with the parameters p (64 bits) and n.
std::set<std::string> invariants_of(const std::string& body) {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 "
      "n)\n{\n.reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n" +
      body + "ret;\n}\n";
  const Module module = parse_ptx(text);
  const Program program = decode(module, module.functions[0], Placement{});
  std::set<std::string> result;
  for (const Instruction& i : program.invariant)
    result.emplace(program.statement(i.statement)->text);
  std::size_t reached = 0;
  for (const BasicBlock& block : program.blocks) reached += block.end - block.begin;
  EXPECT_EQ(program.invariant.size() + program.varying.size(), reached) << body;
  return result;
}

bool has(const std::set<std::string>& texts, std::string_view part) {
  for (const std::string& text : texts) {
    if (text.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(Invariants, AreWhatParametersAndThePlaceInTheBlockSay) {
  const auto found = invariants_of(
      "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x;\n"
      "mul.lo.u32 %r4, %r2, %r1; mad.lo.u32 %r5, %r3, %r1, %r2; setp.lt.u32 %p1, %r4, 7;\n"
      "mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r6, [%rd3];\n"
      "add.u32 %r7, %r6, 1; @%p1 st.global.u32 [%rd3], %r7; st.global.u32 [%rd3+4], %r5;\n");
  for (const char* text :
       {"[p]", "[n]", "%tid.x", "%r4, %r2", "%p1, %r4", "%rd2, %r4", "%rd3, %rd1"})
    EXPECT_TRUE(has(found, text)) << text;
  for (const char* text : {"%ctaid.x", "%r5, %r3", "ld.global", "%r7, %r6", "st.global"})
    EXPECT_FALSE(has(found, text)) << text;
}

TEST(Invariants, AreNotWhatIsWrittenTwiceOrUnderAGuard) {
  const auto found = invariants_of(
      "ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r1, 7; mov.u32 %r2, 1; mov.u32 %r2, 2;\n"
      "@%p1 mov.u32 %r3, 3; add.u32 %r4, %r2, %r3; L: add.u32 %r5, %r1, 5; add.u32 %r6, %r6, 1;\n"
      "setp.lt.u32 %p2, %r6, %r5; @%p2 bra L;\n");
  EXPECT_TRUE(has(found, "%r5, %r1"));
  for (const char* text : {"%r2, 1", "%r2, 2", "%r3, 3", "%r4, %r2", "%r6, %r6", "%p2"})
    EXPECT_FALSE(has(found, text)) << text;
}

// Such a register has another value, or none, where it is read.
TEST(Invariants, AreNotWhatMayBeReadBeforeOrForOtherLanes) {
  const auto found = invariants_of(
      "ld.param.u32 %r1, [n]; ld.param.u64 %rd1, [p]; setp.lt.u32 %p1, %r1, 7; @%p1 bra L;\n"
      "mov.u32 %r2, 4; mov.u32 %r3, 5; st.global.u32 [%rd1], %r3;\n"
      "L: st.global.u32 [%rd1+4], %r2; mov.u32 %r4, %laneid;\n"
      "shfl.sync.idx.b32 %r5, %r4, 0, 31, -1; st.global.u32 [%rd1+8], %r5;\n");
  EXPECT_TRUE(has(found, "%r3, 5"));
  for (const char* text : {"%r2, 4", "%r4, %laneid"}) EXPECT_FALSE(has(found, text)) << text;
}

std::string text(int number) {
  return std::to_string(number);
}

std::string written(int block) {
  return " add.u32 %r" + text(block) + ", %r19, " + text(block) + ";";
}

/// Returns whether a block is reached from the first without passing `without`.
bool is_reached(const std::vector<std::array<int, 2>>& ways, int block, int without) {
  std::vector<int> open = {0};
  std::vector<bool> known(ways.size());
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    if (at == without || known[at]) continue;
    known[at] = true;
    open.insert(open.end(), ways[at].begin(), ways[at].end());
  }
  return known[block];
}

// Each block writes a register, after it has read those of two blocks.
TEST(Invariants, AreReadOnEveryWayBehindTheirWriter) {
  const std::uint32_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    const int count = 2 + static_cast<int>(random() % 9);
    const auto any = [&] { return static_cast<int>(random() % count); };
    std::vector<std::array<int, 2>> ways(count);
    std::set<int> expected;
    for (int b = 0; b < count; ++b) expected.insert(b);
    std::string body =
        "ld.param.u32 %r19, [n]; ld.param.u64 %rd1, [p]; ld.global.u32 %r18, [%rd1];\n"
        "setp.lt.u32 %p1, %r18, 7;\n";
    std::vector<std::array<int, 2>> reads(count);
    for (int b = 0; b < count; ++b) {
      ways[b] = {any(), any()};
      reads[b] = {any(), any()};
      body += "B" + text(b) + ":";
      for (const int read : reads[b]) body += " st.global.u32 [%rd1], %r" + text(read) + ";";
      body += written(b) + " @%p1 bra B" + text(ways[b][0]) + "; bra B" + text(ways[b][1]) + ";\n";
    }
    for (int b = 0; b < count; ++b) {
      if (!is_reached(ways, b, -1)) continue;
      for (const int read : reads[b]) {
        if (read == b || is_reached(ways, b, read)) expected.erase(read);
      }
    }
    const auto found = invariants_of(body);
    for (int b = 0; b < count; ++b) {
      if (!is_reached(ways, b, -1)) continue;
      EXPECT_EQ(has(found, "%r" + text(b) + ", %r19"), expected.contains(b)) << b << body;
    }
  }
}

// Sets of dominators would take gigabytes.
TEST(Invariants, OfAKernelWithManyBlocks) {
  constexpr int kBlocks = 20'000;
  std::string body = "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; add.u32 %r2, %r1, 5;\n";
  for (int b = 0; b < kBlocks; ++b) {
    body += "ld.global.u32 %r3, [%rd1]; setp.lt.u32 %p1, %r3, 7; @%p1 bra L" + text(b) +
            ";\nst.global.u32 [%rd1], %r2; L" + text(b) + ":\n";
  }
  EXPECT_TRUE(has(invariants_of(body), "%r2, %r1"));
}

}  // namespace
}  // namespace warpmark::cpu
