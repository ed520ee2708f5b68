// Texts that no device accepts: each is refused with its line and a reason, by us and, where the
// toolkit's assembler is at hand, by that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/verdict.hpp"

namespace warpmark::cpu {
namespace {

// Statements, each wrong by itself.
const std::vector<std::string> kStatements = {
    // operands of the wrong kind, type or number
    "add.s32 %r1, %r2",
    "add.s32 %r1, %r2, %r3, %r4",
    "add.s32 %r1, %r2, %rd3",
    "add.s32 5, %r2, %r3",
    "add.s32 %r1, %p2, %r3",
    "add.s32 %r1, [%rd1], %r2",
    "add.s32 {%r1, %r2}, %r3, %r4",
    "add.f32 %u1, %f2, %f3",
    "add.f16 %uh1, %h2, %h3",
    "mov.u32 %f1, %r1",
    "mov.u32 %rd1, %clock64",
    "mov.b32 %r1, 1.0",
    "mov.b64 %rd1, 0f3F800000",
    "and.b32 %r1, %r2, 1.5",
    "selp.b32 %r1, 1.5, %r2, %p1",
    "shfl.sync.idx.b32 %r1, 1.0, 0, 31, -1",
    "add.f16x2 %r1, %f2, %r3",
    "add.f16x2 %u1, %r2, %r3",
    "fma.rn.bf16x2 %r1, %f2, %r3, %r4",
    "setp.lt.f16x2 %p1|%p2, %f1, %r1",
    "atom.global.add.noftz.f16x2 %f1, [%rd1], %f2",
    "fma.rn.f16x2 %r1, 1, %r2, %r3",
    "add.f16 %h1, %h2, 1",
    "set.lt.f16.f16 %h1, %h2, 1",
    "cvt.f32.f16 %f1, 1",
    "cvt.f32.bf16 %f1, %r1",
    "cvt.rn.bf16.f32 %r1, %f1",
    "mov.f32 %u1, %f1",
    "mov.u32 %r1, %nosuch",
    "mov.u32 %r99, %r1",
    "mov.u32 _, %r1",
    "mov.u32 %tid.x, 1",
    "mov.b64 %rd1, {%r1}",
    "mov.u64 %rd1, {%r1, %r2}",
    "mul.wide.u32 %r1, %r2, %r3",
    "selp.s32 %r1, %r2, %r3, %r4",
    "selp.u32 %f1, %u1, %r2, %p1",
    "setp.eq.s32 %r1, %r2, %r3",
    "setp.eq.u32 %p1, %f1, %r1",
    "setp.lt.f16 %p1|%p2, %h1, %h2",
    "shl.b32 %r1, %r1, %f2",
    "shl.b32 %r1, %r1, %h2",
    "shl.b32 %r1, %r2, %rd3",
    "bfe.u32 %r1, %r2, %rd3, 1",
    "lop3.b32 %r1, %r2, %r3, %r4, %r5",
    "shf.l.wrap.b32 %r1, %r2, %r3, %r4, %r5",
    "shfl.sync.up.b32 %r1, %r2, 1, 31",
    "vote.sync.any.pred %p1, %p2",
    "shfl.up.b32 %r1, %r2, 1, 0",  // without .sync: up to PTX 6.3
    "vote.ballot.b32 %r1, %p1",
    "@%r1 add.s32 %r1, %r2, %r3",
    "@%p9 ret",
    "add.s32 %r1, !%r2, %r3",
    "add.f32 %f1, %f2+4, 1.5 , 2",
    "mov.u32 %r1, %tid.x+4",
    "mov.b64 %rd1, {1, 1.5}",
    "mov.b64 %rd1, {%u1, %f1}",
    "st.global.v2.u32 [%rd1], {%u1, %f1}",
    "ld.global.v2.u32 {%f1, %f2}, [%rd1]",
    "ld.global.v2.f32 {%fd1, %fd2}, [%rd1]",
    "mov.b64 {_,_}, %rd1",
    "bmsk.clamp.b32 %r1, %f2, %r3",
    "bfe.u32 %r1, %r2, 256, 1",
    "add.s16x2 %r1, %r2, 1",
    "atom.global.add.u32 %f1, [%rd1], %f2",
    "redux.sync.or.b32 %r1, %f2, -1",
    "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1,%r2}, {%r3,%r4}, %r5, {%r6,%r7}",
    // modifiers
    "add.sat.f64 %fd1, %fd1, %fd2",
    "add.foo.s32 %r1, %r2, %r3",
    "blah.s32 %r1, %r2",
    "ld.globl.u32 %r1, [%rd1]",
    "exit.foo",
    "ret.foo",
    "trap.foo",
    "bra.foo NOWHERE",
    "sin.f32 %f1, %f2",
    "set.u32.f32 %r1, %f1, %f2",
    "testp.f16 %p1, %h1",
    "bar.foo 0",
    "vadd.s32.s32.s32.foo %r1, %r2, %r3",
    "vadd.s32.s32 %r1, %r2, %r3",
    "vset.s32.s32 %r1, %r2, %r3",
    "alloca.b32 %r1, 64",
    "mma.sp.sync.foo.m16n8k32.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
    "{%r5,%r6,%r7,%r8}, {%f1,%f2,%f3,%f4}, %r1, 0x0",
    "tcgen05.foo",
    "tcgen05.wait::ld.sync.aligned",  // of sm_100a
    "istypep %p1, %rd1",
    "fma.oob.f16 %h1, %h2, %h3, %h4",
    "multimem.foo.u32 %r1, [%rd1]",
    // what stands behind an instruction that this device has not
    "vadd.s32.s32.s32 %r1, %r2, %r3; foo.u32 %r1",
    "call nosuch, (); vadd.s32.s32.s32 %r1, %r2, %r3",
    // addresses
    "mapa.b32 %r1, %r2, %r3",
    "mapa.u64 %rd1, %r2, %r3",
    "mapa.shared::cluster.s32 %f1, %u2, %s3",
    "getctarank.shared::cluster.b64 %r1, %rd2",
    "getctarank.s32 %rd1, %r2",
    "mov.u64 %rd1, k+4",
    "mov.u32 %f1, k",
    "mov.u64 %r1, k",
    // names
    ".reg .b32 out",
    ".local .b32 out",
    ".local .b32 x; .reg .b32 x",
    ".local .b32 x; .shared .b32 x",
    ".reg .b32 x; x: ret",
    "out: ret",
    "div.f32 %f1, %f2, %f3",
    "sqrt.f32 %f1, %f2",
    "rcp.f32 %f1, %f2",
    "mul.s32 %r1, %r2, %r3",
    "mul.s32.lo %r1, %r2, %r3",
    "mul.u32.wide %rd1, %r1, %r2",
    "mad.s32.lo %r1, %r2, %r3, %r4",
    "mad.cc.s32.lo %r1, %r2, %r3, %r4",
    "mul24.u32.lo %r1, %r2, %r3",
    "shf.wrap.l.b32 %r1, %r2, %r3, %r4",
    "dp2a.s32.u32.lo %r1, %r2, %r3, %r4",
    "div.f32.full %f1, %f2, %f3",
    "mbarrier.b64.init.shared [%r1], 1",
    "barrier.sync.cta 0",
    "barrier.aligned.cluster.wait",
    "fma.f32 %f1, %f2, %f3, %f4",
    "cvt.f32.s32 %f1, %r1",
    "cvt.rn.s32.f32 %r1, %f1",
    "cvt.sat.u32.u16 %r1, %h1",
    "cvt.rn.f64.f32 %fd1, %f1",
    "cvt.rn.sat.bf16.f32 %h1, %f1",
    "cvt.rni.u8.bf16 %h1, %h2",
    "cvt.u32.u16 %r1, %hf1",
    "cvt.rn.e4m3x2.f32 %h1, %f1, %f2",
    "set.eq.f32.f16 %f1, %h1, %h2",
    "testp.finite.f16 %p1, %h1",
    "bmsk.b32 %r1, %r2, %r3",
    "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
    "{%r5,%r6}, {%f1,%f2,%f3,%f4}",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3}, "
    "{%r5,%r6}, {%f1,%f2,%f3,%f4}",
    "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
    "{%r5,%r6}, {%f1,%f2,%f3,%f4}",
    "wmma.load.a.sync.aligned.row.m16n16k8.global.f16 {%r1,%r2,%r3,%r4}, [%rd1], 16",
    // asynchronous copies
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.b16 [%r1], %h2, [%r3]",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.b128 [%r1], %q1, [%r3]",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b64 [%r1], {%rd2,%rd3,%rd4,%rd5}, "
    "[%r3]",
    "st.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1], %r2, [%r3]",
    "st.async.release.gpu.global.b32 [%rd1], %r2",
    "st.async.shared::cluster.b32 [%r1], %r2, [%r3]",
    "red.async.shared::cluster.mbarrier::complete_tx::bytes.dec.u32 [%r1], %r2, [%r3]",
    "red.async.relaxed.gpu.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3]",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.u64 [%r1], %rd2, "
    "[%r3]",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.f32 [%r1], %f2, "
    "[%r3]",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.exch.b32 [%r1], %r2, "
    "[%r3]",
    "st.bulk.shared::cta [%r1], %rd1, 0",
    "cp.async.bulk.prefetch.L2 [%rd1], %r1",
    "cp.async.bulk.prefetch.L2.global [%rd1], %r1, %rd2",
    "cp.async.bulk.prefetch.L2.global [%rd1], 8",
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], "
    "[%rd1], %r2, [%r3], %h1",
    "cp.async.bulk.shared::cta.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], %r3, [%r4]",
    "cp.async.bulk.shared.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3]",
    "cp.async.bulk.global.shared::cluster.bulk_group [%rd1], [%r1], %r2",
    "cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes [%rd1], [%r1], %r2, [%r3]",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 8, [%r3]",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [%rd1], [%r1], %r2",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%rd1], [%r1], %r2",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f32 [%rd1], [%r1], %r2",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.noftz.f16 [%rd1], [%r1], %r2",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f32 [%rd1], [%r1], %r2",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u64 [%rd1], [%r1], %r2",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.and.u32 [%rd1], [%r1], %r2",
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.u64 [%r1], "
    "[%r2], %r3, [%r4]",
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.and.b64 [%r1], "
    "[%r2], %r3, [%r4]",
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.f32 [%r1], "
    "[%r2], %r3, [%r4]",
    "cp.reduce.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.add.u32 [%r1], "
    "[%rd2], %r3, [%r4]",
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, "
    "{%r2}], [%r3]",
    "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, "
    "%r2], [%r3]",
    "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, "
    "{%rd2}], [%r3]",
    "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, "
    "{%f2}], [%r3]",
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
    "[%r1], [%rd1, {%r2,%r3}], [%r3]",
    "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster "
    "[%r1], [%rd1, {%r2,%r3}], [%r3], %h1",
    "cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], "
    "[%rd1, {%r2,%r3}], [%r3], {%h1}",
    "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], "
    "[%rd1, {%r2,%r3,%r4,%r5}], [%r3], {%h1}",
    "cp.async.bulk.tensor.3d.global.shared::cta.im2col.bulk_group [%rd1, {%r2,%r3,%r4}], [%r1]",
    "cp.async.bulk.tensor.2d.global.shared::cluster.bulk_group [%rd1, {%r2,%r3}], [%r1]",
    "cp.async.bulk.tensor.2d.global.shared::cta [%rd1, {%r2,%r3}], [%r1]",
    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r2,%r3}], [%r1]",
    "prefetch.global.tensormap [%rd1]",
    "mbarrier.try_wait.b64.parity %p1, [%rd1], %r1",
    "mbarrier.try_wait.shared.parity.b64 %p1, [%r1], %r1",
    "mbarrier.arrive.shared.expect_tx.b64 %rd5, [%r1], 1",
    "mbarrier.try_wait.acquire.b64 %p1, [%rd1], %rd2",
    "mbarrier.try_wait.cta.b64 %p1, [%rd1], %rd2",
    "mbarrier.try_wait.release.cta.b64 %p1, [%rd1], %rd2",
    "mbarrier.try_wait.acquire.gpu.b64 %p1, [%rd1], %rd2",
    "mbarrier.try_wait.shared::cluster.b64 %p1, [%r1], %rd2",
    "mbarrier.init.shared::cluster.b64 [%r1], 1",
    "mbarrier.init.noComplete.shared.b64 [%r1], 1",
    "mbarrier.init.relaxed.cta.b64 [%rd1], 1",
    "mbarrier.inval.shared::cluster.b64 [%r1]",
    "mbarrier.expect_tx.release.cta.shared.b64 [%r1], %r2",
    "mbarrier.complete_tx.relaxed.b64 [%rd1], %r2",
    "mbarrier.arrive.release.cluster.shared::cluster.b64 %rd2, [%r1]",
    "mbarrier.arrive.acquire.cta.shared.b64 %rd2, [%r1], %r3",
    "mbarrier.arrive.noComplete.b64 %rd2, [%rd1]",
    "mbarrier.arrive.noComplete.shared::cluster.b64 _, [%r1], 1",
    "mbarrier.arrive.shared.shared::cta.b64 _, [%r1]",
    "mbarrier.pending_count.shared.b64 %r1, %rd1",
    "mbarrier.pending_count.b64 %r1, 1.5",
    "mbarrier.test_wait.shared.b64 %p1, [%r1], %fd1",
    "mbarrier.arrive.shared.b64 [%r1]",
    "mbarrier.arrive.shared.b64 %fd1, [%r1]",
    "mbarrier.arrive.release.cluster.shared::cluster.b64 [%r1]",
    "cp.async.commit_group.global",
    "cp.async.wait_all.shared",
    "cp.async.bulk.wait_all",
    "cp.async.wait_group %r1",
    "cp.async.wait_group.read 0",
    "cp.async.bulk.wait_group.read.read 0",
    "cp.async.mbarrier.arrive.shared [%r1]",
    "cp.async.mbarrier.wait.shared.b64 [%r1]",
    "cp.async.mbarrier.arrive.noinc.noinc.b64 [%rd1]",
    "cp.async.ca.gpu.shared.global [%r1], [%rd1], 16",
    "cp.async.ca.L2::64B.L2::128B.shared.global [%r1], [%rd1], 16",
    "cp.async.ca.shared.global [%r1], [%rd1], 4, 5",
    "cp.async.ca.L2::cache_hint.shared.global [%r1], [%rd1], 16, %r2",
    "cp.async.mbarrier.arrive.shared::cluster.b64 [%r1]",
    "cp.async.global.ca.shared [%rd1], [%r1], 4",
    "cp.async.ca.cg.shared.global [%r1], [%rd1], 16",
    "cp.async.shared.global [%r1], [%rd1], 4",
    // memory
    "ld.global.f32 %u1, [%rd1]",
    "ld.global.f32 %fd1, [%rd1]",
    "ld.global.u16 %hf1, [%rd1]",
    "ld.global.u64 %r1, [%rd1]",
    "ld.global.f16 %h1, [%rd1]",
    "st.global.u32 [%rd1], %f1",
    "ld.shared.u32 %r1, [%f1]",
    "ld.global.u32 %r1, [%fd1]",
    "ld.global.u32 _, [%rd1]",
    "ld.param.u64 %rd1, [nosuch]",
    "st.param.u32 [out], %r1",
    "ld.global.v3.u32 {%r1,%r2,%r3}, [%rd1]",
    "ld.global.v2.u32 {%r1}, [%rd1]",
    "ld.global.u32 {%r1,%r2}, [%rd1]",
    "ld.global.v2.u32 %r1, [%rd1]",
    "ld.nosuch.u32 %r1, [%rd1]",
    "ld.global %r1, [%rd1]",
    "st.const.u32 [%rd1], %r1",
    "ld.volatile.local.u32 %r1, [%r2]",
    "ld.global.v4.u64 {%rd1,%rd2,%rd3,%rd4}, [%rd1]",
    "ld.global.u32 %r1, %rd1",
    "ld.global.u32 %r1, [70000]",
    "ld.param.u32 %r1, [0]",
    "atom.shared.add.u32 %r1, [16], 1",
    "ld.global.v4.f32 {%rd1,%f2,%f3,%f4}, [%rd1]",
    "ld.global.v4.u32 {%rd1,_,_,%r2}, [%rd1]",
    "ld.global.v2.u16 {%r1,%h2}, [%rd1]",
    "st.global.v2.u32 [%rd1], {%rd1,%r2}",
    "st.global.f32 [%rd1], 1",
    "st.global.u32 [%rd1], 1.0",
    "st.global.b64 [%rd1], 0f3F800000",
    "ld.gpu.global.u32 %r1, [%rd1]",
    "st.sys.global.u32 [%rd1], %r1",
    "ld.relaxed.global.u32 %r1, [%rd1]",
    "ld.weak.gpu.global.u32 %r1, [%rd1]",
    "ld.volatile.gpu.global.u32 %r1, [%rd1]",
    "ld.volatile.relaxed.gpu.global.u32 %r1, [%rd1]",
    "ld.relaxed.gpu.sys.global.u32 %r1, [%rd1]",
    "ld.release.gpu.global.u32 %r1, [%rd1]",
    "st.acquire.gpu.global.u32 [%rd1], %r1",
    "ld.mmio.relaxed.gpu.global.u32 %r1, [%rd1]",
    "ld.mmio.relaxed.sys.shared.u32 %r1, [%r2]",
    "ld.relaxed.gpu.local.u32 %r1, [%rd1]",
    "ld.ca.cg.global.u32 %r1, [%rd1]",
    "ld.relaxed.gpu.ca.global.u32 %r1, [%rd1]",
    "ld.ca.global.L1::no_allocate.u32 %r1, [%rd1]",
    "ld.volatile.global.L1::no_allocate.u32 %r1, [%rd1]",
    "ld.shared.L1::no_allocate.u32 %r1, [%r2]",
    "ld.const.L2::128B.u32 %r1, [%rd2]",
    "ld.global.L2::evict_last.u32 %r1, [%rd2]",
    "ld.nc.u32 %r1, [%rd1]",
    "ld.global.nc.cv.u32 %r1, [%rd1]",
    "ld.global.nc.relaxed.gpu.u32 %r1, [%rd1]",
    "st.global.nc.u32 [%rd1], %r1",
    "st.global.ca.u32 [%rd1], %r1",
    "st.global.L2::128B.u32 [%rd1], %r1",
    "ld.global.wb.u32 %r1, [%rd1]",
    "ld.global.shared.u32 %r1, [%rd1]",
    "ld.global.u32.u32 %r1, [%rd1]",
    "ld.global.v2.v2.u32 {%r1,%r2}, [%rd1]",
    "ldu.ca.global.u32 %r1, [%rd1]",
    "ldu.shared.u32 %r1, [%r1]",
    "atom.global.add.s64 %rd1, [%rd2], %rd3",
    "red.global.add.s64 [%rd2], %rd3",
    "atom.global.weak.add.u32 %r1, [%rd2], %r3",
    "red.acquire.gpu.global.add.u32 [%rd2], %r3",
    // special registers are for mov, and for cvt between integers
    "add.u32 %r1, %tid.x, 1",
    "shl.b32 %r1, %tid.x, 3",
    "popc.b32 %r1, %laneid",
    "setp.eq.u32 %p1, %tid.x, 0",
    "mad.lo.u32 %r1, %ctaid.x, %ntid.x, %tid.x",
    "add.u32 %r1, %envreg3, 1",
    "cvt.rn.f32.u32 %f1, %tid.x",
    "cvt.pack.sat.u8.s32.b32 %r1, %tid.x, %r2, %r3",
    "mov.f32 %f1, %tid.x",
    "and.pred %p1, %is_explicit_cluster, %p2",
    "vote.sync.ballot.b32 %r1, %p1, %lanemask_lt",
    "bar.sync %warpid",
    // the stack
    "alloca.u64 %rd1, 64, 3",
    "alloca.u64 %rd1, 64, %rd2",
    "alloca.u64 %rd1, %r2",
    "alloca.s64 %rd1, %rd2",
    "stackrestore.u64 5",
    // fences and advice
    "membar.foo",
    "membar.gl.foo",
    "membar.cluster",
    "fence.sc",
    "fence.sc.gpu.foo",
    "fence.sc.acq_rel.gpu",
    "fence.proxy.async.foo",
    "fence.proxy.async.local",
    "fence.proxy.async::generic.acquire.cluster",
    "fence.proxy.tensormap::generic.acquire.gpu",
    "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 64",
    "fence.proxy.tensormap::generic.release.gpu [%rd1], 128",
    "fence.mbarrier_init.release",
    "fence.mbarrier_init.release.gpu",
    "prefetch.foo.L2 [%rd1]",
    "prefetch.global [%rd1]",
    "prefetch.shared.L1 [%rd1]",
    "prefetch.global.L2::evict_first [%rd1]",
    "prefetch.local.L2::evict_last [%rd1]",
    "prefetch.global.tensormap [%rd1]",
    "prefetchu.L1.foo [%rd1]",
    "applypriority.global.L2::evict_last [%rd1], 128",
    "discard.global [%rd1], 128",
    "discard.local.L2 [%rd1], 128",
    "pmevent.foo 1",
    "pmevent 16",
    "griddepcontrol.foo",
    "nanosleep.u32.foo 5",
    "createpolicy.foo.b64 %rd1",
    "createpolicy.fractional.b64 %rd1",
    "createpolicy.fractional.L2::evict_last.L2::evict_last.b64 %rd1, 0.5",
    "createpolicy.fractional.L2::evict_last.b64 %rd1, 1.5",
    "createpolicy.fractional.L2::evict_last.b64 %rd1, 1",
    "createpolicy.range.local.L2::evict_last.b64 %rd1, [%rd2], %r1, %r2",
    "createpolicy.range.global.L2::evict_last.b64 %rd1, [%rd2], %r1",
    // control
    "bra NOSUCH",
    "call nosuch",
    "ret ret",
    "brx.idx %r1, NO",
    "T: .branchtargets A; brx.idx %rd1, T; A: ret",
    "bar.sync 16",
    "bar.sync 0, 33",
};

