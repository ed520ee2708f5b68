// The part of a compiler's log that counts, in logs that NVRTC 13.0 and its ptxas have written.
#include "compiler/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kTwoAndAWarning =
    "k.cu(4): error: identifier \"oops\" is undefined\n"
    "  extern \"C\" __global__ void k(float *out) { oops; int wurst = 1; }\n"
    "                                             ^\n"
    "\n"
    "k.cu(4): warning #177-D: variable \"wurst\" was declared but never referenced\n"
    "  extern \"C\" __global__ void k(float *out) { oops; int wurst = 1; }\n"
    "                                                       ^\n"
    "\n"
    "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
    "\n"
    "lib/x.cuh(12): error #20: no operator \"+\" matches these operands\n"
    "            operand types are: A + A\n"
    "    return a + a;\n"
    "             ^\n"
    "          detected during instantiation of \"T A<T>::f(T) [with T=float]\" at line 4\n"
    "\n"
    "2 errors detected in the compilation of \"k.cu\".";

TEST(SourceErrors, WithoutWarningsQuotedLinesAndSums) {
  EXPECT_THAT(
      source_errors(kTwoAndAWarning),
      ElementsAre("k.cu(4): error: identifier \"oops\" is undefined",
                  "lib/x.cuh(12): error #20: no operator \"+\" matches these operands\n"
                  "            operand types are: A + A\n"
                  "          detected during instantiation of \"T A<T>::f(T) [with T=float]\" at "
                  "line 4"));
  EXPECT_THAT(source_errors("k.cu(1): catastrophic error: cannot open source file \"no.h\"\n"
                            "  #include \"no.h\"\n"
                            "                  ^\n\n"
                            "1 catastrophic error detected in the compilation of \"k.cu\".\n"
                            "Compilation terminated."),
              ElementsAre("k.cu(1): catastrophic error: cannot open source file \"no.h\""));
  EXPECT_THAT(source_errors("a.cu(1): error: x\nb.cu(2): error: y"),
              ElementsAre("a.cu(1): error: x", "b.cu(2): error: y"));
  EXPECT_THAT(source_errors("a.cu(1): error: x\n^"), ElementsAre("a.cu(1): error: x"))
      << "an error's own first line is no quoted one";
  EXPECT_THAT(source_errors("dir (old)/a.cu(1): error: y"),
              ElementsAre("dir (old)/a.cu(1): error: y"));
}

// A line of the source may look like a message.
TEST(SourceErrors, QuotedLinesAreNoMessages) {
  EXPECT_THAT(source_errors("k.cu(4): error: expected a \";\"\n"
                            "  puts(\"error : wurst\") // k.cu(1): error: wurst\n"
                            "                        ^"),
              ElementsAre("k.cu(4): error: expected a \";\""));
  EXPECT_THAT(source_errors("k.cu(4): warning #1: x\n"
                            "\t// k.cu(1): error: wurst\n"
                            "\t^\n"
                            "  puts(\"error : wurst\")"),
              IsEmpty());
}

TEST(SourceErrors, OfPtxasAndLinkers) {
  EXPECT_THAT(
      source_errors("ptxas application ptx input, line 25; error   : Unknown modifier '.bar'\n"
                    "ptxas fatal   : Ptx assembly aborted due to errors"),
      ElementsAre("ptxas application ptx input, line 25; error   : Unknown modifier '.bar'"));
  EXPECT_THAT(source_errors("ptxas error   : Entry function 'k' uses too much shared data"),
              ElementsAre("ptxas error   : Entry function 'k' uses too much shared data"));
  EXPECT_THAT(source_errors("ptxas fatal   : Unresolved extern function '_Z1fv'"),
              ElementsAre("ptxas fatal   : Unresolved extern function '_Z1fv'"));
  EXPECT_THAT(source_errors("error   : Undefined reference to '_Z6factorv' in 'k.cu'"),
              ElementsAre("error   : Undefined reference to '_Z6factorv' in 'k.cu'"));
}

TEST(SourceErrors, WhatBlamesOptionsOrInstancesIsNone) {
  EXPECT_THAT(source_errors("nvrtc: error: unrecognized option --no-such-option found"), IsEmpty());
  EXPECT_THAT(source_errors("nvrtc: error : --maxrregcount expects an integer value"), IsEmpty());
  EXPECT_THAT(source_errors("ptxas fatal   : Unknown option '-nosuch'"), IsEmpty());
  EXPECT_THAT(source_errors("__nv_name_map(2): error: identifier \"kk\" is undefined\n"
                            "  #pragma nv_mangled_name kk<float>\n"
                            "                          ^\n\n"
                            "1 error detected in the compilation of \"k.cu\"."),
              IsEmpty());
  EXPECT_THAT(source_errors(""), IsEmpty());
  EXPECT_THAT(source_errors("k.cu(3): warning #1: x\n  error\n  ^"), IsEmpty());
  EXPECT_THAT(source_errors("k.cu(x): error: y\n(3): error: z\nk.cu(): error: w"), IsEmpty());
}

TEST(RefusalSays, WhatAnErrorSays) {
  for (const char* text :
       {"\"oops\" is undefined", "(4): error", "k.cu(4): error: identifier", "operand types are",
        "error #20: no operator", "detected during instantiation"}) {
    EXPECT_TRUE(refusal_says(kTwoAndAWarning, text)) << text;
  }
  for (const char* text : {"wurst", "k.cu", "k.c", "__global__", "return a + a", "2 errors",
                           "warning", "diag-suppress", "lib/x.cuh"}) {
    EXPECT_FALSE(refusal_says(kTwoAndAWarning, text)) << text;
  }
  // A word that the file's name has counts where the error itself has it, too.
  EXPECT_TRUE(refusal_says("oops.cu(1): error: oops is undefined", "oops"));
  EXPECT_FALSE(refusal_says("oops.cu(1): error: expected a \";\"", "oops"));
  EXPECT_TRUE(refusal_says("ptxas error   : Entry function 'k' uses too much", "Entry function"));
}

}  // namespace
}  // namespace warpmark
