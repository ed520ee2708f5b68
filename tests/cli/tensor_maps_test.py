# Tensor maps as arguments: what boxes kernels get, what the driver would refuse, and the shipped suites.
import json
import shutil
import unittest

from assignment import GradeTest
from program import SOURCE, CheckTest, gpu_is_there

# One box, as it lies in shared memory, at coordinates in the driver's order: x first.
FETCH = r"""
#include <cuda.h>
extern "C" __global__ void fetch(const __grid_constant__ CUtensorMap map, unsigned char *out, int x, int y) {
  __shared__ alignas(1024) unsigned char box[BYTES];
  __shared__ unsigned long long bar;
  unsigned b = (unsigned)__cvta_generic_to_shared(&bar), to = (unsigned)__cvta_generic_to_shared(box);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(b) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(b), "r"(BYTES) : "memory");
#if RANK == 1
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];"
                 :: "r"(to), "l"(&map), "r"(x), "r"(b) : "memory");
#elif RANK == 2
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(to), "l"(&map), "r"(x), "r"(y), "r"(b) : "memory");
#else
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %4, %4}], [%5];"
                 :: "r"(to), "l"(&map), "r"(x), "r"(y), "r"(0), "r"(b) : "memory");
#endif
  }
  __syncthreads();
  for (int done = 0; !done;)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(b) : "memory");
  for (int i = threadIdx.x; i < BYTES; i += blockDim.x) out[i] = box[i];
}
struct alignas(64) Other { unsigned long long opaque[16]; };
struct Loose { unsigned long long opaque[16]; };
extern "C" __global__ void other(const __grid_constant__ Other map, unsigned char *out, int, int) { out[0] = 0; }
extern "C" __global__ void loose(const __grid_constant__ Loose map, unsigned char *out, int, int) { out[0] = 0; }
extern "C" __global__ void pointer(const CUtensorMap *map, unsigned char *out, int, int) { out[0] = 0; }
extern "C" __global__ void few(float map, unsigned char *out, int, int) { out[0] = 0; }
"""
REFERENCE = """import numpy as np

def boxed(x, elements):
    return np.ascontiguousarray(elements).view(np.uint8).reshape(-1)

# The 16-byte chunks of a span change places, by the number of the row of 128 bytes that they lie in.
def swizzled(elements, span):
    bytes = np.ascontiguousarray(elements).view(np.uint8).reshape(-1)
    out = np.zeros_like(bytes)
    for at in range(0, bytes.size, 16):
        to = at ^ ((at >> 7 & (span // 16 - 1)) << 4)
        out[to:to + 16] = bytes[at:at + 16]
    return out

def parted(x, swizzle):
    return boxed(x, x[:16, :8]) if swizzle == "none" else swizzled(x[:16, :8], int(swizzle[:-1]))
"""


