// Counters of launches against numbers derived by hand, for any number of workers and any
// processor.
#include "program/counter.hpp"

#include <cstring>

#include <map>

#include "device/inspect/call_program.hpp"
#include "device/support/client.hpp"
#include "device/support/newer.hpp"
#include "machine/grid.hpp"
#include "machine/handlers.hpp"
#include "memory/arena.hpp"
#include "memory/lanes.hpp"
#include "program/program.hpp"
#include "ptx/parser.hpp"

namespace warpmark::test {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

// The counters of a launch that are not 0, without instructions.
Counts moved(const Json& line) {
  Counts counts;
  for (const auto& [name, value] : line.items()) {
    const bool other = name == "launch" || name == "kernel" || name == "launches" ||
                       name.ends_with("_instructions");
    if (!other && value != 0) counts[name] = value;
  }
  return counts;
}

class Counters : public DeviceTest {
 protected:
  // One launch of `text` as the body of a kernel with the pointer `out` in %rd1, %tid.x in %r1 and
  // four times that in %rd2.
  Counts count(const std::string& text, Dim grid, Dim block, CUdeviceptr out) {
    CUfunction function = body("mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n" + text);
    EXPECT_CU(launch(function, grid, block, 0, out));
    const std::vector<Json> lines = counters();
    EXPECT_EQ(lines.size(), 1u);
    return lines.empty() ? Counts{} : moved(lines[0]);
  }
  // Returns what some launches counted on a fresh context with so many workers, as text.
  template <typename Run>
  std::string text_of(int workers, Run run) {
    TearDown();
    SetUp();
    configure((R"({"workers": )" + std::to_string(workers) + "}").c_str());
    run();
    std::string text;
    for (const Json& line : counters()) text += line.dump() + "\n";
    return text;
  }
};

// Blocks of 50 threads are a warp of 32 and one of 18; 130 elements end in the third block's first
// warp, so 5 warps have an element.
const char* const kAdd = R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
.reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<8>; .reg .f32 %f<4>;
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r1, [n];
mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;
setp.ge.u32 %p1, %r5, %r1; @%p1 bra DONE;
mul.wide.u32 %rd4, %r5, 4; add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4;
add.s64 %rd7, %rd3, %rd4;
ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd6]; add.f32 %f3, %f1, %f2;
st.global.f32 [%rd7], %f3;
DONE: ret;
})";

TEST_F(Counters, VectorAddition) {
  CUfunction add = kernel_of(kAdd, "add");
  Array<float> a(130), b(130), c(130);
  for (int launch_number = 1; launch_number <= 3; ++launch_number)
    ASSERT_CU(launch(add, {3}, {50}, 0, a.address, b.address, c.address, 130));
  const std::vector<Json> lines = counters();
  ASSERT_EQ(lines.size(), 3u);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["launch"], i + 1);
    EXPECT_EQ(lines[i]["kernel"], "add");
    EXPECT_EQ(lines[i]["launches"], 1);
    // 10 instructions to the branch and the return for all of 150, 8 more for 130.
    EXPECT_EQ(lines[i]["ptx_thread_instructions"], 150 * 11 + 130 * 8);
    EXPECT_EQ(moved(lines[i]), (Counts{{"ptx_flops", 130},
                                       {"global_load_bytes", 130 * 8},
                                       {"global_load_requests", 10},
                                       {"global_store_bytes", 130 * 4},
                                       {"global_store_requests", 5}}));
  }
  EXPECT_TRUE(counters().empty()) << "they are handed over once";
}

TEST_F(Counters, EveryCounterIsThereAlways) {
  ASSERT_CU(launch(body(""), {1}, {1}, 0, CUdeviceptr{0}));
  const std::vector<Json> lines = counters();
  ASSERT_EQ(lines.size(), 1u);
  for (const std::string_view name : cpu::kCounterNames)
    EXPECT_EQ(lines[0].value(std::string(name), -1), 0) << name;
  EXPECT_EQ(lines[0].size(), 5 + std::size(cpu::kCounterNames));
}

