// Host code that students hand in with their kernels, and kernels that are not there.
#include "compiler/host_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grade/feedback/explanation.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

HostCode found(HostCodeKind kind, const std::string& name, int line) {
  return {kind, name, line, 0};
}

constexpr const char* kProgram = R"(#include <iostream>
#include <cmath>
__global__ void twice(float *a, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] *= 2;
}
int main(int argc, char **argv) {
  float *a;
  cudaMalloc(&a, 400);
  twice<<<1, 100>>>(a, 100);
  cudaDeviceSynchronize();
  std::cout << "done\n";
}
)";

TEST(HostCode, AWholeProgram) {
  EXPECT_THAT(find_host_code(kProgram),
              ElementsAre(found(HostCodeKind::include, "iostream", 1),
                          found(HostCodeKind::main_function, "main", 7),
                          found(HostCodeKind::call, "cudaMalloc", 9),
                          found(HostCodeKind::launch, "<<<", 10),
                          found(HostCodeKind::call, "cudaDeviceSynchronize", 11),
                          found(HostCodeKind::stream, "std::cout", 12)));
  EXPECT_EQ(explain_host_code(find_host_code(kProgram)),
            "Line 1 includes `<iostream>`, line 7 begins a `main` function, line 9 calls "
            "`cudaMalloc`, line 10 launches a kernel with `<<<…>>>` and line 12 uses `std::cout`. "
            "That is code for the CPU. Hand in the kernel only, with the `__device__` functions "
            "that it uses: the grader allocates the memory, launches the kernel and checks the "
            "result.");
}

TEST(HostCode, OnlyWhatIsCode) {
  EXPECT_THAT(find_host_code("// int main() { f<<<1, 1>>>(); }\n"
                             "/* cudaMalloc(); */\n"
                             "__device__ const char *s = \"main() { std::cout \";\n"
                             "__device__ const char *r = R\"(int main() {)\";\n"
                             "#define LAUNCH f<<<1, 1>>>()\n"
                             "extern \"C\" __global__ void k(int *a) { a[0] = 1 << 3; }\n"),
              IsEmpty());
}

TEST(HostCode, HelpersNeedDevice) {
  const char* source =
      "template <typename T>\nT square(T x) { return x * x; }\n"
      "namespace a { extern \"C\" {\nfloat half(float x) { return x / 2; }\n} }\n"
      "__device__ __forceinline__ float fine(float x) { return x; }\n"
      "static __device__ float also_fine(float x) { return x; }\n"
      "struct P { float x; float len() const { return x; } };\n"
      "__constant__ int table[] = {1, 2};\n"
      "template <int N> __global__ void k(float *a) { a[0] = N; if (a[0] > 1) { a[1] = 0; } }\n"
      "__global__ void __launch_bounds__(128) kk(float *a) { a[0] = 1; }\n";
  EXPECT_THAT(find_host_code(source), ElementsAre(found(HostCodeKind::function, "square", 2),
                                                  found(HostCodeKind::function, "half", 4)));
  EXPECT_EQ(
      explain_host_code(find_host_code(source)),
      "Line 2 begins the function `square` without `__device__`: that makes it a function for "
      "the CPU, which a kernel cannot call. Write `__device__` before it.");
}

TEST(HostCode, Nothing) {
  EXPECT_EQ(explain_host_code({}), "");
  EXPECT_THAT(find_host_code(""), IsEmpty());
  EXPECT_THAT(find_host_code("}}}}((((<<<{"), ElementsAre(found(HostCodeKind::launch, "<<<", 1)));
}

TEST(HostCode, ManyAreCut) {
  std::string source;
  for (int i = 0; i < 1000; ++i) source += "cudaFree(p);";
  EXPECT_EQ(find_host_code(source).size(), 64U);
}

constexpr const char* kWanted = "doublify(float *a, int n)";

TEST(MissingKernel, TheNearestName) {
  EXPECT_EQ(explain_missing_kernel("extern \"C\" __global__ void doublfy(float *a, int n) {}",
                                   "doublify", kWanted),
            "There is no kernel `doublify` in the file; it has `doublfy`. Is `doublfy` meant? Then "
            "call it `doublify`. Wanted is `doublify(float *a, int n)`.");
}

TEST(MissingKernel, OtherNames) {
  EXPECT_EQ(
      explain_missing_kernel("__global__ void a() {}\n__global__ void b() {}", "doublify", ""),
      "There is no kernel `doublify` in the file; it has `a` and `b`. Call the kernel "
      "`doublify`.");
}

