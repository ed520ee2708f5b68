// Types of parameters from the declarations alone, and that NVRTC says the same.
#include "compiler/written_types.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "compiler/compiler.hpp"

namespace warpmark {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr const char* kKernels = R"(
extern "C" __global__ void plain(float *y, const float *x, int n) {}
extern "C" __global__ void __launch_bounds__(64) marked(const double * __restrict__ a, float *const b,
                                                        const int *volatile *const *c) {}
extern "C" {
__global__ void integers(unsigned a, long unsigned int b, long long c, short d, unsigned char e, signed char f,
                         char g, bool h, const unsigned long long *i, signed j, unsigned short int *k, void *l) {}
}
)";

std::map<std::string, std::string> types_of(const std::string& source) {
  CompileUnit unit;
  unit.source = source;
  return written_types(unit);
}

TEST(WrittenTypes, AreThoseOfADemangler) {
  EXPECT_THAT(types_of(kKernels),
              UnorderedElementsAre(
                  Pair("plain", "(float*, float const*, int)"),
                  Pair("marked", "(double const*, float*, int const* volatile* const*)"),
                  Pair("integers",
                       "(unsigned int, unsigned long, long long, short, unsigned char, signed "
                       "char, char, bool, unsigned long long const*, int, unsigned short*, "
                       "void*)")));
}

TEST(WrittenTypes, AreThoseOfNvrtc) {
  std::shared_ptr<const Nvrtc> nvrtc;
  try {
    nvrtc = Nvrtc::open();
  } catch (const Error& error) {
    GTEST_SKIP() << error.message();
  }
  TemporaryFolder folder("written-types");
  CompileRequest request;
  request.name = "k.cu";
  request.folder = folder.path();
  request.architecture = 90;
  std::vector<std::vector<std::string>> found;
  for (const std::string more :
       {"", "#if 1\n#endif\n"}) {  // with a condition the compiler is asked
    request.source = more + kKernels;
    EXPECT_EQ(types_of(request.source).empty(), !more.empty());
    std::vector<std::string>& types = found.emplace_back();
    for (const Entry& entry : Compiler(nvrtc, CompileCache("")).compile(request).entries) {
      types.push_back(entry.text());
    }
  }
  EXPECT_EQ(found[0].size(), 3);
  EXPECT_EQ(found[0], found[1]);
}

TEST(WrittenTypes, AreTheCompilersToSayWhereNamesDecide) {
  const std::string kernel = "extern \"C\" __global__ void k(float *y, int n) {}\n";
  EXPECT_THAT(types_of(kernel), UnorderedElementsAre(Pair("k", "(float*, int)")));
  for (const std::string& source :
       {"#define float double\n" + kernel, "#define k other\n" + kernel, "#define y z\n" + kernel,
        "#ifdef A\n#endif\n" + kernel, kernel + kernel, "namespace a {\n" + kernel + "}\n",
        std::string("using T = float; extern \"C\" __global__ void k(T *y) {}\n"),
        std::string("extern \"C\" __global__ void k(float4 *y, float (*f)(int)) {}\n"),
        std::string("extern \"C\" __global__ void k(const __grid_constant__ int n) {}\n"),
        std::string("extern \"C\" __global__ void k(float &y) {}\n"),
        std::string("extern \"C\" __global__ void k(long float y) {}\n"),
        std::string("template <int N> __global__ void k(float *y) {}\n")}) {
    EXPECT_THAT(types_of(source), IsEmpty()) << source;
  }
  CompileUnit unit;
  unit.source = kernel;
  unit.headers = {{"own.cuh", "#define float double", "own.cuh"}};
  EXPECT_THAT(written_types(unit), IsEmpty());
  unit.headers.front().path.clear();  // the toolkit's
  EXPECT_THAT(written_types(unit), UnorderedElementsAre(Pair("k", "(float*, int)")));
}

}  // namespace
}  // namespace warpmark
