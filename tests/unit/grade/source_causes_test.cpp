// Causes that a source shows: each needs the launch and the symptom, and right twins have none.
#include "grade/feedback/source_causes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmark {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

LaunchFacts launch(std::array<int64_t, 3> grid, std::array<int64_t, 3> block) {
  LaunchFacts facts;
  facts.entry = "k";
  facts.grid = grid;
  facts.block = block;
  return facts;
}

LaunchFacts::Argument matrix(const std::string& name, int64_t rows, int64_t columns) {
  LaunchFacts::Argument argument{name, true};
  argument.shape = {rows, columns};
  return argument;
}

LaunchFacts::Argument number(const std::string& name, int64_t value) {
  LaunchFacts::Argument argument{name};
  argument.number = value;
  return argument;
}

std::string cause(const std::string& source, LaunchFacts facts, Symptom symptom = {}) {
  return SourceCauses(KernelText(source, "k"), std::move(facts), "k.cu").of(symptom);
}

std::string of_line(const std::string& body) {
  return "__global__ void k(float *a, int n) {\n" + body + "\n}\n";
}

TEST(SourceCauses, IndexesThatAreNone) {
  const LaunchFacts facts = launch({4, 1, 1}, {64, 1, 1});
  EXPECT_THAT(cause(of_line("int i = blockIdx.x * threadIdx.x; a[i] = 1;"), facts),
              StartsWith("Line 2 multiplies `blockIdx.x` by `threadIdx.x`"));
  EXPECT_THAT(cause(of_line("int i = blockIdx.x * gridDim.x + threadIdx.x;"), facts),
              HasSubstr("`gridDim.x`"));
  EXPECT_THAT(cause(of_line("int i = blockIdx.x + threadIdx.x;"), facts),
              StartsWith("Line 2 adds `blockIdx.x` and `threadIdx.x` as they are"));
  EXPECT_THAT(cause(of_line("int i = blockIdx.x * blockDim.y + threadIdx.x;"), facts),
              StartsWith("Line 2 mixes axes"));
  EXPECT_THAT(cause(of_line("int i = blockIdx.x * blockDim.x; a[i] = 1;"), facts),
              StartsWith("`threadIdx.x` is missing"));
  EXPECT_THAT(cause(of_line("int i = threadIdx.x; a[i] = 1;"), facts),
              HasSubstr("begins at 0 in each of the 4 blocks"));
}

TEST(SourceCauses, RightTwinsHaveNone) {
  const LaunchFacts facts = launch({4, 1, 1}, {64, 1, 1});
  for (const char* body : {
           "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1;",
           "int b = blockIdx.y * gridDim.x + blockIdx.x; a[b * blockDim.x + threadIdx.x] = 1;",
           "int i = blockIdx.x * 64 + threadIdx.x; if (i == 0) a[i] = 1; for (;;) { break; }",
           "auto g = cooperative_groups::this_grid(); a[g.thread_rank()] = 1;",
           "int i = threadIdx.x + blockIdx.x * blockDim.x; for (; i < n; i += 1);",
       }) {
    EXPECT_THAT(cause(of_line(body), facts), IsEmpty()) << body;
  }
  // One block needs no index of the block.
  EXPECT_THAT(cause(of_line("a[threadIdx.x] = 1;"), launch({1, 1, 1}, {64, 1, 1})), IsEmpty());
  // Another kernel of the file is not looked at.
  EXPECT_THAT(cause("__global__ void other(int *a) { a[blockIdx.x * threadIdx.x] = 1; }\n"
                    "__global__ void k(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n",
                    facts),
              IsEmpty());
}

TEST(SourceCauses, RowsOfMatrices) {
  LaunchFacts facts = launch({1, 1, 1}, {16, 16, 1});
  facts.arguments = {matrix("b", 16, 64), number("n", 64), number("k", 16)};
  const std::string begin = "__global__ void k(const float *b, int n, int k) {\nfloat x = ";
  EXPECT_THAT(cause(begin + "b[i * k + col]; }", facts),
              "Line 2 uses `b[i * k + col]`, but a row of `b` has 64 elements here, which is `n`, "
              "and `k` is 16: the number of the row must be multiplied by `n`.");
  EXPECT_THAT(cause(begin + "b[i * n + col]; }", facts), IsEmpty());
  EXPECT_THAT(cause(begin + "b[(t * 16 + y) * n + col]; }", facts), IsEmpty());
  Symptom copied;
  copied.values.copied = true;
  EXPECT_THAT(cause(begin + "b[i * k + col]; }", facts, copied), IsEmpty());
  // Where both are the same this cannot be the cause.
  facts.arguments = {matrix("b", 16, 16), number("n", 16), number("k", 16)};
  EXPECT_THAT(cause(begin + "b[i * k + col]; }", facts), IsEmpty());
}