// Statements whose error is one of syntax.
const std::vector<std::string> kSyntax = {
    "mov.u32 %r1 1",
    ";",
    "ret;",
    "L: ;",
    "{ ret; };",
    ".reg .b32 %x;",
    ".pragma nounroll",
    ".pragma",
    ".pragma \"nounroll\" 5",
    ".file 1 \"a\"",
    "mov.u32 ,%r1",
    "mov.u32 %r1,%r2,",
    "@%p1",
    "@%p1 @%p2 ret",
    ".foo",
    "ld.global.u32 %r1,[%rd1+%rd2]",
    "ld.global.u32 %r1,[%rd1",
    "ld.global.u32 %r1,[[%rd1]]",
    "mov.u32 %r1, 0x",
    "mov.u32 %r1, 12ab",
    "mov.u32 %r1, 08",
    "mov.u32 %r1, 0f3F",
    "mov.b32 %r1, 0f3F8000001",
    "mov.u32 %r1, 'a'",
    "mov.u32 %r1, `",
    "mov.u32 %r1, 5/0",
    "mov.u32 %r1, 0b102",
    "mov.u32 %r1, 5u",
    "\"x\"",
    "L: L: ret",
    "{ L: } bra L",
    ".maxntid 3",
    ".reg .bf16 %b",
    ".reg .b32 %r1",
    ".reg .b32 %x<4294967296>",
    ".reg .pred %x; .reg .pred %x",
    ".shared .b8 s[50000]",
    "/* ",
};

