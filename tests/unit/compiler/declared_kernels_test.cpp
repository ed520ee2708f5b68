// Kernels that a source declares, for error texts.
#include "compiler/declared_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmark {
namespace {

std::vector<std::string> texts(std::string_view source) {
  std::vector<std::string> all;
  for (const DeclaredKernel& kernel : declared_kernels(source)) all.push_back(kernel.text);
  return all;
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DeclaredKernels, NamesParametersAndTemplates) {
  EXPECT_THAT(
      texts("extern \"C\" __global__ void k(float *a,\n    int n) {}\n"
            "namespace n { template <typename T, int N = 4>\n static __global__ void t(T*); }"),
      ElementsAre("k(float *a, int n)", "template <typename T, int N = 4> n::t(T*)"));
  EXPECT_THAT(texts("template <typename T> struct S {}; __global__ void k() {}"),
              ElementsAre("k()"));
}

TEST(DeclaredKernels, AttributesAreNoNames) {
  EXPECT_THAT(texts("__global__ void __launch_bounds__(256, 2) k(int *p) {}\n"
                    "__global__ __attribute__((unused)) void j(void (*f)(int)) {}"),
              ElementsAre("k(int *p)", "j(void (*f)(int))"));
  EXPECT_THAT(texts("__global__ void BOUNDS(256) k(int *p) {}\n"
                    "BOUNDS(2) __global__ void j(int *p) {}"),
              ElementsAre("k(int *p)", "j(int *p)"));
}

TEST(DeclaredKernels, NamespacesLinesAndSpecialisations) {
  const auto kernels = declared_kernels(
      "namespace a::b {\nextern \"C\" {\n__global__ void k(int *p) {}\n}\nnamespace {\n"
      "template <> __global__ void t<float>(int *) {}\n} }\n"
      "template __global__ void t<int>(int *);");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].scope, "a::b::");
  EXPECT_EQ(kernels[0].line, 3);
  EXPECT_EQ(kernels[1].text, "template <> a::b::t<float>(int *)");
  EXPECT_EQ(kernels[1].name, "t");
  EXPECT_TRUE(kernels[1].is_template);
}

TEST(DeclaredKernels, ParametersHaveNamesWhereTheyAreWritten) {
  const auto kernels = declared_kernels(
      "__global__ void k(const float *__restrict__ x, unsigned int, unsigned n, /* size */ int "
      "b[16],"
      " std::pair<int, int> p = q, T, void (*f)(int), float *);\n__global__ void v(void);");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_THAT(
      kernels[0].parameters,
      ElementsAre(DeclaredParameter{"x", "const float *__restrict__"},
                  DeclaredParameter{"", "unsigned int"}, DeclaredParameter{"n", "unsigned"},
                  DeclaredParameter{"b", "int *"}, DeclaredParameter{"p", "std::pair<int, int>"},
                  DeclaredParameter{"", "T"}, DeclaredParameter{"", "void (*f)(int)"},
                  DeclaredParameter{"", "float *"}));
  EXPECT_THAT(kernels[1].parameters, IsEmpty());
}

TEST(DeclaredKernels, CommentsAndBrokenSourcesAreNone) {
  EXPECT_THAT(texts("// __global__ void a();\n/* __global__ void b(); */"), IsEmpty());
  EXPECT_THAT(texts("__global__"), IsEmpty());
  EXPECT_THAT(texts("__global__ void k(int"), IsEmpty());
  EXPECT_THAT(texts("__global__ void k;"), IsEmpty());
  EXPECT_THAT(texts("/* __global__ void k()"), IsEmpty());
}

}  // namespace
}  // namespace warpmark