TEST(MissingKernel, WithoutGlobal) {
  EXPECT_EQ(
      explain_missing_kernel("\n__device__ void doublify(float *a, int n) {}", "doublify", kWanted),
      "Line 2 has a function `doublify`, but no `__global__` before it: that word makes it a "
      "kernel, which can be launched. Wanted is `doublify(float *a, int n)`.");
  EXPECT_EQ(explain_missing_kernel("// nothing here", "doublify", ""),
            "There is no kernel in the file. A kernel is a function with `__global__` before it, "
            "and this one must be called `doublify`.");
}

// "There is no kernel `k`; it has `k`" would help nobody.
TEST(MissingKernel, OneThatIsNotCompiled) {
  const std::string kernel = "__global__ void doublify(float *a, int n) {}\n";
  EXPECT_EQ(
      explain_missing_kernel("#include <math.h>\n#if 0\n" + kernel + "#endif\n", "doublify",
                             kWanted),
      "The file has a kernel `doublify`, but the compiler comes to none of that name: an `#if` "
      "or `#ifdef` leaves it out. Wanted is `doublify(float *a, int n)`.");
  EXPECT_EQ(explain_missing_kernel("#if 0\n#endif\nnamespace {\n" + kernel + "}\n", "doublify", ""),
            "The file has a kernel `doublify`, but the compiler comes to none of that name: it is "
            "hidden in a namespace or a class, is `static`, or another function of that name is "
            "beside it.");
}

TEST(MissingKernel, ATemplate) {
  EXPECT_EQ(explain_missing_kernel("template <typename T> __global__ void doublify(T *a, int n) {}",
                                   "doublify", kWanted),
            "`doublify` is a template, template <typename T> doublify(T *a, int n), so there is no "
            "kernel of this name until something chooses its types. Write it without `template`. "
            "Wanted is `doublify(float *a, int n)`.");
}

class CompileExplanation : public testing::Test {
 protected:
  std::string said(const std::string& log, const std::string& source = "") {
    Outcome outcome;
    outcome.verdict = Verdict::failed;
    outcome.failure = FailureKind::compile;
    outcome.error = verdict_error("x.cu does not compile\n" + log);
    outcome.reason = "x.cu does not compile";
    ExplainContext context;
    context.source = source;
    return explain(outcome, context);
  }
};

TEST_F(CompileExplanation, TheFirstError) {
  EXPECT_EQ(said("x.cu(3): warning: nothing\nx.cu(5): error: identifier \"lenght\" is "
                 "undefined\n  int i = lenght;\nx.cu(9): error: expected a \";\"\n"),
            "The file does not compile. The first error is at line 5: `lenght` is not known: is it "
            "misspelt, or not declared before it is used?");
  EXPECT_EQ(said("x.cu(9): error: expected a \";\"\n"),
            "The file does not compile. The first error is at line 9: a `;` is missing, here or at "
            "the end of the line before.");
  EXPECT_EQ(said("x.cu(1): catastrophic error: cannot open source file \"thrust/sort.h\"\n"),
            "The file does not compile. The first error is at line 1: the header `thrust/sort.h` "
            "is not there: submissions may include only what the assignment says.");
  EXPECT_EQ(said("x.cu(4): error: something that nobody has seen before"),
            "The file does not compile. The compiler's first error is at line 4: something that "
            "nobody has seen before.");
}

// A part that is missing at the end has no line.
TEST_F(CompileExplanation, AtTheEndOfTheFile) {
  EXPECT_EQ(said("At end of source: error: expected a \"}\"\nx.cu(3): note #3196-D: to match this"),
            "The file does not compile. The first error is at the end of the file: a `}` is "
            "missing.");
  EXPECT_EQ(said("x.cu(3): error: comment unclosed at end of file"),
            "The file does not compile. The first error is at line 3: a comment is not closed: its "
            "`*/` is missing.");
}

