// Lines that launches execute: counted by hand, for kernels whose lines stand in their text.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

// The counts, in a form that a test can write down.
struct Covered {
  std::map<std::string, std::uint64_t> lines;  // "a.cu:3"
  std::map<std::string, std::map<std::uint64_t, std::uint64_t>> sides;
  std::map<std::string, std::pair<std::string, std::uint64_t>> functions;
  std::vector<std::string> without_lines;
};

Covered read(const Json& text) {
  Covered covered;
  const auto place = [](const Json& one) {
    return one["file"].get<std::string>() + ":" + std::to_string(one["line"].get<int>());
  };
  for (const Json& line : text["coverage"]) {
    covered.lines[place(line)] = line["count"];
    for (const Json& side : line.value("branches", Json::array()))
      covered.sides[place(line)][side["to"]] = side["count"];
  }
  for (const Json& one : text["functions"])
    covered.functions[one["name"]] = {place(one), one["count"].get<std::uint64_t>()};
  for (const Json& one : text["without_lines"]) covered.without_lines.push_back(one);
  return covered;
}

using Lines = std::map<std::string, std::uint64_t>;
using Sides = std::map<std::uint64_t, std::uint64_t>;

const std::string kHead = ".version 9.0\n.target sm_90\n.address_size 64\n";
const std::string kRegisters =
    ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n.loc 1 1 0\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n";
const std::string kFiles = ".file 1 \"a.cu\"\n.file 2 \"b.cuh\"\n";

std::string entry(const std::string& name, const std::string& body) {
  return ".visible .entry " + name + "(.param .u64 out)\n{\n" + kRegisters + body + "\n}\n";
}

class CoverageTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    configure(R"({"counters": ["coverage"]})");
  }
  // The objects of texts, without those of launches.
  static std::vector<Covered> drained() {
    std::vector<Covered> texts;
    for (const Json& line : counters()) {
      if (line.contains("coverage")) texts.push_back(read(line));
    }
    return texts;
  }
  Covered cover(const std::string& body, unsigned threads = 32, unsigned blocks = 1) {
    CUfunction function = kernel_of(kHead + entry("k", body) + kFiles, "k");
    Array<std::uint32_t> out(64);
    EXPECT_CU(launch(function, {blocks}, {threads}, 0, out.address));
    EXPECT_CU(api().synchronize());
    const std::vector<Covered> texts = drained();
    EXPECT_EQ(texts.size(), 1u);
    return texts.empty() ? Covered{} : texts[0];
  }
};

const std::string kBranch =
    ".loc 1 2 0\nsetp.ge.u32 %p1, %r1, 8; @%p1 bra DONE;\n"
    ".loc 1 3 0\nst.global.u32 [%rd1], %r1;\n"
    "DONE: .loc 1 4 0\nret;";

TEST_F(CoverageTest, BothSidesOfADivergentBranch) {
  const Covered covered = cover(kBranch, 40, 2);
  EXPECT_EQ(covered.lines, (Lines{{"a.cu:1", 80}, {"a.cu:2", 80}, {"a.cu:3", 16}, {"a.cu:4", 80}}));
  EXPECT_EQ(covered.sides.at("a.cu:2"), (Sides{{3, 16}, {4, 64}}));
  EXPECT_EQ(covered.functions.at("k"), std::make_pair(std::string("a.cu:1"), std::uint64_t{80}));
}

TEST_F(CoverageTest, AnySchedulesWorkersAndChecks) {
  const Covered usual = cover(kBranch, 40, 9);
  for (const char* options :
       {R"({"schedule_seed": 7})", R"({"workers": 3})", R"({"check": "none"})",
        R"({"checks": ["memory", "init", "race", "sync"]})",
        R"({"counters": ["lines", "coverage"]})", R"({"check": "none", "workers": 3})"}) {
    configure(options);
    const Covered other = cover(kBranch, 40, 9);
    EXPECT_EQ(other.lines, usual.lines) << options;
    EXPECT_EQ(other.sides, usual.sides) << options;
  }
}

