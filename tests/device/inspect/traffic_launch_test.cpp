// Counts of a launch as a whole: classes, branches, lines, occupancy, for any number of workers.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "device/inspect/call_program.hpp"
#include "device/inspect/traffic.hpp"

namespace warpmark::test {
namespace {

TEST_F(Traffic, ClassesAndBranches) {
  // 40 threads: lanes below 8 of each warp take a longer way; all go three times round a loop.
  const Json counted = count(
      "and.b32 %r2, %r1, 31; setp.lt.u32 %p1, %r2, 8; mov.u32 %r3, 0;\n"
      "@%p1 bra LONG; bra JOIN;\n"
      "LONG: add.f32 %f1, %f2, %f3; sin.approx.f32 %f1, %f2; cvt.rn.f32.s32 %f4, %r1;\n"
      "JOIN: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 3; @%p2 bra JOIN;\n"
      "bar.sync 0; ld.shared.u32 %r4, [%r30];",
      40);
  // Four guarded branches of each warp. The first warp alone has lanes that go other ways, and
  // meets again at JOIN.
  EXPECT_EQ(counted["ptx_branches"], 2 * (1 + 3));
  EXPECT_EQ(counted["ptx_divergent_branches"], 1);
  EXPECT_EQ(counted["ptx_single_thread_instructions"], 16);
  EXPECT_EQ(counted["ptx_single_warp_instructions"], 2);
  EXPECT_EQ(counted["ptx_special_thread_instructions"], 16);
  EXPECT_EQ(counted["ptx_convert_thread_instructions"], 16);
  EXPECT_EQ(counted["ptx_memory_thread_instructions"], 40);
  EXPECT_EQ(counted["ptx_barrier_warp_instructions"], 2);
  // and, setp; add, setp three times.
  EXPECT_EQ(counted["ptx_integer_thread_instructions"], 40 * (2 + 6));
  // ld.param and four mov.
  EXPECT_EQ(counted["ptx_move_thread_instructions"], 40 * 5);
  // bra LONG, bra JOIN of those who stay, three bra of the loop, ret.
  EXPECT_EQ(counted["ptx_control_thread_instructions"], 40 * 5 + 24);
  std::uint64_t threads = 0, warps = 0;
  for (const auto& [name, value] : counted.items()) {
    if (name == "ptx_thread_instructions" || name == "ptx_warp_instructions" ||
        name == "ptx_longest_warp_instructions")
      continue;
    if (name.ends_with("_thread_instructions")) threads += value.get<std::uint64_t>();
    if (name.ends_with("_warp_instructions")) warps += value.get<std::uint64_t>();
  }
  EXPECT_EQ(threads, counted["ptx_thread_instructions"]);
  EXPECT_EQ(warps, counted["ptx_warp_instructions"]);
  EXPECT_EQ(counted["threads"], 40);
  EXPECT_EQ(counted["warps"], 2);
  EXPECT_EQ(counted["blocks"], 1);
  // The first warp executes both sides: 4 + 2 + 1 + 1 + 3 + 9 + 3 by statement.
  EXPECT_EQ(counted["ptx_longest_warp_instructions"], 4 + 3 + 1 + 1 + 3 + 9 + 2 + 1);
}

// Three warps take turns: none executes more than when all work together.
TEST_F(Traffic, TheSpanOfTurns) {
  const std::string work = "add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1;";
  const std::string turn = " @%p1 bra DONE%; " + work + " DONE%: bar.sync 0;";
  std::string turns = "shr.u32 %r2, %r1, 5;";
  for (const char* warp : {"0", "1", "2"}) {
    std::string one = std::string("setp.ne.u32 %p1, %r2, ") + warp + ";" + turn;
    for (std::size_t at; (at = one.find("DONE%")) != one.npos;) one.replace(at + 4, 1, warp);
    turns += one;
  }
  const Json counted = count(turns, 96, 3);
  const int head = 4 + 1;  // parameters and the like, and the shift
  EXPECT_EQ(counted["ptx_longest_warp_instructions"], head + 3 * 3 + 3 + 1);
  EXPECT_EQ(counted["ptx_span_instructions"], head + 3 * (3 + 3) + 1);
}

// The same turns behind barriers of two warps each: the span counts the warp that another one waits
// for, whatever the rest does; a warp that only arrives waits for none.
TEST_F(Traffic, TheSpanOfTurnsAtNamedBarriers) {
  const std::string work = "add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1;";
  const std::string turns =
      "shr.u32 %r2, %r1, 5;"
      "setp.eq.u32 %p1, %r2, 1; @%p1 bra SECOND; setp.eq.u32 %p1, %r2, 2; @%p1 bra THIRD;" +
      work + "bar.WORD 1, 64; bra DONE; SECOND: bar.sync 1, 64;" + work +
      "bar.WORD 2, 64; bra DONE; THIRD: bar.sync 2, 64;" + work + "DONE:";
  const auto with = [&](const std::string& word) {
    std::string text = turns;
    for (std::size_t at; (at = text.find("WORD")) != text.npos;) text.replace(at, 4, word);
    return count(text, 96, 3);
  };
  // Head, tests and branches, work and the barrier of the first; work and barrier of the second,
  // behind its own; work of the third, and the end.
  const int first = 4 + 1 + 4 + 3 + 1, second = 3 + 1, third = 3 + 1;
  EXPECT_EQ(with("sync")["ptx_span_instructions"], first + second + third);
  EXPECT_EQ(with("arrive")["ptx_span_instructions"], first + second + third);
}

TEST_F(Traffic, ArgumentsAndResultsOfCallsAreNone) {
  Array<float> out(1);
  ASSERT_CU(launch(kernel_of(kCallsAFunction, "k"), {1}, {32}, 0, out.address));
  const Json counted = counters().at(0);
  for (const auto& [name, value] : counted.items()) {
    if (name.starts_with("local_")) {
      EXPECT_EQ(value, 0) << name;
    }
  }
}

TEST_F(Traffic, TheLongestWarp) {
  // Thread i goes round i times: the last warp's 32 lanes as long as thread 95 does.
  const Json counted =
      count("LOOP: sub.u32 %r1, %r1, 1; setp.ge.s32 %p1, %r1, 0; @%p1 bra LOOP;", 96, 3);
  EXPECT_EQ(counted["ptx_longest_warp_instructions"], 4 + 3 * 96 + 1);
  EXPECT_EQ(counted["ptx_span_instructions"], 4 + 3 * 96 + 1) << "without barriers the same";
  EXPECT_EQ(counted["ptx_branches"], 3 * (32 + 64 + 96));
  EXPECT_EQ(counted["ptx_divergent_branches"], 3 * 3 * 31);
}

TEST_F(Traffic, Occupancy) {
  const auto of = [&](unsigned threads, unsigned shared) {
    const CUfunction function = body("");
    EXPECT_CU(api().set_function_attribute(
        function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 200 << 10));
    EXPECT_CU(launch(function, {1}, {threads}, shared, CUdeviceptr{0}));
    return counters().at(0)["occupancy"];
  };
  EXPECT_EQ(of(256, 0), (Json{{"blocks", 8},
                              {"warps", 64},
                              {"most_warps", 64},
                              {"limited_by", "warps"},
                              {"shared_bytes", 0}}));
  EXPECT_EQ(of(32, 0)["limited_by"], "blocks");
  EXPECT_EQ(of(32, 0)["warps"], 32);
  // 100 KiB and the 1 KiB that each block costs: two of 228 KiB.
  EXPECT_EQ(of(256, 100 << 10)["limited_by"], "shared memory");
  EXPECT_EQ(of(256, 100 << 10)["warps"], 16);
}

TEST_F(Traffic, LineByLine) {
  configure(R"({"counters": ["lines"]})");
  const char* const text = R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
.reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
.loc 1 3 1
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
.loc 1 5 1
setp.lt.u32 %p1, %r1, 4; @%p1 bra END;
.loc 1 6 1
mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1;
st.global.u32 [%rd1], %r1;
END:
.loc 1 8 1
ret;
}
.file 1 "dir/thing.cu"
)";
  Array<int> out(64);
  ASSERT_CU(launch(kernel_of(text, "k"), {1}, {64}, 0, out.address));
  const Json lines = counters().at(0)["lines"];
  ASSERT_EQ(lines.size(), 4u);
  const auto line = [](int number, int executions, int warps, int threads) {
    return Json{{"file", "dir/thing.cu"},
                {"line", number},
                {"executions", executions},
                {"ptx_warp_instructions", warps},
                {"ptx_thread_instructions", threads}};
  };
  EXPECT_EQ(lines[0], line(3, 2, 4, 128));
  Json branch = line(5, 2, 4, 128);
  branch["ptx_branches"] = 2;
  branch["ptx_divergent_branches"] = 1;
  EXPECT_EQ(lines[1], branch);
  Json stores = line(6, 2, 8, 60 * 4);
  // 28 and 32 words: 4 sectors each, the first half a sector short; two broadcasts.
  for (const auto& [name, value] : cached("global_store", 4, 480, 8 + 2, 240 + 8, 8 + 2))
    stores[name] = value;
  EXPECT_EQ(lines[2], stores);
  EXPECT_EQ(lines[3], line(8, 2, 2, 64));
}

