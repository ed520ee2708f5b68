#include "compiler/device_part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "compiler/declarations.hpp"
#include "compiler/host_headers.hpp"

namespace warpmark {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

DeviceNeeds needs() {
  return {{}, false, [](const std::string& name, bool) { return is_host_header(name); }};
}

DevicePart part_of(const std::string& source, const std::string& header = "") {
  std::vector<DeviceText> texts = {{source, ""}};
  if (!header.empty()) texts.push_back({header, "own.h"});
  return device_part(texts, needs());
}

// The lines of the source's part that have something on them.
std::vector<std::string> lines_of(const DevicePart& part, size_t text = 0) {
  std::vector<std::string> lines;
  for (const std::string& line : split(part.texts.at(text), '\n')) {
    if (!trim(line).empty()) lines.emplace_back(trim(line));
  }
  return lines;
}

std::vector<std::string> kept(const std::string& source, const std::string& header = "") {
  return lines_of(part_of(source, header));
}

TEST(DevicePart, LeavesOutWhatIsForTheCpu) {
  const std::string source =
      "#include <iostream>\n"
      "std::vector<float> all;\n"
      "static cudaStream_t stream;\n"
      "__global__ void k(int *a) { *a = 1; }\n"
      "template <typename T>\n"
      "static void fill(T &x) {\n"
      "#ifdef DEBUG\n"
      "  std::cout << \"}\";\n"
      "#endif\n"
      "}\n"
      "int main()\n"
      "{\n"
      "  k<<<1, 1>>>(nullptr);\n"
      "}\n";
  const DevicePart part = part_of(source);
  EXPECT_THAT(part.left_out, ElementsAre("#include <iostream>", "the variable `all` in line 2",
                                         "the variable `stream` in line 3",
                                         "fill() in lines 5 to 10", "main() in lines 11 to 14"));
  EXPECT_THAT(lines_of(part),
              ElementsAre("__global__ void k(int *a) { *a = 1; }", "#ifdef DEBUG", "#endif"));
  EXPECT_EQ(split(part.texts[0], '\n').size(), split(source, '\n').size())
      << "lines keep their numbers";
  EXPECT_EQ(split(part.texts[0], '\n')[3], "__global__ void k(int *a) { *a = 1; }");
}

TEST(DevicePart, KeepsWhatAKernelReaches) {
  const std::string source =
      "const int N = 4;\n"
      "struct Point { float x, y; };\n"
      "typedef struct { Point p; } Pair;\n"
      "enum Kind { one, two };\n"
      "#define HALF(x) half_of(x)\n"
      "__host__ __device__ int half_of(int x) { return x / N; }\n"
      "__global__ void k(Pair *p) { p->p.x = HALF(two); }\n";
  EXPECT_THAT(part_of(source).left_out, IsEmpty());
  EXPECT_EQ(part_of(source).texts[0], source);
}

TEST(DevicePart, LeavesOutTypesThatNoKernelReaches) {
  EXPECT_THAT(kept("struct Host { std::vector<int> all; };\n"
                   "using Table = std::map<int, Host>;\n"
                   "__global__ void k() {}\n"),
              ElementsAre("__global__ void k() {}"));
}

TEST(DevicePart, AClassKeepsItsDeviceMembers) {
  EXPECT_THAT(kept("class Image {\n"
                   " public:\n"
                   "  Image(const std::string& file);\n"
                   "  ~Image() { close(); }\n"
                   "  Image(const Image&) = default;\n"
                   "  std::string name() const { return \"x\"; }\n"
                   "  __device__ float at(int i) const { return data[i]; }\n"
                   "  static std::map<int, int> all;\n"
                   "  friend std::ostream& operator<<(std::ostream& out, const Image& image);\n"
                   "  float* data;\n"
                   "};\n"
                   "__global__ void k(Image image) { image.data[0] = image.at(1); }\n"),
              ElementsAre("class Image {", "public:", "Image(const Image&) = default;",
                          "__device__ float at(int i) const { return data[i]; }", "float* data;",
                          "};", "__global__ void k(Image image) { image.data[0] = image.at(1); }"));
}

TEST(DevicePart, ExecutionSpacesInMacrosCount) {
  EXPECT_THAT(
      kept("#define FN __host__ __device__\n"
           "#define KERNEL extern \"C\" __global__ void\n"
           "#define MAKE(T) __global__ void make_##T(T* a) { *a = T(1); }\n"
           "FN int f() { return 1; }\n"
           "void g() {}\n"
           "KERNEL k(int* a) { *a = f(); }\n"
           "MAKE(int)\n"
           "MAKE(float)\n"
           "REGISTER(x)\n"
           "C10_HOST_DEVICE int h() { return 2; }\n"
           "__device__ int use() { return h(); }\n"),
      ElementsAre("#define FN __host__ __device__", "#define KERNEL extern \"C\" __global__ void",
                  "#define MAKE(T) __global__ void make_##T(T* a) { *a = T(1); }",
                  "FN int f() { return 1; }", "KERNEL k(int* a) { *a = f(); }", "MAKE(int)",
                  "MAKE(float)", "C10_HOST_DEVICE int h() { return 2; }",
                  "__device__ int use() { return h(); }"));
}

TEST(DevicePart, AConstexprFunctionBecomesOneOfBothSides) {
  const std::string kernel = "__global__ void k(int* a) { *a = half<4>(); }\n";
  const DevicePart part =
      part_of("template <int N>\nconstexpr int half() { return N / 2; }\n" + kernel);
  EXPECT_THAT(part.left_out, IsEmpty());
  EXPECT_EQ(
      part.texts[0],
      "template <int N>\n__host__ __device__ constexpr int half() { return N / 2; }\n" + kernel);
}

TEST(DevicePart, CutsBesideOtherCodeOfALine) {
  EXPECT_THAT(kept("__device__ int one; int main() { return 0; }\n"),
              ElementsAre("__device__ int one;"));
  EXPECT_THAT(kept("int main() {\n} __device__ int one;\n"), ElementsAre("__device__ int one;"));
}

TEST(DevicePart, ConditionsStayWhole) {
  EXPECT_THAT(kept("int main() {\n#ifdef A\n}\n#else\n}\n#endif\n__global__ void k() {}\n"),
              ElementsAre("#ifdef A", "#else", "#endif", "__global__ void k() {}"));
  const std::string heads =
      "#ifdef A\n__global__ void k(int* a) {\n#else\n__global__ void k(float* a) {\n#endif\n"
      "  *a = 1;\n}\n";
  EXPECT_EQ(part_of(heads + "int main() {}\n").texts[0], heads + "             \n");
}

TEST(DevicePart, ScopesAreFollowed) {
  EXPECT_THAT(kept("namespace a::b {\nnamespace {\nvoid host() {}\n__global__ void k() {}\n}\n}\n"
                   "extern \"C\" {\nvoid other();\n__global__ void l() {}\n}\n"),
              ElementsAre("namespace a::b {", "namespace {", "__global__ void k() {}", "}", "}",
                          "extern \"C\" {", "__global__ void l() {}", "}"));
}

TEST(DevicePart, InstancesOfHostTemplatesGo) {
  EXPECT_THAT(kept("template <typename T> __global__ void k(T* a) {}\n"
                   "template <typename T> void launch(T* a) { k<T><<<1, 1>>>(a); }\n"
                   "template void launch<float>(float*);\n"
                   "template __global__ void k<float>(float*);\n"),
              ElementsAre("template <typename T> __global__ void k(T* a) {}",
                          "template __global__ void k<float>(float*);"));
}

TEST(DevicePart, ProjectHeadersAreCutTogetherWithTheSource) {
  const DevicePart part =
      part_of("#include \"own.h\"\n__global__ void k(int* a) { *a = twice(kBase); }\n",
              "#pragma once\n#include <vector>\nconstexpr int kBase = 3;\n"
              "inline __device__ int twice(int x) { return 2 * x; }\n"
              "std::vector<int> load(const char* file);\nstruct Options { std::string name; };\n");
  EXPECT_THAT(lines_of(part, 1),
              ElementsAre("#pragma once", "constexpr int kBase = 3;",
                          "inline __device__ int twice(int x) { return 2 * x; }"));
  EXPECT_THAT(part.left_out, ElementsAre("#include <vector> of own.h",
                                         "the prototype of load() in line 5 of own.h"));
}

TEST(DevicePart, AUsingDirectiveOfStdStaysGood) {
  const DevicePart part = part_of("#include <vector>\nusing namespace std;\n");
  EXPECT_THAT(lines_of(part), ElementsAre("namespace std { } using namespace std;"));
}

TEST(DevicePart, NumbersOfLinesAreThoseOfLineDirectives) {
  EXPECT_THAT(part_of("#line 40 \"x.cu\"\nint main() {\n}\n").left_out,
              ElementsAre("main() in lines 40 to 41"));
}

TEST(DevicePart, WantedNamesAreRoots) {
  DeviceNeeds wanted = needs();
  wanted.wanted = {"scale<Wide, kCount>"};
  const std::vector<DeviceText> texts = {
      {"struct Wide { double x; };\nconst int kCount = 2;\nstruct Other {};\n", ""}};
  EXPECT_THAT(lines_of(device_part(texts, wanted)),
              ElementsAre("struct Wide { double x; };", "const int kCount = 2;"));
}

TEST(DevicePart, OddSourcesEnd) {
  for (const char* source : {"",
                             "}",
                             "{",
                             "}}}{",
                             "template <",
                             "template",
                             "class",
                             "struct X {",
                             "#",
                             "#define",
                             "#if\n}\n#else\n",
                             "operator",
                             "int f(",
                             "int f)",
                             "namespace",
                             "namespace a {",
                             "extern \"C\"",
                             "using",
                             "static_assert(",
                             "enum {a, b",
                             "f() : x{",
                             "=",
                             "a<a<a<a<",
                             "X(",
                             "__global__",
                             "/*",
                             "\"",
                             "#include <",
                             "int x = {{{"}) {
    part_of(source);
    part_of(std::string(source) + "\n__global__ void k() {}\n", source);
  }
  std::string deep;
  for (int i = 0; i < 3000; ++i) deep += "namespace a { struct B { ";
  part_of(deep);
  std::string long_one;
  for (int i = 0; i < 200'000; ++i) long_one += "a<";
  part_of(long_one);
}

TEST(HostHeaders, AreThoseOfTheCpu) {
  for (const char* name : {"iostream", "cuda_runtime.h", "torch/extension.h", "ATen/ATen.h",
                           "pybind11/pybind11.h", "cublas_v2.h", "gtest/gtest.h", "omp.h"}) {
    EXPECT_TRUE(is_host_header(name)) << name;
  }
  for (const char* name : {"cmath", "cuda_fp16.h", "mma.h", "thrust/complex.h", "own.h"}) {
    EXPECT_FALSE(is_host_header(name)) << name;
  }
}

}  // namespace
}  // namespace warpmark