// Addresses and the like are computed ahead of the branch behind which they are used.
TEST_F(CoverageTest, WhatHasAnEffectSaysWhereALineRuns) {
  const Covered covered = cover(
      ".loc 1 3 0\nadd.s64 %rd2, %rd1, 4;\n"
      ".loc 1 2 0\nsetp.lt.u32 %p1, %r1, 32; @%p1 bra DONE;\n"
      ".loc 1 3 0\nst.global.u32 [%rd2], %r1;\n"
      ".loc 1 4 0\nld.global.u32 %r3, [%rd2];\n"
      "DONE: .loc 1 4 0\nadd.u32 %r3, %r3, 1; .loc 1 5 0\nret;");
  EXPECT_EQ(covered.lines.at("a.cu:3"), 0u);
  EXPECT_EQ(covered.lines.at("a.cu:4"), 0u) << "its load is not executed, although its sum is";
  EXPECT_EQ(covered.lines.at("a.cu:5"), 32u);
}

TEST_F(CoverageTest, GuardedInstructions) {
  const Covered covered = cover(
      "setp.lt.u32 %p1, %r1, 5; setp.gt.u32 %p2, %r1, 99;\n"
      ".loc 1 2 0\n@%p1 st.global.u32 [%rd1], %r1;\n"
      ".loc 1 3 0\n@%p2 st.global.u32 [%rd1], %r1;\n"
      ".loc 1 4 0\n@!%p2 st.global.u32 [%rd1], %r1;\n"
      // An instruction may overwrite its own guard.
      ".loc 1 5 0\n@%p1 setp.gt.u32 %p1, %r1, 99;\n"
      ".loc 1 6 0\n@%p1 st.global.u32 [%rd1], %r1;\n"
      ".loc 1 7 0\n@%p2 bar.sync 0;\n"
      ".loc 1 8 0\n@!%p2 bar.sync 0;\n"
      ".loc 1 9 0\n@%p2 ret;\n.loc 1 10 0\nret;");
  EXPECT_EQ(covered.lines, (Lines{{"a.cu:1", 32},
                                  {"a.cu:2", 5},
                                  {"a.cu:3", 0},
                                  {"a.cu:4", 32},
                                  {"a.cu:5", 5},
                                  {"a.cu:6", 0},
                                  {"a.cu:7", 0},
                                  {"a.cu:8", 32},
                                  {"a.cu:9", 0},
                                  {"a.cu:10", 32}}));
  EXPECT_TRUE(covered.sides.empty()) << "they are executed or not, and go nowhere";
}

// Copies of a loop have branches of their own, all of one line; and the line has the sides that the
// source has.
TEST_F(CoverageTest, ALoopThatWasUnrolled) {
  const std::string loop =
      ".loc 1 2 0\nsetp.eq.u32 %p1, COUNT, 0; mov.u32 %r3, 0; @%p1 bra DONE;\n"
      "setp.lt.u32 %p2, COUNT, 2; @%p2 bra REST;\n"
      "TWO: .loc 1 3 0\nst.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r1;\n"
      ".loc 1 2 0\nadd.u32 %r3, %r3, 2; setp.lt.u32 %p3, %r3, COUNT; @%p3 bra TWO;\n"
      "bra DONE;\n"
      "REST: .loc 1 3 0\nst.global.u32 [%rd1], %r1;\n"
      "DONE: .loc 1 4 0\nret;";
  const auto with = [&](const std::string& count) {
    std::string text = loop;
    for (std::size_t at; (at = text.find("COUNT")) != text.npos;) text.replace(at, 5, count);
    return cover("mov.u32 %r4, " + count + ";\n" + text).sides.at("a.cu:2");
  };
  EXPECT_EQ(with("0"), (Sides{{3, 0}, {4, 32}}));
  EXPECT_EQ(with("1"), (Sides{{3, 32}, {4, 0}}));
  EXPECT_EQ(with("4"), (Sides{{3, 64}, {4, 32}}));
}

