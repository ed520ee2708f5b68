// Facts of sources by which explanations choose their advice.
#include "grade/feedback/submission_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "grade/feedback/fault_explanation.hpp"

namespace warpmark {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// A kernel with this body from line 2 on.
std::string kernel(const std::string& body) {
  return "__global__ void k(float *out, const float *in, int n) {\n" + body + "\n}\n";
}

DivergentBarrier barrier_of(const std::string& body) {
  return SubmissionFacts(kernel(body)).divergent_barrier();
}

TEST(SubmissionFacts, FindsABarrierThatSomeThreadsDoNotReach) {
  const char* const branches[] = {
      "if (threadIdx.x < 7) {\nout[0] = 1;\n__syncthreads();\n}",
      "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n)\n__syncthreads();",
      "const int t = threadIdx.x, i = t + 1;\nif (i < n) { out[i] = 1; }\nelse { __syncthreads(); "
      "}",
      "int i;\ni = threadIdx.y; for (; i < n; i += 32) {\n__syncthreads(); }",
      "int i = threadIdx.x;\nwhile (i < n) { out[i] = 0;\n__syncthreads(); i += 64; }",
      "int i = threadIdx.x;\nif (i < n) for (int k = 0; k < 3; ++k) {\n__syncthreads(); }"};
  for (const char* body : branches) {
    const DivergentBarrier found = barrier_of(body);
    EXPECT_EQ(found.line, 4) << body;
    EXPECT_FALSE(found.behind) << body;
  }
  EXPECT_EQ(barrier_of(branches[0]).branch, 2);
  EXPECT_EQ(barrier_of(branches[1]).branch, 3);
  const DivergentBarrier behind =
      barrier_of("int i = threadIdx.x;\nif (i >= n) return;\nout[i] = 1;\n__syncthreads();");
  EXPECT_EQ(behind.line, 5);
  EXPECT_EQ(behind.branch, 3);
  EXPECT_TRUE(behind.behind);
}

TEST(SubmissionFacts, FindsNoneThatAllThreadsReach) {
  for (const char* body :
       {"if (threadIdx.x < 7) out[0] = 1;\n__syncthreads();",
        "for (int s = blockDim.x / 2; s > 0; s /= 2) { if (threadIdx.x < s) out[0] = 1; "
        "__syncthreads(); }",
        "if (blockIdx.x == 0) __syncthreads();", "if (n > 3) { __syncthreads(); }",
        "int i = threadIdx.x; if (i < n) { out[i] = 1; } __syncthreads();",
        "int i = threadIdx.x; for (int i = 0; i < n; ++i) { __syncthreads(); }",
        "if (n == 0) return; __syncthreads();",
        "if (threadIdx.x < n) { out[0] = 1; } else { out[1] = 1; } __syncthreads();",
        "// if (threadIdx.x < 7) __syncthreads();", ""}) {
    EXPECT_EQ(barrier_of(body).line, 0) << body;
  }
  // A name of another function says nothing.
  EXPECT_EQ(SubmissionFacts("__device__ int f() { int t = threadIdx.x; return t; }\n" +
                            kernel("for (int t = 0, e = n; t < e; ++t) __syncthreads();"))
                .divergent_barrier()
                .line,
            0);
}

TEST(SubmissionFacts, KnowsIndexBoundAndSums) {
  const SubmissionFacts facts(
      kernel("int i = blockDim.x * blockIdx.x + threadIdx.x;\nif (i < n)\nout[i] += in[i];\n"
             "out[0] = out[0] + 1;\n++n;\nout[1] = in[1] + 1;\nout[2] = -in[2];"));
  EXPECT_TRUE(facts.known());
  EXPECT_TRUE(facts.has_grid_index());
  EXPECT_TRUE(facts.asks_bound());
  for (const int line : {4, 5}) EXPECT_TRUE(facts.store_in(line).value().adds) << line;
  for (const int line : {7, 8}) EXPECT_FALSE(facts.store_in(line).value().adds) << line;
  for (const int line : {2, 3, 6}) EXPECT_FALSE(facts.store_in(line)) << line;
  const SubmissionFacts none(kernel("out[threadIdx.x] = blockIdx.x;\nif (n < 3) out[0] = 1;"));
  EXPECT_FALSE(none.has_grid_index());
  EXPECT_FALSE(none.asks_bound());
  EXPECT_FALSE(SubmissionFacts().known());
  EXPECT_FALSE(SubmissionFacts("").known());
}

TEST(SubmissionFacts, KnowsWhereAStatementStores) {
  const SubmissionFacts facts(
      kernel("int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\nout[i] = 1;\nout[t] += 2;\n"
             "bins[in[i]]++;\n++bins[0];\n*out = 3;\nint *p = out;\nif (a == b) c[1][t] = 4;"));
  const auto store = [&](int line) { return facts.store_in(line).value(); };
  EXPECT_TRUE(store(3).by_thread && store(3).by_block && !store(3).adds && !store(3).by_data);
  EXPECT_TRUE(store(4).by_thread && !store(4).by_block && store(4).adds);
  EXPECT_TRUE(store(5).by_data && store(5).adds);
  EXPECT_EQ(store(5).array, "bins");
  EXPECT_TRUE(store(6).adds && !store(6).by_thread && !store(6).by_data);
  EXPECT_EQ(store(7).array, "out");
  EXPECT_FALSE(facts.store_in(8));
  EXPECT_TRUE(store(9).by_thread);
  EXPECT_EQ(store(9).array, "c");
}

TEST(SubmissionFacts, KnowsItsLoops) {
  const SubmissionFacts facts(
      kernel("for (int s = blockDim.x; s > 0; s /= 2) {\nout[s] = 1;\n__syncthreads();\n}\n"
             "for (int i = 0; i <= n; i + 1)\nout[i] = 2;\nfor (float f = 0; f != 1.0f; f += "
             "0.1f)\nout[0] = f;\n"
             "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 16; i += "
             "blockDim.x)\nout[i] = 3;"));
  const auto loop = [&](int line) { return facts.loop_around(line, line); };
  EXPECT_TRUE(loop(3).line == 2 && loop(3).has_barrier && loop(3).starts_at_block);
  EXPECT_TRUE(loop(7).line == 6 && loop(7).ends_at_or_past && loop(7).changes_nothing);
  EXPECT_TRUE(loop(9).compares_floats && !loop(9).changes_nothing);
  EXPECT_TRUE(loop(11).rounds_down && loop(11).strides_by_block);
  EXPECT_EQ(facts.loop_around(3, 7).line, 0);
  EXPECT_EQ(facts.odd_loop().line, 6);
  EXPECT_EQ(facts.loop_by_block().line, 10);
  EXPECT_EQ(facts.loop_that_rounds().line, 10);
}

TEST(SubmissionFacts, KnowsVariablesWithoutValuesAndMovedPointers) {
  const SubmissionFacts facts(
      kernel("float sum;\nfloat more = 0;\nsum += more;\nout += 3;\nreturn;"));
  EXPECT_EQ(facts.bare_in(4).value().name, "sum");
  EXPECT_EQ(facts.bare_in(4).value().line, 2);
  EXPECT_FALSE(facts.bare_in(3));
  EXPECT_EQ(facts.moved_in("out"), 5);
  EXPECT_EQ(facts.moved_in("in"), 0);
  EXPECT_FALSE(facts.recurses());
  EXPECT_TRUE(SubmissionFacts("__device__ int f(int n) { return n + f(n - 1); }").recurses());
}

TEST(SubmissionFacts, KnowsBranchesOfOneWarp) {
  const SubmissionFacts facts(
      kernel("int t = threadIdx.x;\nif (t < 32) {\nout[t] = 1;\n}\nif (t < 64)\nout[t] = 2;"));
  EXPECT_TRUE(facts.is_of_one_warp(4));
  EXPECT_FALSE(facts.is_of_one_warp(7));
}

std::string said(const std::string& report, const std::string& source) {
  return explain_report(nlohmann::ordered_json::parse(report), "k.cu", SubmissionFacts(source));
}

constexpr const char* kRace =
    R"({"kind": "race", "space": "shared", "file": "k.cu", "line": 5, "block": [1,0,0],
        "other": {"file": "k.cu", "line": 2, "block": [1,0,0]}})";

