#include "grade/assignment/kernel_template.hpp"

#include <gtest/gtest.h>

namespace warpmark {
namespace {

std::string made(const std::string& source, const std::string& entry) {
  return kernel_template(source, entry, "write it").value_or("none");
}

TEST(KernelTemplate, LeavesSignatureAndDirectives) {
  EXPECT_EQ(made("// The solution: add them in a tree.\n"
                 "#include <cuda_fp16.h>\n"
                 "#ifndef T  // the type\n"
                 "#define T \\\n"
                 "  float\n"
                 "#endif\n"
                 "__device__ T helper(T x) { return 2 * x; }\n"
                 "/* the kernel */\n"
                 "extern \"C\" __global__ void scale(T *a,\n"
                 "                                 int n /* elements */) {\n"
                 "  if (n > 0) { a[0] = helper(a[0]); }\n"
                 "}\n"
                 "__global__ void other(int *b) { b[0] = 1; }\n",
                 "scale"),
            "#include <cuda_fp16.h>\n"
            "#ifndef T\n"
            "#define T \\\n"
            "  float\n"
            "#endif\n"
            "\n"
            "extern \"C\" __global__ void scale(T *a,\n"
            "                                 int n               ) {\n"
            "  // TODO: write it\n"
            "}\n");
}

TEST(KernelTemplate, FindsTheDefinitionOfTheName) {
  // Not a longer name, a call, a declaration, or a device function of the same name.
  EXPECT_EQ(made("__global__ void scale_all(float *a) { }\n"
                 "__global__ void scale(float *a);\n"
                 "namespace b { __device__ void scale(float x) { } }\n"
                 "__global__ void __launch_bounds__(128) scale(float *a) { scale(1.0f); }\n",
                 "scale"),
            "__global__ void __launch_bounds__(128) scale(float *a) {\n  // TODO: write it\n}\n");
  EXPECT_EQ(made("__global__ void scale(float *a) { }", "scael"), "none");
  EXPECT_EQ(made("__global__ void scale(float *a) { if (1) {", "scale"), "none");
  EXPECT_EQ(made("", "scale"), "none");
}

TEST(KernelTemplate, KeepsTemplatesAndNamespaces) {
  EXPECT_EQ(made("namespace ns {\n"
                 "template <typename U, int N>\n"
                 "__global__ void scale(U *a) { a[0] *= N; }\n"
                 "}\n",
                 "ns::scale<T, 4>"),
            "namespace ns {\n"
            "template <typename U, int N>\n"
            "__global__ void scale(U *a) {\n"
            "  // TODO: write it\n"
            "}\n"
            "}\n");
}

TEST(KernelTemplate, PutsALineIntoTheBody) {
  EXPECT_EQ(with_first_line("// scale\n__global__ void scale(int *a) { a[0] = 1; }\n", "scale",
                            "return;"),
            "// scale\n__global__ void scale(int *a) {\n  return; a[0] = 1; }\n");
  EXPECT_EQ(with_first_line("int scale;", "scale", "return;"), std::nullopt);
}

// Each kernel that a suite's steps launch from its file, once, in their order.
TEST(KernelTemplate, HasEveryKernelOfSteps) {
  const auto suite = parse_suite(
      "warpmark: 1\nabout: Sums by two passes.\nkernel: {source: int, entry: partial}\n"
      "arguments:\n  a: {inout: np.ones(4), dtype: float32}\nlaunch:\n"
      "  - {block: 4}\n  - steps:\n      - {entry: total, arguments: [a], block: 4}\n"
      "    repeat: {i: 2}\n  - {entry: total, arguments: [a], block: 4}\nreference: {a: a}\n",
      "/suite.yaml");
  const std::string source =
      "#include <math.h>\n__device__ float twice(float x) { return 2 * x; }\n"
      "__global__ void total(float *a) { a[0] = 1; }\n#define N 4\n"
      "__global__ void partial(float *a) { a[1] = N; }\n";
  EXPECT_EQ(
      kernels_template(source, *suite).value_or("none"),
      "#include <math.h>\n#define N 4\n\n"
      "__global__ void partial(float *a) {\n  // TODO: Sums by two passes.\n}\n\n"
      "__global__ void total(float *a) {\n  // TODO: write `total`, which is launched, too\n}\n");
  std::string missing;
  EXPECT_FALSE(kernels_template("__global__ void partial(float *a) { }", *suite, &missing));
  EXPECT_EQ(missing, "total");
}

}  // namespace
}  // namespace warpmark