// Whole texts.
const std::vector<std::string> kTexts = {
    "",
    "hello",
    ".version 9.0\n",
    ".target sm_90\n.version 9.0\n",
    ".version 9\n.target sm_90\n",
    ".version 9.0\n.target sm_95\n.address_size 64\n",
    ".version 9.0\n.target sm_90, foo\n",
    ".version 9.0\n.address_size 64\n.entry k(){ret;}",
    kHeader + ".version 8.0\n",
    ".version 8.9\n.target sm_90\n.address_size 64\n",
    ".version 7.9\n.target sm_90\n.address_size 64\n",
    ".version 7.7\n.target sm_90\n.address_size 64\n.entry k(){ret;}",
    ".version 7.8\n.target sm_90a\n.address_size 64\n.entry k(){ret;}",
    ".version 6.2\n.target sm_75\n.address_size 64\n.entry k(){ret;}",
    ".version 8.7\n.target sm_100f\n.address_size 64\n.entry k(){ret;}",
    kHeader + ".shared .u32 x=4;",
    kHeader + ".shared .u32 x[2]={1,2};",
    kHeader + ".entry k(){.local .u32 x=4; ret;}",
    kHeader + ".func f(){ret;}\n.alias g,f;",
    kHeader + ".func f(){ret;}\n.func g();\n.alias g,h;",
    kHeader + ".func f(){ret;}\n.func g();\n.alias g f;",
    kHeader + ".func f(){ret;}\n.func g(){ret;}\n.alias g,f;",
    kHeader + ".func f(){ret;}\n.func g(.param .b32 a);\n.alias g,f;",
    kHeader + ".weak .func f(){ret;}\n.visible .func g();\n.alias g,f;",
    kHeader + ".entry k(){ret;}\n.entry e();\n.alias e,k;",
    kHeader + ".target sm_80\n",
    kHeader + ".address_size 64\n",
    kHeader + ".global .b8 x[1<<38];",
    kHeader + ".global .b8 x[0];",
    kHeader + ".global .b8 x[-1];",
    kHeader + ".global .b32 x[2] = {1,2,3};",
    kHeader + ".global .b32 x = nosuch;",
    kHeader + ".global .f32 f = 1;",
    kHeader + ".global .u32 f = 1.0;",
    kHeader + ".const .b8 x[70000];",
    kHeader + ".global .pred p;",
    kHeader + ".global .align 3 .b8 x[4];",
    kHeader + ".local .b8 x[4];",
    kHeader + ".param .b8 x[4];",
    kHeader + ".global .b8 x[4]; .global .b8 x[4];",
    kHeader + ".reg .b32 %r;",
    kHeader + ".func f(",
    kHeader + "}",
    kHeader + "{",
    kHeader + ".entry e(){ret;} .entry e(){ret;}",
    kHeader + ".entry e(){",
    kHeader + ".nosuch",
    kHeader + ".section .x",
    kHeader + ".global .b8 s[3]=\"ab\";",
    kHeader + ".global .u8 t={1};",
    kHeader + ".global .u32 a[];",
    kHeader + ".global .f32 x = 0f3F8;",
    kHeader + ".global .u32 a.b;",
    kHeader + ".global .u32 9a;",
    kHeader + ".file 1 \"a\\\"b\"",
    kHeader + ".file 1 \"a\\",
    kHeader + ".entry k(.param .u64 a, .param .u64 a){ret;}",
    kHeader + ".entry k(.param .b8 a[33000]){ret;}",
    kHeader + ".entry (.param .b32 r) k(){ret;}",
    kHeader + ".entry k() .maxntid 32 .reqntid 64 {ret;}",
    kHeader + ".entry k() .foo 3 {ret;}",
    kHeader + ".entry k() {ret;} x",
    kHeader + ".entry k() {ret}",
    // parameters and results in registers
    kHeader + ".entry k(.reg .u32 %a){ret;}",
    kHeader + ".func f(.reg .u32 %a<2>){ret;}\n.entry k(){ret;}",
    kHeader + ".func (.reg .u32 %r) f(.reg .u32 %r){ret;}",
    kHeader + ".func f(.reg .u32 %r){.reg .u32 %r; ret;}",
    kHeader + ".func f(.reg .u32 %a){ret;}\n.entry k(){.reg .f32 %f; call f, (%f); ret;}",
    kHeader + ".func f(.reg .u32 %a){ret;}\n.entry k(){.reg .u64 %d; call f, (%d); ret;}",
    kHeader + ".func f(.reg .u32 %a){ret;}\n.entry k(){.reg .u32 %r; call f, (%r+1); ret;}",
    kHeader + ".func f(.reg .u32 %a){ret;}\n.entry k(){call f, (%tid.x); ret;}",
    kHeader + ".func f(.reg .u32 %a){ret;}\n.entry k(){call f; ret;}",
    kHeader + ".func (.reg .u32 %r) f(){ret;}\n.entry k(){call f, (); ret;}",
    kHeader + ".func f(.reg .pred %p){ret;}\n.entry k(){.reg .pred %p; call f, (%p); ret;}",
    kHeader + ".func f(){ret;}\n.entry k(){.reg .b64 %d; mov.u64 %d, f; call %d; ret;}",
    kHeader + ".func f(){ret;}\n.entry k(){P: .callprototype _ (); call f, (), P; ret;}",
    // initial values, and variables
    kHeader + ".global .f32 x = -0f3F800000;",
    kHeader + ".global .u64 x = f;\n.func f(){ret;}",
    kHeader + ".global .u64 x[2] = {x, 0};",
    kHeader + ".global .u32 y;\n.global .b64 x = y;",
    kHeader + ".global .u32 y;\n.global .b32 x = y;",
    kHeader + ".global .u32 y;\n.global .u16 x = y;",
    kHeader + ".global .u32 y;\n.global .u8 x = y;",
    kHeader + ".global .u32 y;\n.global .b8 x = 0xFF(y);",
    kHeader + ".global .u32 y;\n.global .u16 x = 0xFF(y);",
    kHeader + ".global .u32 y;\n.global .u8 x = 0xFFFF(y);",
    kHeader + ".global .u32 y;\n.global .u8 x = 0xFF0(y);",
    kHeader + ".global .u32 y;\n.global .u8 x = 255(nosuch);",
    kHeader + ".global .u32 y;\n.global .u8 x = 0xFF(y)+4;",
    kHeader + ".func f(){ret;}\n.global .u64 x = f+4;",
    kHeader + ".global .f16 x = 1.5;",
    kHeader + ".global .bf16 x;",
    kHeader + ".global .v4 .f64 x;",
    kHeader + ".shared .b8 s[];",
    kHeader + ".texref t;",
    kHeader + ".entry k(){.global .texref t; ret;}",
    // what a kernel and a function need and offer
    kHeader + ".entry k(.param .f16x2 p){ret;}",
    kHeader + ".entry k(.param .b8 p[]){ret;}",
    kHeader + ".entry k() .maxntid 0 {ret;}",
    kHeader + ".entry k() .maxntid 4294967297 {ret;}",
    kHeader + ".entry k() .maxclusterrank 4294967296 {ret;}",
    kHeader + ".entry k() .pragma nounroll; {ret;}",
    kHeader + ".pragma nounroll;",
    kHeader + ".pragma \"nounroll\"\n.entry k(){ret;}",
    kHeader + ".file 1 \"a\"\n.file 1 \"b\"\n.entry k(){ret;}",
    kHeader + ".func (.param .b32 a) f(.param .b32 a){ret;}",
    kHeader + ".func f(.param .b32 a){.reg .b32 a; ret;}",
    // functions that no kernel calls
    kHeader + ".func f(){foo.u32 %r1; ret;}\n.entry k(){ret;}",
    kHeader + ".func f(.param .b32 a){.reg .b32 %r; ld.param.u32 %r, [b]; ret;}\n.entry k(){ret;}",
    kHeader + ".func g();\n.func f(){call g,(); ret;}\n.entry k(){ret;}",
    kHeader + ".entry k() .reqntid 32,1,1,1 {ret;}",
    kHeader + ".entry k() .noreturn {ret;}",
    kHeader + ".func f() .maxntid 32 {ret;}",
    kHeader + ".entry k(.param .b8 p[32765]){ret;}",
    ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .b8 p[4353]){ret;}",
};