// Two blocks of two warps: loads of every second word, of a column in the second warp, and a branch
// that parts both warps.
TEST_F(Traffic, SamplesAreTheWorstOfEachLine) {
  configure(R"({"counters": ["samples"]})");
  const char* const text = R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
.reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
.shared .align 128 .b8 s[4096];
.loc 1 3 1
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r5, s;
shr.u32 %r2, %r1, 5; mad.lo.u32 %r2, %r2, 56, 8; mul.lo.u32 %r2, %r2, %r1;
mul.wide.u32 %rd2, %r2, 1; add.s64 %rd3, %rd1, %rd2;
.loc 1 4 1
ld.global.u32 %r3, [%rd3];
and.b32 %r4, %r1, 31; shl.b32 %r4, %r4, 7; add.u32 %r4, %r4, %r5;
.loc 1 5 1
st.shared.u32 [%r4], %r3;
.loc 1 6 1
and.b32 %r3, %r1, 31; setp.lt.u32 %p1, %r3, 4; @%p1 bra END;
.loc 1 7 1
st.global.u32 [%rd1], %r1;
END:
.loc 1 8 1
ret;
}
.file 1 "thing.cu"
)";
  Array<int> out(1024);
  EXPECT_EQ(api().device->label(nullptr, out.address, 4096, "in", "int32"), 0);
  ASSERT_CU(launch(kernel_of(text, "k"), {2}, {64}, 0, out.address));
  const Json counted = counters().at(0);
  EXPECT_FALSE(counted.contains("lines"));
  const Json& accesses = counted["samples"]["accesses"];
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0]["line"], 5);
  EXPECT_EQ(accesses[0]["kind"], "shared_store");
  EXPECT_EQ(accesses[0]["wavefronts"], 32);
  EXPECT_EQ(accesses[0]["places"][31].get<int>() - accesses[0]["places"][0].get<int>(), 31 * 128);
  EXPECT_EQ(accesses[1]["line"], 4);
  EXPECT_EQ(accesses[1]["block"], Json({0, 0, 0}));
  EXPECT_EQ(accesses[1]["warp"], 1);
  EXPECT_EQ(accesses[1]["sectors"], 32);
  EXPECT_EQ(accesses[1]["argument"], "in");
  EXPECT_EQ(accesses[1]["offset"], 64 * 32);
  EXPECT_EQ(accesses[1]["places"][1], 64);
  const Json& way = counted["samples"]["way"];
  EXPECT_EQ(way["block"], Json({0, 0, 0}));
  EXPECT_EQ(way["count"], 1);
  EXPECT_EQ(way["partings"], Json::array({{{"file", "thing.cu"},
                                           {"line", 6},
                                           {"lanes", 0xffffffff},
                                           {"taken", 0xf},
                                           {"to", 8},
                                           {"other", 7}}}));
}

