// Changes of a kernel's text: which there are, and which there must not be.
#include "mutate/code_mutants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warpmark {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

// The changed lines of a statement in a kernel.
std::vector<std::string> changes_of(const std::string& statement) {
  const std::string text = "__global__ void k(float *x, int n) {\n" + statement + "\n}\n";
  std::vector<std::string> lines;
  for (const Mutant& mutant : mutants_of(text)) lines.push_back(diff_of(text, mutant).after);
  return lines;
}

TEST(CodeMutants, ComparisonsMoveTheirBound) {
  EXPECT_THAT(changes_of("if (i < n) f();"),
              IsSupersetOf({"if (i <= n) f();", "if (i < n - 1) f();"}));
  EXPECT_THAT(changes_of("if (i >= n) f();"), Contains("if (i > n) f();"));
  EXPECT_THAT(changes_of("if (i == j) f();"), Contains("if (i != j) f();"));
}

TEST(CodeMutants, OperatorsOfTwoValuesAreChanged) {
  EXPECT_THAT(changes_of("y = a + b;"), ElementsAre("y = a - b;"));
  EXPECT_THAT(changes_of("y = a * b % c;"), ElementsAre("y = a / b % c;", "y = a * b * c;"));
  EXPECT_THAT(changes_of("y <<= a;"), ElementsAre("y >>= a;"));
  EXPECT_THAT(changes_of("y += a && b;"), ElementsAre("y -= a && b;", "y += a || b;"));
  EXPECT_THAT(changes_of("y = min(a, b);"), ElementsAre("y = max(a, b);"));
}

TEST(CodeMutants, SignsPointersAndTemplatesAreNoOperators) {
  EXPECT_THAT(changes_of("y = -a;"), IsEmpty());
  EXPECT_THAT(changes_of("float *p = (float *)q;"), IsEmpty());
  EXPECT_THAT(changes_of("const int &r = q;"), IsEmpty());
  EXPECT_THAT(changes_of("y = static_cast<float>(a);"), IsEmpty());
  EXPECT_THAT(changes_of("f(&a);"), IsEmpty());
  EXPECT_THAT(changes_of("p->q();"), IsEmpty());
}

TEST(CodeMutants, NumbersAreOneMoreAndOneLess) {
  EXPECT_THAT(changes_of("y = 16u;"), ElementsAre("y = 15u;", "y = 17u;"));
  EXPECT_THAT(changes_of("y = 0;"), ElementsAre("y = 1;"));
  EXPECT_THAT(changes_of("y = 0xffffffff;"), ElementsAre("y = 0xfffffffe;"));
  EXPECT_THAT(changes_of("y = 0x10;"), ElementsAre("y = 0x11;", "y = 0xf;"));
  EXPECT_THAT(changes_of("y = 0.5f;"), ElementsAre("y = (0.5f + 1);"));
  EXPECT_THAT(changes_of("y = 1e-5f;"), ElementsAre("y = (1e-5f + 1);"));
  EXPECT_THAT(changes_of("y = 0x1p-3;"), IsEmpty());
}

TEST(CodeMutants, OneElementMoreOfAnArrayIsNoChange) {
  EXPECT_THAT(changes_of("__shared__ float t[32][33];"),
              ElementsAre("__shared__ float t[31][33];", "__shared__ float t[32][32];"));
}

TEST(CodeMutants, IndicesMoveByOne) {
  EXPECT_THAT(changes_of("y = a[i];"), ElementsAre("y = a[i + 1];", "y = a[i - 1];"));
  EXPECT_THAT(changes_of("y = a[i % n];"),
              IsSupersetOf({"y = a[(i % n) + 1];", "y = a[(i % n) - 1];"}));
}

TEST(CodeMutants, CoordinatesAreSwappedAndBlocksLeftOut) {
  EXPECT_THAT(changes_of("i = blockIdx.x * blockDim.x + threadIdx.x;"),
              IsSupersetOf({"i = blockIdx.y * blockDim.x + threadIdx.x;", "i = 0 + threadIdx.x;",
                            "i = blockIdx.x * blockDim.x + threadIdx.y;"}));
  EXPECT_THAT(changes_of("i = blockIdx.x * kBlock;"), Contains("i = 0;"));
}