TEST(Rejection, WrongStatementsAreRefusedWithTheirLine) {
  for (const auto& list : {kStatements, kSyntax}) {
    for (const std::string& statement : list) {
      std::uint32_t line = 0;
      bool unsupported = false;
      const std::string said = verdict(kernel(statement), &line, &unsupported);
      EXPECT_NE(said, "") << statement << " is taken";
      EXPECT_FALSE(unsupported) << statement << ": " << said;
      const bool whole = statement.starts_with(".shared") || statement.starts_with("/*");
      if (!said.empty() && !whole) {
        EXPECT_GE(line, kBodyLine) << statement << ": " << said;
        EXPECT_LE(line, kBodyLine + 1) << statement << ": " << said;
      }
    }
  }
  EXPECT_GE(kStatements.size() + kSyntax.size() + kTexts.size(), 150U);
}

TEST(Rejection, WrongTextsAreRefused) {
  for (const std::string& text : kTexts) {
    bool unsupported = false;
    EXPECT_NE(verdict(text, nullptr, &unsupported), "") << text << " is taken";
    EXPECT_FALSE(unsupported) << text;
  }
}

TEST(Rejection, TheAssemblerAgrees) {
  if (!have_ptxas()) GTEST_SKIP() << "no ptxas";
  for (const auto& list : {kStatements, kSyntax}) {
    for (const std::string& statement : list)
      EXPECT_FALSE(ptxas_takes(kernel(statement))) << statement;
  }
  for (const std::string& text : kTexts) EXPECT_FALSE(ptxas_takes(text)) << text;
}

