// compute-sanitizer's text, in the forms of its manual and samples, read as a device's reports.
#include "runtime/sanitizer_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace warpmark {
namespace {

using OrderedJson = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<OrderedJson> read(std::string_view log) {
  return read_sanitizer_log(
      log, {{"a", "float32", 0x7f1000000000, 4000}, {"dest", "float32", 0x7f2000000000, 4000}});
}

constexpr std::string_view kOutOfBounds = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at scale(float *, int)+0x90 in k.cu:34
=========     by thread (5,1,0) in block (2,0,0)
=========     Access to 0x7f2000000fa0 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f2000000000 of size 4,000 bytes
=========
========= Invalid __global__ write of size 4 bytes
=========     at scale(float *, int)+0x90 in k.cu:34
=========     by thread (6,1,0) in block (2,0,0)
=========     Access to 0x7f2000000fa4 is out of bounds
=========     and is 5 bytes after the nearest allocation at 0x7f2000000000 of size 4,000 bytes
=========
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) due to "unspecified launch failure" on CUDA API call to cuCtxSynchronize.
=========
========= ERROR SUMMARY: 3 errors
)";

TEST(SanitizerLog, AnAccessOutOfBoundsIsReportedByArgumentAndIndex) {
  const auto reports = read(kOutOfBounds);
  ASSERT_THAT(reports, SizeIs(1));
  const OrderedJson wanted = OrderedJson::parse(R"({"kind": "illegal_address", "kernel": "scale",
    "space": "global", "access": "write", "bytes": 4, "thread": [5, 1, 0], "block": [2, 0, 0],
    "count": 2, "address": "0x7f2000000fa0", "argument": "dest", "dtype": "float32", "index": 1000,
    "elements": 1000, "allocation": {"address": "0x7f2000000000", "bytes": 4000, "distance": 1,
    "side": "after"}, "file": "k.cu", "line": 34, "severity": "error", "message":
    "out-of-bounds global write of 4 bytes at dest[1000], 1 byte after the nearest allocation of 4000 bytes, by thread (5,1,0) of block (2,0,0) and 1 more in scale at k.cu:34"})");
  EXPECT_EQ(reports[0], wanted);
}

TEST(SanitizerLog, OlderFormsAndOtherSides) {
  const auto reports = read(R"(========= Invalid __global__ read of size 8
=========     at 0x160 in /home/me/two words.cu:12:sum<int>(int const *)
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x7f1000000004 is misaligned
=========     and is inside the nearest allocation at 0x7f1000000000 of size 4000 bytes
========= Invalid __shared__ read of size 4 bytes
=========     at sum(int *)+0x70
=========     by thread (1,0,0) in block (0,0,0)
=========     Address 0x400 is out of bounds
========= Invalid __global__ atomic of size 4 bytes
=========     at sum(int *)+0x80 in /suite/parts/k.cu:3
=========     by thread (1,0,0) in block (0,0,0)
=========     Address 0x7f0ffffffffc is out of bounds
=========     and is 4 bytes before the nearest allocation at 0x7f1000000000 of size 4,000 bytes
)");
  ASSERT_THAT(reports, SizeIs(3));
  EXPECT_EQ(reports[0]["kind"], "misaligned_address");
  EXPECT_EQ(reports[0]["file"], "/home/me/two words.cu");
  EXPECT_EQ(reports[0]["line"], 12);
  EXPECT_EQ(reports[0]["kernel"], "sum");
  EXPECT_EQ(reports[0]["index"], 1);
  EXPECT_EQ(reports[1]["space"], "shared");
  EXPECT_FALSE(reports[1].contains("file"));
  EXPECT_FALSE(reports[1].contains("argument"));
  EXPECT_EQ(reports[2]["index"], -1);
  EXPECT_EQ(reports[2]["access"], "write");
  EXPECT_EQ(reports[2]["file"], "parts/k.cu");
  EXPECT_EQ(reports[2]["allocation"]["side"], "before");
}

TEST(SanitizerLog, Races) {
  const auto reports = read(
      R"(========= Error: Race reported between Write access at sumKernel(int *, int *)+0x90 in f.cu:41
=========     and Read access at sumKernel(int *, int *)+0x100 in f.cu:51 [508 hazards]
=========     and Write access at sumKernel(int *, int *)+0x110 in f.cu:52 [4 hazards]
=========
========= Warning: Race reported between Read access at sumKernel(int *, int *)+0x90 in f.cu:61
=========     and Write access at sumKernel(int *, int *)+0x100 in f.cu:62 [4 hazards]
=========
========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)
)");
  ASSERT_THAT(reports, SizeIs(2));
  EXPECT_EQ(reports[0]["kind"], "race");
  EXPECT_EQ(reports[0]["hazard"], "read after write");
  EXPECT_EQ(reports[0]["count"], 512);
  EXPECT_EQ(reports[0]["line"], 51);
  EXPECT_EQ(reports[0]["other"]["line"], 41);
  EXPECT_EQ(reports[0]["severity"], "error");
  EXPECT_EQ(reports[0]["message"],
            "race: read after write of shared memory in sumKernel at f.cu:51; the other access is "
            "at f.cu:41, and nothing puts them in order [512 hazards]");
  EXPECT_EQ(reports[1]["hazard"], "write after read");
  EXPECT_EQ(reports[1]["severity"], "error");
}