// Lanes that read other words of their own arrays, directly and by a pointer.
TEST_F(Traffic, SamplesOfLocalMemoryCountFromTheLeastWord) {
  configure(R"({"counters": ["samples"]})");
  const char* const text = R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k() {
.reg .b32 %r<6>; .reg .b64 %rd<6>;
.local .align 16 .b8 mine[1024];
mov.u32 %r1, %tid.x; mov.u64 %rd1, mine; mul.wide.u32 %rd2, %r1, 16; add.s64 %rd3, %rd1, %rd2;
.loc 1 3 1
st.local.u32 [%rd1+32], %r1;
.loc 1 4 1
st.local.u64 [%rd3+8], %rd2;
cvta.local.u64 %rd4, %rd3;
.loc 1 5 1
st.u16 [%rd4+2], %r1;
ret;
}
.file 1 "thing.cu"
)";
  ASSERT_CU(launch(kernel_of(text, "k"), {1}, {32}, 0));
  const Json counted = counters().at(0);
  const Json& accesses = counted["samples"]["accesses"];
  ASSERT_EQ(accesses.size(), 2u);  // all lanes of line 3 use one word
  EXPECT_EQ(accesses[0]["line"], 4);
  EXPECT_EQ(accesses[0]["kind"], "local_store");
  EXPECT_EQ(accesses[0]["sectors"], 64);
  EXPECT_EQ(accesses[0]["lanes"], 0xffffffff);
  EXPECT_FALSE(accesses[0].contains("all_lanes"));
  EXPECT_FALSE(accesses[0].contains("argument"));
  EXPECT_EQ(accesses[0]["places"][0], 0);
  EXPECT_EQ(accesses[0]["places"][31], 31 * 16);
  EXPECT_EQ(accesses[1]["line"], 5);
  EXPECT_EQ(accesses[1]["kind"], "local_store");
  EXPECT_EQ(accesses[1]["places"][0], 2);
  EXPECT_EQ(accesses[1]["places"][1], 18);
}