TEST(SubmissionFacts, ARaceIsTheBarrierInTheBranch) {
  EXPECT_THAT(
      said(
          kRace,
          kernel(
              "part[threadIdx.x] = 1;\nif (threadIdx.x < n)\n__syncthreads();\nout[0] = part[3];")),
      EndsWith("matter of luck. The `__syncthreads()` in line 4 is in the branch or loop of line "
               "3, which only "
               "some threads of a block take, so that it does not hold the others back. Take it "
               "out of there, so "
               "that all threads reach it."));
  EXPECT_THAT(
      said(R"({"kind": "barrier", "file": "k.cu", "line": 4, "message": "32 of 64 threads wait"})",
           kernel("int i = threadIdx.x;\nif (i >= n) return;\n__syncthreads();")),
      HasSubstr("Some threads `return` in the branch of line 3, and never come to the "
                "`__syncthreads()` in "
                "line 4."));
}

TEST(SubmissionFacts, AtomicsAreForSums) {
  EXPECT_THAT(said(kRace, kernel("part[threadIdx.x] = 1;\n\n\nout[0] = part[3];")),
              EndsWith("`__syncthreads()` between the two accesses puts them in order."));
  EXPECT_THAT(said(kRace, kernel("\n\n\npart[0] += 1;")),
              HasSubstr("Several threads add to the same element: `atomicAdd` does that"));
  EXPECT_THAT(
      said(R"({"kind": "race", "space": "global", "argument": "out", "line": 2, "block": [1,0,0],
                       "other": {"line": 2, "block": [0,0,0]}})",
           kernel("out[threadIdx.x] = n;")),
      EndsWith("let each block write different elements."));
}

TEST(SubmissionFacts, ABoundThatIsAskedIsNotAskedForAgain) {
  const char* report =
      R"({"kind": "illegal_address", "space": "global", "access": "read", "bytes": 4, "thread": [1,0,0],
                           "block": [0,0,0], "count": 9, "argument": "in", "index": 70, "elements": 64, "line": 3})";
  EXPECT_THAT(said(report, kernel("int i = threadIdx.x;\nif (i < n) out[i] = in[i + 6];")),
              EndsWith("The kernel compares an index before it uses an element: is it this index, "
                       "and is it compared "
                       "with the number of elements of `in`?"));
  EXPECT_THAT(said(report, kernel("int i = threadIdx.x;\nout[i] = in[i];")),
              EndsWith("each thread must ask `if (i < n)` before it uses its element."));
}

TEST(SubmissionFacts, ReadsAnyText) {
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  const char* const words[] = {
      "if",     "for",       "(", ")", "{",    "}",  ";",        "=",
      "+",      "threadIdx", ".", "x", "else", "[",  "]",        "__syncthreads",
      "return", "while",     "<", "i", ",",    "\n", "blockIdx", "*",
      "#",      "\""};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (unsigned count = random() % 60; count > 0; --count) {
      text += words[random() % std::size(words)];
      text += ' ';
    }
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << text);
    const SubmissionFacts facts(text);
    EXPECT_GE(facts.divergent_barrier().line, 0);
  }
}

}  // namespace
}  // namespace warpmark
