// Instructions that came after sm_75 are refused for a .target that has not got them, as by ptxas,
// which is asked itself where there is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "program/program.hpp"
#include "ptx/error.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {
namespace {

struct Row {
  const char* statement;
  int least;  ///< 90: sm_90 has it, the one before does not
  bool specific = false;
};

const std::vector<Row> kRows = {
    {"redux.sync.add.s32 %r1, %r2, -1", 80},
    {"cp.async.ca.shared.global [%r1], [%d1], 4", 80},
    {"cp.async.wait_all", 80},
    {"cp.async.bulk.commit_group", 90},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [%r1], 16", 90},
    {"st.async.mbarrier::complete_tx::bytes.b32 [%d1], %r1, [%d2]", 90},
    {"red.async.relaxed.cluster.mbarrier::complete_tx::bytes.add.u32 [%d1], %r1, [%d2]", 90},
    {"cp.async.bulk.prefetch.tensor.1d.L2.global [%d1, {%r1}]", 90},
    {"st.bulk [%d1], 64, 0", 100},
    {"mbarrier.init.shared.b64 [%r1], 1", 80},
    {"mbarrier.arrive.expect_tx.shared.b64 %d1, [%r1], 1", 90},
    {"mbarrier.test_wait.shared.b64 %p1, [%r1], %d1", 80},
    {"mbarrier.try_wait.shared.b64 %p1, [%r1], %d1", 90},
    {"mapa.u64 %d1, %d2, %r1", 90},
    {"getctarank.u64 %r1, %d1", 90},
    {"fence.proxy.async", 90},
    {"fence.acq_rel.gpu", 75},
    {"griddepcontrol.wait", 90},
    {"elect.sync %r1|%p1, -1", 90},
    {"createpolicy.fractional.L2::evict_last.b64 %d1, 1.0", 80},
    {"discard.global.L2 [%d1], 128", 80},
    {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r1}", 90},
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2]", 75},
    {"cvt.rna.tf32.f32 %r1, %f1", 80},
    {"cvt.rn.tf32.f32 %r1, %f1", 90},
    {"cvt.rna.satfinite.tf32.f32 %r1, %f1", 80},
    {"cvt.rn.satfinite.tf32.f32 %r1, %f1", 100},
    {"cvt.rz.satfinite.relu.tf32.f32 %r1, %f1", 100},
    {"cvt.rn.bf16.f32 %h1, %f1", 80},
    {"cvt.f32.bf16 %f1, %h1", 80},
    {"cvt.rn.bf16.s32 %h1, %r1", 90},
    {"cvt.rzi.s32.bf16 %r1, %h1", 90},
    {"cvt.rn.bf16.f16 %h1, %h2", 90},
    {"cvt.rn.bf16x2.f32 %r1, %f1, %f2", 80},
    {"cvt.rn.relu.f16.f32 %h1, %f1", 80},
    {"cvt.rn.f16.f32 %h1, %f1", 75},
    {"cvt.rn.f16x2.f32 %r1, %f1, %f2", 80},
    {"cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2", 89},
    {"cvt.rn.f16x2.e4m3x2 %r1, %h1", 89},
    {"fma.rn.bf16 %h1, %h2, %h3, %h4", 80},
    {"fma.rn.relu.f16 %h1, %h2, %h3, %h4", 80},
    {"fma.rn.f16 %h1, %h2, %h3, %h4", 75},
    {"add.bf16 %h1, %h2, %h3", 90},
    {"mul.bf16x2 %r1, %r2, %r3", 90},
    {"neg.bf16 %h1, %h2", 80},
    {"add.rn.f32.f16 %f1, %h1, %f2", 100},
    {"sub.sat.f32.bf16 %f1, %h1, %f2", 100},
    {"fma.rn.f32.bf16 %f1, %h1, %h2, %f2", 100},
    {"add.rn.f32 %f1, %f2, %f3", 75},
    {"setp.lt.bf16 %p1, %h1, %h2", 90},
    {"tanh.approx.bf16 %h1, %h2", 90},
    {"tanh.approx.f16 %h1, %h2", 75},
    {"min.f16 %h1, %h2, %h3", 80},
    {"max.bf16x2 %r1, %r2, %r3", 80},
    {"min.NaN.f32 %f1, %f2, %f3", 80},
    {"min.f32 %f1, %f2, %f3", 75},
    {"max.xorsign.abs.f32 %f1, %f2, %f3", 86},
    {"min.f32 %f1, %f2, %f3, %f4", 100},
    {"min.s16x2 %r1, %r2, %r3", 90},
    {"add.u16x2 %r1, %r2, %r3", 90},
    {"max.relu.s32 %r1, %r2, %r3", 90},
    {"add.rn.f32x2 %d1, %d2, %d3", 100},
    {"atom.add.noftz.bf16 %h1, [%d1], %h2", 90},
    {"atom.add.noftz.f16 %h1, [%d1], %h2", 75},
    {"atom.global.add.v2.f32 {%f1, %f2}, [%d1], {%f3, %f4}", 90},
    {"red.relaxed.gpu.global.v8.bf16.max.noftz [%d1], {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8}",
     90},
    {"red.global.add.noftz.v4.f16x2 [%d1], {%r1, %r2, %r3, %r4}", 90},
    {"atom.global.exch.b128 %q1, [%d1], %q2", 90},
    {"atom.shared.cas.b128 %q1, [%r1], %q2, %q3", 90},
    {"red.global.add.L2::cache_hint.u32 [%d1], %r1, %d2", 80},
    {"ld.global.L2::cache_hint.u32 %r1, [%d1], %d2", 80},
    {"ld.global.L2::256B.u32 %r1, [%d1]", 80},
    {"ld.global.L2::128B.u32 %r1, [%d1]", 75},
    {"cvt.rn.satfinite.e2m1x2.f32 %b1, %f1, %f2", 100, true},
    {"cvt.rn.f16x2.e2m1x2 %r1, %b1", 100, true},
    {"cvt.rn.satfinite.e2m3x2.f32 %h1, %f1, %f2", 100, true},
    {"cvt.rn.f16x2.e3m2x2 %r1, %h1", 100, true},
    {"atom.cluster.add.u32 %r1, [%d2], %r3", 90},
    {"ld.shared::cluster.b32 %r1, [%r2]", 90},
    {"ld.relaxed.cluster.b32 %r1, [%d1]", 90},
    {"ld.relaxed.gpu.b32 %r1, [%d1]", 75},
    {"isspacep.shared::cluster %p1, %d1", 90},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
     "{%r5,%r6}, {%f1,%f2,%f3,%f4}",
     80},
    {"barrier.cluster.arrive", 90},
    {"barrier.cluster.wait.acquire.aligned", 90},
    {"fence.proxy.tensormap::generic.release.gpu", 90},
    {"prefetch.global.L2::evict_last [%d1]", 80},
    {"prefetch.tensormap [%d1]", 90},
    {"cvt.rni.bf16.bf16 %h1, %h2", 90},
    {"cvt.rn.relu.tf32.f32 %r1, %f1", 90},
    {"cvt.rz.relu.satfinite.tf32.f32 %r1, %f1", 100},
    {"mbarrier.arrive.shared.b64 %d1, [%r1]", 80},
    {"mbarrier.arrive.shared.b64 %d1, [%r1], 1", 90},
    {"mbarrier.arrive.noComplete.shared.b64 %d1, [%r1], 1", 80},
    {"mov.u32 %r1, %cluster_ctarank", 90},
    {"mov.pred %p1, %is_explicit_cluster", 90},
    {"mov.u32 %r1, %aggr_smem_size", 90},
    {"mov.u32 %r1, %reserved_smem_offset_0", 80},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
     "{%r5,%r6}, {%f1,%f2,%f3,%f4}",
     89},
    {"mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32 {%r1,%r2,%r3,%r4}, {%r5,%r6,%r7,%r8}, "
     "{%r5,%r6}, {%r1,%r2,%r3,%r4}",
     80},
    {"mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32 {%r1,%r2}, {%r4}, {%r8}, {%r1,%r2}", 75},
    {"mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%r7}, "
     "{%r1,%r2,%r3,%r4}",
     80},
    {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r1,%r2}, {%r4}, {%r8}, {%r1,%r2}",
     75},
    {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%r1,%r2}, {%r4}, {%r8}, {%r1,%r2}",
     80},
    {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g1,%g2}, {%g3}, {%g4}, {%g1,%g2}", 80},
    {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%g1,%g2,%g3,%g4}, "
     "{%g1,%g2,%g3,%g4,%g5,%g6,%g7,%g8}, {%g1,%g2,%g3,%g4}, {%g1,%g2,%g3,%g4}",
     90},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, "
     "{%f1,%f2,%f3,%f4}",
     75},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
     "{%r3,%r5}, {%f1,%f2,%f3,%f4}",
     80},
    {"wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%g1,%g2}, {%g3}, {%g4}, {%g1,%g2}", 80},
    {"wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%r1,%r2}, {%r3}, {%r4}, "
     "{%r1,%r2}",
     80},
    {"wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 {%r1,%r2,%r3,%r4}, [%d1]", 80},
};
constexpr const char* kTargets[] = {"75",  "80",   "86",   "89",  "90",  "90a",
                                    "100", "100a", "100f", "120", "120a"};

