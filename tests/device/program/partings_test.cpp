// Branches that decide whether a lane releases what its warp has done.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/program.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {
namespace {

/// The predicates of the branches of the kernel k and its functions that are such ones, in the order
/// of the text.
std::vector<std::string> partings_of(const std::string& body, const std::string& functions = "") {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n" + functions +
      "\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
      ".reg .pred %p<9>; ld.param.u64 %rd1, [p];\n" +
      body + "ret;\n}\n";
  const Module module = parse_ptx(text);
  const Program program = decode(module, module.functions.back(), Placement{});
  std::vector<std::pair<std::uint32_t, std::string>> found;
  for (const BasicBlock& block : program.blocks) {
    if (!block.parts) continue;
    const std::string_view statement = program.statement(block.statement)->text;
    found.emplace_back(block.statement, statement.substr(statement.find('%'), 3));
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> predicates;
  for (const auto& one : found) predicates.push_back(one.second);
  return predicates;
}
using Names = std::vector<std::string>;
const std::string kRelease = "st.release.gpu.global.u32 [%rd1], %r1;\n";
const std::string kPlain = "st.global.u32 [%rd1], %r1;\n";

TEST(Partings, AreBranchesAroundAReleaseAlone) {
  EXPECT_EQ(partings_of("@%p1 bra A; " + kRelease + "A: @%p2 bra B; " + kPlain + "B: " + kPlain),
            Names{"%p1"});
  EXPECT_EQ(partings_of("@%p1 bra A; " + kPlain + "A: " + kPlain), Names{});
  EXPECT_EQ(partings_of("@%p1 bra A; " + kPlain + "A: " + kRelease), Names{}) << "both ways meet";
}
TEST(Partings, AreFencesArrivalsAndNamedBarriers) {
  for (const char* releases :
       {"fence.acq_rel.cta;", "membar.gl;", "red.release.gpu.global.add.u32 [%rd1], 1;",
        "mbarrier.arrive.shared.b64 %rd2, [%r1];", "bar.arrive 1, 64;", "bar.sync 1, 64;",
        "fence.mbarrier_init.release.cluster;"})
    EXPECT_EQ(partings_of(std::string("@%p1 bra A; ") + releases + " A: " + kPlain), Names{"%p1"})
        << releases;
  for (const char* none : {"bar.sync 0;", "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r1];",
                           "ld.acquire.gpu.global.u32 %r2, [%rd1];", "bar.warp.sync -1;"})
    EXPECT_EQ(partings_of(std::string("@%p1 bra A; ") + none + " A: " + kPlain), Names{}) << none;
}
TEST(Partings, AreThoseAroundOthers) {
  EXPECT_EQ(partings_of("@%p1 bra A; @%p2 bra B; " + kRelease + "B: " + kPlain + "@%p3 bra A; " +
                        kPlain + "A: " + kPlain),
            (Names{"%p1", "%p2"}));
  EXPECT_EQ(partings_of("@%p1 ret; " + kPlain + "@%p2 bra A; " + kPlain + "A: " + kRelease),
            Names{"%p1"})
      << "who has left does not release";
  EXPECT_EQ(partings_of("L: " + kRelease + "@%p1 bra L; " + kPlain), Names{"%p1"});
}
TEST(Partings, AreThoseAroundCalls) {
  const std::string released =
      ".func f(.param .u64 q) { .reg .b64 %rd<9>; .reg .b32 %r<9>;\n"
      ".reg .pred %p<9>; ld.param.u64 %rd1, [q];\n@%p5 bra A; " +
      kRelease + "A: ret; }\n";
  const std::string plain =
      ".func g(.param .u64 q) { .reg .b64 %rd<9>; .reg .b32 %r<9>;\n"
      ".reg .pred %p<9>; ld.param.u64 %rd1, [q];\n@%p6 bra A; " +
      kPlain + "A: ret; }\n";
  const std::string f = "{ .param .u64 x; st.param.u64 [x], %rd1; call f, (x); }\n",
                    g = "{ .param .u64 x; st.param.u64 [x], %rd1; call g, (x); }\n";
  EXPECT_EQ(
      partings_of("@%p1 bra A; " + f + "A: @%p2 bra B; " + g + "B: " + kPlain, released + plain),
      (Names{"%p5", "%p1"}));
}
// A loop that nobody leaves: ways from its branches do not meet.
TEST(Partings, AreAllThatMayNeverMeet) {
  EXPECT_EQ(partings_of("L: @%p1 bra A; " + kPlain + "A: " + kRelease + "bra L;\n"), Names{"%p1"});
}

}  // namespace
}  // namespace warpmark::cpu
