// A check that the device does not have: it is written against the interface of events alone.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "inspect/observer.hpp"
#include "machine/grid.hpp"
#include "machine/handlers.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {
namespace {

/// Counts over all blocks of a launch.
struct Counts {
  std::array<int, 2> stores{}, bytes{};  ///< by warp, by each lane
  int blocks = 0, ended = 0, arrivals = 0, barriers = 0, instructions = 0;
};

class CountStores final : public Check {
 public:
  explicit CountStores(Counts& counts) : counts_(counts) {}
  void begin(std::uint64_t) override { ++counts_.blocks; }
  void exit(std::uint32_t, std::uint32_t, std::uint32_t) override { ++counts_.ended; }
  void store(Lanes& w, const Instruction&, Space, std::uint32_t, std::uint64_t, std::uint32_t bytes,
             bool) override {
    ++counts_.stores.at(w.warp);
    counts_.bytes.at(w.warp) += static_cast<int>(bytes);
  }
  void barrier_arrive(const Lanes&, std::uint32_t, std::uint32_t, std::uint32_t,
                      const BasicBlock&) override {
    ++counts_.arrivals;
  }
  void barrier_complete(std::uint32_t, bool, std::uint32_t) override { ++counts_.barriers; }
  void execute(Lanes&, const Instruction&, std::uint32_t) override { ++counts_.instructions; }

 private:
  Counts& counts_;
};

// All threads store four bytes, and after the barrier those of the second warp, 16 of them, eight.
constexpr const char* kText = R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .pred %p; .reg .b32 %t; .reg .b64 %a, %w;
ld.param.u64 %a, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %w, %t, 8; add.u64 %a, %a, %w;
st.global.u32 [%a], %t;
bar.sync 0;
setp.lt.u32 %p, %t, 32; @%p bra E;
st.global.u64 [%a], %w;
E: ret;
})";

std::pair<Counts, std::size_t> run(const Checks& checks, bool further) {
  Arena arena(std::uint64_t{1} << 30, std::uint64_t{1} << 26);
  arena.track_values(true);
  const Module module = parse_ptx(kText);
  Program program = decode(module, module.functions[0], Placement{});
  bind(program, handlers(Watch::everything));
  const std::uint64_t out = arena.allocate(1024);
  InspectionMemory memory(arena);
  Counts counts;
  if (further) {
    memory.further.emplace_back(
        [&](ObservedBlock&) { return std::make_unique<CountStores>(counts); });
  }
  LaunchShape shape;
  shape.grid = {3, 1, 1};
  shape.block = {48, 1, 1};
  shape.checks = checks;
  shape.inspection = &memory;
  shape.parameters.resize(8);
  std::memcpy(shape.parameters.data(), &out, 8);
  const std::size_t faults = run_grid(program, shape, arena).faults.size();
  return {counts, faults};
}

TEST(FurtherCheck, IsToldOfEventsAlone) {
  Checks closely;
  closely.closely = true;
  const auto [counts, faults] = run(closely, true);
  EXPECT_EQ(counts.stores, (std::array<int, 2>{3 * 32, 3 * 2 * 16}));
  EXPECT_EQ(counts.bytes, (std::array<int, 2>{3 * 32 * 4, 3 * 16 * (4 + 8)}));
  EXPECT_EQ(counts.blocks, 3);
  EXPECT_EQ(counts.ended, 3);
  EXPECT_EQ(counts.arrivals, 3 * 2);
  EXPECT_EQ(counts.barriers, 3);
  EXPECT_GT(counts.instructions, 3 * 2 * 4);
  EXPECT_EQ(faults, 0U);
}

TEST(FurtherCheck, ChangesNothingForTheOthers) {
  const Checks all{true, true, true, true};
  const auto [counts, faults] = run(all, true);
  EXPECT_EQ(counts.stores, (std::array<int, 2>{3 * 32, 3 * 2 * 16}));
  EXPECT_GT(faults, 0U) << "the blocks write the same memory";
  EXPECT_EQ(faults, run(all, false).second);
}

}  // namespace
}  // namespace warpmark::cpu