bool has(const char* target, const Row& row) {
  return std::atoi(target) >= row.least &&
         (!row.specific || std::isdigit(target[std::strlen(target) - 1]) == 0);
}

std::string text(const Row& row, const std::string& target) {
  return ".version 9.0\n.target sm_" + target +
         "\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<9>; "
         ".reg .pred %p<5>; .reg .b64 %d<9>; .reg .b16 %h<9>; .reg .f32 %f<9>; "
         ".reg .b8 %b<9>; .reg .b128 %q<9>; .reg .f64 %g<9>;\n" +
         row.statement + ";\nret;\n}\n";
}

std::string verdict(const std::string& ptx) {
  try {
    const Module module = parse_ptx(ptx);
    decode(module, module.functions.front(), Placement{});
  } catch (const PtxError& error) {
    EXPECT_FALSE(error.unsupported()) << ptx;
    return error.what();
  }
  return "";
}

TEST(Targets, InstructionsThatCameLaterNeedALaterOne) {
  for (const Row& row : kRows) {
    for (const char* target : kTargets) {
      const std::string said = verdict(text(row, target));
      if (has(target, row)) {
        EXPECT_EQ(said, "") << row.statement << " for sm_" << target;
      } else {
        EXPECT_THAT(said, ::testing::StartsWith("line 7: ")) << row.statement;
        EXPECT_THAT(said, ::testing::HasSubstr(" needs .target sm_" + std::to_string(row.least) +
                                               (row.specific ? "a" : " or higher")))
            << row.statement << " for sm_" << target;
      }
    }
  }
}