TEST(SanitizerLog, TheOtherTools) {
  const auto reports = read(R"(========= Uninitialized __global__ memory read of size 4 bytes
=========     at k(float *)+0x70 in k.cu:8
=========     by thread (0,0,0) in block (0,0,0)
=========     Access to 0x7f1000000008
=========
========= Barrier error detected. Divergent thread(s) in block
=========     at k(float *)+0x60 in k.cu:9
=========     by thread (32,0,0) in block (0,0,0)
=========
========= Malloc/Free error encountered : Double free
=========     at k(float *)+0x70 in k.cu:10
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x7f3000000000
)");
  ASSERT_THAT(reports, SizeIs(3));
  EXPECT_EQ(reports[0]["kind"], "uninitialised");
  EXPECT_EQ(reports[0]["argument"], "a");
  EXPECT_EQ(reports[0]["index"], 2);
  EXPECT_EQ(reports[1]["kind"], "sync");
  EXPECT_EQ(reports[1]["hazard"], "Divergent thread(s) in block");
  EXPECT_EQ(reports[1]["line"], 9);
  EXPECT_EQ(reports[2]["kind"], "heap");
  EXPECT_THAT(reports[2]["message"].get<std::string>(), HasSubstr("Double free"));
}

TEST(SanitizerLog, NothingIsFoundInNothing) {
  EXPECT_THAT(read(""), SizeIs(0));
  EXPECT_THAT(read("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"), SizeIs(0));
  // A kernel prints elsewhere, and its lines lack the tool's mark even if they look like the
  // tool's.
  EXPECT_THAT(read("Invalid __global__ write of size 4 bytes\n"), SizeIs(0));
}

TEST(SanitizerLog, ALogWithoutASummarySaysNothingOfTheKernels) {
  for (const char* summary : {"ERROR SUMMARY: 0 errors", "ERROR SUMMARY: 2 errors",
                              "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)",
                              "LEAK SUMMARY: 0 bytes leaked in 0 allocations"}) {
    EXPECT_EQ(why_nothing_was_checked(std::string("========= COMPUTE-SANITIZER\n========= ") +
                                      summary + "\r\n"),
              "")
        << summary;
  }
  EXPECT_EQ(why_nothing_was_checked(kOutOfBounds), "");
  EXPECT_EQ(why_nothing_was_checked(""), "its log is empty");
  EXPECT_EQ(why_nothing_was_checked("========= COMPUTE-SANITIZER\n=========\n"),
            "its log is empty");
  EXPECT_EQ(
      why_nothing_was_checked(kOutOfBounds.substr(0, kOutOfBounds.find("=========     by thread"))),
      "its log has no summary: Invalid __global__ write of size 4 bytes / at scale(float *, "
      "int)+0x90 in k.cu:34");
  // Output of a kernel is not the tool's.
  EXPECT_EQ(why_nothing_was_checked("ERROR SUMMARY: 0 errors\n"),
            "its log has no summary: ERROR SUMMARY: 0 errors");
  EXPECT_THAT(why_nothing_was_checked("\x1b[2J" + std::string(5000, 'a')),
              SizeIs(testing::Lt(450)));
}

TEST(SanitizerLog, AToolThatNeverStartedIsQuotedWhateverItCounts) {
  for (const std::string text :
       {"Error: Target application terminated before first instrumented API call",
        "Error: No attachable process found. compute-sanitizer timed-out.",
        "Internal Sanitizer Error: The Sanitizer encountered an error when instrumenting a kernel",
        "Error: Device not supported. Please refer to the \"Supported Devices\" section"}) {
    for (const char* end : {"", "========= ERROR SUMMARY: 0 errors\n"}) {
      EXPECT_EQ(
          why_nothing_was_checked("========= COMPUTE-SANITIZER\n========= " + text + "\n" + end),
          "it says: " + text);
    }
  }
}

