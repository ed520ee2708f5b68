// Suites drafted from what is known of a kernel.
#include "cli/draft/suite_draft.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/draft/draft_kernel.hpp"
#include "suite/case.hpp"
#include "suite/suite.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A kernel with these parameters, as the compiler describes it.
DraftKernel kernel_of(const std::string& source, const std::vector<std::string>& types,
                      const std::string& body = "") {
  Entry entry;
  entry.name = entry.demangled = "k";
  for (const std::string& type : types) {
    const auto dtype = dtype_of_c_type(type);
    entry.parameters.push_back({0, dtype ? dtype->bytes : 8, 8, type});
  }
  CompileResult made;
  made.ptx = ".visible .entry k(\n)\n{ " + body + " }\n.visible .entry kk(\n)\n{ %tid.z }\n";
  return draft_kernel(entry, made, {source});
}

// The suite as it is loaded; its kernel is in place, as there is no file.
std::shared_ptr<const Suite> load(const DraftKernel& kernel) {
  std::string text = draft_suite(kernel, "k.cu", "").text;
  const std::string file = "file: k.cu";
  text.replace(text.find(file), file.size(), "source: text");
  return parse_suite(text, "/nowhere/k.yaml");
}

TEST(SuiteDraft, WhatIsKnownIsNotGuessed) {
  const DraftKernel kernel = kernel_of("__global__ void k(const float *x, float *y, int n)",
                                       {"float const*", "float*", "int"});
  EXPECT_EQ(launch_obstacle(kernel), "");
  const SuiteDraft draft = draft_suite(kernel, "k.cu", "# first\n");
  EXPECT_TRUE(draft.text.starts_with("# first\n"));
  EXPECT_THAT(draft.outputs, ElementsAre("y"));
  const auto suite = load(kernel);
  ASSERT_EQ(suite->arguments.size(), 3U);
  EXPECT_EQ(suite->arguments[0].kind, ArgumentKind::in);
  EXPECT_EQ(suite->arguments[1].kind, ArgumentKind::inout);
  EXPECT_EQ(suite->arguments[2].kind, ArgumentKind::scalar);
  EXPECT_EQ(suite->reference.at(0).value.text, kUnwrittenReference);
  EXPECT_EQ(cases(suite).size(), 3U);
}

TEST(SuiteDraft, TheLaunchHasTheDimensionsThatTheKernelReads) {
  const auto dimensions = [](const std::string& body) {
    return kernel_of("", {}, body).dimensions;
  };
  EXPECT_EQ(dimensions("mov.u32 %r1, %tid.x;"), 1U);
  EXPECT_EQ(dimensions("mov.u32 %r1, %ctaid.y;"), 2U);
  EXPECT_EQ(dimensions("mov.u32 %r1, %tid.z;"), 3U);
}

TEST(SuiteDraft, ItLoadsWhateverTheLengths) {
  std::string list;
  std::vector<std::string> types;
  for (const char* name : {"w", "h", "depth", "n", "count", "len", "size"}) {
    for (const char* body : {"", "%tid.y", "%tid.z"}) {
      list += std::string(list.empty() ? "" : ", ") + "int " + name;
      types.emplace_back("int");
      const DraftKernel kernel = kernel_of(
          "__global__ void k(float *a, " + list + ")",
          [&] {
            std::vector<std::string> all = {"float*"};
            all.insert(all.end(), types.begin(), types.end());
            return all;
          }(),
          body);
      EXPECT_GE(cases(load(kernel)).size(), 1U);
    }
  }
}

TEST(SuiteDraft, ObstaclesAreReported) {
  EXPECT_THAT(launch_obstacle(kernel_of("struct P; __global__ void k(P p)", {"P"})),
              HasSubstr("its parameter `p` is a `P` by value"));
  EXPECT_THAT(launch_obstacle(kernel_of("", {"float**"})), HasSubstr("`arg0` points to pointers"));
  EXPECT_THAT(launch_obstacle(kernel_of("", {"float (*)(float)"})), HasSubstr("to a function"));
  EXPECT_THAT(launch_obstacle(kernel_of("", {""})), HasSubstr("the compiler does not report"));
  EXPECT_THAT(launch_obstacle(
                  kernel_of("__global__ void k(cudaTextureObject_t t)", {"unsigned long long"})),
              HasSubstr("`cudaTextureObject_t`"));
  EXPECT_EQ(launch_obstacle(kernel_of("enum class E : int { a }; __global__ void k(E e)", {"E"})),
            "");
}

TEST(SuiteDraft, NamesThatLengthsHave) {
  for (const char* name :
       {"n", "N", "width", "num_rows", "sizeX", "nElements", "len", "total", "count"})
    EXPECT_TRUE(sounds_like_length(name)) << name;
  for (const char* name : {"alpha", "factor", "seed", "x", "offset", "stride"})
    EXPECT_FALSE(sounds_like_length(name)) << name;
}

TEST(SuiteDraft, TextOfAnEntryEndsAtTheNext) {
  const std::string ptx = ".entry kk(\n) { a }\n.entry k(\n) { b }\n.entry k2() { c }";
  EXPECT_EQ(entry_text(ptx, "k"), ".entry k(\n) { b }\n");
  EXPECT_EQ(entry_text(ptx, "k2"), ".entry k2() { c }");
  EXPECT_EQ(entry_text(ptx, "missing"), "");
}

}  // namespace
}  // namespace warpmark