TEST(Targets, TheAssemblerAgrees) {
  if (access(WARPMARK_PTXAS, X_OK) != 0) GTEST_SKIP() << "no ptxas";
  char path[] = "/tmp/warpmark_ptx_XXXXXX";
  const int file = mkstemp(path);
  ASSERT_GE(file, 0);
  close(file);
  for (const Row& row : kRows) {
    for (const char* target : kTargets) {
      // Later targets keep an instruction, so only the first one is tried.
      if (has(target, row) && std::atoi(target) != row.least) continue;
      std::ofstream(path) << text(row, target);
      const std::string command = std::string("timeout 20 '") + WARPMARK_PTXAS + "' -arch sm_" +
                                  target + " '" + path + "' -o /dev/null >/dev/null 2>&1";
      EXPECT_EQ(std::system(command.c_str()) == 0, has(target, row))
          << row.statement << " for sm_" << target;
    }
  }
  std::remove(path);
}

struct Since {
  const char* statement;
  const char* target;
  const char* version;  ///< the first that has it
  const char* before;
};
const std::vector<Since> kSince = {
    {"cvt.pack.sat.u16.s32 %r1, %r2, %r3", "sm_75", "6.5", "6.4"},
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2]", "sm_75", "6.5", "6.4"},
    {"tanh.approx.f32 %f1, %f2", "sm_75", "7.0", "6.5"},
    {"ex2.approx.f16x2 %r1, %r2", "sm_75", "7.0", "6.5"},
    {"cvt.f32.bf16 %f1, %h2", "sm_80", "7.1", "7.0"},
    {"alloca.u64 %d1, 64", "sm_75", "7.3", "7.2"},
    {"stackrestore.u64 %d1", "sm_75", "7.3", "7.2"},
    {"createpolicy.fractional.L2::evict_last.b64 %d1, 0.5", "sm_80", "7.4", "7.3"},
    {"ld.global.L1::no_allocate.f32 %f1, [%d1]", "sm_75", "7.4", "7.3"},
    {"ld.global.L2::128B.f32 %f1, [%d1]", "sm_75", "7.4", "7.3"},
    {"bmsk.clamp.b32 %r1, %r2, %r3", "sm_75", "7.6", "7.5"},
    {"szext.wrap.s32 %r1, %r2, %r3", "sm_75", "7.6", "7.5"},
    {"isspacep.param %p1, %d1", "sm_75", "7.7", "7.6"},
    {"barrier.cta.sync 0", "sm_75", "7.8", "7.7"},
    {"ld.shared::cta.u32 %r1, [%r2]", "sm_75", "7.8", "7.7"},
    {"add.s16x2 %r1, %r2, %r3", "sm_90", "8.0", "7.8"},
    {"max.relu.s32 %r1, %r2, %r3", "sm_90", "8.0", "7.8"},
    {"elect.sync %r1|%p1, -1", "sm_90", "8.0", "7.8"},
    {"red.global.add.v2.f32 [%d1], {%f1,%f2}", "sm_90", "8.1", "8.0"},
    {"lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 1, %p2", "sm_75", "8.2", "8.1"},
    {".reg .b128 %q1", "sm_75", "8.3", "8.2"},
    {"min.f32 %f1, %f2, %f3, %f4", "sm_100", "8.8", "8.7"},
    {"ld.global.v8.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [%d1]", "sm_100", "8.8", "8.7"},
};

