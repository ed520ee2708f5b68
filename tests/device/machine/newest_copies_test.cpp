// Bulk copies that leave out the ends of their source (PTX 9.2), and what the checks say of them.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

// One warp copies 64 bytes of `in` without `left` and `right` ones, and each lane stores two of them.
// {BEFORE} stands in front of the copy, {BEHIND} behind it, {LANES} in front of the reads.
constexpr const char* kText = R"(.version 9.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 left, .param .u32 right)
{ .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<4>;
  .shared .align 16 .b8 s[64]; .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [left];
  ld.param.u32 %r2, [right]; mov.u32 %r3, s; mov.u32 %r4, bar; mov.u32 %r5, %tid.x;
  mul.wide.u32 %rd3, %r5, 2; setp.eq.u32 %p1, %r5, 0; shl.b32 %r6, %r5, 1; add.u32 %r6, %r6, %r3;
  @%p1 mbarrier.init.shared.b64 [%r4], 1;
  @%p1 fence.mbarrier_init.release.cluster;
  {BEFORE} bar.sync 0;
  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 64;
  @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%r3], [%rd1], 64, %r1, %r2, [%r4];
  {BEHIND}
W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0;
  @!%p2 bra W;
  {LANES} add.s64 %rd4, %rd2, %rd3; ld.shared.b16 %r7, [%r6]; st.global.b16 [%rd4], %r7;
E: ret; })";

// The lanes whose two bytes are copied.
constexpr const char* kCopied =
    "shl.b32 %r8, %r5, 1; setp.lt.u32 %p3, %r8, %r1; @%p3 bra E; add.u32 %r8, %r8, %r2;\n"
    "setp.gt.u32 %p3, %r8, 62; @%p3 bra E;";

class NewestCopies : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    configure(R"({"checks": ["memory", "init", "race", "sync"]})");
  }
  // The memory of the source ends `missing` bytes before the copy does.
  CUresult run(std::string before, std::string behind, std::string lanes, unsigned left,
               unsigned right, std::size_t missing) {
    std::string text = kText;
    const auto put = [&](const char* place, const std::string& what) {
      text.replace(text.find(place), std::string(place).size(), what);
    };
    put("{BEFORE}", before);
    put("{BEHIND}", behind);
    put("{LANES}", lanes);
    CUfunction kernel = kernel_of(text, "k");
    if (kernel == nullptr) return CUDA_ERROR_INVALID_PTX;
    Bytes bytes(64 - missing);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random_());
    Array<std::uint8_t> in(bytes), out(64);
    EXPECT_CU(launch(kernel, {}, {32}, 0, in.address, out.address, left, right));
    const CUresult result = api().synchronize();
    if (result != CUDA_SUCCESS) return result;
    EXPECT_CU(out.fetch());
    for (std::size_t i = (left + 1) / 2 * 2; i + 1 < 64 - right; ++i)
      EXPECT_EQ(out.host[i], bytes[i]) << i << " of a copy without " << left << " and " << right;
    return result;
  }
  // The kinds of the reports.
  static std::vector<std::string> kinds() {
    std::vector<std::string> all;
    for (const Json& report : reports()) all.push_back(report.at("kind").get<std::string>());
    return all;
  }
  std::mt19937 random_{20261130};
};

TEST_F(NewestCopies, BringWhatIsNotLeftOut) {
  for (const auto& [left, right] : {std::pair{0u, 0u}, {3u, 0u}, {0u, 15u}, {15u, 1u}, {5u, 9u}}) {
    EXPECT_CU(run("", "", kCopied, left, right, right));
    EXPECT_EQ(kinds(), std::vector<std::string>()) << left << " " << right;
  }
}

TEST_F(NewestCopies, LeaveBytesWithoutAValue) {
  const std::string looks = "ld.shared.u16 %r7, [%r6]; setp.eq.u32 %p3, %r7, 30583; @%p3 bra E;";
  EXPECT_CU(run("", "", kCopied + looks, 0, 6, 6));
  EXPECT_EQ(kinds(), std::vector<std::string>());
  EXPECT_CU(run("", "", looks, 0, 6, 6));
  ASSERT_EQ(kinds(), std::vector<std::string>{"uninitialised"});
}

TEST_F(NewestCopies, MayNotReadBeyondTheirEnds) {
  EXPECT_EQ(run("", "", kCopied, 0, 6, 7), CUDA_ERROR_ILLEGAL_ADDRESS);
  const std::vector<std::string> said = kinds();
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said[0], "illegal_address");
}

TEST_F(NewestCopies, LeaveOutLessThanSixteenBytes) {
  EXPECT_EQ(run("", "", kCopied, 16, 0, 0), CUDA_ERROR_ILLEGAL_INSTRUCTION);
  const std::vector<Json> said = reports();
  ASSERT_FALSE(said.empty());
  EXPECT_NE(said[0].at("message").get<std::string>().find("leaves out 16 bytes"),
            std::string::npos);
}

// A read in front of the wait; a write that no proxy fence makes known.
TEST_F(NewestCopies, RaceAsOtherCopiesDo) {
  EXPECT_CU(run("", "ld.shared.b16 %r7, [%r6];", kCopied, 0, 3, 3));
  const std::vector<std::string> said = kinds();
  EXPECT_EQ(std::count(said.begin(), said.end(), "race"), 1) << said.size();
}
TEST_F(NewestCopies, NeedAProxyFenceBehindWrites) {
  EXPECT_CU(run("st.shared.b16 [%r6], %r5;", "", kCopied, 0, 3, 3));
  const std::vector<std::string> said = kinds();
  EXPECT_EQ(std::count(said.begin(), said.end(), "race"), 1) << said.size();
}
TEST_F(NewestCopies, AreRightBehindAProxyFence) {
  EXPECT_CU(run("st.shared.b16 [%r6], %r5; fence.proxy.async.shared::cta;", "", kCopied, 0, 3, 3));
  EXPECT_EQ(kinds(), std::vector<std::string>());
}

}  // namespace
}  // namespace warpmark::test