TEST(SourceCauses, BoundsOfAnotherAxis) {
  LaunchFacts facts = launch({4, 2, 1}, {16, 16, 1});
  facts.arguments = {matrix("c", 32, 64), number("m", 32), number("n", 64)};
  const std::string begin = "__global__ void k(float *c, int m, int n) {\n";
  const std::string right =
      "int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + "
      "threadIdx.y;\nif (row < m && col < n) c[row * n + col] = 1; }";
  const std::string wrong =
      "int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + "
      "threadIdx.y;\nif (row < m && col < n) c[row * n + col] = 1; }";
  EXPECT_THAT(cause(begin + right, facts), IsEmpty());
  EXPECT_THAT(cause(begin + wrong, facts), HasSubstr("Exchange the bounds, or x and y."));
}

TEST(SourceCauses, LoopsThatStayWhereTheyAre) {
  const Symptom limit{.kind = Symptom::Kind::limit};
  const LaunchFacts facts = launch({1, 1, 1}, {64, 1, 1});
  EXPECT_THAT(cause(of_line("for (int s = 64; s >= 0; s /= 2) {}"), facts, limit),
              HasSubstr("Write `s > 0`."));
  EXPECT_THAT(cause(of_line("for (int s = 0; s < n; s *= 2) {}"), facts, limit),
              HasSubstr("twice 0 is 0 again"));
  EXPECT_THAT(cause(of_line("int i = 0; while (i < n) { a[i] = 1; }"), facts, limit),
              HasSubstr("changes `i`"));
  for (const char* body :
       {"int i = 0; while (i < n) { a[i] = 1; ++i; }", "while (a[0] < n) { }",
        "int i = 0; while (i < n) { step(&i); }", "for (int s = 1; s < n; s *= 2) {}",
        "for (int s = 64; s > 0; s /= 2) {}"}) {
    EXPECT_THAT(cause(of_line(body), facts, limit), IsEmpty()) << body;
  }
}

TEST(SourceCauses, WordsOfTheLanguage) {
  const LaunchFacts facts = launch({1, 1, 1}, {64, 1, 1});
  EXPECT_THAT(cause(of_line("if (n > 0); a[0] = 1;"), facts), HasSubstr("The `;` right behind"));
  EXPECT_THAT(cause(of_line("if (n = 0) a[0] = 1;"), facts), HasSubstr("a single `=`"));
  EXPECT_THAT(cause(of_line("if (n >= 0 && n <= 4 && n != 3 && n == 2) a[0] = 1;"), facts),
              IsEmpty());
}

TEST(SourceCauses, WholeNumbers) {
  Symptom whole;
  whole.values.whole_numbers = true;
  const LaunchFacts facts = launch({1, 1, 1}, {64, 1, 1});
  EXPECT_THAT(cause(of_line("a[0] = 1 / 3 * a[1];"), facts, whole), HasSubstr("`1.0f / 3.0f`"));
  EXPECT_THAT(cause(of_line("int sum = 0;\nsum += a[1];"), facts, whole),
              HasSubstr("`sum` of line 2 is an `int`"));
  EXPECT_THAT(cause(of_line("int count = 0;\ncount += n; float x = 6 / 3;"), facts, whole),
              IsEmpty());
  EXPECT_THAT(cause(of_line("a[0] = 1 / 3;"), facts), IsEmpty()) << "without that symptom";
}

TEST(SourceCauses, UndefinedSharedMemory) {
  LaunchFacts facts = launch({1, 1, 1}, {64, 1, 1});
  facts.arguments = {{"a", true}, number("n", 40)};
  const auto at = [](int line) { return Symptom{.kind = Symptom::Kind::undefined, .line = line}; };
  EXPECT_THAT(cause(of_line("__shared__ int s[4];\natomicAdd(&s[n], 1);"), facts, at(3)),
              HasSubstr("nothing sets `s` before line 3 adds to it"));
  const std::string tail =
      "__shared__ float s[64]; int i = threadIdx.x;\nif (i < n) s[i] = 1;\na[0] = s[i];";
  EXPECT_THAT(cause(of_line(tail), facts, at(4)), HasSubstr("only where `i < n` of line 3 holds"));
  facts.arguments[1].number = 64;  // each thread has an element
  EXPECT_THAT(cause(of_line(tail), facts, at(4)), IsEmpty());
  EXPECT_THAT(cause(of_line("float s[64];\n__syncthreads();\na[0] = s[n];"), facts, at(4)),
              HasSubstr("`__shared__` is missing"));
}

