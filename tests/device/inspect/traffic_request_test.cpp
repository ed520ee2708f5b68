// One request against sets of what it touches, and classes of opcodes.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "device/inspect/traffic.hpp"
#include "ptx/instruction_set.hpp"

namespace warpmark::test {
namespace {

class Measured : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Measured, AgreesWithSets) {
  const std::uint32_t bytes = GetParam();
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 3000; ++round) {
    // From narrow ranges, where much is shared, to wide ones; some warps with few lanes.
    const std::uint32_t span = 1u << (2 + random() % 12);
    const std::uint32_t mask = round % 3 == 0 ? random() & random() : random() | 1u << (round % 32);
    std::uint64_t at[32];
    for (auto& address : at) address = 4096 + random() % span / bytes * bytes;
    const std::uint32_t shared_by = round % 5 == 0 ? 1 : round % 5 == 1 ? 2 : 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) at[lane] = at[lane & ~shared_by];
    if (mask == 0) continue;
    cpu::Measures cached, banked, local;
    cpu::measure_cached(at, mask, bytes, cached);
    const bool load = round % 2 == 0;
    const std::uint32_t width = round % 4 == 0 ? 0 : static_cast<std::uint32_t>(1 + random() % 40);
    const cpu::ThreadRows rows{round % 7u * 32, width};
    cpu::measure_banked(at, mask, bytes, load, banked, rows);
    cpu::measure_local(at, mask, bytes, local);
    std::set<std::uint64_t> sectors, touched, local_sectors;
    std::map<std::uint64_t, std::uint64_t> lanes_at;
    std::uint64_t lanes = 0, wavefronts = 0, parts = 0, of_rows = 0;
    const std::uint32_t least = bytes == 16 ? 8 : bytes == 8 ? 16 : 32;
    std::uint32_t together = least;
    for (const std::uint32_t apart : {1u, 2u}) {
      bool all = load && bytes >= 8;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const std::uint32_t other = lane ^ apart;
        all = all && ((mask >> lane & mask >> other & 1) == 0 || at[lane] == at[other]);
      }
      if (all) together = 2 * least;
    }
    for (std::uint32_t first = 0; first < 32; first += together) {
      std::map<std::uint64_t, std::set<std::uint64_t>> banks;
      std::map<std::uint64_t, std::map<std::uint64_t, std::set<std::uint64_t>>> by_row;
      for (std::uint32_t lane = first; lane < first + together; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        ++lanes;
        ++lanes_at[at[lane]];
        for (std::uint64_t byte = at[lane]; byte < at[lane] + bytes; ++byte) {
          sectors.insert(byte / 32);
          touched.insert(byte);
          banks[byte / 4 % 32].insert(byte / 4);
          by_row[rows.width == 0 ? 0 : (rows.first + lane) / rows.width][byte / 4 % 32].insert(
              byte / 4);
          local_sectors.insert((byte / 4 * 32 + lane) / 8);
        }
      }
      std::size_t most = 0;
      for (const auto& [bank, words] : banks) most = std::max(most, words.size());
      wavefronts += most;
      std::size_t worst = 0;
      for (const auto& [row, of_row] : by_row) {
        for (const auto& [bank, words] : of_row) worst = std::max(worst, words.size());
      }
      of_rows += worst;
      parts += banks.empty() ? 0 : 1;
    }
    using cpu::Measure;
    ASSERT_EQ(cached[Measure::sectors], sectors.size());
    ASSERT_EQ(cached[Measure::unique_bytes], touched.size());
    ASSERT_EQ(cached[Measure::ideal_sectors], (touched.size() + 31) / 32);
    ASSERT_EQ(cached[Measure::bytes], lanes * bytes);
    ASSERT_EQ(banked[Measure::wavefronts], wavefronts);
    ASSERT_EQ(banked[Measure::ideal_wavefronts], parts);
    ASSERT_EQ(banked[Measure::row_excess], of_rows - parts);
    ASSERT_EQ(local[Measure::sectors], local_sectors.size());
    ASSERT_EQ(cpu::different_addresses(at, mask), lanes_at.size());
    std::uint64_t most = 0;
    for (const auto& [address, number] : lanes_at) most = std::max(most, number);
    cpu::Measures atomic;
    cpu::measure_atomic(cpu::Space::global, at, mask, bytes, atomic);
    ASSERT_EQ(atomic[Measure::turns], most);
    std::uint64_t atomic_sectors = 0;
    for (std::uint64_t turn = 0; turn < most; ++turn) {
      std::set<std::uint64_t> moved;
      for (const auto& [address, number] : lanes_at) {
        for (std::uint64_t byte = address; number > turn && byte < address + bytes; ++byte)
          moved.insert(byte / 32);
      }
      atomic_sectors += moved.size();
    }
    ASSERT_EQ(atomic[Measure::sectors], atomic_sectors);
  }
}
INSTANTIATE_TEST_SUITE_P(Widths, Measured, ::testing::Values(1u, 2u, 4u, 8u, 16u));

