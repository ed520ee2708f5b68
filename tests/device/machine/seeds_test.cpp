// The tutorials' kernels from end to end, in the PTX of each architecture.
#include "device/support/client.hpp"
#include "device/support/newer.hpp"

namespace warpmark::test {
namespace {

class Seeds : public DeviceTest, public ::testing::WithParamInterface<const char*> {
 protected:
  CUfunction seed(const char* name) {
    return kernel(std::string("seeds.sm_") + GetParam() + ".ptx", name);
  }
};
INSTANTIATE_TEST_SUITE_P(Architectures, Seeds, ::testing::Values("75", "90", "100"));

std::vector<float> ramp(std::size_t count, float scale = 0.37f) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = (static_cast<float>(i) - 100.0f) * scale;
  return values;
}

TEST_P(Seeds, Doublify) {
  Array<float> a(ramp(16));
  const std::vector<float> before = a.host;
  ASSERT_CU(launch(seed("doublify"), {1}, {4, 4}, 0, a.address));
  ASSERT_CU(a.fetch());
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(a.host[i], 2 * before[i]);
}

TEST_P(Seeds, MultiplyThem) {
  Array<float> dest(400), a(ramp(400)), b(ramp(400, -1.7f));
  ASSERT_CU(launch(seed("multiply_them"), {1}, {400}, 0, dest.address, a.address, b.address));
  ASSERT_CU(dest.fetch());
  for (std::size_t i = 0; i < 400; ++i) EXPECT_EQ(dest.host[i], a.host[i] * b.host[i]);
}

TEST_P(Seeds, DoubleArrayWithBoundsCheck) {
  for (const std::size_t n : {1u, 31u, 33u, 1000u, 4097u}) {
    Array<float> in(ramp(n)), out(n + 1);
    out.host.back() = -1;
    ASSERT_CU(api().to_device(out.address, out.host.data(), (n + 1) * 4));
    ASSERT_CU(launch(seed("double_array"), {static_cast<unsigned>(n / 128 + 1)}, {128}, 0,
                     in.address, out.address, static_cast<unsigned>(n), 3.5f));
    ASSERT_CU(out.fetch());
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(out.host[i], in.host[i] * 3.5f) << i << " of " << n;
    EXPECT_EQ(out.host[n], -1);
  }
}

TEST_P(Seeds, DoubleArrayNewLoopsOverTheBlock) {
  for (const int n : {5, 128, 1000}) {
    Array<float> b(1000), a(ramp(1000));
    Array<int> info(std::vector<int>{n});
    ASSERT_CU(launch(seed("double_array_new"), {4}, {32}, 0, b.address, a.address, info.address));
    ASSERT_CU(b.fetch());
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(b.host[i], i < n ? a.host[i] * 2 : 0) << i << " of " << n;
  }
}

TEST_P(Seeds, SaxpyGridStrideContractsToFma) {
  const std::size_t n = 10007;
  Array<float> x(ramp(n, 1.0f / 3)), y(ramp(n, 0.7f));
  const std::vector<float> before = y.host;
  ASSERT_CU(launch(seed("saxpy"), {7}, {96}, 0, 1.1f, x.address, y.address,
                   static_cast<unsigned long long>(n)));
  ASSERT_CU(y.fetch());
  for (std::size_t i = 0; i < n; ++i) {
    // One rounding: the product of two binary32 numbers is exact in binary64, the sum rounds to
    // odd.
    const double exact = static_cast<double>(1.1f) * x.host[i];
    EXPECT_EQ(y.host[i], static_cast<float>(static_cast<long double>(exact) + before[i])) << i;
  }
}

TEST_P(Seeds, CountsEveryThreadInstruction) {
  Array<float> a(16);
  ASSERT_CU(launch(seed("doublify"), {1}, {4, 4}, 0, a.address));
  const std::vector<Json> lines = counters();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["launch"], 1);
  EXPECT_EQ(lines[0]["kernel"], "doublify");
  // The kernel is straight: instructions of the text, ret included, times 16 threads.
  const std::string text = read_text(std::string("seeds.sm_") + GetParam() + ".ptx");
  const std::size_t begin = text.find(".entry doublify"), end = text.find('}', begin);
  std::size_t instructions = 0;
  for (std::size_t at = text.find('{', begin); at < end; at = text.find('\n', at) + 1) {
    const std::size_t word = text.find_first_not_of(" \t", at);
    if (text[word] >= 'a' && text[word] <= 'z') ++instructions;
  }
  EXPECT_EQ(lines[0]["ptx_thread_instructions"], instructions * 16);
}

TEST_P(Seeds, OneThreadTooManyIsReportedForEveryArgument) {
  Array<float> dest(400), a(ramp(400)), b(ramp(400));
  dest.label("dest", "float32");
  a.label("a", "float32");
  b.label("b", "float32");
  ASSERT_CU(launch(seed("multiply_them"), {1}, {401}, 0, dest.address, a.address, b.address));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(dest.fetch(), CUDA_ERROR_ILLEGAL_ADDRESS) << "the error is sticky";
  CUdeviceptr more = 0;
  EXPECT_EQ(api().alloc(&more, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  const std::vector<Json> found = reports();
  ASSERT_EQ(found.size(),
            3u);  // reading a[400] does not end the kernel, so dest[400] is found, too
  for (const Json& report : found) {
    EXPECT_EQ(report["kind"], "illegal_address");
    EXPECT_EQ(report["kernel"], "multiply_them");
    EXPECT_EQ(report["thread"], Json::array({400, 0, 0}));
    EXPECT_EQ(report["index"], 400);
    EXPECT_EQ(report["elements"], 400);
    EXPECT_EQ(report["dtype"], "float32");
    EXPECT_EQ(report["count"], 1);
    EXPECT_EQ(report["bytes"], 4);
    EXPECT_EQ(report["allocation"]["distance"], 1);
    EXPECT_EQ(report["allocation"]["side"], "after");
    EXPECT_EQ(report["allocation"]["bytes"], 1600);
    EXPECT_EQ(report["file"], "seeds.cu");
    EXPECT_EQ(report["line"], 8);
  }
  const auto write = std::find_if(found.begin(), found.end(),
                                  [](const Json& r) { return r["access"] == "write"; });
  ASSERT_NE(write, found.end());
  EXPECT_EQ((*write)["argument"], "dest");
  EXPECT_THAT((*write)["instruction"].get<std::string>(), ::testing::HasSubstr("st.global.f32"));
  EXPECT_THAT((*write)["message"].get<std::string>(), ::testing::HasSubstr("dest[400]"));
  EXPECT_TRUE(reports().empty());
}

}  // namespace
}  // namespace warpmark::test
