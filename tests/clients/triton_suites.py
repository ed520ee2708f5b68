#!/usr/bin/env python3
"""The suites of examples/triton on the CPU device: right as they are, and each with mistakes that must be found.

triton_suites.py PROGRAM ROOT [TEST...]

77: skipped, because there is no Triton (tests/support/languages.py).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import NamedTuple

from fetched import environment_with, reason, skip

PROGRAM = ROOT = ENVIRONMENT = None


class Mistake(NamedTuple):
    suite: str
    case: str  # a pattern; the first case that has it is checked
    old: str  # a part of the suite's Python file, and what is there in its place
    new: str
    said: str  # {line}: that of `new` in the file
    at: str = ""  # the statement that `line` is of, if it is another


# Instructions that Triton puts beside products of warpgroups and tensor maps, and what is said where they are left out.
AHEAD, BOXES = "matmul_ahead.warps=4,k=32,m=200,n=144", "matmul_boxes.warps=4,k=208,m=200,n=144,programs=4"
LEFT_OUT = [
    (AHEAD, "wgmma.wait_group",
     "matmul_ahead.py:24: error: race: a register of wgmma's result is read before wgmma.wait_group has waited for it"),
    (AHEAD, "wgmma.fence", "matmul_ahead.py:21: error: race: a warp's first wgmma.mma_async has no wgmma.fence before it"),
    (BOXES, "fence.proxy.async.shared::cta", "neither fence.proxy.async nor fence.mbarrier_init lies between the two"),
    (BOXES, "fence.proxy.tensormap", "fence.proxy.tensormap"),
    (BOXES, "cp.async.bulk.wait_group.read", "race: "),
]
MISTAKES = [
    # Masks that let one element more pass, or all.
    Mistake("vector_add", "float32,n=1000", "inside = i < n\n", "inside = i <= n\n",
            "vector_add.py:{line}: error: out-of-bounds global read of 4 bytes at x[1000]", at="total = "),
    Mistake("vector_add", "float16,n=999", "tl.store(out + i, total, mask=inside)", "tl.store(out + i, total)",
            "vector_add.py:{line}: error: out-of-bounds global write"),
    # Blocks that overlap write the same values there, and leave the last elements out.
    Mistake("vector_add", "float32,n=4096", "tl.program_id(0) * BLOCK", "tl.program_id(0) * (BLOCK - 1)",
            "elements of `out` were never written"),
    # The neutral element of the greatest value is not 0.
    Mistake("fused_softmax", "columns=5,", 'other=-float("inf")', "other=0.0", "elements of `out` are wrong"),
    # Rows as if there was no gap between them, and what is in the gap.
    Mistake("fused_softmax", "rows=23,columns=781", "row * x_stride", "row * columns",
            "fused_softmax.py:{line}: error: a value from uninitialised global memory", at="tl.store("),
    Mistake("fused_softmax", "rows=23,columns=781", ', mask=inside, other=-float("inf")', "",
            "fused_softmax.py:{line}: error: out-of-bounds global read of 16 bytes at x["),
    # Two programs, one row.
    Mistake("fused_softmax", "rows=23,columns=128", "out + row * out_stride", "out + row // 2 * out_stride",
            "fused_softmax.py:{line}: error: race: write after write of 4 bytes of global memory at out["),
    Mistake("matmul", "m=130,.*transposed=0", "p[None, :] * a_column", "p[None, :] * a_row",
            "matmul.py:{line}: error: out-of-bounds global read of 2 bytes at a[6500]"),
    # The product is right all the same, as b has zeros there.
    Mistake("matmul", "m=130,.*transposed=0", "(i[:, None] < m) & (p[None, :] < k), other=0)", "i[:, None] < m, other=0)",
            "matmul.py:{line}: error: out-of-bounds global read of 2 bytes at a[6500]"),
    Mistake("matmul", "m=130,.*transposed=0", "height = min(tl.cdiv(m, M) - first, GROUP)", "height = GROUP",
            "elements of `c` were never written"),
    Mistake("matmul", "m=130,.*transposed=1", "sums = tl.dot(left, right, sums)", "sums = tl.dot(left, right)",
            "elements of `c` are wrong"),
    # The columns of a behind the last one are multiplied by zeros; rows of b that are none.
    Mistake("matmul_ahead", "warps=4,k=208", "tl.load(left, mask=there[None, :], other=0.0)", "tl.load(left)",
            "matmul_ahead.py:{line}: error: out-of-bounds global read of 16 bytes at a[41600]"),
    Mistake("matmul_ahead", "warps=8,k=208", "right += K * b_row", "right += K", "elements of `c` are wrong"),
    # A tile that nobody computes, or two of one place; maps with more rows or columns than the matrix, or fewer.
    Mistake("matmul_boxes", "warps=4,k=64", "tl.range(tl.program_id(0),", "tl.range(tl.program_id(0) + 1,",
            "elements of `c` were never written"),
    Mistake("matmul_boxes", "warps=4,k=64", "result.store([i, j],", "result.store([j, i],",
            "matmul_boxes.py:{line}: error: race: write after write of 16 bytes of global memory at c["),
    Mistake("matmul_boxes", "warps=8,k=64", "(c, shape=[m, n]", "(c, shape=[m + 8, n]",
            "matmul_boxes.py:{line}: error: out-of-bounds global write of 2 bytes at c[28864]", at="result.store("),
    Mistake("matmul_boxes", "warps=8,k=208", "(b, shape=[n, k]", "(b, shape=[n, k + 16]",
            "matmul_boxes.py:{line}: error: out-of-bounds global read of 2 bytes at b[29952]", at="sums = tl.dot("),
    Mistake("matmul_boxes", "warps=4,k=208", "(a, shape=[m, k]", "(a, shape=[m, k - 8]", "elements of `c` are wrong"),
    # All programs leave out the same places; the numbers are those of other elements; nothing is scaled.
    Mistake("low_memory_dropout", "n=4096,share=0.5,seed=7", "tl.rand(seed, i)", "tl.rand(seed, tl.arange(0, BLOCK))",
            "elements of `out` are wrong"),
    Mistake("low_memory_dropout", "n=1000,share=0.5,seed=7", "tl.rand(seed, i)", "tl.rand(seed, i + 1)", "elements of `out` are wrong"),
    Mistake("low_memory_dropout", "n=1000,share=0.1,seed=12", "values / (1 - share)", "values", "elements of `out` are wrong"),
    # Columns that are not there count as 0 for the variance; sums begin at 1.
    Mistake("layer_norm", "columns=300", "distance = tl.where(inside, tl.load(x + start + column, mask=inside, other=0.0) - mean, 0.0)",
            "distance = tl.load(x + start + column, mask=inside, other=0.0) - mean", "elements of `y` are wrong"),
    Mistake("layer_norm", "rows=9,columns=256", "sums = tl.zeros((BLOCK,), tl.float32)", "sums = tl.full((BLOCK,), 1.0, tl.float32)",
            "elements of `means` are wrong"),
    Mistake("layer_norm", "columns=50", "tl.load(bias + start + column, mask=inside)", "tl.load(bias + start + column)",
            "layer_norm.py:{line}: error: out-of-bounds global read of 4 bytes at bias[50]"),
    # No lock; a lock that is given back by a plain store; a mark that is set before all threads have read it.
    Mistake("layer_norm_backward", "rows=11", "    while tl.atomic_cas(locks + group, 0, 1) == 1:\n        pass\n", "", "race: "),
    Mistake("layer_norm_backward", "rows=11", "tl.atomic_xchg(locks + group, 0)", "tl.store(locks + group, 0)", "race: "),
    Mistake("layer_norm_backward", "rows=11", "tl.debug_barrier()  # All threads of the program have read", "#",
            "global memory at used["),
    # The first program of a group adds to what nobody has written.
    Mistake("layer_norm_backward", "rows=4", "if seen == 1:", "if seen < 2:",
            "layer_norm.py:{line}: error: step 3, `backward`: a value from uninitialised global memory (part_dw)", at="tl.store(part_dw"),
    # The sums so far stay relative to an older greatest score.
    Mistake("fused_attention", "causal=0,heads=1,n=100", "sums * change[:, None])", "sums)", "elements of `out` are wrong"),
    Mistake("fused_attention", "causal=0,heads=1,n=100", "total * change + ", "total + ", "elements of `totals` are wrong"),
    # A key of the same place is hidden; keys that are not there count as zeros.
    Mistake("fused_attention", "causal=1,heads=1,n=50", "key[None, :] <= query[:, None]", "key[None, :] < query[:, None]",
            "elements of `out` are wrong"),
    Mistake("fused_attention", "causal=0,heads=2,n=50", "seen = there[None, :]", "seen = key[None, :] >= 0", "elements of `out` are wrong"),
    # The powers of these keys are 0.
    Mistake("fused_attention", "causal=0,heads=2,n=50", "mask=there[:, None], other=0)", "mask=key[:, None] >= 0, other=0)",
            "fused_attention.py:{line}: error: out-of-bounds global read"),
]


def find_environment():
    """The virtual environment that has Triton."""
    return environment_with("triton") or skip(reason("triton"))


def environment_for(virtual, home):
    """The variables of a run: nothing of the caller's Python and Triton, and a cache of its own."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("WARPMARK_CPU", "WARPMARK_PYTHON", "TRITON", "PYTHON"))}
    return {**kept, "VIRTUAL_ENV": str(virtual), "HOME": str(home), "TRITON_CACHE_DIR": str(home) + "/cache"}


