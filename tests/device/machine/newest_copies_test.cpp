// Bulk copies that leave out the ends of their source (PTX 9.2), fences of reads and loads by the read-only
// proxy (PTX 9.4), and what the checks say of them.
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

// A warp copies 128 bytes in two times, reads them each time, and copies over what it has read.
// {BEHIND} stands behind the reads.
constexpr const char* kOver = R"(.version 9.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{ .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<4>;
  .shared .align 16 .b8 s[128]; .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r3, s; mov.u32 %r4, bar;
  mov.u32 %r5, %tid.x; mul.wide.u32 %rd3, %r5, 4; add.s64 %rd2, %rd2, %rd3;
  setp.eq.u32 %p1, %r5, 0; shl.b32 %r6, %r5, 2; add.u32 %r6, %r6, %r3; mov.u32 %r7, 0;
  @%p1 mbarrier.init.shared.b64 [%r4], 1;
  @%p1 fence.mbarrier_init.release.cluster;
  bar.sync 0; mov.u32 %r8, 0;
L: @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 128;
  @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 128, [%r4];
W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], %r8;
  @!%p2 bra W;
  ld.shared.b32 %r1, [%r6]; add.u32 %r7, %r7, %r1;
  {BEHIND} bar.warp.sync -1;
  add.s64 %rd1, %rd1, 128; add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 2; @%p3 bra L;
  st.global.b32 [%rd2], %r7; ret; })";

class FencesOfReads : public NewestCopies {
 protected:
  // The names of warnings, and the hazards of other races.
  std::vector<std::string> races(const std::string& behind) {
    std::string text = kOver;
    text.replace(text.find("{BEHIND}"), 8, behind);
    CUfunction kernel = kernel_of(text, "k");
    if (kernel == nullptr) return {"refused"};
    std::vector<std::uint32_t> words(64);
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random_());
    Array<std::uint32_t> in(words), out(32);
    EXPECT_CU(launch(kernel, {}, {32}, 0, in.address, out.address));
    EXPECT_CU(api().synchronize());
    EXPECT_CU(out.fetch());
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(out.host[i], words[i] + words[32 + i]) << i;
    std::vector<std::string> all;
    for (const Json& report : reports())
      all.push_back(report.contains("name") ? report.at("name").get<std::string>()
                                            : report.at("hazard").get<std::string>());
    return all;
  }
};
constexpr const char* kFenceOfReads =
    "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster;";

TEST_F(FencesOfReads, PutThemBeforeACopyOverThem) {
  EXPECT_EQ(races(""), std::vector<std::string>{"proxy-order"});
  EXPECT_EQ(races("fence.proxy.alias.release.sys;"), std::vector<std::string>{"proxy-order"});
  EXPECT_EQ(races(kFenceOfReads), std::vector<std::string>());
  EXPECT_EQ(races("fence.proxy.async.shared::cta;"), std::vector<std::string>());
}
TEST_F(FencesOfReads, AreNoneOfWrites) {
  EXPECT_EQ(races(std::string("st.shared.b32 [%r6], %r5; ") + kFenceOfReads),
            std::vector<std::string>{"write after write"});
  EXPECT_EQ(races("st.shared.b32 [%r6], %r5; fence.proxy.async.shared::cta;"),
            std::vector<std::string>());
}

// A thread reads what it has written itself.
TEST_F(NewestCopies, LoadsByTheReadOnlyProxyDoNotSeeTheLaunchsWrites) {
  const std::pair<const char*, std::size_t> loads[] = {
      {"ld.global.u32", 0}, {"ld.global.u32.proxy::readonly", 1}, {"ld.proxy::readonly.u32", 1}};
  for (const auto& [load, races] : loads) {
    const std::string text = std::string(R"(.version 9.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{ .reg .b64 %rd<9>; .reg .b32 %r<9>;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
  )") + load + " %r2, [%rd1]; st.global.u32 [%rd2], %r2;\n" +
                             load + " %r3, [%rd2]; st.global.u32 [%rd2], %r3; ret; }";
    CUfunction kernel = kernel_of(text, "k");
    ASSERT_NE(kernel, nullptr);
    Array<std::uint32_t> in(std::vector<std::uint32_t>(32, 7)), out(32);
    EXPECT_CU(launch(kernel, {}, {32}, 0, in.address, out.address));
    EXPECT_CU(api().synchronize());
    EXPECT_CU(out.fetch());
    EXPECT_EQ(out.host, std::vector<std::uint32_t>(32, 7));
    EXPECT_EQ(kinds().size(), races) << load;
  }
}

// Each block writes the memory that it has for itself, all of it, and reads what another thread wrote.
// With {SIZE} in place of a number nothing is asked for.
TEST_F(NewestCopies, BlocksHaveMemoryOfTheirOwn) {
  const std::string text = R"(.version 9.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) .minperctamemory {SIZE}
{ .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;
  mov.u64 %rd2, %perctamemoryoffset; mov.u32 %r3, %perctamemorysize;
  mad.lo.u32 %r4, %r1, 64, %r2; mul.wide.u32 %rd3, %r4, 8; add.s64 %rd1, %rd1, %rd3;
  shl.b32 %r5, %r2, 2;
W: setp.ge.u32 %p1, %r5, %r3; @%p1 bra E;
  cvt.u64.u32 %rd4, %r5; add.s64 %rd5, %rd2, %rd4; st.global.u32 [%rd5], %r4; add.u32 %r5, %r5, 256;
  bra W;
E: bar.sync 0; mov.u32 %r6, %r3; setp.eq.u32 %p2, %r3, 0; @%p2 bra S;
  xor.b32 %r7, %r2, 63; mul.wide.u32 %rd6, %r7, 4; add.s64 %rd6, %rd2, %rd6; {READ}
S: st.global.v2.u32 [%rd1], {%r6, %r3}; ret; })";
  const auto run_with = [&](const std::string& size, std::uint32_t pitch, const std::string& read) {
    std::string one = text;
    one.replace(one.find("{SIZE}"), 6, size);
    one.replace(one.find("{READ}"), 6, read);
    CUfunction kernel = kernel_of(one, "k");
    ASSERT_NE(kernel, nullptr);
    Array<std::uint32_t> out(5 * 64 * 2);
    EXPECT_CU(launch(kernel, {5}, {64}, 0, out.address));
    EXPECT_CU(api().synchronize());
    EXPECT_CU(out.fetch());
    for (std::uint32_t i = 0; i < 5 * 64; ++i) {
      EXPECT_EQ(out.host[2 * i + 1], pitch) << i;
      EXPECT_EQ(out.host[2 * i], pitch == 0 ? 0 : (i ^ 63)) << i;
    }
  };
  run_with("1025", 2048, "ld.global.u32 %r6, [%rd6];");
  run_with("1", 1024, "ld.global.u32 %r6, [%rd6];");
  run_with("0", 0, "");
  EXPECT_EQ(kinds(), std::vector<std::string>());
}

}  // namespace
}  // namespace warpmark::test