TEST_F(CompileExplanation, HostCodeComesFirst) {
  EXPECT_THAT(said("x.cu(7): error: A function without execution space annotations", kProgram),
              testing::StartsWith("The file does not compile as a kernel. Line 1 includes"));
  EXPECT_THAT(said("x.cu(9): error: identifier \"cudaMalloc\" is undefined", kProgram),
              testing::HasSubstr("That is code for the CPU."));
  // Nor is a program that the preprocessor leaves out.
  EXPECT_EQ(said("x.cu(5): error: expected a \";\"", kProgram),
            "The file does not compile. The first error is at line 5: a `;` is missing, here or at "
            "the end of the line before.");
  // A header that is fine here is not blamed for a mistake elsewhere.
  EXPECT_EQ(said("x.cu(2): error: expected a \"}\"", "#include <cuda_runtime.h>\n}"),
            "The file does not compile. The first error is at line 2: a `}` is missing.");
}

TEST_F(CompileExplanation, WhatTheDeviceRefuses) {
  EXPECT_EQ(said("cuModuleGetFunction failed with CUDA_ERROR_NOT_SUPPORTED (801)\nPTX line 93: in "
                 "kernel 'k': function 'vprintf' has no body in this module: `call.uni`"),
            "The kernel calls `printf`, which the grader's device does not have. Take it out.");
  EXPECT_THAT(said("cuModuleLoadDataEx failed with CUDA_ERROR_INVALID_PTX (218)"),
              testing::StartsWith("The grader's device could not load the compiled kernel"));
  EXPECT_THAT(said("ptxas application ptx input, line 38; fatal : Parsing error near '.include'"),
              testing::StartsWith("The file does not compile: the assembler refuses"));
}

TEST_F(CompileExplanation, AHeaderThatDeclaresTheNameIsNamed) {
  EXPECT_EQ(said("(3): error: identifier \"half\" is undefined"),
            "The file does not compile. The first error is at line 3: `half` is declared by "
            "`<cuda_fp16.h>`, which must be included.");
}

TEST_F(CompileExplanation, SeveralKernelsOfOneName) {
  Outcome outcome;
  outcome.verdict = Verdict::failed;
  outcome.failure = FailureKind::compile;
  outcome.reason = "`k` names 2 kernels in x.cu: k(float*), k(double*)";
  outcome.error = verdict_error(outcome.reason);
  EXPECT_EQ(
      explain(outcome, {}),
      "The file has several kernels of the wanted name: `k` names 2 kernels in x.cu: k(float*), "
      "k(double*). Keep the one that the assignment asks for.");
}

TEST_F(CompileExplanation, ForgedLogsAreOnlyQuoted) {
  const std::string text = said("\x1b[31m(1): error: " + std::string(5000, 'x') + "\x07\x1b]0;");
  EXPECT_LT(text.size(), 400U);
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("\x1b")));
  EXPECT_EQ(said("garbage\nand more"), "The file does not compile: garbage.");
  EXPECT_EQ(said(""), "The file does not compile: x.cu does not compile.");
  EXPECT_THAT(said("(99999999999999999999): error: a"), testing::HasSubstr("first error is"));
}

class SignatureExplanation : public testing::Test {
 protected:
  std::string said(const std::string& given, const std::string& wanted) {
    Outcome outcome;
    outcome.verdict = Verdict::failed;
    outcome.failure = FailureKind::signature;
    outcome.reason = "scale(float*) takes 1 argument, and the suite gives 2: a, n";
    Plan plan;
    Buffer a;
    a.name = "a";
    plan.buffers.push_back(a);
    Scalar n;
    n.name = "n";
    n.dtype = find_dtype("int32");
    plan.scalars.push_back(n);
    LaunchStep launch;
    launch.entry = "scale";
    launch.arguments = {"a", "n"};
    plan.steps.emplace_back(launch);
    ExplainContext context;
    context.plan = &plan;
    context.wanted = wanted;
    context.source = given;
    return explain(outcome, context);
  }
};

TEST_F(SignatureExplanation, ParameterByParameter) {
  EXPECT_EQ(said("extern \"C\" __global__ void scale(const float *x, float n, int more) {}",
                 "scale(float *a, unsigned n)"),
            "The kernel `scale` has other parameters than the grader gives it.\n"
            "  parameter 1: `float *a` fits\n"
            "  parameter 2: wanted is `unsigned n`, given is `float n`\n"
            "  parameter 3: `int more` is one too many\n"
            "Begin it with `__global__ void scale(float *a, unsigned n)`.");
  EXPECT_EQ(said("__global__ void scale(float a) {}", "scale(float *a, unsigned n)"),
            "The kernel `scale` has other parameters than the grader gives it.\n"
            "  parameter 1: wanted is `float *a` (an array, so with a `*`), given is `float a`\n"
            "  parameter 2: `unsigned n` is missing\n"
            "Begin it with `__global__ void scale(float *a, unsigned n)`.");
}

