// The debugger of the device: launches that stop between statements, and what can be seen of them.
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <tuple>

#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

// Adds 10 to each element in a function that calls itself n times, behind a barrier.
constexpr const char* kText = R"(.version 8.0
.target sm_90
.address_size 64
.file 1 "k.cu"
.func (.param .b32 sum) depth(.param .b32 n)
{
  .reg .b32 %r<5>; .reg .pred %p<2>;
  .loc 1 2 3
  ld.param.b32 %r1, [n];
  mov.b32 %r4, 0;
  setp.eq.s32 %p1, %r1, 0;
  @%p1 bra done;
  .loc 1 3 3
  sub.s32 %r2, %r1, 1;
  { .param .b32 inner; .param .b32 outer;
  st.param.b32 [inner], %r2;
  call (outer), depth, (inner);
  ld.param.b32 %r4, [outer]; }
done:
  .loc 1 4 3
  add.s32 %r3, %r4, 1;
  st.param.b32 [sum], %r3;
  ret;
}
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .b32 %r<9>; .reg .b64 %rd<5>;
  .shared .align 4 .b32 tile[64];
  .loc 1 10 3
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  .loc 1 11 3
  mul.wide.u32 %rd2, %r2, 4;
  mov.u64 %rd4, tile;
  add.u64 %rd4, %rd4, %rd2;
  st.shared.u32 [%rd4], %r2;
  .loc 1 12 3
  bar.sync 0;
  .loc 1 13 3
  { .param .b32 given; .param .b32 got;
  st.param.b32 [given], %r1;
  call (got), depth, (given);
  ld.param.b32 %r3, [got]; }
  .loc 1 14 3
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";

struct Stop {
  warpmark_debug_point point;
  std::string text;
  int line = 0;
};

// Calls a function at each point, and keeps what launches tell of their statements.
class Debugged {
 public:
  using Call = std::function<int(const Stop&)>;
  explicit Debugged(Call call) : call_(std::move(call)) {
    debugger.call = [](void* user, const warpmark_debug_point* point) {
      return static_cast<Debugged*>(user)->called(*point);
    };
    debugger.user = this;
    view = api().device->debug(&debugger);
  }
  Debugged(const Debugged&) = delete;
  Debugged& operator=(const Debugged&) = delete;
  ~Debugged() { api().device->debug(nullptr); }

  warpmark_debugger debugger{};
  const warpmark_debug_view* view = nullptr;
  std::vector<Json> statements;

 private:
  int called(const warpmark_debug_point& point) {
    if (point.reason == WARPMARK_DEBUG_BEGIN) {
      statements.clear();
      view->statements(
          &point,
          [](void* user, const char* text, std::size_t length) {
            static_cast<std::vector<Json>*>(user)->push_back(Json::parse(text, text + length));
          },
          &statements);
    }
    Stop stop{point, "", 0};
    if (point.statement < statements.size()) {
      stop.text = statements[point.statement].value("text", "");
      stop.line = statements[point.statement].value("line", 0);
    }
    return call_(stop);
  }
  Call call_;
};

class Debugger : public DeviceTest {
 protected:
  CUresult run(Dim grid, Dim block, unsigned n) {
    out = std::make_unique<Array<unsigned>>(grid.x * block.x);
    return launch(kernel_of(kText, "k"), grid, block, 0, out->address, n);
  }
  std::unique_ptr<Array<unsigned>> out;
};

TEST_F(Debugger, IsCalledAtEachStatementInTheSameOrder) {
  const auto trace = [&] {
    std::vector<std::tuple<std::uint64_t, unsigned, unsigned, unsigned>> points;
    Debugged debugged([&](const Stop& stop) {
      points.emplace_back(stop.point.count, stop.point.warp, stop.point.lanes,
                          stop.point.statement);
      return true;
    });
    EXPECT_CU(run({2}, {40}, 2));
    return points;
  };
  const auto first = trace(), second = trace();
  EXPECT_GT(first.size(), 50u);
  EXPECT_EQ(first, second);
  ASSERT_CU(out->fetch());
  EXPECT_EQ(out->host[39], 3u);
}

