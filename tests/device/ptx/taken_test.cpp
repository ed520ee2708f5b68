// Texts that the toolkit's assembler takes: this device takes them, too, or says that it does not
// have an instruction, which is then in its page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "device/ptx/verdict.hpp"

namespace warpmark::cpu {
namespace {

// Statements that ptxas takes for the target and this device does not, by their word in
// docs/cpu-device.md.
struct NotHere {
  std::string word, statement, target = "sm_90";
};
const std::vector<NotHere> kNotHere = {
    {".im2col::w",
     "cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%r1], "
     "[%rd1, {%r2,%r3,%r4}], [%r5], {%h1,%h2}",
     "sm_100a"},
    {".cta_group::2",
     "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.cta_group::2 "
     "[%r1], [%rd1, {%r2,%r3}], [%r4]",
     "sm_100a"},
    {".m16n16", "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1,%r2}, [%r3]", "sm_100a"},
    {"multimem", "multimem.ld_reduce.global.add.v4.e4m3x4 {%r1,%r2,%r3,%r4}, [%rd1]", "sm_100a"},
    {"tcgen05", "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32", "sm_100a"},
    {"tcgen05", "tcgen05.ld.sync.aligned.16x32bx2.x1.pack::16b.b32 {%r1}, [%r2], 1", "sm_100a"},
    {"tcgen05", "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1", "sm_100a"},
    {"tcgen05", "tcgen05.cp.cta_group::1.64x128b.warpx2::02_13.b8x16.b6x16_p32 [%r1], %rd1",
     "sm_100a"},
    {".rs", "cvt.rs.satfinite.e4m3x4.f32 %r1, {%f1,%f2,%f3,%f4}, %r2", "sm_100a"},
};

TEST(Acceptance, WhatIsNotHereIsSaidToBeSoAndListed) {
  std::ifstream file(WARPMARK_CPU_PAGE);
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  const size_t begin = page.find("## Instructions that are refused");
  ASSERT_NE(begin, std::string::npos);
  const std::string part = page.substr(begin, page.find("\n## ", begin) - begin);
  for (const auto& [word, statement, target] : kNotHere) {
    std::string text = kernel(statement);
    text.replace(text.find("sm_90"), 5, target);
    try {
      const Module module = parse_ptx(text);
      decode(module, module.functions.front(), Placement{});
      ADD_FAILURE() << statement << " is taken: strike it from the page";
    } catch (const PtxError& error) {
      EXPECT_TRUE(error.unsupported()) << statement << ": " << error.what();
      EXPECT_EQ(error.line(), kBodyLine) << statement;
    }
    EXPECT_THAT(part, ::testing::HasSubstr("`" + word + "`"));
    if (have_ptxas()) {
      EXPECT_TRUE(ptxas_takes(text, target)) << statement;
    }
  }
}

TEST(Acceptance, WhatLooksWrongAndIsNot) {
  const std::vector<std::string> statements = {
      "add.rn.f32.ftz %f1, %f2, %f3",
      "{ .reg .b32 %r1; mov.u32 %r1, 1; } mov.u32 %r1, 2",
      "{ bra L; } L: ret",
      "mov.u32 %r1, (1+2)*(3-4)",
      "mov.u32 %r1, 1 ? 2 : 3",
      "T: .branchtargets A,B; brx.idx.uni %r1, T; A: B: ret",
      "lop3.b32 %r1, %r2, %r3, %r4, 256",
      "ld.global.b16 %f1, [%rd1]",
      "ld.global.f32 %rd1, [%rd1]",
      "bar.sync 0, 128",
      "prmt.b32 %r1, %f2, %f3, %r4",
      "shf.l.wrap.b32 %f1, %f2, %f3, %r4",
      "clz.b32 %r1, %f2",
      "lop3.b32 %f1, %f2, %f3, 0f3F800000, 0x96",
      "ld.global.v2.u32 {%r1,%f2}, [%rd1]",
      "mov.b64 %rd1, {%r1, 1.5}",
      "mov.b64 %rd1, {%tid.x, %ctaid.x}",
      "cvt.u32.u64 %r1, %clock64",
      "setp.lt.s32 _|%p1, %r1, 0",
      "@%p1 shfl.sync.idx.b32 %r1, %r2, 0, 31, -1",
      "mov.b64 %rd1, 1.0",
      "mov.f32 %f1, 0d3FF0000000000000",
      "selp.b32 %r1, 0f3F800000, 0, %p1",
      "cvt.f32.f16 %f1, %r1",
      "mov.b64 %rd1, %clock64",
      "ld.global.v2.u32 {%rd1,_}, [%rd1]",
      "ld.global.v2.f32 {%rd1,%rd2}, [%rd1]",
      "ld.local.u32 %r1, [4]",
      "st.global.b32 [%rd1], 0f3F800000",
      "st.global.f64 [%rd1], 0f3F800000",
      "mbarrier.init.b64.shared [%r1], 1",
      "mbarrier.try_wait.parity.shared.b64.acquire.cta %p1, [%r1], %r2, %r3",
      "mbarrier.arrive.expect_tx.b64.shared.release.cta %rd5, [%r1], 1",
      "mbarrier.arrive.shared.b64.noComplete %rd5, [%r1], 1",
      "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%r1]",
      "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r1], %r2",
      "mbarrier.test_wait.relaxed.cta.shared::cta.b64 %p1, [%r1], %rd2",
      "cp.async.shared.global.ca [%r1], [%rd1], 4",
      "cp.async.ca.L2::64B.L2::cache_hint.shared.global [%r1], [%rd1], 16, 8, %rd2",
      "cp.async.ca.shared.global [%r1], [%rd1], 16, 0",
      "cp.async.mbarrier.arrive.b64.noinc.shared [%r1]",
      "cp.async.wait_group 1+1",
      "cp.async.bulk.wait_group.read 0",
      "mbarrier.arrive_drop.shared.b64 _, [%r1]",
      "mbarrier.pending_count.b64 %r1, 5",
      "cp.async.L2::128B.cg.shared::cta.global [%r1], [%rd1], 16",
      "cp.async.bulk.mbarrier::complete_tx::bytes.shared::cluster.global [%r1], [%rd1], %r2, [%r3]",
      "cp.async.bulk.prefetch.global.L2 [%rd1], %r1",
      "cp.reduce.async.bulk.add.u32.global.shared::cta.bulk_group [%rd1], [%r1], %r2",
      "st.async.mbarrier::complete_tx::bytes.b32 [%rd1], %r2, [%rd3]",
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1], %r2, [%rd3]",
      "cp.async.bulk.tensor.1d.tile.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1, "
      "{5}], [%r3]",
      "vote.b32.sync.ballot %r1, %p1, -1",
      "vote.all.sync.pred %p1, %p2, -1",
      "shfl.down.b32.sync %r1|%p1, %r2, 1, 31, -1",
      "match.b32.any.sync %r1, %r2, -1",
      "redux.s32.sync.add %r1, %r2, -1",
      "barrier.aligned.sync 0",
      "barrier.cta.aligned.sync 0",
      "barrier.cluster.arrive.aligned.release",
      "bar.red.u32.popc %r1, 0, %p1",
      "bar.red.pred.and %p2, 0, %p1",
      "set.f32.lt.f32 %f1, %f2, %f3",
      "set.u32.f32.lt.ftz %r1, %f2, %f3",
      "setp.f32.lt.and %p1, %f1, %f2, %p2",
      "testp.f32.subnormal %p1, %f1",
      "testp.f32 %p1, %f1",
      "testp.f64 %p1, %fd1",
      "setp.eq.f16x2 %p1, %r1, %r2",
      "setp.eq.and.f16x2 %p1, %r1, %r2, %p2",
      "setp.eq.bf16x2 _, %r1, %r2",
      "mapa.s64 %rd1, %rd2, %r3",
      "mapa.u32 %r1, %r2, %r3",
      "mapa.shared::cluster.s32 %s1, %u2, %s3",
      "getctarank.s64 %r1, %rd2",
      "getctarank.shared::cluster.s32 %s1, %r3",
      "mov.u32 %r1, k",
      "mov.b32 %r1, k",
      "mov.u64 %rd1, k",
      "{ .reg .b32 out; } ret",
      ".reg .b32 k",
      ".reg .b32 %x<3>; { .local .u32 %x1; } ret",
      "{ .param .b32 p; } { .param .b32 p; } ret",
      ".pragma \"nounroll\"",
      "mapa.u32.shared::cluster %r1, %r2, %r3",
      "getctarank.u32.shared::cluster %r1, %r2",
      "cvta.u64.global %rd1, %rd2",
      "cvta.to.u64.shared %rd1, %rd2",
      "lop3.b32.and %r1|%p1, %r2, %r3, %r4, 1, %p2",
      "add.u32.cc %r1, %r2, %r3",
      "cvt.u32.f32.rzi %r1, %f1",
      "cvt.u64.u32 %rd1, %tid.x",
      "mov.b32 %r1, %laneid",
      "mov.u16 %h1, %tid.x",
      "add.u32 %r1, WARP_SZ, 1",
      "ld.u32.global.volatile %r1, [%rd1]",
      "ld.gpu.relaxed.global.u32 %r1, [%rd1]",
      "ld.relaxed.gpu.global.L1::no_allocate.L2::128B.u32 %r1, [%rd1]",
      "ld.volatile.global.L2::128B.u32 %r1, [%rd1]",
      "ld.global.ca.nc.u32 %r1, [%rd1]",
      "st.mmio.relaxed.sys.global.u32 [%rd1], %r1",
      "ld.weak.param.u32 %r1, [out]",
      "fence.gpu",
      "fence.cta.sc",
      "fence.acquire.gpu",
      "fence.acquire.sync_restrict::shared::cluster.cluster",
      "fence.cluster.mbarrier_init.release",
      "fence.proxy.async.shared::cta",
      "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster",
      "fence.proxy.tensormap::generic.acquire.sys [%rd1], 128",
      "membar.proxy.alias",
      "prefetch.L2.global [%rd1]",
      "prefetch.param.tensormap [out]",
      "prefetch.L2::evict_normal [%rd1]",
      "discard.L2 [%rd1], 128",
      "pmevent.mask 99",
      "createpolicy.range.L2::evict_first.L2::evict_unchanged.b64 %rd1, [%rd2], 16, %r2",
      "createpolicy.fractional.L2::evict_unchanged.b64 %rd1, %f1",
      "createpolicy.cvt.L2.b64 %rd1, %rd2",
      "red.release.gpu.global.add.u32 [%rd2], %r3",
      ".local .b8 l[60000]",
      ".reg .b32 %x<100000000>",
  };
  const std::vector<std::string> texts = {
      kHeader + ".section .debug_str { // }\n.b8 1\n}",
      kHeader + ".section .debug_str { /* } */ .b8 1 }",
      kHeader + ".section .debug_str {\n.b8 0 // { \n}",
      kHeader + ".file 1 \"a\\\\\"",
      kHeader + ".file 1 \"a\\\"\n",
      kHeader + ".global .s8 t[3]={-1,2,200};",
      kHeader + ".global .u32 a[2][2]={{1,2},{3,4}};",
      kHeader + ".global .u32 a[]={1,2};",
      kHeader + ".global .v4 .f32 v = {1.0,2.0,3.0,4.0};",
      kHeader + ".common .global .u32 cc;",
      kHeader + ".global .u32 x[2]; .global .u32 a = x+4; .global .u32 b[2] = {generic(x), x};",
      kHeader + ".global .u32 x; .global .u8 a[2] = {0xFF(x), 0xFF00000000000000(x+4)};",
      kHeader + ".global .u32 x; .global .u8 a[2] = {0xFF(generic(x)+4), 1};",
      kHeader + ".global .u32 x; .global .u64 a = 0xFF(x);",
      kHeader + ".func f(){ret;} .global .u32 a = f; .global .u8 b = 0xFF(f);",
      kHeader + ".pragma \"nounroll\";\n.entry k() .pragma \"nounroll\"; {ret;}",
      kHeader + ".entry k(){\n.loc 7 1 1\nret;}",
      kHeader + ".visible .func f(.param .b32 a){.shared .b8 x[50000]; ret;}\n.entry k(){ret;}",
      kHeader + ".extern .func f(.param .b32 a);\n.entry k(){ret;}",
      kHeader + ".global .u32 %x;",
      kHeader + ".global .texref t; .global .surfref s[4]; .entry k(.param .texref p){ret;}",
      kHeader + ".global .f32 x = -1.5; .global .f64 y = -0d3FF0000000000000;",
      kHeader + ".entry k(.param .b8 p[32764]){ret;}",
      ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .b8 p[4352]){ret;}",
      kHeader +
          ".func (.reg .b32 %r) f(.reg .b32 %a){ret;}\n.entry k(){.reg .f32 %f; call (_), f, "
          "(0f3F800000); call (%f), f, (%f); ret;}",
      kHeader +
          ".func (.param .b32 r) f(.param .b32 a){ret;}\n.entry k(){.reg .b32 %r; .param "
          ".b32 z; call (%r), f, (7); call (z), f, (%r); ret;}",
      ".version 9.0\n.target compute_90\n.address_size 64\n",
      ".version 7.8\n.target sm_90\n.address_size 64\n",
      ".version 6.3\n.target sm_75\n.address_size 64\n",
      ".version 7.3\n.target sm_88\n.address_size 64\n",
      kHeader +
          ".visible .func f();\n.visible .func g();\n.func h();\n.alias g,f;\n.alias "
          "h,g;\n.visible .func f(){ret;}\n.entry k(){call g,(); call h,(); ret;}",
  };
  for (const std::string& statement : statements) {
    EXPECT_EQ(verdict(kernel(statement)), "") << statement;
    if (have_ptxas()) {
      EXPECT_TRUE(ptxas_takes(kernel(statement))) << statement;
    }
  }
  for (const std::string& text : texts) {
    EXPECT_EQ(verdict(text), "") << text;
    if (have_ptxas()) {
      EXPECT_TRUE(ptxas_takes(text)) << text;
    }
  }
}