TEST(CodeMutants, BarriersAreRemovedOrWeakened) {
  EXPECT_THAT(changes_of("__syncthreads();"), ElementsAre("__syncwarp();", "(void)0;"));
  EXPECT_THAT(changes_of("__syncwarp();"), ElementsAre("(void)0;"));
  EXPECT_THAT(changes_of("__threadfence();"), ElementsAre("__threadfence_block();", "(void)0;"));
  EXPECT_THAT(changes_of("cg::this_thread_block().sync();"), Not(Contains("")));
  EXPECT_THAT(changes_of("block.sync();"), ElementsAre("(void)0;"));
  EXPECT_THAT(changes_of("cg::sync(block);"), ElementsAre("(void)0;"));
  EXPECT_THAT(changes_of("a.store(v, cuda::memory_order_release);"),
              ElementsAre("a.store(v, cuda::memory_order_relaxed);"));
}

TEST(CodeMutants, AtomicsBecomePlain) {
  EXPECT_THAT(changes_of("atomicAdd(&x[b], v);"), Contains("*(&x[b]) += (v);"));
  EXPECT_THAT(changes_of("atomicMax(x, v);"), Contains("*(x) = max(*(x), (v));"));
  EXPECT_THAT(changes_of("old = atomicAdd(x, v);"), ElementsAre("old = atomicAdd_block(x, v);"));
}

TEST(CodeMutants, EarlyExitsAreNegatedAndStoresRemoved) {
  EXPECT_THAT(changes_of("if (i >= n) return;"), Contains("if (!(i >= n)) return;"));
  EXPECT_THAT(changes_of("if (done) f();"), ElementsAre("if (!(done)) f();"));
  EXPECT_THAT(changes_of("x[i] = y;"), Contains("(void)0;"));
  EXPECT_THAT(changes_of("*p = y;"), ElementsAre("(void)0;"));
  EXPECT_THAT(changes_of("if (b) x[i] = f(y);"), Contains("if (b) (void)0;"));
  EXPECT_THAT(changes_of("if (a < b) x[i] = y;"), Not(Contains("(void)0;")));
  // A variable's declaration is no store, nor is the step of a loop.
  EXPECT_THAT(changes_of("float t[] = {y};"), IsEmpty());
  EXPECT_THAT(changes_of("for (;; a[i] = b) f();"), Not(Contains("for (;; (void)0) f();")));
}

TEST(CodeMutants, TypesAreNarrowed) {
  EXPECT_THAT(changes_of("double s = y;"), ElementsAre("float s = y;"));
  EXPECT_THAT(changes_of("unsigned long long s = y;"), ElementsAre("unsigned int s = y;"));
}

TEST(CodeMutants, CommentsStringsAndDeclarationsStay) {
  EXPECT_THAT(changes_of("// i < n"), IsEmpty());
  EXPECT_THAT(changes_of("f(\"i < 1\");"), IsEmpty());
  EXPECT_THAT(mutants_of("__global__ void k(int n = 3);\n"), IsEmpty());
}

TEST(CodeMutants, MacrosAndConstantsOutsideOfFunctionsAreChanged) {
  const std::string text = "#define HALF(n) ((n) / 2)\nconstexpr int kBlock = 256;\n";
  std::vector<std::string> lines;
  for (const Mutant& mutant : mutants_of(text)) lines.push_back(diff_of(text, mutant).after);
  EXPECT_THAT(lines, ElementsAre("#define HALF(n) ((n) * 2)", "#define HALF(n) ((n) / 1)",
                                 "#define HALF(n) ((n) / 3)", "constexpr int kBlock = 255;",
                                 "constexpr int kBlock = 257;"));
  EXPECT_THAT(mutants_of("#if N < 3\n#endif\n#pragma unroll 4\n"), IsEmpty());
}

TEST(CodeMutants, PlacesAreThoseOfTheChange) {
  const std::string text = "__global__ void k() {\n  x = a +\n    b[i];\n}\n";
  const std::vector<Mutant> mutants = mutants_of(text);
  ASSERT_EQ(mutants.size(), 3U);
  EXPECT_EQ(mutants[0].line, 2);
  EXPECT_EQ(mutants[0].column, 9);
  EXPECT_EQ(mutants[1].line, 3);
  EXPECT_EQ(mutants[1].column, 7);
  EXPECT_EQ(mutants[0].apply(text), "__global__ void k() {\n  x = a -\n    b[i];\n}\n");
}

TEST(CodeMutants, AnyTextIsTaken) {
  for (const char* text :
       {"", "{", "}", "[", "a[", "atomicAdd(", "if (", "void f() { x[", "#define", "#define A",
        "__syncthreads(", "void f() { blockIdx.x *", "*=", "\\"}) {
    mutants_of(text);
  }
}

}  // namespace
}  // namespace warpmark