TEST_F(Debugger, StopsAtMarkedStatementsAndFromACountOn) {
  std::vector<std::uint8_t> stops;
  std::vector<int> lines;
  Debugged* self = nullptr;
  Debugged debugged([&](const Stop& stop) {
    self->debugger.until = ~std::uint64_t{0};
    if (stop.point.reason == WARPMARK_DEBUG_BEGIN) {
      stops.assign(self->statements.size(), 0);
      for (std::size_t i = 0; i < stops.size(); ++i)
        stops[i] = self->statements[i].value("text", "").starts_with("bar.sync") ? 1 : 0;
      self->debugger.stops = stops.data();
    } else if (stop.point.reason == WARPMARK_DEBUG_BEFORE) {
      lines.push_back(stop.line);
      if (lines.size() == 2) self->debugger.until = stop.point.count + 1;
      if (lines.size() == 3) self->debugger.stops = nullptr;
    }
    return true;
  });
  self = &debugged;
  ASSERT_CU(run({1}, {64}, 0));
  // Two warps at the barrier, and the next statement.
  EXPECT_EQ(lines, (std::vector<int>{12, 12, 13}));
}

TEST_F(Debugger, ShowsRegistersMemoryAndThreads) {
  bool seen = false;
  Debugged* self = nullptr;
  Debugged debugged([&](const Stop& stop) {
    if (seen || !stop.text.starts_with("bar.sync") || stop.point.warp != 1) return true;
    seen = true;
    const warpmark_debug_view& view = *self->view;
    std::uint64_t value[2] = {};
    EXPECT_EQ(view.read_register(&stop.point, 1, 3, 0, "%r2", value), 32u);
    EXPECT_EQ(value[0], 35u);
    EXPECT_EQ(view.read_register(&stop.point, 1, 3, 0, "%r77", value), 0u);
    unsigned number = 0;
    EXPECT_NE(view.read(&stop.point, 1, 3, 0, WARPMARK_DEBUG_SHARED, 35 * 4, &number, 4), 0);
    EXPECT_EQ(number, 35u);
    EXPECT_NE(view.read(&stop.point, 1, 3, 0, WARPMARK_DEBUG_PARAM, 8, &number, 4), 0);
    EXPECT_EQ(number, 1u);
    EXPECT_NE(view.read(&stop.point, 1, 3, 0, WARPMARK_DEBUG_GENERIC, out->address, &number, 4), 0);
    EXPECT_EQ(view.read(&stop.point, 1, 3, 0, WARPMARK_DEBUG_GENERIC, 16, &number, 4), 0);
    EXPECT_EQ(view.read(&stop.point, 1, 3, 0, WARPMARK_DEBUG_SHARED, 4096, &number, 4), 0);
    warpmark_debug_lane lane{};
    EXPECT_NE(view.lane(&stop.point, 0, 5, &lane), 0);
    EXPECT_EQ(lane.state, 2u);  // it waits at the barrier
    EXPECT_EQ(self->statements.at(lane.statement).value("line", 0), 12);
    EXPECT_NE(view.lane(&stop.point, 1, 3, &lane), 0);
    EXPECT_EQ(lane.thread[0], 35u);
    EXPECT_EQ(view.lane(&stop.point, 2, 0, &lane), 0);
    return true;
  });
  self = &debugged;
  ASSERT_CU(run({1}, {64}, 1));
  EXPECT_TRUE(seen);
}

TEST_F(Debugger, ShowsTheFramesOfARecursiveFunction) {
  std::size_t most = 0;
  Debugged* self = nullptr;
  Debugged debugged([&](const Stop& stop) {
    if (stop.line != 4) return true;
    const warpmark_debug_view& view = *self->view;
    warpmark_debug_frame frames[9];
    const std::uint32_t count = view.frames(&stop.point, 0, 0, frames, 9);
    if (count <= most) return true;
    most = count;
    // Each frame has the n that it was called with.
    for (std::uint32_t i = 0; i + 1 < count; ++i) {
      std::uint64_t value[2] = {};
      EXPECT_EQ(view.read_register(&stop.point, 0, 0, i, "%r1", value), 32u) << i;
      EXPECT_EQ(value[0], i) << i;
      unsigned number = 9;
      EXPECT_NE(view.read(&stop.point, 0, 0, i, WARPMARK_DEBUG_LOCAL, 0, &number, 4), 0);
      EXPECT_EQ(number, i);
    }
    const auto& outermost = self->statements.at(frames[count - 1].statement);
    EXPECT_EQ(outermost.value("function", ""), "k");
    EXPECT_EQ(outermost.value("line", 0), 13);
    return true;
  });
  self = &debugged;
  ASSERT_CU(run({1}, {1}, 3));
  EXPECT_EQ(most, 5u);
  ASSERT_CU(out->fetch());
  EXPECT_EQ(out->host[0], 4u);
}

