// Every kind of submission, graded on the CPU device: the state, the words, the points.
#include "grade/grader/grader.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <thread>

#include "base/file.hpp"
#include "unit/grade/grade_fixture.hpp"

namespace warpmark {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using GraderTest = GradeTest;

std::vector<GradeWord> words(const GradeResult& result) {
  std::vector<GradeWord> all;
  for (const GradedCase& one : result.cases) {
    for (const GradedItem& item : one.items) all.push_back(item.word);
  }
  return all;
}

// Checks what must hold of any result.
void expect_valid(const GradeResult& result) {
  double sum = 0;
  for (const GradedCase& one : result.cases) {
    sum += one.points;
    EXPECT_LE(one.points, one.max_points);
    for (const GradedItem& item : one.items) {
      EXPECT_EQ(item.word == GradeWord::pass, item.explanation.empty() && item.note.empty())
          << item.case_id;
    }
  }
  EXPECT_EQ(result.points, sum);
  EXPECT_EQ(result.max_points, 6);
  EXPECT_EQ(result.message.empty(), result.state == GradeState::graded);
}

TEST_F(GraderTest, AGoodSubmissionGetsAllPoints) {
  const GradeResult result = grade(kGood);
  expect_valid(result);
  EXPECT_EQ(result.state, GradeState::graded) << result.staff;
  EXPECT_THAT(words(result), ElementsAre(GradeWord::pass, GradeWord::pass, GradeWord::pass));
  EXPECT_EQ(result.points, 6);
  EXPECT_EQ(result.cases[0].items[0].trials, 3U);
  EXPECT_EQ(result.student, "ada");
  EXPECT_EQ(result.title, "Scaling");
  EXPECT_THAT(result.context.device, HasSubstr("(sm_90)"));
  EXPECT_EQ(result.cases[1].hint, "n need not be a multiple of the block.");
}

TEST_F(GraderTest, AnItemThatFailsCostsItsShare) {
  // Right where n is a multiple of 4.
  const GradeResult result = grade(scale("if (i < n / 4 * 4) out[i] = f * src[i];"));
  expect_valid(result);
  EXPECT_EQ(result.state, GradeState::graded);
  EXPECT_THAT(words(result), ElementsAre(GradeWord::pass, GradeWord::pass, GradeWord::wrong));
  EXPECT_EQ(result.points, 4);
  const GradedItem& item = result.cases[1].items[1];
  EXPECT_EQ(item.trials, 1U);  // the first that fails decides
  EXPECT_EQ(item.trial, 0U);
  EXPECT_THAT(item.detail, HasSubstr("1 of 257 elements of `out` were never written"));
  EXPECT_THAT(item.reproduce,
              AllOf(HasSubstr("warpmark try hw1.yaml scale.cu --case scale.n=257 --seed "),
                    HasSubstr(" --hidden")));
}

TEST_F(GraderTest, AFaultInAHeaderIsAtTheLineThatCalledIt) {
  // Whatever name a submission makes up: the second and third are files of the course.
  for (const char* name : {"/toolkit/x.h", "/suite/scale.yaml", "/suite/../suites/scale.yaml"}) {
    SCOPED_TRACE(name);
    const GradeResult result =
        grade("__device__ void store(float *p, float v);\n" +
              scale("if (i == 0) store(out + n, f * src[i]);") + "#line 40 \"" + name +
              "\"\n__device__ __forceinline__ void store(float *p, float v) { *p = v; }\n");
    ASSERT_EQ(result.state, GradeState::graded) << result.staff;
    const GradedItem& item = result.cases[0].items[0];
    EXPECT_THAT(item.explanation, testing::StartsWith("Line 4 writes `out[32]`, but `out` has"));
    EXPECT_THAT(item.detail, testing::StartsWith("scale.cu:4: out-of-bounds global write of 4 "));
  }
}

TEST_F(GraderTest, AllOrNothingTakesAllItems) {
  const auto assignment = assign();
  assignment->cases[1].credit = Credit::all;
  EXPECT_EQ(grade(scale("if (i < n / 4 * 4) out[i] = f * src[i];"), assignment).points, 2);
}

TEST_F(GraderTest, WrongElementsHaveTheirErrorAndBound) {
  const GradeResult result = grade(scale("if (i < n) out[i] = f * src[i] + 0.5f;"));
  EXPECT_THAT(words(result), ElementsAre(GradeWord::wrong, GradeWord::wrong, GradeWord::wrong));
  const GradedItem& item = result.cases[0].items[0];
  EXPECT_THAT(item.explanation, HasSubstr("All 32 elements are wrong"));
  EXPECT_NEAR(item.error.value_or(0), 0.5, 1e-3);
  EXPECT_EQ(item.bound, 0);
  EXPECT_THAT(item.reproduce, Not(HasSubstr("--hidden")));
  EXPECT_EQ(result.points, 0);
}

TEST_F(GraderTest, EachKindOfFailureHasItsWord) {
  const auto assignment = assign();
  assignment->limits.instructions = 100'000;
  SubmissionGrader grader(python(), assignment, grading_);
  const auto word = [&](const std::string& body) {
    const GradeResult result = grader.grade(submission(scale(body)));
    expect_valid(result);
    EXPECT_EQ(result.state, GradeState::graded) << body << result.staff;
    EXPECT_EQ(result.points, 0) << body;
    return std::string(to_text(result.cases[1].items[0].word));
  };
  EXPECT_EQ(word("out[i] = f * src[i];"), "memory error");  // past the end
  EXPECT_EQ(word("*(float *)((char *)out + 4 * i + 1) = 0;"), "memory error");
  EXPECT_EQ(word("out[i < n ? i : 0] = *(float *)8;"), "memory error");
  EXPECT_EQ(word("while (src != nullptr) if (n < 0) out[0] = 1;"), "limit");
  EXPECT_EQ(word("if (threadIdx.x < 32) asm(\"bar.sync 1;\"); else asm(\"bar.sync 2;\");"),
            "barrier");
  EXPECT_EQ(word("if (i < n) { out[i] = f * src[i]; ((float *)src)[i] = 0; }"), "memory error");
  EXPECT_EQ(word(""), "wrong");
  EXPECT_EQ(word("if (i < n) out[i] = 0;"), "wrong");
  EXPECT_EQ(word("if (i < n) out[i] = src[i];"), "wrong");
  EXPECT_EQ(word("if (i < n) out[i] = nanf(\"\");"), "wrong");
  EXPECT_EQ(word("if (i == 0) __trap();"), "wrong");
}

TEST_F(GraderTest, WhatDoesNotCompileIsACompileError) {
  const GradeResult result =
      grade("extern \"C\" __global__ void scale(float *out) { out[0] = x; }");
  expect_valid(result);
  EXPECT_EQ(result.state, GradeState::compile_error);
  EXPECT_THAT(words(result), ElementsAre(GradeWord::not_launched, GradeWord::not_launched,
                                         GradeWord::not_launched));
  EXPECT_THAT(result.log, HasSubstr("identifier \"x\" is undefined"));
  EXPECT_THAT(result.log, Not(HasSubstr(folder_.path().string())));
  EXPECT_THAT(result.cases[0].items[0].detail, HasSubstr("scale.cu:1: "));
  EXPECT_EQ(result.points, 0);
}

TEST_F(GraderTest, AMissingKernelIsACompileError) {
  SubmissionGrader grader(python(), assign(), grading_);
  for (const char* text : {"__global__ void other() {}", "int a;", "// nothing"}) {
    const GradeResult result = grader.grade(submission(text));
    expect_valid(result);
    EXPECT_EQ(result.state, GradeState::compile_error) << text;
  }
}

TEST_F(GraderTest, AnotherSignatureIsACompileError) {
  SubmissionGrader grader(python(), assign(), grading_);
  for (const char* text :
       {"extern \"C\" __global__ void scale(float *out) {}",
        "extern \"C\" __global__ void scale(double *out, const float *src, float f, int n) {}",
        "extern \"C\" __global__ void scale(float *out, const float *src, double f, int n) {}",
        "extern \"C\" __global__ void scale(float *out, float f, const float *src, int n) {}"}) {
    const GradeResult result = grader.grade(submission(text));
    expect_valid(result);
    EXPECT_EQ(result.state, GradeState::compile_error) << text << result.staff;
    EXPECT_EQ(result.cases[0].items[0].word, GradeWord::not_launched);
  }
}

TEST_F(GraderTest, AMangledNameIsMatchedByTheSignature) {
  SubmissionGrader grader(python(), assign(), grading_);
  const std::string body =
      "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = f * src[i]; }";
  const std::string right =
      "__global__ void scale(float *out, const float *src, float f, int n) " + body;
  const std::string other =
      "__global__ void scale(double *out, const double *src, double f, int n) " + body;
  for (const std::string& text : {right, right + "\n" + other, other + "\n" + right}) {
    const GradeResult result = grader.grade(submission(text));
    expect_valid(result);
    EXPECT_EQ(result.state, GradeState::graded) << text << result.staff;
    EXPECT_EQ(result.points, result.max_points) << text << result.staff;
  }
  const GradeResult twice = grader.grade(submission(right + "\nnamespace b {\n" + right + "\n}"));
  EXPECT_EQ(twice.state, GradeState::compile_error) << twice.staff;
}

// Otherwise the reference would be rounded to half precision.
TEST_F(GraderTest, ASubmissionDoesNotChooseTheTypes) {
  const GradeResult result = grade(
      "#include <cuda_fp16.h>\n"
      "extern \"C\" __global__ void scale(__half *out, const __half *src, float f, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) out[i] = __half(f) * src[i];\n}\n");
  EXPECT_EQ(result.points, 0) << result.cases[0].items[0].detail;
  EXPECT_EQ(result.state, GradeState::compile_error);
}

TEST_F(GraderTest, WhatTheAssignmentForbidsIsRefused) {
  const auto assignment = assign();
  assignment->ptx.forbid = {{"vprintf", {}}, {"entries", {}}};
  assignment->ptx.flag = {{"%clock64", {}}};
  SubmissionGrader grader(python(), assignment, grading_);
  const GradeResult printing = grader.grade(
      submission("#include <stdio.h>\n" + scale("if (i < n) out[i] = f * src[i]; printf(\"x\");")));
  expect_valid(printing);
  EXPECT_EQ(printing.state, GradeState::refused);
  EXPECT_THAT(printing.message, HasSubstr("printf"));
  EXPECT_EQ(printing.points, 0);
  // The kernel that is wanted is none too many.
  const GradeResult timing = grader.grade(
      submission(scale("long long t = clock64(); if (i < n && t != 0) out[i] = f * src[i];")));
  EXPECT_EQ(timing.state, GradeState::graded) << timing.message;
  EXPECT_THAT(timing.flags, ElementsAre("uses %clock64 (line 3)"));
  EXPECT_EQ(grader.grade(submission(kGood + "__global__ void second() {}\n")).state,
            GradeState::refused);
}

// A suite whose macro N has the value of the axis, and its hidden case before the visible one.
class HiddenMacro : public GradeTest {
 protected:
  std::shared_ptr<Assignment> assign_macro() {
    std::string yaml = kGradedSuite;
    yaml.replace(yaml.find("entry: scale"), 12, "entry: scale, define: {N: n}");
    const auto assignment = assign(yaml);
    std::swap(assignment->cases[0], assignment->cases[1]);
    return assignment;
  }
  // All that a student may read, and that may depend on how a case is compiled.
  static std::string shown(const GradeResult& result) {
    const StudentView view(result);
    std::string all = view.result().message + "\n" + view.result().log;
    for (const GradedCase& one : view.result().cases) {
      for (const GradedItem& item : one.items) all += "\n" + item.explanation + item.detail;
    }
    return all;
  }
};

TEST_F(HiddenMacro, ACompilersTextIsForStaff) {
  const GradeResult result =
      grade("template <int K> struct S { static_assert(K == 32, \"x\"); int one = 1; };\n" +
                scale("S<N> s; if (i < n) out[i] = s.one * f * src[i];"),
            assign_macro());
  EXPECT_EQ(result.state, GradeState::graded) << result.message;
  EXPECT_EQ(result.points, 2);
  EXPECT_THAT(shown(result), Not(HasSubstr("K=")));
  EXPECT_THAT(result.cases[0].items[0].detail, HasSubstr("K=100"));
}

TEST_F(HiddenMacro, ALogThatAVisibleCaseHasIsShown) {
  // A warning everywhere, and an error in the hidden case, which must not take its place.
  const GradeResult result =
      grade("#if N != 32\n#error in the dark\n#endif\n#warning in the light\n" +
                scale("if (i < n) out[i] = f * src[i];"),
            assign_macro());
  EXPECT_EQ(result.points, 2);
  EXPECT_THAT(shown(result), AllOf(HasSubstr("in the light"), Not(HasSubstr("in the dark"))));
  EXPECT_THAT(result.cases[0].items[0].detail, HasSubstr("in the dark"));
}

TEST_F(HiddenMacro, ARefusalNamesNothingOfIt) {
  const auto assignment = assign_macro();
  assignment->ptx.forbid = {{"writable_globals", {}}};
  const std::string names =
      "#define JOIN_(a, b) a##b\n#define JOIN(a, b) JOIN_(a, b)\n"
      "#if N != 32 || defined(ALWAYS)\n__device__ int JOIN(value_, N);\n"
      "#define KEEP JOIN(value_, N) = 1;\n#else\n#define KEEP\n#endif\n" +
      scale("KEEP if (i < n) out[i] = f * src[i];");
  const GradeResult result = grade(names, assignment);
  EXPECT_EQ(result.state, GradeState::refused);
  EXPECT_THAT(result.message, HasSubstr("Compiled for a hidden case"));
  EXPECT_THAT(shown(result), Not(HasSubstr("value_")));
  EXPECT_THAT(result.staff, HasSubstr("scale.n=100: `value_100`"));
  // A name that a visible case shows is reported, although the hidden one comes before it.
  EXPECT_THAT(grade("#define ALWAYS\n" + names, assignment).message, HasSubstr("`value_32`"));
}

TEST_F(HiddenMacro, WhereNothingIsVisibleNothingIsShown) {
  const auto assignment = assign_macro();
  assignment->cases.pop_back();
  const GradeResult closed = grade("int x = N;\n", assignment);
  EXPECT_EQ(closed.state, GradeState::compile_error);
  EXPECT_EQ(shown(closed),
            "The file does not compile for a hidden case, whose macros have other "
            "values.\n");
  // A compile that is the same for every case has nothing to hide.
  const auto plain = assign();
  plain->cases.erase(plain->cases.begin());
  EXPECT_THAT(shown(grade(scale("out[i] = y;"), plain)), HasSubstr("`y` is not known"));
}

TEST_F(GraderTest, ACompileBombEndsAtItsLimit) {
  const auto assignment = assign();
  assignment->limits.compile_cpu_s = 1;
  std::string bomb = "#define A x+x+x+x\n";
  for (char name = 'B'; name <= 'L'; ++name) {
    const std::string before(1, static_cast<char>(name - 1));
    bomb += "#define " + std::string(1, name) + " " + before + "+" + before + "+" + before + "+" +
            before + "\n";
  }
  const GradeResult result = grade(bomb + scale("float x = 1; out[i] = L;"), assignment);
  expect_valid(result);
  EXPECT_EQ(result.state, GradeState::limit) << result.staff;
  EXPECT_THAT(result.message, HasSubstr("more time or memory"));
  EXPECT_EQ(result.points, 0);
}

// Ends whichever child of this process has computed for that many seconds, by SIGSEGV.
void end_who_computes(double seconds, const std::atomic<bool>& stop) {
  const double ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  while (!stop) {
    for (const auto& folder : std::filesystem::directory_iterator("/proc")) {
      try {
        const std::string stat = read_file(folder.path() / "stat");
        std::istringstream fields(stat.substr(stat.rfind(')') + 1));
        std::vector<std::string> all;  // from the third on; proc(5)
        for (std::string field; fields >> field;) all.push_back(field);
        if (all.size() < 13 || std::stol(all[1]) != ::getpid()) continue;
        if (std::stod(all[11]) + std::stod(all[12]) < seconds * ticks) continue;
        ::kill(std::stoi(folder.path().filename()), SIGSEGV);
        return;
      } catch (const std::exception&) {
        continue;  // no process, or gone
      }
    }
    ::usleep(10'000);
  }
}

// Processor time in which a worker has started and compiles.
#if defined(__SANITIZE_THREAD__)
constexpr double kMoreThanAStartS = 8;
#else
constexpr double kMoreThanAStartS = 2;
#endif

TEST_F(GraderTest, ACompilerThatCrashesIsAFault) {
  const auto assignment = assign();
  assignment->limits.compile_mib = 8192;  // as little as it uses was not the reason
  assignment->limits.compile_cpu_s = 60;
  std::atomic<bool> stop = false;
  std::thread killer([&stop] { end_who_computes(kMoreThanAStartS, stop); });
  SubmissionGrader grader(python(), assignment, grading_);
  const GradeResult result = grader.grade(
      submission("template <int D, int I> struct T { static const int v = T<D-1, 2*I>::v + "
                 "T<D-1, 2*I+1>::v; };\n"
                 "template <int I> struct T<0, I> { static const int v = I; };\n" +
                 scale("out[0] = T<22, 1>::v;")));
  stop = true;
  killer.join();
  expect_valid(result);
  EXPECT_EQ(result.state, GradeState::fault) << result.message << result.staff;
  EXPECT_THAT(result.message, HasSubstr("brought the compiler down"));
  EXPECT_EQ(result.points, 0);
  EXPECT_EQ(grader.grade(submission(kGood, "bob")).points, 6);  // the next has a compiler again
}

TEST_F(GraderTest, ARefusalCostsAllPointsAndStartsNothing) {
  Submission one = submission("");
  one.refusal = "`scale.cu` is empty.";
  const GradeResult result = SubmissionGrader(python(), assign(), grading_).grade(one);
  expect_valid(result);
  EXPECT_EQ(result.state, GradeState::refused);
  EXPECT_EQ(result.message, "`scale.cu` is empty.");
  EXPECT_EQ(result.context.device, "");
}

TEST_F(GraderTest, AReferenceThatRaisesCostsNobodyAPoint) {
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string yaml = kGradedSuite;
    yaml.replace(yaml.find(from), from.size(), to);
    return assign(yaml);
  };
  const GradeResult result = grade(kGood, broken("{out: f * src}", "{out: f * src / (n - 100)}"));
  EXPECT_EQ(result.state, GradeState::graded);  // infinities are no exception
  const GradeResult raised =
      grade(kGood, broken("{out: f * src}", "{out: 'f * src[1 // (n - 100) * 0:]'}"));
  expect_valid(raised);
  EXPECT_EQ(raised.state, GradeState::grader_error);
  EXPECT_EQ(raised.cases[1].items[0].word, GradeWord::not_launched);
  EXPECT_THAT(raised.cases[1].items[0].note, HasSubstr("ZeroDivisionError"));
  EXPECT_THAT(raised.staff, HasSubstr("scale.n=100: "));
  EXPECT_THAT(raised.message, HasSubstr("no fault of yours"));
  EXPECT_EQ(raised.cases[0].items[0].word, GradeWord::pass);  // the rest is judged
}

TEST_F(GraderTest, AnInputThatRaisesIsTheCoursesMistake) {
  std::string yaml = kGradedSuite;
  yaml.replace(yaml.find("rng.standard_normal(n)"), 22, "rng.standard_normal(-n)");
  SubmissionGrader grader(python(), assign(yaml), grading_);
  EXPECT_THROW(grader.prepare(), Error);
  EXPECT_EQ(grader.grade(submission(kGood)).state, GradeState::grader_error);
}

TEST_F(GraderTest, AnOutOfMemoryThatTheCourseSharesIsItsMistake) {
  std::string yaml = kGradedSuite;
  yaml += "limits: {memory_mib: 1}\n";
  yaml.replace(yaml.find("257"), 3, "1000000");
  const GradeResult result = grade(kGood, assign(yaml));
  expect_valid(result);
  EXPECT_EQ(result.state, GradeState::grader_error);
  EXPECT_THAT(result.cases[1].items[1].note, HasSubstr("`limits.memory_mib` allows 1 MiB"));
}

TEST_F(GraderTest, WhatOnlyTheSubmissionNeedsTooMuchOfIsItsOwn) {
  const GradeResult bounds = grade(
      "extern \"C\" __global__ void __launch_bounds__(32)\n"
      "scale(float *out, const float *src, float f, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) out[i] = f * src[i];\n}\n");
  EXPECT_EQ(bounds.state, GradeState::graded) << bounds.staff;
  EXPECT_EQ(bounds.points, 0);
  EXPECT_EQ(bounds.cases[0].items[0].word, GradeWord::not_launched);
  EXPECT_THAT(bounds.cases[0].items[0].explanation,
              testing::StartsWith("The file compiles, but no device can launch the kernel"));
  EXPECT_THAT(
      bounds.cases[0].items[0].detail,
      HasSubstr("the block has 64 threads, and the kernel's `__launch_bounds__` allows 32"));
  const GradeResult global = grade("__device__ char big[1ull << 38];\n" +
                                   scale("if (i < n) out[i] = big[i] + f * src[i];"));
  EXPECT_NE(global.state, GradeState::grader_error) << global.staff;
  EXPECT_EQ(global.points, 0);
}

TEST_F(GraderTest, ALaunchThatNoDeviceCanDoIsTheCourses) {
  std::string yaml = kGradedSuite;
  yaml.replace(yaml.find("block: 64"), 9, "block: 2048");
  const GradeResult result = grade(kGood, assign(yaml));
  EXPECT_EQ(result.state, GradeState::grader_error);
  EXPECT_THAT(result.staff, HasSubstr("block.x is 2048, and can be 1024 at most"));
}

TEST_F(GraderTest, TheSameSecretGivesTheSameResult) {
  const std::string wrong = scale("if (i < n) out[i] = f * src[i] + 0.5f;");
  const auto text = [](GradeResult result) {
    std::string all = result.student;
    for (const GradedCase& one : result.cases) {
      for (const GradedItem& item : one.items) {
        all += item.case_id + item.explanation + item.detail + item.reproduce;
      }
    }
    return all;
  };
  const GradeResult first = grade(wrong);
  EXPECT_EQ(text(first), text(grade(wrong)));
  grading_.secret = Secret("0123456789abcdeF");
  EXPECT_NE(text(first), text(grade(wrong)));
  grading_.secret = Secret("0123456789abcdef");
  const GradeResult other =
      SubmissionGrader(python(), assign(), grading_).grade(submission(wrong, "bob"));
  EXPECT_NE(first.cases[0].items[0].detail, other.cases[0].items[0].detail);
}

TEST_F(GraderTest, ACommandWithItsSeedRepeatsAFailure) {
  const std::string wrong = scale("if (i < n) out[i] = f * src[i] + 0.5f;");
  const GradeResult graded = grade(wrong);
  const GradedItem& item = graded.cases[0].items[0];
  const size_t seed = item.reproduce.find("--seed ");
  ASSERT_NE(seed, std::string::npos);
  GraderOptions student;
  student.device = "cpu";
  student.hidden = false;
  student.seed = std::stoull(item.reproduce.substr(seed + 7));
  student.only = {"scale.n=32"};
  const GradeResult again =
      SubmissionGrader(python(), assign(), student).grade(submission(wrong, "you"));
  ASSERT_EQ(again.cases.size(), 1U);
  EXPECT_EQ(again.cases[0].items[0].detail, item.detail);
  EXPECT_EQ(again.cases[0].items[0].trials, 1U);
}

TEST_F(GraderTest, OneSubmissionLeavesNothingToTheNext) {
  SubmissionGrader grader(python(), assign(), grading_);
  EXPECT_EQ(grader.grade(submission(kGood, "ada")).points, 6);
  EXPECT_EQ(grader.grade(submission(scale("out[1 << 20] = 1;"), "bob")).points, 0);
  // The right answer of the one before, if it were there.
  EXPECT_EQ(grader.grade(submission(scale(""), "cem")).points, 0);
  EXPECT_EQ(grader.grade(submission(kGood, "dee")).points, 6);
}

TEST_F(GraderTest, OnlyWhatIsAskedForIsGraded) {
  grading_.hidden = false;
  EXPECT_EQ(grade(kGood).max_points, 2);
  grading_.hidden = true;
  grading_.only = {"odd"};
  EXPECT_EQ(grade(kGood).max_points, 4);
  grading_.only = {"scale.n=33"};
  EXPECT_THROW(grade(kGood), Error);
  grading_.only = {"odd"};
  grading_.hidden = false;
  EXPECT_THROW(grade(kGood), Error);
}

TEST_F(GraderTest, AnInterruptIsNobodysFault) {
  SubmissionGrader grader(python(), assign(), grading_);
  grader.interrupt();
  const GradeResult result = grader.grade(submission(kGood));
  EXPECT_EQ(result.state, GradeState::grader_error);
  EXPECT_EQ(result.points, 0);
}

TEST_F(GraderTest, ADeviceThatIsNotThereIsTheGradersMistake) {
  grading_.device = "none";
  SubmissionGrader grader(python(), assign(), grading_);
  EXPECT_THROW(grader.prepare(), Error);
  const GradeResult result = grader.grade(submission(kGood));
  expect_valid(result);
  EXPECT_EQ(result.state, GradeState::grader_error);
}

// However busy the machine is: an endless loop ends at the same instruction, and the clock is far.
TEST_F(GraderTest, TimeDecidesNothingWhereInstructionsCount) {
  // The suite states its types, so that its kernel is not asked for them.
  std::string yaml = kGradedSuite;
  for (const auto& [from, to] : {std::pair("{out: n}", "{out: n, dtype: float32}"),
                                 std::pair("(n)}", "(n), dtype: float32}"),
                                 std::pair("{scalar: 3}", "{scalar: 3, dtype: float32}"),
                                 std::pair("{scalar: n}", "{scalar: n, dtype: int32}")}) {
    yaml.replace(yaml.find(from), std::string(from).size(), to);
  }
  const auto assignment = assign(yaml);
  assignment->limits.instructions = 4'000'000;
  assignment->limits.gives_instructions = true;
  assignment->limits.timeout_s = 0.001;
  const GradeResult result =
      grade(scale("while (n > 0) { if (out[0] == 12345.5f) break; out[0] = f; }"), assignment);
  expect_valid(result);
  EXPECT_THAT(words(result), testing::Each(GradeWord::limit)) << result.staff;
  EXPECT_THAT(result.cases[0].items[0].explanation, HasSubstr("more instructions than it may"));
  EXPECT_EQ(grade(kGood, assignment).points, 6);
}

}  // namespace
}  // namespace warpmark