class TensorMaps(CheckTest):
    DEVICE = "cpu"

    def check(self, *arguments, **options):
        return super().check(*arguments, **{"device": self.DEVICE, **options})

    def suite(self, tensor, array, box, at=(0, 0), bytes=512, rank=2, entry="fetch", axes="", more="", launch=""):
        """`tensor` has the map's keys, `array` those of x; `box` is NumPy, the elements that a copy brings."""
        self.write("suites/k.cu", FETCH)
        self.write("suites/r.py", REFERENCE)
        self.write("suites/t.yaml", """warpmark: 1
kernel: {file: k.cu, entry: %s, define: {BYTES: "%s", RANK: %d}}
%sarguments:
  map: {tensor_map: x, %s}
  out: {out: "%s", dtype: uint8}
  x: {%s}
launch:
  - {entry: %s, arguments: [map, out, {value: "%s"}, {value: "%s"}]%s, block: 128}
reference:
  out: %s
%s""" % (entry, bytes, rank, axes, tensor, bytes, array, entry, *at, launch, box, more))

    def fails(self, *texts, code=1):
        out, errors = self.check(code=code)
        for text in texts:
            self.assertIn(text, out + errors)

    FLOATS = 'in: "rng.standard_normal((40, 24))", dtype: float32'

    def test_axes_are_in_the_order_of_numpy(self):
        self.suite("box: [16, 8]", self.FLOATS, '"x[3:19, 4:12].copy().view(np.uint8).reshape(-1)"', at=(4, 3))
        self.check()

    def test_swizzles(self):
        self.suite("box: [16, 8], swizzle: swizzle", 'in: "rng.integers(0, 2**31, (40, 24))", dtype: int32',
                   '{function: "r.py:parted"}', axes='axes: {swizzle: [none, "\'32B\'"]}\n')
        self.check()
        for span, width in (("64B", 16), ("128B", 32)):
            self.suite(f"box: [8, {width}], swizzle: {span}", 'in: "rng.random((8, 32))", dtype: float32',
                       '{function: "r.py:spans"}', bytes=8 * width * 4)
            self.write("suites/r.py", REFERENCE + f"\ndef spans(x):\n    return swizzled(x[:, :{width}], {span[:-1]})\n")
            self.check()

    def test_elements(self):
        for dtype, width in (("int8", 32), ("uint16", 16), ("float16", 16), ("bfloat16", 16), ("uint32", 8), ("int32", 8),
                             ("int64", 4), ("float64", 4), ("complex64", 4)):
            with self.subTest(dtype):
                value = "rng.integers(0, 100, (16, 32))"
                self.suite(f"box: [16, {width}]", f'in: "{value}", dtype: {dtype}', '{function: "r.py:taken"}', bytes=512)
                # NumPy has no bfloat16: x is float32 there, of which it is the upper half.
                upper = "x = (x.view(np.uint32) >> 16).astype(np.uint16)\n    " if dtype == "bfloat16" else ""
                self.write("suites/r.py", REFERENCE + f"\ndef taken(x):\n    {upper}return boxed(x, x[:, :{width}])\n")
                self.check()

    def test_steps_between_elements(self):
        self.suite("box: [16, 8], element_strides: [2, 1]", self.FLOATS, '{function: "r.py:rows"}', bytes=256)
        self.write("suites/r.py", REFERENCE + "\ndef rows(x):\n    return boxed(x, x[:16:2, :8])\n")
        self.check()

    def test_what_lies_outside(self):
        for fill, value in (("zero", "0"), ("nan", "None")):
            self.suite(f"box: [16, 8], fill: {fill}", self.FLOATS, '{function: "r.py:beyond"}', at=(20, -1))
            self.write("suites/r.py", REFERENCE + f"""
def beyond(x):
    all = np.full((16, 8), 0, np.float32)
    all.view(np.uint32)[...] = {value if fill == "zero" else "0x7ff77ff7"}
    all[1:, :4] = x[:15, 20:]
    return boxed(x, all)
""")
            self.check()

    def test_rows_with_a_pitch_and_elements_in_front(self):
        array = 'in: "rng.standard_normal((40, 10))", dtype: float32, pitch: 48, offset: 4'
        box = '"np.pad(x[:16], ((0, 0), (0, 2)))[:, 4:].copy().view(np.uint8).reshape(-1)"'
        self.suite("box: [16, 8]", array, box, at=(4, 0))
        self.check()
        self.suite("box: [16, 8]", array.replace("offset: 4", "offset: 1"), box)
        self.fails("t.yaml:4:3: error: the tensor map `map`: a tensor begins at a multiple of 16 bytes, and the array's "
                   "first element is 4 bytes behind one", "change the `offset`")

    def test_other_shapes(self):
        # Windows that overlap: row i begins 4 elements behind row i - 1.
        self.suite("box: [8, 16], shape: [x.size // 4 - 4, 16], strides: [16]", 'in: "rng.standard_normal(240)", dtype: float32',
                   '{function: "r.py:windows"}')
        self.write("suites/r.py", REFERENCE + "\ndef windows(x):\n    return boxed(x, [x[4 * i:4 * i + 16] for i in range(8)])\n")
        self.check()
        self.suite("box: [16, 4], shape: [40, 12], dtype: uint64", self.FLOATS, '"x[:16, :8].copy().view(np.uint8).reshape(-1)"')
        self.check()
        self.suite("box: [16, 4], dtype: uint64", self.FLOATS, "0 * x")
        self.fails("t.yaml:4:45: error: the tensor map `map`: its elements are uint64 of 8 bytes, and those of `x` float32 of 4",
                   "add `shape`, in elements of the map")
        self.suite("box: [16, 8], shape: [41, 24]", self.FLOATS, "0 * x")
        self.fails("the tensor map `map`: the tensor takes 3936 bytes, and `x` has 3840")

    def test_one_axis_and_five(self):
        self.suite("box: [128]", 'in: "rng.standard_normal(400)", dtype: float32', '"x[8:136].copy().view(np.uint8)"', at=(8, 0), rank=1)
        self.check()
        self.suite("box: [2, 2, 2, 2, 8]", 'in: "rng.standard_normal((3, 3, 3, 3, 8))", dtype: float32', '{function: "r.py:five"}',
                   at=(0, 1), rank=5)
        self.write("suites/r.py", REFERENCE + "\ndef five(x):\n    return boxed(x, x[:2, :2, :2, 1:])\n")
        self.check()

    def test_sizes_may_depend_on_the_device_and_the_array(self):
        self.suite('box: [device.warp_size // 2, "x.shape[1] // 3"], element_strides: [1, device.warp_size // 32]', self.FLOATS,
                   '"x[:16, :8].copy().view(np.uint8).reshape(-1)"')
        out, _ = self.run_program("plan", "suites")
        self.assertIn('{"arithmetic": "device.warp_size // 2", "at": "/arguments/0/tensor_map/box/0"}', out)
        self.check()
        self.check("suites", "--in-process")

    def test_benchmarks_restore_and_repeat(self):
        self.suite("box: [16, 8]", self.FLOATS, '"x[:16, :8].copy().view(np.uint8).reshape(-1)"')
        self.run_program("bench", "suites", "--device", self.DEVICE)

    def test_a_swapped_array_takes_its_map_along(self):
        self.write("suites/k.cu", (SOURCE / "suites/tensor_maps/tile.cu").read_text())
        self.write("suites/t.yaml", """warpmark: 1
kernel: {file: k.cu, entry: transpose}
arguments:
  source: {tensor_map: x, box: [32, 32]}
  target: {tensor_map: y, box: [32, 32]}
  x: {inout: "rng.standard_normal((64, 64))", dtype: float32}
  y: {inout: "np.zeros((64, 64))", dtype: float32}
launch:
  - {entry: transpose, arguments: [source, target], block: 256, grid: [2, 2], repeat: 3, swap: [x, y]}
reference: {x: x.T, y: x}
""")
        out, _ = self.run_program("plan", "suites")
        self.assertIn('"arguments": ["source of y", "target of x"]', out)
        self.check()

    def test_the_rules_of_the_driver(self):
        for tensor, array, message in (
                ("box: [257, 8]", self.FLOATS, "a box has 1 to 256 elements along an axis, and 257 along axis 0"),
                ("box: [0, 8]", self.FLOATS, "a box has 1 to 256 elements along an axis, and 0 along axis 0"),
                ("box: [16, 6]", self.FLOATS, "the last axis of a box takes a multiple of 16 bytes, and 6 elements of float32 take 24"),
                ("box: [16, 16], swizzle: 32B", self.FLOATS,
                 "with a swizzle of 32 bytes the last axis of a box takes at most as many, and 16 elements of float32 take 64"),
                ("box: [256, 256]", self.FLOATS, "a box takes less than 262144 bytes, and this one 262144"),
                ("box: [16, 8], element_strides: [9, 1]", self.FLOATS, "an element stride is 1 to 8, and that of axis 0 is 9"),
                ("box: [16, 8], fill: nan", 'in: "np.ones((40, 24), np.int32)", dtype: int32',
                 "only floats are filled with NaN, and the elements are int32"),
                ("box: [16, 8]", 'in: "np.ones((40, 25))", dtype: float32', "strides are multiples of 16 below 2**40, and from one "
                 "element to the next along axis 0 there are 100 bytes"),
                ("box: 8", self.FLOATS, "`box` has 1 number, and the tensor 2 axes"),
                ("box: [1, 1, 1, 1, 1, 16]", 'in: "np.ones((1, 1, 1, 1, 1, 16))", dtype: float32',
                 "a tensor map has 1 to 5 axes, and the tensor 6"),
                ("box: [16, 8]", 'in: "np.ones((0, 24))", dtype: float32', "a tensor has 1 to 2**32 elements along an axis, and 0 along axis 0"),
                ("box: [16, 8], strides: [96, 4]", self.FLOATS, "`strides` has 2 numbers, and the tensor 2 axes"),
                ("box: [16, 8], interleave: 16B", self.FLOATS, "an interleaved tensor has 3 to 5 axes, and this one 2"),
                ("box: [1, 16, 8], interleave: 32B", 'in: "np.ones((1, 40, 24))", dtype: float32',
                 "with `interleave: 32B` the swizzle is 32B, too"),
                ("box: [16]", 'in: "np.ones(40)", dtype: complex128', "no tensor map has elements of complex128, which `x` has")):
            with self.subTest(tensor):
                self.suite(tensor, array, "0 * x")
                self.fails("the tensor map `map`: " + message, "t.yaml:4:")

    def test_parameters_that_are_no_tensor_map(self):
        # A struct of the same size and alignment is as good as CUtensorMap.
        self.suite("box: [16, 8]", self.FLOATS, '"np.zeros(512, np.uint8)"', entry="other", more="tolerance: exact\n")
        self.fails("elements of `out`")
        for entry, text in (("loose", "`Loose`, aligned to 8 bytes and not to 64: loose("),
                            ("pointer", "`CUtensorMap_st const*`: pointer("), ("few", "`float`: few(")):
            self.suite("box: [16, 8]", self.FLOATS, "0 * x", entry=entry)
            self.fails("t.yaml:4:3: error: argument `map` is a tensor map, and the kernel takes " + text,
                       "its parameter is `const __grid_constant__ CUtensorMap`")

    def test_devices_without_tensor_maps_skip(self):
        self.suite("box: [16, 8]", self.FLOATS, "0 * x")
        if self.DEVICE != "cpu":
            self.skipTest("a GPU has what it has")
        out, errors = self.check(code=77, env={**self.environment, "WARPMARK_CPU_CAPABILITY": "8.0"})
        self.assertIn("takes tensor maps, which Warpmark CPU device does not have", out + errors)
        self.suite("box: [1, 16, 8], interleave: 16B", 'in: "np.ones((1, 40, 24))", dtype: float32', "0 * x")
        out, errors = self.check(code=77)
        self.assertIn("interleaved tensors are not implemented on this device", out + errors)
        self.assertIn("skipped", out + errors)

    def planted(self, suite, old, new, *texts):
        """A suite that is shipped, with a mistake in its kernel."""
        if not (self.folder / "suites/tile.cu").exists():
            shutil.copytree(SOURCE / "suites/tensor_maps", self.folder / "suites", dirs_exist_ok=True)
        text = (SOURCE / "suites/tensor_maps/tile.cu").read_text()
        self.assertIn(old, text)
        self.write("suites/tile.cu", text.replace(old, new))
        out, errors = self.check("suites/%s.yaml" % suite, "--checks", "all", code=1)
        for one in texts:
            self.assertIn(one, out + errors)

    def test_planted_mistakes(self):
        if self.DEVICE != "cpu":
            self.skipTest("a GPU reports none of them")
        self.planted("transpose", '  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");\n', "", "race")
        self.planted("transpose", "  wait(&arrived, 0);\n  for", "  for", "race")
        self.planted("transpose", "(column / 4) ^ (row % 8)", "(column / 4) ^ (row % 4)", "swizzle=128B", "elements of `y` are wrong")
        self.planted("transpose", "store(&target, y, x, out)", "store(&target, x, y, out)", "`y`")
        self.planted("sum_of_nine", "x - kChunk, y - 1, box", "x - kChunk, y, box", "`sums`")
        self.planted("sum_of_nine", "i < 3", "i < 2", "`sums`")