// nvcc writes .local_maxnreg for __local_maxnreg__.
TEST(Acceptance, DirectivesOfLaterVersions) {
  const auto said = [](const std::string& directive) {
    const std::string text =
        ".version 9.4\n.target sm_90a\n.address_size 64\n.func f() .local_maxnreg 40 { ret; }\n"
        ".visible .entry k() .maxnreg 64 " +
        directive + " { ret; }\n";
    return verdict(text);
  };
  EXPECT_EQ(said(".local_maxnreg 40"), "");
  EXPECT_THAT(said(".local_maxnreg 0"), ::testing::HasSubstr("counts from 1 on"));
}

// Statements of version 9.5 that ptxas 13.5 takes, and of which no public text says what they do: the
// manual that can be had ends with 9.4.
TEST(Acceptance, RefusesWhatNoPublicTextDescribes) {
  for (const char* statement : {"tensormap.query.alloc_class_large.b1024 %p1, [%rd1];",
                                "tensormap.query.alloc_class_large.global.b1024 %p1, [%rd1];",
                                "fence.alias.sync_restrict::read.release.sys;"}) {
    const std::string text =
        ".version 9.5\n.target sm_90a\n.address_size 64\n.visible .entry k() { .reg .pred %p1; "
        ".reg "
        ".b64 %rd1; " +
        std::string(statement) + " ret; }\n";
    EXPECT_NE(verdict(text), "") << statement;
  }
}