TEST_F(SignatureExplanation, ATypeThatNobodyKnowsFitsNoNumber) {
  EXPECT_THAT(said("struct W {}; __global__ void scale(T *a, W n) {}", "scale(float *a, int n)"),
              testing::HasSubstr("  parameter 1: `float *a` fits\n"
                                 "  parameter 2: wanted is `int n`, given is `W n`\n"));
}

TEST_F(SignatureExplanation, FromThePlanAlone) {
  EXPECT_EQ(said("__global__ void scale(double *a, long long n) {}", ""),
            "The kernel `scale` has other parameters than the grader gives it.\n"
            "  parameter 1: `an array, a` fits\n"
            "  parameter 2: wanted is `int n`, given is `long long n`");
  EXPECT_EQ(said("", ""),
            "The kernel `scale` has other parameters than the grader gives it. scale(float*) takes "
            "1 argument, and the suite gives 2: a, n.");
}

// Explains an error in variables of the module; `said` is what the front or the compiler has found.
std::string of_variable(const std::string& said, FailureKind kind) {
  Outcome outcome;
  outcome.verdict = Verdict::failed;
  outcome.failure = kind;
  outcome.reason = said;
  outcome.error = verdict_error(said);
  Plan plan;
  Buffer table;
  table.name = table.symbol = "table";
  table.dtype = find_dtype("float32");
  plan.buffers.push_back(table);
  ExplainContext context;
  context.plan = &plan;
  return explain(outcome, context);
}

TEST(VariableExplanation, SaysWhatTheAssignmentNeeds) {
  EXPECT_EQ(of_variable("the variable `table` has 8 elements, and the suite gives 16",
                        FailureKind::signature),
            "`table` has 8 elements, the assignment needs 16.");
  EXPECT_EQ(of_variable("the variable `table` is given as float32, and it is double [16]",
                        FailureKind::signature),
            "The variable `table` outside of the kernel has the type `double [16]`, the assignment "
            "needs `float`.");
  const std::string missing =
      "The file has no variable `table` that the grader can set. Declare it outside of the kernel, "
      "with `__constant__` and the type `float`.";
  EXPECT_EQ(of_variable("the kernel's source has no variable `table`", FailureKind::signature),
            missing);
  EXPECT_EQ(of_variable("the variable `table` is not in the module", FailureKind::signature),
            missing);
  EXPECT_EQ(of_variable("`table` is no variable of k.cu\nidentifier \"table\" is undefined",
                        FailureKind::compile),
            missing);
  EXPECT_THAT(of_variable("k(float*) takes 1 argument", FailureKind::signature),
              testing::StartsWith("The kernel has other parameters"));
}

TEST(HostCodeHint, SaysWhereItIsAndWhereItMayStand) {
  const auto found = find_host_code(
      "__global__ void k(float *a) { a[0] = 1; }\n"
      "int main() {\n  float *d;\n  cudaMalloc(&d, 4);\n  k<<<1, 1>>>(d);\n}\n");
  const std::string hint = host_code_hint(found);
  EXPECT_TRUE(
      hint.starts_with("line 2 begins a `main` function, line 4 calls `cudaMalloc` and "
                       "line 5 launches a kernel with `<<<…>>>`; that is code for the CPU"))
      << hint;
  EXPECT_NE(hint.find("`#ifndef __CUDACC_RTC__` and `#endif`"), std::string::npos);
  EXPECT_EQ(host_code_hint({}), "");
}

TEST(HostCodeHint, AHelperNeedsAWordOnly) {
  EXPECT_EQ(host_code_hint(find_host_code("float twice(float x) { return 2 * x; }\n"
                                          "__global__ void k(float *a) { a[0] = twice(1); }\n")),
            "line 1 begins the function `twice` without `__device__`: that makes it a function for "
            "the CPU, which a kernel cannot call; write `__device__` before it");
}

TEST(IsHostCode, CountsTheLinesOfAFunctionsBody) {
  const auto found = find_host_code("int a;\nint main() {\n  a = 1;\n}\nint b;\n");
  for (const auto& [line, expected] :
       {std::pair(1, false), {2, true}, {3, true}, {4, true}, {5, false}, {0, false}}) {
    EXPECT_EQ(is_host_code(found, line), expected) << line;
  }
}

}  // namespace
}  // namespace warpmark
