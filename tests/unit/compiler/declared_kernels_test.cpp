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
      ElementsAre("k(float *a, int n)", "template <typename T, int N = 4> t(T*)"));
  EXPECT_THAT(texts("template <typename T> struct S {}; __global__ void k() {}"),
              ElementsAre("k()"));
}

TEST(DeclaredKernels, AttributesAreNoNames) {
  EXPECT_THAT(texts("__global__ void __launch_bounds__(256, 2) k(int *p) {}\n"
                    "__global__ __attribute__((unused)) void j(void (*f)(int)) {}"),
              ElementsAre("k(int *p)", "j(void (*f)(int))"));
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