// ptxas 13.5 takes the directive so, and its special registers only in kernels that have it.
TEST(Acceptance, MemoryOfBlocks) {
  const auto said = [](const std::string& directive, const std::string& body = "",
                       const std::string& head = ".version 9.4\n.target sm_90a\n") {
    return verdict(head + ".address_size 64\n.visible .entry k() " + directive +
                   " { .reg .b64 %rd1; .reg .b32 %r1; " + body + " ret; }\n");
  };
  const std::string read =
      "mov.u64 %rd1, %perctamemoryoffset; mov.u32 %r1, %perctamemorysize; "
      "cvt.u64.u32 %rd1, %perctamemorysize;";
  EXPECT_EQ(said(".minperctamemory 1024", read), "");
  EXPECT_EQ(said(".minperctamemory 0 .minperctamemory 4294967295", read), "");
  EXPECT_THAT(said(".minperctamemory 4294967296"), ::testing::HasSubstr("32 bits"));
  EXPECT_NE(said(".minperctamemory -1"), "");
  EXPECT_THAT(said("", read), ::testing::HasSubstr(".minperctamemory"));
  EXPECT_NE(said(".minperctamemory 8", "mov.u32 %r1, %perctamemoryoffset;"), "");
  EXPECT_NE(said(".minperctamemory 8", "mov.u64 %rd1, %perctamemorysize;"), "");
  EXPECT_THAT(said(".minperctamemory 8", "", ".version 9.3\n.target sm_90a\n"),
              ::testing::HasSubstr("9.4"));
  EXPECT_THAT(said(".minperctamemory 8", "", ".version 9.4\n.target sm_75\n"),
              ::testing::HasSubstr("sm_80"));
  EXPECT_NE(verdict(".version 9.4\n.target sm_90\n.address_size 64\n.func f() .minperctamemory 8 { "
                    "ret; }\n"),
            "");
}

}  // namespace
}  // namespace warpmark::cpu