TEST(Targets, InstructionsNeedTheVersionThatTheyCameWith) {
  const bool ask = access(WARPMARK_PTXAS, X_OK) == 0;
  char path[] = "/tmp/warpmark_ptx_XXXXXX";
  const int file = mkstemp(path);
  ASSERT_GE(file, 0);
  close(file);
  for (const Since& row : kSince) {
    for (const bool there : {false, true}) {
      const std::string ptx =
          std::string(".version ") + (there ? row.version : row.before) + "\n.target " +
          row.target +
          "\n.address_size 64\n.entry k()\n{ .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; "
          ".reg .b64 %d<9>; .reg .f32 %f<9>;\n" +
          row.statement + ";\nret;\n}\n";
      const std::string said = verdict(ptx);
      if (there) {
        EXPECT_EQ(said, "") << row.statement;
      } else {
        EXPECT_THAT(said, ::testing::HasSubstr(std::string("needs .version ") + row.version))
            << row.statement;
      }
      if (!ask) continue;
      std::ofstream(path) << ptx;
      const std::string command = std::string("timeout 20 '") + WARPMARK_PTXAS + "' -arch " +
                                  row.target + " '" + path + "' -o /dev/null >/dev/null 2>&1";
      EXPECT_EQ(std::system(command.c_str()) == 0, there) << ptx;
    }
  }
  std::remove(path);
}

}  // namespace
}  // namespace warpmark::cpu