// PTX ISA 8.8, ld and st: .v8 is of .b32, .u32, .s32 and .f32, in global memory from sm_100 on.
// ptxas 13.0 itself crashes on other types.
TEST(Rejection, VectorsOfEightHaveElementsOfFourBytes) {
  const auto text = [](const std::string& type) {
    return ".version 9.0\n.target sm_100\n.address_size 64\n"
           ".visible .entry k(.param .u64 p) {\n.reg .b64 %rd<2>; .reg .b16 %h<9>;\n"
           ".reg .b32 %r<9>; ld.param.u64 %rd1, [p];\nld.global.v8." +
           type + ", [%rd1]; ret; }";
  };
  EXPECT_EQ(verdict(text("b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}")), "");
  for (const char* narrow : {"b8", "u8", "b16", "s16"}) {
    EXPECT_THAT(verdict(text(narrow + std::string(" {%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8}"))),
                testing::HasSubstr(".v8"))
        << narrow;
  }
}

TEST(Rejection, NothingGrowsWithoutEnd) {
  const auto many = [](const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
  };
  EXPECT_NE(verdict(kernel(many("{", 100000))), "");
  EXPECT_NE(verdict(kernel("mov.u32 %r1, " + many("(", 100000) + "1")), "");
  EXPECT_NE(verdict(kernel("mov.u32 %r1, " + many("-", 100000) + "1")), "");
  EXPECT_NE(verdict(kernel("mov.u32 %r1, " + many("1?", 100000) + "1")), "");
  EXPECT_NE(verdict(kernel("mov.b64 %rd1, " + many("{", 100000))), "");
  EXPECT_NE(verdict(kernel("mov.u32 %r1" + many(", %r1", 100000))), "");
  EXPECT_NE(verdict(kernel("T: .branchtargets A" + many(", A", 100000) + "; A: brx.idx %r1, T")),
            "");
  EXPECT_NE(verdict(kHeader + ".global .b8 x[" + many("1][", 1000) + "18446744073709551615];"), "");
  EXPECT_NE(verdict(kHeader + ".global .b8 x[4][4294967296][4294967296];"), "");
  EXPECT_NE(verdict(kHeader + ".global .b8 x[274877906944];"), "");
  EXPECT_NE(verdict(kHeader + ".global .b8 x[1] = " + many("{", 100000)), "");
  EXPECT_NE(verdict(kernel(".local .b8 l[4000000000]")), "");
  EXPECT_NE(verdict(kHeader + ".entry k(" + many(".param .b64 p, ", 10000) + ".param .b8 q){ret;}"),
            "");
}

}  // namespace
}  // namespace warpmark::cpu