TEST(SanitizerLog, TheNameOfAKernelIsNoneOfItsResultAndNamespace) {
  const std::pair<const char*, const char*> forms[] = {
      {"void tk<float>(T1 *, const T1 *, int)+0x1a0 in k.cu:5", "tk"},
      {"void ns::tk<(anonymous namespace)::S, (int)3>(T1 *)+0x1a0 in k.cu:5", "ns::tk"},
      {"(anonymous namespace)::k(float *)+0x1a0 in k.cu:5", "k"},
      {"void (anonymous namespace)::tk<float>(T1 *)+0x1a0 in k.cu:5", "tk"},
      {"k(float *)+0x1a0", "k"},
      {"k+0x1a0 in k.cu:5", "k"},
      {"0x1a0 in k.cu:5:void tk<float>(float *)", "tk"},
      {"0x1a0 in k.cu:5:(anonymous namespace)::k(float *)", "k"}};
  for (const auto& [place, kernel] : forms) {
    const auto reports =
        read("========= Invalid __global__ write of size 4 bytes\n=========     at " +
             std::string(place) + "\n");
    ASSERT_THAT(reports, SizeIs(1)) << place;
    EXPECT_EQ(reports[0].value("kernel", ""), kernel) << place;
  }
  const auto nameless = read(
      "========= Invalid __global__ write of size 4 bytes\n=========     at 0x1a0 in k.cu:5\n");
  EXPECT_FALSE(nameless[0].contains("kernel"));
}

TEST(SanitizerLog, ASentenceGoesOnWithoutItsDot) {
  const auto reports = read(R"(========= Barrier error detected. Divergent thread(s) in warp.
=========     at void tk<float>(T1 *)+0x60 in k.cu:9
=========     by thread (32,0,0) in block (0,0,0)
)");
  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_EQ(reports[0]["hazard"], "Divergent thread(s) in warp");
  EXPECT_EQ(reports[0]["message"],
            "Barrier error detected. Divergent thread(s) in warp, by thread (32,0,0) of block "
            "(0,0,0) in tk at k.cu:9");
}

TEST(SanitizerLog, ErrorsInUnknownWordsAreStillErrorsAndQuoted) {
  const std::pair<const char*, const char*> logs[] = {
      {"========= Stack overflow.\n=========     at void deep<int>(T1 *)+0x70 in k.cu:8\n"
       "=========     by thread (1,0,0) in block (2,0,0)\n=========\n========= Another\n",
       "Stack overflow, by thread (1,0,0) of block (2,0,0) in deep at k.cu:8"},
      {"========= Unused __global__ memory in allocation 0x7f1000000000 of size 4,000 bytes\n",
       "Unused __global__ memory in allocation 0x7f1000000000 of size 4,000 bytes"},
      {"========= Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to \"invalid argument\" on "
       "CUDA "
       "API call to cuMemcpy.\n",
       "Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to \"invalid argument\" on CUDA API "
       "call "
       "to cuMemcpy"},
      {"========= Error: Device not supported\n", "Error: Device not supported"}};
  for (const auto& [log, quoted] : logs) {
    const auto reports = read("========= COMPUTE-SANITIZER\n" + std::string(log) +
                              "========= ERROR SUMMARY: 2 errors\n");
    ASSERT_THAT(reports, SizeIs(1)) << log;
    EXPECT_EQ(reports[0]["kind"], "sanitizer");
    EXPECT_EQ(reports[0]["severity"], "error");
    EXPECT_EQ(reports[0]["message"],
              "compute-sanitizer counts 2 errors, in words that Warpmark does not know: " +
                  std::string(quoted));
  }
  const auto wordless = read("========= ERROR SUMMARY: 1 error\n");
  ASSERT_THAT(wordless, SizeIs(1));
  EXPECT_EQ(wordless[0]["message"], "compute-sanitizer counts 1 error");
}

TEST(SanitizerLog, AHostileLogIsReadToItsEnd) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (int round = 0; round < 3000; ++round) {
    std::string log(kOutOfBounds);
    for (int change = 0; change < 8; ++change) {
      const size_t at = random() % log.size();
      if (random() % 2 == 0)
        log.erase(at, random() % 20);
      else
        log[at] = static_cast<char>(random());
      if (log.empty()) log = "=";
    }
    for (const OrderedJson& report : read(log)) {
      EXPECT_TRUE(report.contains("message"));
      EXPECT_NO_THROW(static_cast<void>(report.dump()));  // throws for what is no UTF-8
    }
  }
  std::string flood;
  for (int i = 0; i < 20000; ++i)
    flood += "========= Invalid __global__ read of size 4 bytes\n=========     at k+0x0 in f.cu:" +
             std::to_string(i) + "\n";
  EXPECT_THAT(read(flood), SizeIs(1000));
}

}  // namespace
}  // namespace warpmark