TEST_F(Counters, DivergedPartsOfAWarpAskEachOnTheirOwn) {
  Array<int> out(64);
  // 5 lanes store 8 bytes, the other 27 store 4: three requests, the common store included.
  EXPECT_EQ(
      count("setp.lt.u32 %p1, %r1, 5; add.s64 %rd3, %rd1, %rd2; mul.wide.u32 %rd4, %r1, 8;\n"
            "add.s64 %rd5, %rd1, %rd4; mov.u64 %rd6, 7;\n"
            "@%p1 bra FIVE; st.global.u32 [%rd3], %r1; bra JOIN;\n"
            "FIVE: st.global.u64 [%rd5], %rd6;\n"
            "JOIN: st.global.u32 [%rd3], %r1;",
            {1}, {32}, out.address),
      (Counts{{"global_store_bytes", 5 * 8 + 27 * 4 + 32 * 4}, {"global_store_requests", 3}}));
}

TEST_F(Counters, OnlyLanesWhoseGuardHolds) {
  Array<int> out(64);
  // Only the first of two warps has lanes below 7; no lane is above 63.
  EXPECT_EQ(count("setp.lt.u32 %p1, %r1, 7; setp.gt.u32 %p2, %r1, 63; add.s64 %rd3, %rd1, %rd2;\n"
                  "@%p1 ld.global.u32 %r2, [%rd3]; @!%p1 st.global.u32 [%rd3], %r1;\n"
                  "@%p2 st.global.u64 [%rd3], %rd3; @%p1 fma.rn.f32 %f1, %f2, %f3, %f4;\n"
                  "@%p1 red.global.add.u32 [%rd1], 1; @%p1 mov.u32 %r3, 4;",
                  {1}, {64}, out.address),
            (Counts{{"ptx_flops", 7 * 2},
                    {"global_load_bytes", 7 * 4},
                    {"global_load_requests", 1},
                    {"global_store_bytes", 57 * 4},
                    {"global_store_requests", 2},
                    {"global_atomic_bytes", 7 * 4},
                    {"global_atomic_requests", 1}}));
}

TEST_F(Counters, AddressSpacesVectorsAndNarrowTypes) {
  Array<int> out(256);
  EXPECT_EQ(
      count(".shared .align 16 .b8 s[1024]; .local .align 16 .b8 l[32];\n"
            "mul.wide.u32 %rd3, %r1, 16; add.s64 %rd4, %rd1, %rd3; mov.u64 %rd5, s;\n"
            "add.s64 %rd6, %rd5, %rd3;\n"
            "ld.global.v4.u32 {%r2, %r3, %r4, _}, [%rd4];\n"  // four, though one is not wanted
            "st.shared.v2.u64 [%rd6], {%rd3, %rd4}; ld.shared.u8 %r5, [%rd6];\n"
            "st.local.u16 [l+2], %rs1; ld.local.v2.u64 {%rd7, %rd8}, [l+16];\n"
            "ld.local.s16 %r6, [l+2]; bar.sync 0; st.global.u8 [%rd4], %r2;",
            {2}, {40}, out.address),
      (Counts{{"global_load_bytes", 80 * 16},
              {"global_load_requests", 4},
              {"global_store_bytes", 80},
              {"global_store_requests", 4},
              {"shared_load_bytes", 80},
              {"shared_load_requests", 4},
              {"shared_store_bytes", 80 * 16},
              {"shared_store_requests", 4},
              {"local_load_bytes", 80 * 18},
              {"local_load_requests", 8},
              {"local_store_bytes", 80 * 2},
              {"local_store_requests", 4},
              {"barriers", 4}}));
}

TEST_F(Counters, GenericAddressesCountWhereTheyLie) {
  Array<int> out(64);
  // Lanes 0 to 9 read global memory, 10 to 29 shared and the last two local memory.
  EXPECT_EQ(count(".shared .align 4 .b8 s[128]; .local .align 4 .b8 l[8];\n"
                  "mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; mov.u64 %rd4, l;\n"
                  "cvta.local.u64 %rd4, %rd4; setp.lt.u32 %p1, %r1, 10; setp.lt.u32 %p2, %r1, 30;\n"
                  "selp.b64 %rd5, %rd3, %rd4, %p2; selp.b64 %rd5, %rd1, %rd5, %p1;\n"
                  "ld.u32 %r2, [%rd5]; @%p2 st.u32 [%rd5], %r2; @%p2 atom.add.u32 %r3, [%rd5], 1;",
                  {1}, {32}, out.address),
            (Counts{{"global_load_bytes", 40},
                    {"global_load_requests", 1},
                    {"shared_load_bytes", 80},
                    {"shared_load_requests", 1},
                    {"local_load_bytes", 8},
                    {"local_load_requests", 1},
                    {"global_store_bytes", 40},
                    {"global_store_requests", 1},
                    {"shared_store_bytes", 80},
                    {"shared_store_requests", 1},
                    {"global_atomic_bytes", 40},
                    {"global_atomic_requests", 1},
                    {"shared_atomic_bytes", 80},
                    {"shared_atomic_requests", 1}}));
}

