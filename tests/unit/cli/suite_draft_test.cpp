// Suites drafted from what is known of a kernel.
#include "cli/draft/suite_draft.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/draft/draft_kernel.hpp"
#include "suite/case.hpp"
#include "suite/suite.hpp"

namespace warpmark {
namespace {

using testing::ContainsRegex;
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
  return draft_kernel(entry, made, SourceFacts({source}));
}

// The suite as it is loaded; its kernel is in place, as there is no file.
std::shared_ptr<const Suite> load(const DraftKernel& kernel) {
  std::string text = draft_suite(kernel, {"k.cu"}, "").text;
  const std::string file = "file: k.cu";
  text.replace(text.find(file), file.size(), "source: text");
  return parse_suite(text, "/nowhere/k.yaml");
}

TEST(SuiteDraft, WhatIsKnownIsNotGuessed) {
  const DraftKernel kernel = kernel_of("__global__ void k(const float *x, float *y, int n)",
                                       {"float const*", "float*", "int"});
  EXPECT_EQ(launch_obstacle(kernel), "");
  const SuiteDraft draft = draft_suite(kernel, {"k.cu"}, "# first\n");
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
  EXPECT_THAT(launch_obstacle(kernel_of("", {"float***"})),
              HasSubstr("`arg0` points to pointers to pointers"));
  EXPECT_THAT(launch_obstacle(kernel_of("", {"float (*)(float)"})), HasSubstr("to a function"));
  EXPECT_THAT(launch_obstacle(kernel_of("__global__ void k(cudaTextureObject_t t) { "
                                        "tex2DLayered<float>(t, 0, 0, 1); }",
                                        {"unsigned long long"})),
              HasSubstr("layered image"));
  EXPECT_EQ(launch_obstacle(kernel_of("enum class E : int { a }; __global__ void k(E e)", {"E"})),
            "");
}

TEST(SuiteDraft, TypesThatNoSuiteDescribesAreBytes) {
  const auto suite = load(kernel_of("struct P; __global__ void k(P p, int *)", {"P", "int*"}));
  EXPECT_EQ(suite->arguments[0].value.text, "np.zeros(8, np.uint8)");
  EXPECT_EQ(load(kernel_of("", {""}))->arguments[0].value.text, "np.zeros(8, np.uint8)");
}

TEST(SuiteDraft, StructsAreDescribed) {
  const std::string source =
      "namespace a { using Real = float; struct Point { Real x, y{0}; }; }\n"
      "template <typename T, int N> struct Box { a::Point low; T sizes[N][2]; };\n"
      "struct View { const float *__restrict__ data; int count; unsigned char *more; };\n"
      "__global__ void k(Box<double, 3> *boxes, View view, a::Point p) {}";
  const DraftKernel kernel = kernel_of(source, {"Box<double, 3>*", "View", "a::Point"});
  const std::string text = draft_suite(kernel, {"k.cu"}, "").text;
  EXPECT_THAT(text, HasSubstr("types:\n"
                              "  \"a::Point\": {x: float32, y: float32}\n"
                              "  \"Box<double, 3>\": {low: \"a::Point\", sizes: [float64, 3, 2]}\n"
                              "  View: {data: float32 *, count: int32, more: uint8 *}\n"));
  EXPECT_THAT(text, HasSubstr("dict(low=dict(x=rng.standard_normal(count), "
                              "y=rng.standard_normal(count)), "
                              "sizes=rng.standard_normal((count, 3, 2)))"));
  EXPECT_THAT(text, HasSubstr("view: {scalar: \"(0, count, 0)\", "
                              "points_to: {data: view_data, more: view_more}}"));
  EXPECT_THAT(text, HasSubstr("arguments: [boxes, view, p]"));
  const auto suite = load(kernel);
  ASSERT_EQ(suite->arguments.size(), 5U);
  EXPECT_EQ(suite->axes.front().name, "count");
}

TEST(SuiteDraft, StructsInTheWayAreNotDescribed) {
  for (const char* source :
       {"struct B {}; struct P : B { int x; };", "struct P { int x : 3; };",
        "union P { int x; float y; };", "struct P { virtual void f(); int x; };",
        "struct P { Unknown x; };", "struct P { P *next; Q q; };", "struct P { int x[N]; };"}) {
    const std::string kernel = std::string(source) + " __global__ void k(P *p) {}";
    EXPECT_TRUE(kernel_of(kernel, {"P*"}).structs().empty()) << source;
  }
}

TEST(SuiteDraft, PointersToPointersAreArrays) {
  const auto suite = load(kernel_of("__global__ void k(float **rows, int n)", {"float**", "int"}));
  ASSERT_EQ(suite->arguments.size(), 4U);
  EXPECT_EQ(suite->arguments[0].kind, ArgumentKind::pointers);
  EXPECT_EQ(suite->arguments[2].name, "rows_0");
  EXPECT_EQ(suite->arguments[2].kind, ArgumentKind::inout);
}

TEST(SuiteDraft, TexturesAreAsTheirCallsReadThem) {
  const std::string source =
      "__global__ void k(cudaTextureObject_t image, cudaSurfaceObject_t to, int w, int h) {\n"
      "  float4 c = tex2D<float4>(image, 0.5f, 1.5f); surf3Dwrite(c, to, 16 * w, 0, 0); }";
  const std::string text =
      draft_suite(
          kernel_of(source, {"unsigned long long", "unsigned long long", "int", "int"}, "%tid.y"),
          {"k.cu"}, "")
          .text;
  EXPECT_THAT(text, HasSubstr("image: {texture: \"rng.standard_normal((h, w, 4))\", "
                              "dtype: float32, channels: 4}"));
  EXPECT_THAT(text, HasSubstr("to: {inout: \"rng.standard_normal((32, h, w))\", dtype: float32, "
                              "surface: true}"));
}

TEST(SuiteDraft, ConstantsAreSet) {
  DraftKernel kernel = kernel_of("", {"float*"}, "ld.const.f32 %f1, [_ZN1n5tableE];");
  kernel.symbol = "k";
  const std::string ptx = ".entry k(\n)\n{ ld.const.f32 %f1, [_ZN1n5tableE]; }";
  kernel.constants = draft_constants(
      kernel,
      {{"n::table", "_ZN1n5tableE", "float [4][3]"}, {"other", "other", "int"}, {"absent", "", ""}},
      ptx);
  EXPECT_THAT(draft_suite(kernel, {"k.cu"}, "").text,
              ContainsRegex("constants: +# set before the launch\n"
                            "  \"n::table\": \"rng.standard_normal\\(\\(4, 3\\)\\)\""));
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