TEST_F(Debugger, EndsALaunch) {
  Debugged debugged([&](const Stop& stop) {
    return stop.point.reason != WARPMARK_DEBUG_BEFORE || stop.point.count < 10;
  });
  EXPECT_CU(run({4}, {64}, 0));
  EXPECT_CU(api().synchronize());
  ASSERT_CU(out->fetch());
  EXPECT_EQ(std::count(out->host.begin(), out->host.end(), 0u), 256);
  EXPECT_TRUE(reports().empty());
}

TEST_F(Debugger, IsToldOfAFinding) {
  std::vector<Json> found;
  std::uint64_t at = 0;
  Debugged* self = nullptr;
  Debugged debugged([&](const Stop& stop) {
    if (stop.point.reason != WARPMARK_DEBUG_FINDING) return true;
    at = stop.point.count;
    self->view->findings(
        &stop.point,
        [](void* user, const char* text, std::size_t length) {
          static_cast<std::vector<Json>*>(user)->push_back(Json::parse(text, text + length));
        },
        &found);
    return true;
  });
  self = &debugged;
  Array<unsigned> small(1);
  EXPECT_CU(launch(kernel_of(kText, "k"), {1}, {64}, 0, small.address, 0u));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].value("line", 0), 14);
  EXPECT_GT(at, 0u);
  api().destroy_context(context_);
  context_ = nullptr;
}

TEST_F(Debugger, PausesALoopThatNeverEnds) {
  int calls = 0;
  Debugged* self = nullptr;
  Debugged debugged([&](const Stop& stop) {
    self->debugger.until = ~std::uint64_t{0};
    if (stop.point.reason == WARPMARK_DEBUG_BEGIN) self->debugger.pause = 1;
    return stop.point.reason != WARPMARK_DEBUG_BEFORE || ++calls < 100;
  });
  self = &debugged;
  const CUfunction loop = kernel_of(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k()\n{\nloop:\nbra loop;\n}\n",
      "k");
  EXPECT_CU(launch(loop, {1}, {32}, 0));
  EXPECT_EQ(calls, 100);
}

// The stores to ranges, with the lines that stored.
class Stores : public Debugger {
 protected:
  struct Told {
    warpmark_debug_store store;
    int line = 0;
  };
  void watch(Debugged& debugged, std::vector<warpmark_debug_range> ranges) {
    ranges_ = std::move(ranges);
    debugged.debugger.ranges = ranges_.data();
    debugged.debugger.range_count = static_cast<unsigned>(ranges_.size());
    debugged.debugger.until = ~std::uint64_t{0};
  }
  void note(const Debugged& debugged, const Stop& stop) {
    warpmark_debug_store some[64];
    const std::uint32_t count = debugged.view->stores(&stop.point, some, 64);
    for (std::uint32_t i = 0; i < count; ++i)
      told.push_back({some[i], debugged.statements.at(some[i].statement).value("line", 0)});
  }
  std::vector<Told> told;

 private:
  std::vector<warpmark_debug_range> ranges_;
};

