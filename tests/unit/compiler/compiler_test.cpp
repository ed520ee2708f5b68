// Compiling on a fake NVRTC: the cache key, errors, notices.
#include "compiler/compiler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.hpp"
#include "unit/compiler/fake_nvrtc.hpp"

namespace warpmark {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CompilerOnFake : public testing::Test {
 protected:
  CompilerOnFake() {
    write_file_atomically(suite_.path() / "a.h", "#include \"b.h\"\n");
    write_file_atomically(suite_.path() / "b.h", "int b;");
    request_.source = "#include \"a.h\"\nKERNEL doublify\n";
    request_.name = "k.cu";
    request_.folder = suite_.path();
    request_.architecture = 90;
    request_.entry = "doublify";
  }
  ~CompilerOnFake() override { EXPECT_EQ(fake_.live, 0); }

  CompileResult compile() { return Compiler(fake_.nvrtc(), cache_).compile(request_); }
  std::string error_of() {
    try {
      compile();
    } catch (const Error& error) {
      code_ = error.code();
      where_ = error.where();
      return error.what();
    }
    return "no error";
  }

  FakeNvrtc fake_;
  TemporaryFolder suite_;
  TemporaryFolder cache_folder_;
  CompileCache cache_{cache_folder_.path()};
  CompileRequest request_;
  ExitCode code_ = ExitCode::success;
  Position where_;
};

TEST_F(CompilerOnFake, AHitGivesAllThatTheFirstGave) {
  fake_.log =
      "k.cu(1): warning: unused\nptxas info    : Compiling entry function 'doublify' for 'x'\n"
      "ptxas info    : Used 8 registers\nptxas info    : Compile time = 1.5 ms\n";
  const CompileResult first = compile();
  EXPECT_FALSE(first.from_cache);
  const CompileResult again = compile();
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(fake_.compiles, 1);
  EXPECT_EQ(again.cubin, first.cubin);
  EXPECT_EQ(again.cubin.size(), 9U);
  EXPECT_EQ(again.ptx, first.ptx);
  EXPECT_EQ(again.log, first.log);
  EXPECT_EQ(again.entries, first.entries);
  EXPECT_EQ(first.entry(request_).text(), "doublify(float*)");
  EXPECT_EQ(first.entry(request_).bounds.registers, 8U);
  EXPECT_EQ(first.warnings(), "k.cu(1): warning: unused");
  EXPECT_THAT(first.log, Not(HasSubstr("Compile time")));
  EXPECT_THAT(first.ptx, AllOf(HasSubstr("\"k.cu\""), Not(HasSubstr("/suite/"))));
}

TEST_F(CompilerOnFake, EachIngredientOfTheKeyIsAMissWhenItChanges) {
  compile();
  int expected = 1;
  const auto misses = [&](const char* what, const std::function<void()>& change) {
    const CompileRequest before = request_;
    change();
    EXPECT_FALSE(compile().from_cache) << what;
    EXPECT_EQ(fake_.compiles, ++expected) << what;
    EXPECT_TRUE(compile().from_cache) << what;
    request_ = before;
  };
  misses("source", [&] { request_.source += "\n"; });
  misses("name", [&] { request_.name = "l.cu"; });
  misses("define", [&] { request_.defines = {{"T", "float"}}; });
  misses("value of a define", [&] { request_.defines = {{"T", "double"}}; });
  misses("standard", [&] { request_.options = {"-std=c++20"}; });
  misses("option", [&] { request_.options = {"--fmad=false"}; });
  misses("architecture", [&] { request_.architecture = 80; });
  misses("instance", [&] { request_.entry = "scale<float>"; });
  misses("origin", [&] { request_.origin = {"k.cu", 7, 3}; });
  misses("NVRTC", [&] { fake_.minor = 1; });
  fake_.minor = 0;
  misses("header of a header", [&] { write_file_atomically(suite_.path() / "b.h", "int c;"); });
  write_file_atomically(suite_.path() / "b.h", "int b;");
  EXPECT_TRUE(compile().from_cache);
  request_.entry = "another";  // a plain name changes nothing in the module
  EXPECT_TRUE(compile().from_cache);
  request_.use_cache = false;
  EXPECT_FALSE(compile().from_cache);
}

TEST_F(CompilerOnFake, WhereTheSuiteLiesIsNotInTheKey) {
  compile();
  const TemporaryFolder other;
  write_file_atomically(other.path() / "a.h", "#include \"b.h\"\n");
  write_file_atomically(other.path() / "b.h", "int b;");
  request_.folder = other.path();
  EXPECT_TRUE(compile().from_cache);
}

TEST_F(CompilerOnFake, DamagedEntriesAreReplacedAndReported) {
  compile();
  for (const auto& entry : std::filesystem::directory_iterator(cache_folder_.path() / "kernels")) {
    std::filesystem::resize_file(entry.path(), 100);
  }
  const CompileResult result = compile();
  EXPECT_FALSE(result.from_cache);
  EXPECT_THAT(result.notices, testing::ElementsAre(HasSubstr("damaged")));
  EXPECT_TRUE(compile().from_cache);
}

TEST_F(CompilerOnFake, ACacheThatCannotBeWrittenIsANotice) {
  write_file_atomically(cache_folder_.path() / "kernels", "a file in the way");
  const CompileResult result = compile();
  EXPECT_EQ(result.entries.size(), 1U);
  EXPECT_THAT(result.notices, testing::ElementsAre(HasSubstr("not kept")));
}

TEST_F(CompilerOnFake, ComputedIncludesAndFileOptionsAreNotCachedAndSaid) {
  request_.source = "#include WHAT\nKERNEL doublify\n";
  EXPECT_THAT(compile().not_cacheable, HasSubstr("k.cu:1"));
  request_.source = "KERNEL doublify\n";
  request_.options = {"-I/somewhere"};
  EXPECT_THAT(compile().not_cacheable, HasSubstr("-I/somewhere"));
  EXPECT_EQ(cache_.clear().kernels, 0U);
}

TEST_F(CompilerOnFake, ASourceWithCodeForTheCpuIsRefusedOnce) {
  request_.source = "int main() { return ERROR; }\n\n__global__ void k(\nKERNEL doublify\n);\n";
  const CompileResult first = compile();
  EXPECT_EQ(fake_.compiles, 2);
  EXPECT_FALSE(first.from_cache);
  EXPECT_THAT(first.left_out, testing::ElementsAre("main() in line 1"));
  const CompileResult again = compile();
  EXPECT_EQ(fake_.compiles, 2);
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.left_out, first.left_out);
  EXPECT_EQ(again.ptx, first.ptx);
}