// Any text may be handed in.
TEST(SourceCauses, ReadsWhatIsNoKernel) {
  const std::string piece[] = {
      "(", ")",        "{", "}", "[", "for", "if", "while", ";", "=", "<",
      "k", "blockIdx", ".", "x", "*", "?",   "\n", "a",     "&", "+", "__shared__ int"};
  uint32_t state = 1;
  for (int round = 0; round < 300; ++round) {
    std::string text = "__global__ void k(int *a, int n) {";
    for (int i = 0; i < 200; ++i) {
      state = state * 1664525U + 1013904223U;
      text += " " + piece[(state >> 16) % std::size(piece)];
    }
    for (const auto kind : {Symptom::Kind::wrong, Symptom::Kind::outside, Symptom::Kind::race,
                            Symptom::Kind::undefined, Symptom::Kind::limit}) {
      Symptom symptom{.kind = kind, .line = 3, .one_past = true};
      symptom.values.whole_numbers = symptom.values.zero = symptom.values.negative =
          symptom.values.last_only = true;
      symptom.values.factor = 64;
      for (const char* end : {"", "}"}) {
        LaunchFacts facts = launch({2, 2, 1}, {8, 8, 1});
        facts.arguments = {matrix("a", 4, 8), number("n", 3)};
        const SourceCauses causes(KernelText(text + end, "k"), facts, "k.cu");
        EXPECT_LT(causes.of(symptom).size(), 1000U);
        causes.small_array(2, true);
        causes.shared_variable(2);
        causes.assertion(2);
      }
    }
  }
}

// Slips, each with a twin that means what it says.
TEST(SourceCauses, SlipsAndTheirTwins) {
  LaunchFacts facts = launch({4, 2, 1}, {64, 1, 1});
  facts.arguments = {{"a", true}, number("n", 250), number("m", 2), number("r", 3)};
  const auto found = [&](const std::string& body, Symptom symptom) {
    return cause("__global__ void k(float *a, int n, int m, int r) {\n" + body + "\n}\n", facts,
                 std::move(symptom));
  };
  const Symptom outside{.kind = Symptom::Kind::outside, .line = 3};
  const Symptom past{.kind = Symptom::Kind::outside, .line = 3, .one_past = true};
  const std::string xy =
      "int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n";
  const std::string i = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n";
  const std::vector<std::pair<std::array<std::string, 3>, Symptom>> all = {
      {{"__syncthreads;", "__syncthreads();", "has no brackets"},
       {.kind = Symptom::Kind::race_in_block}},
      {{"float s = 0; for (int j = 0; j < n; ++j) s =+ a[j];",
        "float s = 0; for (int j = 0; j < n; ++j) s = -1;", "`+=`"},
       {}},
      {{i + "if (i < n & a[i] > 0) a[i] = 1;", i + "if (i < n && a[i] > 0) a[i] = 1;",
        "a single `&`"},
       outside},
      {{i + "if (a[i] > 0 && i < n) a[i] = 1;", i + "if (i < n && a[i] > 0) a[i] = 1;",
        "before it asks"},
       outside},
      {{i + "if (i > n) return; a[i] = 1;", i + "if (i > n - 2) return; a[i] = 1;",
        "write `i >= n`"},
       past},
      {{xy + "if (x < n || y < m) a[x] = 1;", xy + "if (x < r || y < r) a[x] = 1;", "write `&&`"},
       outside},
      {{xy + "if (x >= n && y >= m) return;", xy + "if (x >= n || y >= m) return;", "write `||`"},
       outside},
      {{"for (unsigned j = 9; j >= 0; --j) a[j] = 1;", "for (int j = 9; j >= 0; --j) a[j] = 1;",
        "always holds"},
       outside},
      {{i + "if (i < n)\n  a[i] = 1;\n  a[i] = 2;", i + "if (i < n)\n  a[i] = 1;\na[i] = 2;",
        "does not belong to it"},
       {.kind = Symptom::Kind::outside, .line = 5}},
      {{"a[0] = n ^ 2;", "a[0] = n ^ 0x55; a[1] = n ^ m;", "no power"}, {}},
      {{"__shared__ float p[64]; float s = 0; for (int j = threadIdx.x; j < n; ++j) s += a[j]; "
        "a[blockIdx.x] = s;",
        "float s = 0; for (int j = threadIdx.x; j < n; ++j) s += a[j]; a[threadIdx.x + blockIdx.x] "
        "= s;",
        "the step is `blockDim.x`"},
       {}},
      {{"float s = 1; for (int d = 8; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);",
        "float s = 1; for (int d = 8; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d, 16);",
        "first distance is 16"},
       {}},
      {{"for (int t = 0; t < n / 16; ++t) a[t] = 1;", "for (int t = 0; t < n / 25; ++t) a[t] = 1;",
        "the last 10 are left out"},
       {}},
      {{"a[0] = (n << 4) >> 30;", "a[0] = n << 4; a[1] = n >> 30;", "does not bring them back"},
       {}},
  };
  for (const auto& [texts, symptom] : all) {
    EXPECT_THAT(found(texts[0], symptom), HasSubstr(texts[2])) << texts[0];
    EXPECT_THAT(found(texts[1], symptom), testing::Not(HasSubstr(texts[2]))) << texts[1];
  }
}

}  // namespace
}  // namespace warpmark