class Graded(GradeTest):
    """Behind the walls, where the worker that runs a submission encodes the maps."""

    def test_a_transpose(self):
        tile = (SOURCE / "suites/tensor_maps/tile.cu").read_text()
        suite = (SOURCE / "suites/tensor_maps/transpose.yaml").read_text()
        self.write("suites/tile.cu", tile)
        self.write("suites/transpose.yaml", suite)
        self.write("hw1.yaml", """warpmark: 1
assignment: hw1
title: Transpose
suite: suites/transpose.yaml
cases:
  - {name: plain, points: 2, axes: {swizzle: [none], rows: [32], columns: [96]}}
  - {name: swizzled, points: 3, axes: {swizzle: ["'128B'"], rows: [100], columns: [1004]}}
limits: {instructions: 4e9, timeout_s: 60}
""")
        for student, text in (("ada", tile), ("bob", tile.replace("(row % 8)", "(row % 4)").replace("store(&target, y, x, out)", "store(&target, y, x, in)")),
                              ("eve", tile.replace("const __grid_constant__ CUtensorMap target", "float target"))):
            self.write("class/%s/tile.cu" % student, text)
        self.run_program(*[one for one in self.arguments() if one != "--no-sandbox"])
        self.assertEqual([self.result(one)["points"] for one in ("ada", "bob", "eve")], [5, 0, 0])
        feedback = json.dumps(self.result("eve"))
        self.assertIn("CUtensorMap", feedback)


class OnGpu(TensorMaps):
    """The same on a GPU, where there is one."""
    DEVICE = "gpu"

    def setUp(self):
        super().setUp()
        if not gpu_is_there():
            self.skipTest("there is no GPU")


if __name__ == "__main__":
    unittest.main()