TEST_F(CompilerOnFake, FailuresAreVerdictsWithTheCompilersTextAndAreNotCached) {
  request_.source = "ERROR";
  const std::string text = error_of();
  EXPECT_EQ(code_, ExitCode::verdict);
  EXPECT_EQ(where_, (Position{"k.cu", 3, 0}));
  EXPECT_THAT(text, AllOf(HasSubstr("k.cu(3): error:"), HasSubstr("identifier \"x\" is undefined"),
                          Not(HasSubstr("\x1b")), Not(HasSubstr("/suite/"))));
  EXPECT_EQ(cache_.clear().kernels, 0U);
  fake_.compile_result = NVRTC_ERROR_OUT_OF_MEMORY;
  request_.source = "";
  EXPECT_THAT(error_of(), HasSubstr("NVRTC_ERROR_OF_THE_FAKE"));
  EXPECT_EQ(code_, ExitCode::environment);
}

TEST_F(CompilerOnFake, TheArchitectureIsOursToSet) {
  using Options = std::vector<std::string>;
  for (const Options& options : {Options{"--gpu-architecture=sm_80"},
                                 {"-arch=sm_80"},
                                 {"-arch", "sm_80"},
                                 {"--gpu-architecture sm_80"},
                                 {"-gencode=arch=compute_80,code=sm_80"},
                                 {"-code=sm_80"}}) {
    request_.options = options;
    EXPECT_THAT(error_of(),
                AllOf(HasSubstr("`" + options.front() + "`"), HasSubstr("arch: sm_90a")));
    EXPECT_EQ(code_, ExitCode::usage);
  }
  request_.options = {"-archive=1", "-Xcompiler", "-arch=x"};
  compile();
  EXPECT_THAT(fake_.options, Contains("-archive=1"));
}

TEST_F(CompilerOnFake, TheArchitectureOfTheRequestIsGiven) {
  request_.architecture = {90, 'a'};
  compile();
  EXPECT_THAT(fake_.options, Contains("--gpu-architecture=sm_90a"));
}

// Compilers warn of an option that is given twice, and NVRTC 12 refuses it.
TEST_F(CompilerOnFake, TheSuitesStandardReplacesOurs) {
  using Options = std::vector<std::string>;
  for (const Options& options : {Options{"-std=c++20"},
                                 {"--std=c++20"},
                                 {"-std", "c++20"},
                                 {"--std c++20"},
                                 {"-std=c++14", "--std=c++20"},
                                 {"-std=c++20", "-std=c++20"}}) {
    request_.options = options;
    compile();
    EXPECT_THAT(fake_.options, Contains("--std=c++20"));
    const auto about = [](const std::string& option) {
      return option.find("std") != std::string::npos || option.starts_with("c++");
    };
    EXPECT_EQ(std::count_if(fake_.options.begin(), fake_.options.end(), about), 1)
        << testing::PrintToString(options);
  }
  request_.options = {"-Xcompiler", "-std=c++20", "-std"};
  compile();
  EXPECT_THAT(fake_.options,
              AllOf(Contains("--std=c++17"), Contains("-std=c++20"), Contains("-std")));
}

TEST_F(CompilerOnFake, NoOptionIsGivenBesideTheSuites) {
  request_.relocatable = true;
  const std::pair<const char*, const char*> given[] = {
      {"--generate-line-info", "-lineinfo"},
      {"-lineinfo", "--generate-line-info"},
      {"-G", "-lineinfo"},
      {"-device-int128", "--device-int128"},
      {"-rdc=true", "--relocatable-device-code=true"},
      {"-dc", "--relocatable-device-code=true"}};
  for (const auto& [theirs, ours] : given) {
    request_.options = {theirs};
    compile();
    EXPECT_THAT(fake_.options, AllOf(Contains(theirs), Not(Contains(ours))));
    EXPECT_EQ(std::count(fake_.options.begin(), fake_.options.end(), theirs), 1) << theirs;
  }
}

TEST_F(CompilerOnFake, WhatNvrtcIsGiven) {
  request_.defines = {{"T", "float"}};
  request_.options = {"--fmad=false", "-DN=3", "-DFLAG"};
  request_.origin = {"x/suite.yaml", 12, 5};
  compile();
  EXPECT_THAT(fake_.options,
              AllOf(Contains("--gpu-architecture=sm_90"), Contains("-lineinfo"),
                    Contains("--fmad=false"), Contains("--std=c++17"), Contains("--no-cache"),
                    Not(Contains(testing::StartsWith("-D")))));
  EXPECT_EQ(fake_.name, "/suite/x/suite.yaml");
  EXPECT_THAT(fake_.source, testing::StartsWith("#define T float\n#define N 3\n#define FLAG 1\n"
                                                "#line 12 \"/suite/x/suite.yaml\"\n"));
  EXPECT_EQ(fake_.headers.size(), 2U);
}

}  // namespace
}  // namespace warpmark