TEST_F(Traffic, NothingMoreUnlessAskedFor) {
  for (const char* sets : {R"({"counters": []})", R"({"counters": ["basic"]})"}) {
    configure(R"({"counters": ["lines"]})");
    configure(sets);
    const Json counted = count(global_at(4) + "ld.global.u32 %r4, [%rd3];");
    EXPECT_EQ(counted.size(), 5 + std::size(cpu::kCounterNames));
  }
  EXPECT_NE(api().device->configure(nullptr, R"({"counters": ["sectors"]})"), 0);
  EXPECT_STREQ(api().device->last_error(),
               "configure: unknown counters \"sectors\"; known are basic, traffic, lines, samples, "
               "coverage");
  EXPECT_NE(api().device->configure(nullptr, R"({"counters": "traffic"})"), 0);
  EXPECT_NE(api().device->configure(nullptr, R"({"counters": [1]})"), 0);
}

// Requests and bytes are counted in two ways, which agree; sets of checks, workers and seeds change
// nothing.
TEST_F(Traffic, TheSameHoweverItRuns) {
  const auto run_all = [&](const std::string& options) {
    TearDown();
    ImageTest::SetUp();
    configure(R"({"counters": ["lines", "samples"]})");
    configure(options.c_str());
    Array<float> in(5000), out(5000);
    EXPECT_CU(launch(kernel("flow.sm_90.ptx", "block_sum"), {20}, {256}, 0, in.address, out.address,
                     5000));
    EXPECT_CU(launch(kernel("flow.sm_90.ptx", "nested"), {37}, {100}, 0, out.address, 3600));
    EXPECT_CU(launch(kernel("flow.sm_90.ptx", "local_table"), {1}, {120}, 0, out.address, 3));
    EXPECT_CU(launch(kernel("memory.sm_90.ptx", "pick"), {1}, {32}, 0, out.address, 3));
    std::vector<Json> lines = counters();
    for (const Json& launched : lines) {
      EXPECT_TRUE(launched.contains("lines"));
      EXPECT_TRUE(launched.contains("samples"));
    }
    return lines;
  };
  const std::vector<Json> expected = run_all("{}");
  ASSERT_EQ(expected.size(), 4u);
  for (const char* options : {R"({"workers": 2})", R"({"workers": 5})", R"({"checks": []})",
                              R"({"checks": ["memory", "init", "race", "sync"]})",
                              R"({"checks": ["race"], "workers": 2})"})
    EXPECT_TRUE(run_all(options) == expected) << options;
  // With another schedule diverged parts meet elsewhere, but threads do the same.
  const std::vector<Json> seeded = run_all(R"({"schedule_seed": 7, "workers": 2})");
  for (std::size_t i = 0; i < seeded.size(); ++i) {
    for (const auto& [name, value] : seeded[i].items()) {
      if (name.ends_with("thread_instructions") ||
          (name.ends_with("_bytes") && !name.ends_with("unique_bytes"))) {
        EXPECT_EQ(value, expected[i][name]) << i << " " << name;
      }
    }
  }
  for (const Json& launched : expected) {
    Counts sums;
    for (const Json& line : launched["lines"]) {
      for (const auto& [name, value] : traffic_of(line)) sums[name] += value;
    }
    // Lines count by what they moved, launches by visits of blocks.
    EXPECT_EQ(sums, traffic_of(launched)) << launched["kernel"];
  }
}

}  // namespace
}  // namespace warpmark::test