TEST_F(CoverageTest, AnIndexedBranch) {
  const Covered covered = cover(
      "and.b32 %r3, %r1, 1; TABLE: .branchtargets A, B, C;\n"
      ".loc 1 2 0\nbrx.idx %r3, TABLE;\n"
      "A: .loc 1 3 0\nst.global.u32 [%rd1], %r1; ret;\n"
      "B: .loc 1 4 0\nst.global.u32 [%rd1], %r1; ret;\n"
      "C: .loc 1 5 0\nst.global.u32 [%rd1], %r1; ret;");
  EXPECT_EQ(covered.sides.at("a.cu:2"), (Sides{{3, 16}, {4, 16}, {5, 0}}));
  EXPECT_EQ(covered.lines.at("a.cu:5"), 0u);
}

TEST_F(CoverageTest, FunctionsAndKernelsThatWereNotReached) {
  const std::string function =
      ".func FUNCTION()\n{\n.reg .b32 %r<2>;\n.loc 2 LINE 0\nmov.u32 %r1, %tid.x;\nret;\n}\n";
  const auto named = [&](const std::string& name, const std::string& line) {
    std::string text = function;
    text.replace(text.find("FUNCTION"), 8, name);
    text.replace(text.find("LINE"), 4, line);
    return text;
  };
  CUfunction called =
      kernel_of(kHead + named("used", "7") + named("unused", "9") +
                    entry("k", ".loc 1 2 0\ncall used; .loc 1 3 0\nret;") +
                    entry("other",
                          ".loc 1 8 0\nsetp.lt.u32 %p1, %r1, 3; @%p1 bra L; .loc 1 9 0\n"
                          "st.global.u32 [%rd1], %r1; L: .loc 1 10 0\nret;") +
                    kFiles,
                "k");
  Array<std::uint32_t> out(64);
  for (int i = 0; i < 3; ++i) ASSERT_CU(launch(called, {1}, {32}, 0, out.address));
  const std::vector<Covered> texts = drained();
  ASSERT_EQ(texts.size(), 1u) << "launches of a text add up";
  EXPECT_EQ(texts[0].lines, (Lines{{"a.cu:1", 96},
                                   {"a.cu:2", 96},
                                   {"a.cu:3", 96},
                                   {"a.cu:8", 0},
                                   {"a.cu:9", 0},
                                   {"a.cu:10", 0},
                                   {"b.cuh:7", 96},
                                   {"b.cuh:9", 0}}));
  EXPECT_EQ(texts[0].sides.at("a.cu:8"), (Sides{{9, 0}, {10, 0}}));
  EXPECT_EQ(texts[0].functions.at("used").second, 96u);
  EXPECT_EQ(texts[0].functions.at("unused").second, 0u);
  EXPECT_EQ(texts[0].functions.at("other").second, 0u);
  EXPECT_TRUE(drained().empty()) << "since the last call";
}

TEST_F(CoverageTest, WithoutLines) {
  Array<std::uint32_t> out(64);
  ASSERT_CU(launch(body("st.global.u32 [%rd1], 1;"), {1}, {32}, 0, out.address));
  const std::vector<Covered> texts = drained();
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_TRUE(texts[0].lines.empty());
  EXPECT_EQ(texts[0].without_lines, std::vector<std::string>{"k"});
}

TEST_F(CoverageTest, NobodyAsked) {
  configure(R"({"counters": ["lines"]})");
  Array<std::uint32_t> out(64);
  ASSERT_CU(launch(body("st.global.u32 [%rd1], 1;"), {1}, {32}, 0, out.address));
  EXPECT_TRUE(drained().empty());
}

// The text is drained although its module is gone, and although the launch failed.
TEST_F(CoverageTest, AfterAFault) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  const std::string text = kHead +
                           entry("k",
                                 ".loc 1 2 0\nst.global.u32 [%rd1], 1;\n"
                                 ".loc 1 3 0\nst.global.u32 [%rd1+4096], 1;\n.loc 1 4 0\nret;") +
                           kFiles;
  ASSERT_CU(api().load(&module, text.c_str()));
  ASSERT_CU(api().function(&function, module, "k"));
  Array<std::uint32_t> out(64);
  ASSERT_CU(launch(function, {1}, {32}, 0, out.address));
  EXPECT_NE(api().synchronize(), CUDA_SUCCESS);
  const std::vector<Covered> texts = drained();
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_EQ(texts[0].lines.at("a.cu:3"), 32u);
}

}  // namespace
}  // namespace warpmark::test