TEST_F(Stores, AreToldOfEachSpaceAlsoOfTheSameValue) {
  Debugged* self = nullptr;
  int calls = 0;
  Debugged debugged([&](const Stop& stop) {
    note(*self, stop);
    self->debugger.until = ~std::uint64_t{0};
    if (stop.point.reason == WARPMARK_DEBUG_BEFORE) ++calls;
    return true;
  });
  self = &debugged;
  out = std::make_unique<Array<unsigned>>(128);
  for (int round = 0; round < 2; ++round) {
    told.clear();
    calls = 0;
    watch(debugged, {{WARPMARK_DEBUG_SHARED, {1, 0, 0}, 0, 0, 35 * 4, 4},
                     {WARPMARK_DEBUG_GENERIC, {}, 0, 0, out->address + 8, 4}});
    ASSERT_CU(launch(kernel_of(kText, "k"), {2}, {64}, 0, out->address, 1u));
    // Block 0 has a tile of its own, and both blocks store to the same elements of out.
    ASSERT_EQ(told.size(), 3u);
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(told[0].line, 14);
    EXPECT_EQ(told[0].store.range, 1u);
    EXPECT_EQ(told[0].store.block[0], 0u);
    EXPECT_EQ(told[0].store.lane, 2u);
    EXPECT_EQ(told[0].store.address, out->address + 8);
    EXPECT_EQ(told[1].line, 11);
    EXPECT_EQ(told[1].store.range, 0u);
    EXPECT_EQ(told[1].store.block[0], 1u);
    EXPECT_EQ(told[1].store.warp * 32 + told[1].store.lane, 35u);
    EXPECT_EQ(told[1].store.bytes, 4u);
    EXPECT_EQ(told[2].line, 14);
    EXPECT_EQ(told[2].store.block[0], 1u);
  }
}

constexpr const char* kSums = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b64 %rd<2>;
  .local .align 4 .b32 own;
  ld.param.u64 %rd1, [out];
  st.local.u32 [own], 7;
  red.global.add.u32 [%rd1], 1;
  ret;
}
)";

TEST_F(Stores, AreToldOfAtomicOperationsAndOfLocalMemory) {
  Debugged* self = nullptr;
  Debugged debugged([&](const Stop& stop) {
    if (stop.point.reason != WARPMARK_DEBUG_BEGIN) note(*self, stop);
    self->debugger.until = ~std::uint64_t{0};
    return true;
  });
  self = &debugged;
  out = std::make_unique<Array<unsigned>>(1);
  watch(debugged, {{WARPMARK_DEBUG_GLOBAL, {}, 0, 0, out->address, 4},
                   {WARPMARK_DEBUG_LOCAL, {}, 0, 3, 0, 4}});
  ASSERT_CU(launch(kernel_of(kSums, "k"), {1}, {32}, 0, out->address));
  ASSERT_EQ(told.size(), 33u);
  EXPECT_EQ(told[0].store.range, 1u);
  EXPECT_EQ(told[0].store.lane, 3u);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(told[i + 1].store.lane, i);
}

TEST_F(Debugger, RunsALaunchAgainWithTheMemoryThatItFound) {
  int ends = 0, begins = 0;
  std::vector<unsigned> kept;
  Debugged* self = nullptr;
  Debugged debugged([&](const Stop& stop) -> int {
    self->debugger.until = ~std::uint64_t{0};
    begins += stop.point.reason == WARPMARK_DEBUG_BEGIN ? 1 : 0;
    if (stop.point.reason == WARPMARK_DEBUG_END) {
      EXPECT_EQ(stop.point.launch, 1u);
      kept.push_back(self->debugger.kept);
      if (++ends < 3) return WARPMARK_DEBUG_REPEAT;
    }
    return WARPMARK_DEBUG_GO_ON;
  });
  self = &debugged;
  debugged.debugger.keeps = 1;
  out = std::make_unique<Array<unsigned>>(1);
  ASSERT_CU(launch(kernel_of(kSums, "k"), {1}, {32}, 0, out->address));
  ASSERT_CU(out->fetch());
  EXPECT_EQ(out->host[0], 32u);
  EXPECT_EQ(begins, 3);
  EXPECT_EQ(kept, (std::vector<unsigned>{1, 1, 1}));
}

TEST_F(Debugger, ResultsAreThoseOfAnOrdinaryLaunch) {
  ASSERT_CU(run({3}, {60}, 4));
  ASSERT_CU(out->fetch());
  const std::vector<unsigned> ordinary = out->host;
  Debugged debugged([](const Stop&) { return true; });
  ASSERT_CU(run({3}, {60}, 4));
  ASSERT_CU(out->fetch());
  EXPECT_EQ(out->host, ordinary);
}

}  // namespace
}  // namespace warpmark::test