TEST_F(Counters, Atomics) {
  Array<int> out(64);
  EXPECT_EQ(
      count(".shared .align 8 .b8 s[64];\n"
            "mov.u64 %rd3, s; atom.global.add.u32 %r2, [%rd1], 1; red.global.max.s32 [%rd1], %r1;\n"
            "atom.shared.cas.b64 %rd4, [%rd3], %rd1, %rd2; red.shared.add.u32 [%rd3], 1;\n"
            "atom.global.add.noftz.f16 %rs1, [%rd1], %rs2;",
            {3}, {33}, out.address),
      (Counts{{"global_atomic_bytes", 99 * (4 + 4 + 2)},
              {"global_atomic_requests", 3 * 2 * 3},
              {"shared_atomic_bytes", 99 * (8 + 4)},
              {"shared_atomic_requests", 3 * 2 * 2},
              {"schedules", 3}}));
}

TEST_F(Counters, FloatingPointOperations) {
  Array<int> out(8);
  EXPECT_EQ(
      count("add.f32 %f1, %f2, %f3; sub.rn.ftz.f32 %f1, %f2, %f3; mul.rz.f64 %fd1, %fd2, %fd3;\n"
            "fma.rn.f64 %fd1, %fd2, %fd3, %fd4; fma.rn.f16x2 %r2, %r3, %r4, %r5;\n"
            "add.f16 %rs1, %rs2, %rs3; mul.bf16x2 %r2, %r3, %r4;\n"
            "div.rn.f32 %f1, %f2, %f3; max.f32 %f1, %f2, %f3; sqrt.rn.f32 %f1, %f2;\n"
            "cvt.rn.f32.s32 %f1, %r1; neg.f32 %f1, %f2; mov.f32 %f1, %f2;\n"
            "mad.lo.s32 %r2, %r3, %r4, %r5; add.s32 %r2, %r3, %r4; mul.wide.u32 %rd3, %r1, 4;",
            {1}, {10}, out.address),
      (Counts{{"ptx_flops", 10 * (1 + 1 + 1 + 2 + 4 + 1 + 2)}}));
}

TEST(Flops, OfNames) {
  for (const char* name : {"add.f32", "add.rn.ftz.sat.f32", "sub.f64", "mul.bf16"})
    EXPECT_EQ(cpu::flops_of(cpu::facts_of(name, 3)), 1) << name;
  for (const char* name : {"fma.rn.f32", "mad.rn.f64", "add.f16x2", "sub.rn.bf16x2"})
    EXPECT_EQ(cpu::flops_of(cpu::facts_of(name, 3)), 2) << name;
  EXPECT_EQ(cpu::flops_of(cpu::facts_of("fma.rn.relu.bf16x2", 4)), 4);
  for (const char* name : {"add.s32", "mad.lo.u32", "addc.u32", "atom.add.f32", "div.rn.f32", "add",
                           "mov.f32", "", "fma", "cvt.rn.f32.f64", "setp.lt.f32", "mul24.lo.s32"})
    EXPECT_EQ(cpu::flops_of(cpu::facts_of(name, 3)), 0) << name;
}

