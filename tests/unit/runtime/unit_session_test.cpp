// Sources that suites compile: template instances, several units, headers, on the CPU device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/choose.hpp"
#include "driver/linker.hpp"
#include "support/fake_driver.hpp"
#include "unit/runtime/link_suite.hpp"
#include "unit/runtime/session_fixture.hpp"

namespace warpmark {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class UnitSession : public SessionTest {
 public:
  using SessionTest::run;
  void write(const std::string& name, const std::string& text) {
    write_file_atomically(folder_.path() / "suites" / name, text);
  }
  Outcome run_with(const std::string& kernel_keys, const std::string& source) {
    return run("kernel: {file: k.cu, " + kernel_keys +
                   "}\n"
                   "arguments:\n"
                   "  a: {inout: np.arange(8)}\n"
                   "launch: {block: 8}\n"
                   "reference: {a: 4 * a}\n",
               source);
  }
  bool cpu_links() { return Linker::is_there(*Context::create(choose_device("cpu").device)); }
};

constexpr const char* kTemplates =
    "namespace ns {\n"
    "template <typename U, int N> struct Traits { typedef U type; };\n"
    "template <typename U, int N>\n"
    "__global__ void scale(typename Traits<U, N>::type *a) { a[threadIdx.x] *= N; }\n"
    "}\n"
    "template <typename U> __global__ void both(U *a) {}\n"
    "template <typename U> __global__ void both(U *a, int n) {}\n";

TEST_F(UnitSession, ATemplateByANameExpressionWithMacros) {
  const Outcome outcome =
      run_with("entry: \"ns::scale<T, COUNT>\", define: {T: ctype(float32), COUNT: 4}", kTemplates);
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
  // The dtype follows from the instance, through the dependent type.
  EXPECT_EQ(outcome.outputs.at(0).dtype, "float32");
  EXPECT_EQ(run_with("entry: \"ns::scale<T, 4>\", define: {T: ctype(int64)}", kTemplates)
                .outputs.at(0)
                .dtype,
            "int64");
}

TEST_F(UnitSession, TemplatesThatAreNotThereListThoseThatAre) {
  const auto message = [&](const std::string& entry) {
    const Outcome outcome = run_with("entry: \"" + entry + "\"", kTemplates);
    EXPECT_EQ(outcome.failure, FailureKind::compile) << entry;
    EXPECT_EQ(outcome.where.line, 2) << entry;
    return outcome.message;
  };
  EXPECT_THAT(message("ns::scael<float, 4>"),
              AllOf(HasSubstr("`ns::scael<float, 4>` is no kernel of k.cu"),
                    HasSubstr("template <typename U, int N> ns::scale(typename "
                              "Traits<U, N>::type *a)"),
                    HasSubstr("did you mean `ns::scale`?"), HasSubstr("both(U *a, int n)")));
  EXPECT_THAT(message("both<float>"), HasSubstr("overloaded function"));
  EXPECT_THAT(message("scale<float, 4>"), HasSubstr("did you mean `ns::scale`?"));
  EXPECT_THAT(message("scale"), HasSubstr("`scale` is a template"));
}

TEST_F(UnitSession, HeadersBesideAndBelowAndAbove) {
  write("deep/scale.cuh", "#include \"../factor.cuh\"\n#include \"more/type.cuh\"\n");
  write("deep/more/type.cuh", "typedef float T;\n");
  write("factor.cuh", "#define FACTOR 4\n");
  const char* body = "extern \"C\" __global__ void k(T *a) { a[threadIdx.x] *= FACTOR; }\n";
  EXPECT_EQ(run_with("entry: k", std::string("#include \"deep/scale.cuh\"\n") + body).verdict,
            Verdict::passed);
  write("headers/outer/type.cuh", "#include <inner.cuh>\ntypedef float T;\n");
  write("headers/inner.cuh", "#define FACTOR 4\n");
  const Outcome folders = run_with("entry: k, include: [headers/outer, headers]",
                                   std::string("#include <type.cuh>\n") + body);
  EXPECT_EQ(folders.verdict, Verdict::passed) << folders.message;
  EXPECT_TRUE(folders.notices.empty());
}

TEST_F(UnitSession, AMissingHeaderNamesWhoWantsIt) {
  write("deep/scale.cuh", "\n#include \"missing.cuh\"\n");
  const Outcome outcome = run_with("entry: k", "#include \"deep/scale.cuh\"\n");
  EXPECT_EQ(outcome.failure, FailureKind::compile);
  EXPECT_THAT(outcome.message, HasSubstr("missing.cuh"));
  EXPECT_THAT(outcome.where.file, testing::EndsWith("deep/scale.cuh"));
  EXPECT_EQ(outcome.where.line, 2);
}

TEST_F(UnitSession, AComputedIncludeIsReportedAsNotCached) {
  write("type.cuh", "typedef float T;\n");
  const std::string source =
      "#define NAME JOIN(type)\n#include \"type.cuh\"\n#ifdef NEVER\n#include NAME\n#endif\n"
      "extern \"C\" __global__ void k(T *a) { a[threadIdx.x] *= 4; }\n";
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = run_with("entry: k", source);
    EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
    EXPECT_FALSE(outcome.compiled_from_cache);
    ASSERT_EQ(outcome.notices.size(), 1U);
    EXPECT_THAT(outcome.notices[0],
                AllOf(HasSubstr("compiled anew each time"), HasSubstr("k.cu:4")));
  }
}

TEST_F(UnitSession, SeveralUnitsOnTheCpuDevice) {
  if (!cpu_links()) {
    const Outcome skipped = run_link(*this, LinkCase::good);
    EXPECT_EQ(skipped.verdict, Verdict::skipped) << skipped.message;
    EXPECT_THAT(skipped.reason, HasSubstr("links several units"));
    GTEST_SKIP() << "this CPU device has no linker";
  }
  expect_links(*this);
}

TEST_F(UnitSession, SeveralUnitsOnAFakeDriver) {
  FakeDriver fake;
  fake.kernels["k"] = {{{0, 8}}};
  fake.on_launch = [](const FakeLaunch& launch) {
    auto* a = reinterpret_cast<float*>(launch.argument<uint64_t>(0));
    for (int i = 0; i < 8; ++i) a[i] *= 4;
    return CUDA_SUCCESS;
  };
  options_.in_process = true;
  options_.openers.gpu = [&] { return fake.driver(); };
  options_.device = "gpu";
  const Outcome outcome = run_link(*this, LinkCase::good);
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
  ASSERT_EQ(fake.images.size(), 1U) << "linked units are not loaded on their own";
  EXPECT_EQ(fake.images[0].substr(1, 3), "ELF");
  fake.fail("cuLinkComplete", CUDA_ERROR_INVALID_IMAGE);
  fake.jit_error_log = "error : Undefined reference to '_Z6factorv'";
  const Outcome refused = run_link(*this, LinkCase::good);
  EXPECT_EQ(refused.failure, FailureKind::compile);
  EXPECT_THAT(refused.message, AllOf(HasSubstr("k.cu, helpers.cu do not link"),
                                     HasSubstr("Undefined reference to '_Z6factorv'")));
  session_.reset();
  EXPECT_THAT(fake.live(), testing::IsEmpty());
  EXPECT_THAT(fake.misuse, testing::IsEmpty());
}

}  // namespace
}  // namespace warpmark