class Suites(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="warpmark-triton-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name) / "triton"
        shutil.copytree(ROOT / "examples/triton", self.folder, ignore=shutil.ignore_patterns("__pycache__"))
        self.environment = environment_for(ENVIRONMENT, holder.name)

    def run_program(self, *words, code=0):
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, check=False, capture_output=True, text=True, env=self.environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def suites(self):
        return sorted(path.stem for path in self.folder.glob("*.yaml"))

    def test_all_are_right(self):
        for suite in self.suites():
            with self.subTest(suite):
                self.assertRegex(self.run_program("check", suite + ".yaml", "--device", "cpu"), r"(?m)^\d+ passed in ")

    def compiled(self, case):
        """The PTX of a right case, which it is checked with, and the folder that Triton has left it in."""
        folder = self.folder.parent / ("dump-" + case)
        self.environment.update(TRITON_KERNEL_DUMP="1", TRITON_DUMP_DIR=str(folder))
        self.run_program("check", case.partition(".")[0] + ".yaml", "--device", "cpu", "--case", case)
        for name in ("TRITON_KERNEL_DUMP", "TRITON_DUMP_DIR"):
            del self.environment[name]
        (path,) = folder.glob("*/*.ptx")
        return path

    def test_products_are_of_warpgroups(self):
        for case, brought in ((AHEAD, "cp.async.cg.shared.global"), (AHEAD.replace("warps=4", "warps=8"), "cp.async.cg.shared.global"),
                              (BOXES, "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes")):
            text = self.compiled(case).read_text()
            self.assertRegex(text, r"wgmma\.mma_async\.sync\.aligned\.m64n\d+k16\.f32\.f16\.f16")
            self.assertIn(brought, text)

    def test_what_is_left_out_is_missed(self):
        paths = {case: self.compiled(case) for case in (AHEAD, BOXES)}
        for number, (case, instruction, said) in enumerate(LEFT_OUT):
            with self.subTest("without " + instruction):
                path = paths[case]
                over = self.folder.parent / ("over%d" % number)
                (over / path.parent.name).mkdir(parents=True)
                text, count = re.subn(r"(?m)^\s*(@%%p\d+ )?%s\b.*\n" % re.escape(instruction), "", path.read_text())
                self.assertGreater(count, 0)
                (over / path.parent.name / path.name).write_text(text)
                self.environment.update(HOME=str(over), TRITON_CACHE_DIR=str(over / "cache"), TRITON_KERNEL_OVERRIDE="1",
                                        TRITON_OVERRIDE_DIR=str(over))
                out = self.run_program("check", case.partition(".")[0] + ".yaml", "--device", "cpu", "--case", case, code=1)
                self.assertIn(said, out)

    def test_lint_finds_nothing(self):
        for suite in self.suites():
            with self.subTest(suite):
                self.assertIn("no problems", self.run_program("lint", suite + ".yaml"))

    def test_each_has_a_mistake(self):
        self.assertEqual(sorted({one.suite for one in MISTAKES}), self.suites())

    def test_mistakes_are_found(self):
        for one in MISTAKES:
            with self.subTest("%s: %s" % (one.suite, one.new.strip())):
                name = re.search(r"triton: (\S+\.py):", (self.folder / (one.suite + ".yaml")).read_text()).group(1)
                file = self.folder / name
                right = file.read_text()
                start = right.find(one.old)
                self.assertGreaterEqual(start, 0, "the file has no such text: " + one.old)
                wrong = right.replace(one.old, one.new, 1)
                start = wrong.find(one.at, start) if one.at else start
                file.write_text(wrong)
                try:
                    cases = self.run_program("list", one.suite + ".yaml").split()
                    case = next(word for word in cases if re.search(one.case, word))
                    out = self.run_program("check", one.suite + ".yaml", "--device", "cpu", "--case", case, code=1)
                finally:
                    file.write_text(right)
                self.assertIn(one.said.format(line=wrong.count("\n", 0, start) + 1), out)


if __name__ == "__main__":
    PROGRAM, ROOT = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    ENVIRONMENT = find_environment()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