TEST_F(Counters, SharedMemoryReduction) {
  for (const char* file : {"flow.sm_75.ptx", "flow.sm_90.ptx", "flow.sm_100.ptx"}) {
    Array<float> in(500), out(2);
    ASSERT_CU(launch(kernel(file, "block_sum"), {2}, {256}, 0, in.address, out.address, 500));
    // Each block folds 128, 64, … 1 pairs: 255 of them, by 4 + 2 + 6 warps; 8 warps meet at the
    // barrier before and after each of 8 folds. The second block lacks 12 elements of its last
    // warp.
    EXPECT_EQ(moved(counters().at(0)), (Counts{{"ptx_flops", 2 * 255},
                                               {"global_load_bytes", 500 * 4},
                                               {"global_load_requests", 16},
                                               {"global_store_bytes", 2 * 4},
                                               {"global_store_requests", 2},
                                               {"shared_load_bytes", 2 * (255 * 8 + 4)},
                                               {"shared_load_requests", 2 * (12 * 2 + 1)},
                                               {"shared_store_bytes", 2 * (256 + 255) * 4},
                                               {"shared_store_requests", 2 * (8 + 12)},
                                               {"barriers", 2 * 8 * 9}}))
        << file;
  }
}

// 16 stores and, below a round of the unrolled loop, as many loads as turns.
TEST_F(Counters, LocalMemoryThatIsIndexed) {
  Array<int> out(40);
  ASSERT_CU(launch(kernel("flow.sm_90.ptx", "local_table"), {1}, {40}, 0, out.address, 3));
  EXPECT_EQ(moved(counters().at(0)), (Counts{{"global_store_bytes", 40 * 4},
                                             {"global_store_requests", 2},
                                             {"local_load_bytes", 40 * 3 * 4},
                                             {"local_load_requests", 2 * 3},
                                             {"local_store_bytes", 40 * 16 * 4},
                                             {"local_store_requests", 2 * 16}}));
}

TEST_F(Counters, ConstantMemoryIsNoGlobalMemory) {
  Array<float> out(32);
  ASSERT_CU(launch(kernel("memory.sm_90.ptx", "constants"), {1}, {32}, 0, out.address, 5));
  // `counter`, `where` and what that points at are global: 4 + 8 + 4 bytes.
  const Counts counts = moved(counters().at(0));
  EXPECT_EQ(counts.at("constant_load_bytes"), 32 * 5 * 4);
  EXPECT_EQ(counts.at("constant_load_requests"), 5);
  EXPECT_EQ(counts.at("global_load_bytes"), 32 * 16);
  EXPECT_EQ(counts.at("global_load_requests"), 3);
}

// Values passed to functions are no traffic; what functions do counts for the kernel.
TEST_F(Counters, CallsMoveNothingThemselves) {
  Array<float> out(1);
  ASSERT_CU(launch(kernel_of(kCallsAFunction, "k"), {1}, {3}, 0, out.address));
  EXPECT_EQ(moved(counters().at(0)), (Counts{{"ptx_flops", 3},
                                             {"global_load_bytes", 12},
                                             {"global_load_requests", 1},
                                             {"global_store_bytes", 12},
                                             {"global_store_requests", 1}}));
}

TEST_F(Counters, WhatIsRefusedWasAskedFor) {
  CUfunction add = kernel_of(kAdd, "add");
  Array<float> a(130), b(130), c(129);
  ASSERT_CU(launch(add, {3}, {50}, 0, a.address, b.address, c.address, 130));
  ASSERT_CU(launch(add, {1}, {50}, 0, a.address, b.address, c.address, 50));  // queued, never run
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  const std::vector<Json> lines = counters();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(moved(lines[0]), (Counts{{"ptx_flops", 130},
                                     {"global_load_bytes", 130 * 8},
                                     {"global_load_requests", 10},
                                     {"global_store_bytes", 130 * 4},
                                     {"global_store_requests", 5}}));
  TearDown();
  SetUp();
  EXPECT_TRUE(counters().empty()) << "a context's counters are its own";
}

