#include "compiler/device_part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> left_out(const std::string& source) {
  return device_part(source).left_out;
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
  const DevicePart part = device_part(source);
  EXPECT_THAT(part.left_out,
              ElementsAre("#include <iostream>", "the variable of `vector` in line 2",
                          "the variable of `cudaStream_t` in line 3", "fill() in lines 5 to 10",
                          "main() in lines 11 to 14"));
  const std::vector<std::string> lines = split(part.source, '\n');
  ASSERT_EQ(lines.size(), split(source, '\n').size()) << "lines keep their numbers";
  EXPECT_EQ(lines[3], "__global__ void k(int *a) { *a = 1; }");
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i != 3) {
      EXPECT_EQ(lines[i], "") << i;
    }
  }
}

TEST(DevicePart, KeepsWhatKernelsMayUse) {
  EXPECT_THAT(left_out("__device__ int f() { return 1; }\n"), IsEmpty());
  EXPECT_THAT(left_out("struct S {\n  int f() { return 1; }\n};\n"), IsEmpty());
  EXPECT_THAT(left_out("__constant__ float table[4];\nusing T = std::vector<int>;\n"), IsEmpty());
  EXPECT_THAT(left_out("int table[] = {1, 2};\n"), IsEmpty());
  EXPECT_THAT(left_out("namespace n {\n__global__ void k() {}\n}\n"), IsEmpty());
}

TEST(DevicePart, AConstexprFunctionBecomesOneOfBothSides) {
  const DevicePart part = device_part("template <int N>\nconstexpr int half() { return N / 2; }\n");
  EXPECT_THAT(part.left_out, IsEmpty());
  EXPECT_EQ(part.source,
            "template <int N>\n__host__ __device__ constexpr int half() { return N / 2; }\n");
}

TEST(DevicePart, KeepsWhatSharesItsLines) {
  EXPECT_THAT(left_out("__device__ int one; int main() { return 0; }\n"), IsEmpty());
  EXPECT_THAT(left_out("int main() {\n} __device__ int one;\n"), IsEmpty());
}

TEST(DevicePart, KeepsWhatHoldsHalfOfACondition) {
  EXPECT_THAT(left_out("int main() {\n#ifdef A\n}\n#else\n}\n#endif\n"), IsEmpty());
}

TEST(DevicePart, AUsingDirectiveOfStdStaysGood) {
  const DevicePart part = device_part("#include <vector>\nusing namespace std;\n");
  EXPECT_EQ(part.source, "\nnamespace std {} using namespace std;\n");
}

}  // namespace
}  // namespace warpmark