// Pointers that a kernel made up: any number at all, and no crash.
TEST(MeasuredAnywhere, Hostile) {
  std::mt19937_64 random(11);
  cpu::Measures sum;
  for (int round = 0; round < 2000; ++round) {
    std::uint64_t at[32];
    for (auto& address : at) address = round % 2 == 0 ? random() : ~random() % 64;
    for (const std::uint32_t bytes : {1u, 4u, 16u, 32u}) {
      cpu::measure_cached(at, 0xffffffff, bytes, sum);
      cpu::measure_banked(at, 0xffffffff, bytes, round % 4 < 2, sum);
      cpu::measure_local(at, 0xffffffff, bytes, sum);
    }
  }
  EXPECT_EQ(sum[cpu::Measure::requests], 2000u * 4 * 3);
}

TEST(Classes, OfNames) {
  const std::pair<const char*, const char*> names[] = {
      {"add.s32", "integer"},
      {"setp.lt.u64", "integer"},
      {"selp.b32", "integer"},
      {"lop3.b32", "integer"},
      {"and.pred", "integer"},
      {"popc.b32", "integer"},
      {"fma.rn.f32", "single"},
      {"setp.lt.f32", "single"},
      {"set.lt.u32.f64", "double"},
      {"div.rn.f64", "double"},
      {"fma.rn.f16x2", "half"},
      {"add.bf16", "half"},
      {"sin.approx.f32", "special"},
      {"rsqrt.approx.f64", "special"},
      {"sqrt.rn.f32", "special"},
      {"cvt.rn.f32.s32", "convert"},
      {"mov.u32", "move"},
      {"cvta.to.global.u64", "move"},
      {"ld.param.u64", "move"},
      {"ld.param::func.u64", "move"},
      {"ld.global.nc.v4.f32", "memory"},
      {"st.shared.u32", "memory"},
      {"atom.global.add.f32", "memory"},
      {"red.add.u32", "memory"},
      {"tex.2d.v4.f32.f32", "memory"},
      {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", "memory"},
      {"cp.async.ca.shared.global", "memory"},
      {"wmma.load.a.sync.aligned.row.m16n16k16.f16", "memory"},
      {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", "matrix"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "matrix"},
      {"shfl.sync.down.b32", "exchange"},
      {"vote.sync.ballot.b32", "exchange"},
      {"redux.sync.add.s32", "exchange"},
      {"bar.sync", "barrier"},
      {"barrier.cluster.arrive", "barrier"},
      {"mbarrier.try_wait.shared.b64", "barrier"},
      {"membar.gl", "barrier"},
      {"bra.uni", "control"},
      {"ret", "control"},
      {"call.uni", "control"},
      {"trap", "control"},
      {"nanosleep.u32", "other"},
      {"", "other"}};
  constexpr const char* kNames[] = {
#define CLASS(name) #name,
#include "warpmark/counters.def"
  };
  for (const auto& [opcode, name] : names)
    EXPECT_STREQ(kNames[static_cast<std::size_t>(cpu::facts_of(opcode, 0).which)], name) << opcode;
}

}  // namespace
}  // namespace warpmark::test