// Good launches, a fault in a late block, and a budget that ends a launch in the middle of its
// grid.
TEST_F(Counters, SameForAnyNumberOfWorkersAndRuns) {
  std::string expected;
  for (const int workers : {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 5}) {
    const std::string text = text_of(workers, [&] {
      Array<float> in(5000), out(5000);
      CUfunction sum = kernel("flow.sm_90.ptx", "block_sum");
      EXPECT_CU(launch(sum, {20}, {256}, 0, in.address, out.address, 5000));
      CUfunction nested = kernel("flow.sm_90.ptx", "nested");
      EXPECT_CU(launch(nested, {37}, {100}, 0, out.address, 3600));
      EXPECT_CU(launch(kernel("memory.sm_90.ptx", "pick"), {1}, {32}, 0, out.address, 3));
      configure(R"({"instruction_budget": 50000})");
      EXPECT_CU(launch(sum, {200}, {256}, 0, in.address, out.address, 5000));
      EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
    });
    if (expected.empty()) expected = text;
    EXPECT_EQ(text, expected) << workers << " workers";
  }
  expected.clear();
  for (const int workers : {1, 2, 5}) {
    const std::string text = text_of(workers, [&] {
      Array<float> in(5000), out(17);  // block 17 is the first to write behind it
      CUfunction sum = kernel("flow.sm_90.ptx", "block_sum");
      EXPECT_CU(launch(sum, {20}, {256}, 0, in.address, out.address, 5000));
    });
    if (expected.empty()) expected = text;
    EXPECT_EQ(text, expected) << workers << " workers";
    EXPECT_EQ(moved(Json::parse(text)).at("global_store_bytes"), 20 * 4);
  }
}

// Blocks that may wait for each other run in rotation, on one thread.
TEST_F(Counters, BlocksThatWaitForEachOther) {
  Array<int> out(4);
  // The second block spins until the first has stored; how often is the scheduler's affair.
  const Counts counts = count(
      "mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 0; @%p1 bra FIRST;\n"
      "WAIT: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p2, %r3, 0; @%p2 bra WAIT;\n"
      "st.global.u32 [%rd1+4], %r3; bra DONE;\n"
      "FIRST: mov.u32 %r4, 1; st.volatile.global.u32 [%rd1], %r4;\nDONE:",
      {2}, {1}, out.address);
  EXPECT_EQ(counts.at("global_store_bytes"), 8);
  EXPECT_EQ(counts.at("global_store_requests"), 2);
  EXPECT_EQ(counts.at("global_load_bytes"), 4 * counts.at("global_load_requests"));
}

TEST(CountersOfLevels, SameOnEveryProcessor) {
  using namespace cpu;
  const Module module = parse_ptx(
      ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p)\n{ .reg .pred %p<2>; "
      ".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .shared .align 4 .b8 s[256];\n"
      "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, "
      "%rd2; setp.lt.u32 %p1, %r1, 11;\n"
      "ld.f32 %f1, [%rd3]; @%p1 mul.f32 %f1, %f1, %f1; st.shared.f32 [%rd2], %f1; @!%p1 "
      "atom.global.add.f32 %f2, [%rd1], %f1; ret;\n}\n");
  for (const bool exact : {true, false}) {
    for (const int level : {2, 3, 4}) {
      const HandlerTable* table = handlers_of_level(level, exact ? Watch::bounds : Watch::nothing);
      if (table == nullptr) continue;
      Program program = decode(module, module.functions[0], Placement{});
      bind(program, *table);
      Arena arena(std::uint64_t{1} << 30, std::uint64_t{1} << 20);
      const std::uint64_t memory = arena.allocate(256);
      LaunchShape shape;
      shape.block = {40, 1, 1};
      shape.grid = {7, 1, 1};
      shape.exact_bounds = exact;
      shape.parameters.resize(8);
      std::memcpy(shape.parameters.data(), &memory, 8);
      const LaunchResult result = run_grid(program, shape, arena);
      EXPECT_EQ(result.end, LaunchEnd::good);
      const auto at = [&](Counter counter) {
        return result.counters[static_cast<std::size_t>(counter)];
      };
      EXPECT_EQ(at(Counter::ptx_flops), 7 * 11);
      EXPECT_EQ(at(Counter::global_load_bytes), 7 * 40 * 4);
      EXPECT_EQ(at(Counter::global_load_requests), 7 * 2);
      EXPECT_EQ(at(Counter::shared_store_bytes), 7 * 40 * 4);
      EXPECT_EQ(at(Counter::global_atomic_bytes), 7 * 29 * 4);
      EXPECT_EQ(at(Counter::global_atomic_requests), 7 * 2);
      EXPECT_EQ(at(Counter::local_load_requests) + at(Counter::barriers), 0);
    }
  }
}

}  // namespace
}  // namespace warpmark::test
