# Kernel arguments other than arrays of plain numbers: structs, vectors, complex numbers, narrow floats, textures,
# variables of the module, pointers.
import unittest

from program import CheckTest, gpu_is_there

KERNELS = """
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
struct Inner { short x; double y; };
struct Particle { float3 position; Inner inner; int id[2]; };
struct Params { float scale; int n; };
__constant__ float table[16];
__device__ int hits;
namespace ns { __device__ double state[2]; }
extern "C" __global__ void move(Particle *p, Params q) {
  int i = threadIdx.x;
  if (i < q.n) { p[i].position.x *= q.scale; p[i].inner.y += 1; p[i].id[1] += p[i].id[0]; }
}
extern "C" __global__ void add(const float4 *a, float4 b, float4 *c) {
  float4 x = a[threadIdx.x];
  c[threadIdx.x] = make_float4(x.x + b.x, x.y + b.y, x.z + b.z, x.w + b.w);
}
extern "C" __global__ void product(const cuFloatComplex *a, cuFloatComplex s, cuFloatComplex *c) {
  c[threadIdx.x] = cuCmulf(a[threadIdx.x], s);
}
extern "C" __global__ void brain(const __nv_bfloat16 *a, __nv_bfloat16 *c) {
  c[threadIdx.x] = __float2bfloat16(1.5f * __bfloat162float(a[threadIdx.x]));
}
extern "C" __global__ void eight(const __nv_fp8_e4m3 *a, __nv_fp8_e5m2 *c) {
  c[threadIdx.x] = __nv_fp8_e5m2(2.0f * float(a[threadIdx.x]));
}
extern "C" __global__ void look(const int *i, float *y, const float *bias) {
  y[threadIdx.x] = table[i[threadIdx.x]] + (bias ? *bias : 0.0f);
  atomicAdd(&hits, 1);
  if (threadIdx.x == 0) ns::state[1] = 2 * ns::state[0];
}
extern "C" __global__ void gather(const float *const *rows, float *out) {
  out[threadIdx.x] = rows[0][threadIdx.x] + rows[2][threadIdx.x] + (rows[1] ? 1 : 0);
}
extern "C" __global__ void sample(cudaTextureObject_t t, float *out) {
  out[blockIdx.x * 16 + threadIdx.x] = tex2D<float>(t, (threadIdx.x + 0.5f) / 16 + 1, (blockIdx.x + 0.5f) / 8);
}
extern "C" __global__ void shades(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1D<float>(t, threadIdx.x + 0.5f); }
extern "C" __global__ void draw(cudaSurfaceObject_t s) {
  surf2Dwrite(make_uchar4(threadIdx.x, blockIdx.x, 7, 255), s, threadIdx.x * 4, blockIdx.x);
}
"""

TYPES = """types:
  Inner: {x: int16, y: float64}
  Particle: {position: float3, inner: Inner, id: [int32, 2]}
  Params: {scale: float, n: int}
"""
PARTICLES = ("  p: {inout: \"dict(position=rng.random((9, 3)), inner=dict(x=np.arange(9), y=np.ones(9)), "
             "id=rng.integers(0, 9, (9, 2)))\"}\n")
INNER = PARTICLES.replace("inner=dict(x=np.arange(9), y=np.ones(9))",
                          "inner=np.array([(i, 1) for i in range(9)], [('x', 'i2'), ('y', 'f8')])")
MOVED = """
def moved(p, q):
    r = p.copy()
    r["position"][:, 0] *= q["scale"]
    r["inner"]["y"] += 1
    r["id"][:, 1] += r["id"][:, 0]
    return r
"""


class Arguments(CheckTest):
    DEVICE = "cpu"

    def check(self, *arguments, **options):
        return super().check(*arguments, **{"device": self.DEVICE, **options})

    def suite(self, entry, arguments, reference, more="", block="32"):
        self.write("suites/k.cu", KERNELS)
        self.write("suites/r.py", MOVED)
        self.write("suites/t.yaml", "warpmark: 1\nkernel: {file: k.cu, entry: %s}\narguments:\n%s"
                   "launch: {block: %s}\nreference: %s\n%s" % (entry, arguments, block, reference, more))

    def fails(self, *texts):
        out, _ = self.check(code=1)
        for text in texts:
            self.assertIn(text, out)

    def structs(self, types=TYPES):
        self.suite("move", INNER + "  q: {scalar: \"(2, 9)\"}\n", '{p: {function: "r.py:moved"}}', types)

    def test_structs_by_value_and_in_arrays(self):
        self.structs()
        self.check()

    ROWS = """
extern "C" __global__ void rows(float *a, size_t pitch, int width, int past) {
  float *row = (float *)((char *)a + blockIdx.x * pitch);
  if (threadIdx.x < width + past) row[threadIdx.x] = 2 * row[threadIdx.x];
}
extern "C" __global__ void shifted(float4 *a, float4 *b) { *b = *a; }
extern "C" __global__ void tail(const float *a, float *b, int n) { if (threadIdx.x < n) b[threadIdx.x] = a[threadIdx.x]; }
"""

    def rows(self, image="inout: \"np.ones((4, 10))\"", pitch=64, past=0, launch="{grid: 4, block: 32}",
             more=""):
        self.write("suites/k.cu", self.ROWS)
        self.write("suites/t.yaml", """warpmark: 1
kernel: {file: k.cu, entry: rows}
arguments:
  a: {%s, pitch: %s%s}
  pitch: {scalar: %s}
  width: {scalar: 10}
  past: {scalar: %d}
launch: %s
reference: {a: 2 * a}
""" % (image, pitch, more, pitch, past, launch))

    def test_rows_with_a_pitch(self):
        for pitch in (40, 44, 64, 512):
            self.rows(pitch=pitch)
            self.check()
        self.rows(more=", offset: 3")
        self.check()
        self.rows(image="inout: \"np.ones((2, 2, 10))\"")
        self.check()

    def test_a_kernel_that_writes_between_rows_fails(self):
        for pitch in (44, 48, 64):
            self.rows(past=1, pitch=pitch)
            if self.DEVICE == "gpu":
                self.fails("the kernel wrote between the rows of `a`, where no elements are")
            else:
                self.fails("out-of-bounds global write of 4 bytes at a, 1 byte after row 0, where no elements are, by "
                           "thread (10,0,0) of block (0,0,0) and 3 more in rows at k.cu:4")

    def test_other_writes_around_rows(self):
        if self.DEVICE == "gpu":
            self.skipTest("a GPU does not know which thread it was")
        for more, store, words in (
                ("", "((float4 *)(row + 8))[0] = float4{}", "write of 16 bytes at a[8], of which 8 bytes are past the "
                                                            "end of row 0, where no elements are, by thread (0,0,0)"),
                (", offset: 4", "row[-1] = 0", "write of 4 bytes at a, 4 bytes before the first row"),
                ("", "atomicAdd(row + 12, 1.0f)", "write of 4 bytes at a, 9 bytes after row 0"),
                ("", "row[16 + 11] = 0", "write of 4 bytes at a, 5 bytes after row 1"),
                ("", "if (blockIdx.x == 2) ((float2 *)(row + 8))[1] = float2{}", "bytes at a, 1 byte after row 2"),
                ("", "if (blockIdx.x == 2) ((float4 *)(row + 8))[0] = float4{}", "write of 16 bytes at a[28], of which 8 bytes")):
            self.rows(more=more, launch="{grid: 3, block: 1}")
            self.write("suites/k.cu", self.ROWS.replace("if (threadIdx.x < width + past)", store + ";\n  if (false)"))
            self.fails(words)

    def test_a_kernel_that_reads_around_elements_reads_nothing(self):
        if self.DEVICE == "gpu":
            self.skipTest("a GPU does not know what is initialised")
        for offset, element in ((0, 10), (2, -1)):
            self.write("suites/k.cu", self.ROWS.replace("b[threadIdx.x] = a[threadIdx.x]",
                                                        "b[threadIdx.x] = a[%d]" % element))
            self.write("suites/t.yaml", """warpmark: 1
kernel: {file: k.cu, entry: tail}
arguments:
  a: {in: "np.ones((4, 10))", dtype: float32, pitch: 64, offset: %d}
  b: {out: 3}
  n: {scalar: 3}
launch: {block: 32}
reference: {b: np.ones(3)}
""" % offset)
            out, _ = self.check("--checks", "all", "suites", code=1)
            self.assertIn("uninitialised global memory (a)", out)

    def test_a_pitch_that_is_none(self):
        for pitch, words in ((36, "the pitch of `a` is 36 bytes, and a row has 10 elements of 4"),
                             (42, "the pitch of `a` is 42 bytes")):
            self.rows(pitch=pitch)
            self.fails(words, "t.yaml:4:3")

    def test_the_pattern_is_right_where_it_is_an_element(self):
        # 0xCBCBCBCB is what outputs hold before the launch, and 0x34343434 the second time.
        self.rows(image="inout: \"np.full((4, 10), 0xCBCBCBCB, 'u4').view('f4') / 2\"")
        self.check()

    def shifted(self, offset):
        self.write("suites/k.cu", self.ROWS)
        self.write("suites/t.yaml", """warpmark: 1
kernel: {file: k.cu, entry: shifted}
arguments:
  a: {in: "np.arange(4)", dtype: float32, offset: %s}
  b: {out: 4, dtype: float32}
launch: {block: 1}
reference: {b: a}
""" % offset)

    def test_an_offset_changes_the_alignment(self):
        self.shifted(4)
        self.check()
        self.shifted(1)
        self.fails("misaligned")

    def test_a_pointer_into_rows_counts_their_elements(self):
        self.rows()
        self.write("suites/t.yaml", """warpmark: 1
kernel: {file: k.cu}
arguments:
  a: {in: "np.arange(40.).reshape(4, 10)", dtype: float32, pitch: 64, offset: 5}
  b: {out: 3}
  n: {scalar: 3}
launch:
  - {entry: tail, arguments: [{array: a, element: 24}, b, n], block: 32}
reference: {b: "a[2, 4:7]"}
""")
        self.check()

    def test_fills_copies_and_swaps_of_rows(self):
        suite = """warpmark: 1
kernel: {file: k.cu}
arguments:
  a: {in: "np.arange(40.).reshape(4, 10)", dtype: float32, pitch: 64}
  b: {out: [4, 10], dtype: float32, pitch: %d}
launch:
  - {%s}
reference: {b: a}
"""
        self.write("suites/k.cu", self.ROWS)
        self.write("suites/t.yaml", suite % (64, "copy: {from: a, to: b}"))
        self.check()
        self.write("suites/t.yaml", suite % (128, "copy: {from: a, to: b}"))
        self.fails("`a` and `b` differ in pitch or offset")
        self.write("suites/t.yaml", suite % (64, "fill: b, byte: 0"))
        self.fails("`b` has a pitch, and a fill would set the bytes around its elements")

    VIEW = """
struct Inner { float *data; int n; };
struct View { int tag; Inner inner; const int *none; };
extern "C" __global__ void view(View v) {
  if (!v.none && threadIdx.x < v.inner.n) v.inner.data[threadIdx.x] *= 2;
}
"""

    def view(self, points_to="inner.data: a", types="data: float *, n: int32", more=""):
        self.write("suites/k.cu", self.VIEW)
        self.write("suites/t.yaml", """warpmark: 1
kernel: {file: k.cu}
types:
  Inner: {%s}
  View: {tag: int32, inner: Inner, none: int *}
arguments:
  v: {scalar: "(1, (0, 9), 0)", points_to: {%s}}
  a: {inout: "np.arange(9)", dtype: float32%s}
launch:
  - {entry: view, arguments: [v], block: 32}
reference: {a: 2 * a}
""" % (types, points_to, more))

    def test_a_pointer_in_a_struct(self):
        self.view()
        self.check()
        self.view(more=", offset: 3")
        self.check()

    def test_mistakes_in_points_to(self):
        self.view(points_to="inner.date: a")
        self.fails("`v` has no field `inner.date` that is a pointer", "t.yaml:7")
        self.view(points_to="tag: a")
        self.fails("`v` has no field `tag` that is a pointer")
        self.view(points_to="inner.data: b")
        self.assertIn("unknown array argument `b`", self.check(code=2)[1])

    def test_a_wrong_field_is_named(self):
        self.structs()
        self.write("suites/r.py", MOVED.replace('+= 1', '+= 2'))
        self.fails("9 of 9 elements of `p.inner.y` are wrong; the first is p.inner.y[0] = 2, expected 3")

    def test_a_struct_that_the_compiler_lays_out_otherwise(self):
        self.structs(TYPES.replace("y: float64", "y: float32"))
        self.fails("the field `y` of `Inner` is at byte 4 by the suite, and at byte 8 by the compiler")

    def test_a_field_that_the_source_has_not(self):
        self.structs(TYPES.replace("n: int}", "m: int}"))
        self.fails("the struct `Params` is not as the suite describes it", 'no member "m"')

    def test_a_struct_with_a_field_too_few(self):
        self.structs(TYPES.replace(", id: [int32, 2]", ""))
        self.fails("the struct `Particle` has 32 bytes by the suite, and 40 by the compiler")

    def test_vectors(self):
        self.suite("add", "  a: {in: \"rng.random((32, 4))\"}\n  b: {scalar: \"[1, 2, 3, 4]\"}\n  c: {out: [32, 4]}\n",
                   "{c: a + b}")
        self.check()

    def test_a_vector_with_a_number_too_few(self):
        self.suite("add", "  a: {in: \"rng.random((32, 4))\"}\n  b: {scalar: \"[1, 2, 3]\"}\n  c: {out: [32, 4]}\n",
                   "{c: a + 1}")
        self.fails("the value has shape (3,), and the parameter takes 4 elements of float32")

    COMPLEX = ("  a: {in: \"rng.random(32) + 1j * rng.random(32)\", dtype: complex64}\n"
               "  s: {scalar: 1+2j, dtype: complex64}\n  c: {out: 32, dtype: complex64}\n")

    def test_complex_numbers(self):
        self.suite("product", self.COMPLEX, "{c: a * s}", "tolerance: {rtol: 1e-6}\n")
        self.check()

    def test_complex_numbers_without_a_dtype(self):
        """A kernel takes them as pairs of floats."""
        for made, dtype in (("cuFloatComplex", "complex64"), ("cuDoubleComplex", "complex128")):
            self.write("suites/t.yaml", """warpmark: 1
kernel:
  source: |
    #include <cuComplex.h>
    extern "C" __global__ void k(const %s *x, %s *y) { y[threadIdx.x] = x[threadIdx.x]; }
  entry: k
arguments:
  x: {in: "np.ones(32) + 1j"}
  y: {out: 32}
launch: {block: 32, grid: 1}
reference: {y: x}
""" % (made, made))
            out, _ = self.run_program("check", "suites/t.yaml", "--device", "cpu", code=1)
            self.assertIn("take its .real or .imag, or say `dtype: %s` if the kernel takes complex numbers" % dtype, out)

    def test_a_wrong_part_of_a_complex_number_is_named(self):
        self.suite("product", self.COMPLEX, "{c: np.conj(a * s)}", "tolerance: {rtol: 1e-6}\n")
        self.fails("32 of 32 elements of `c.imag` are wrong; the first is c.imag[0] = ")

    def test_narrow_floats(self):
        self.suite("brain", "  a: {in: rng.random(32)}\n  c: {out: 32}\n", "{c: 1.5 * a}")
        self.check()
        self.suite("eight", "  a: {in: rng.random(32)}\n  c: {out: 32}\n", "{c: 2 * a}")
        self.check()

    def test_a_wrong_narrow_float(self):
        self.suite("brain", "  a: {in: np.ones(32)}\n  c: {out: 32}\n", "{c: 1.51 * a}")
        self.fails("the first is c[0] = 1.5, expected 1.51")

    def test_a_value_beyond_a_narrow_float(self):
        self.suite("eight", "  a: {in: \"np.full(32, 500)\"}\n  c: {out: 32}\n", "{c: a}")
        self.fails("the value 500 is too large for float8_e4m3fn")

    LOOK = "  i: {in: \"rng.integers(0, 16, 32)\"}\n  y: {out: 32}\n  bias: null\n"

    def test_variables_and_a_null_pointer(self):
        self.suite("look", self.LOOK, "{y: \"table[i]\", hits: hits + 32, state: \"[1.5, 3]\"}",
                   "constants: {table: np.arange(16) / 4}\nglobals: {hits: {inout: 5}, ns::state: {inout: \"[1.5, 0]\"}}\n")
        self.check()

    def test_a_variable_that_is_not_there(self):
        self.suite("look", self.LOOK, "{y: y}".replace("y: y", "y: \"table[i]\""), "constants: {table: np.arange(16), tabel: 5}\n")
        self.fails("the kernel's source has no variable `tabel`")

    def test_a_value_that_is_larger_than_its_variable(self):
        self.suite("look", self.LOOK, "{y: \"table[i]\"}", "constants: {table: np.arange(17)}\n")
        self.fails("the variable `table` has 16 elements, and the suite gives 17")

    MANAGED = ("__managed__ int runs, total[2];\n__global__ void run(int *a) {\n"
               "  a[threadIdx.x] = 1; if (threadIdx.x == 0) total[1] = ++runs; }\n")

    def managed(self, kernel="", reference="", globals=""):
        self.write("suites/k.cu", self.MANAGED)
        self.write("suites/t.yaml", "warpmark: 1\nkernel: {file: k.cu, entry: run%s}\narguments: {a: {out: 32}}\n"
                   "launch: {block: 32}\nreference: {a: \"np.ones(32, int)\"%s}\n%s" % (kernel, reference, globals))

    def test_managed_variables_are_named_with_what_to_do(self):
        self.managed()  # a kernel may use them
        self.check()
        given = {"reference": ", runs: 4, total: \"[0, 4]\"",
                 "globals": "globals: {runs: {inout: 3}, total: {inout: \"[0, 0]\"}}\n"}
        self.managed(**given)
        self.fails("is `__managed__`: no suite can set or read such a variable", "declare it `__device__`")
        self.managed(", define: {__managed__: '\"__device__\"'}", **given)
        self.check()

    def mapped(self, f, more, last=""):
        self.suite("map", "  a: {inout: np.ones(32)}\n  f: %s\n  more: %s\n" % (f, more), "{a: a}", last)
        self.write("suites/k.cu", "typedef float (*F)(float);\n__device__ F one;\n"
                   "__global__ void map(float *a, F f, const F *more) { if (f) a[threadIdx.x] = f(1); }\n")

    def test_pointers_to_functions_are_named_with_what_to_do(self):
        for f, more, wanted in (("{scalar: 1}", "null", "float (*)(float)"), ("{in: np.ones(2)}", "null", "float (*)(float)"),
                                ("null", "{in: np.ones(2)}", "float (* const*)(float)")):
            self.mapped(f, more)
            self.fails("the kernel takes a pointer to a function, `%s`, and a suite has none to give" % wanted,
                       "a template argument of `entry` or a macro of `define`")
        self.mapped("null", "null")
        self.check()
        self.mapped("null", "null", "constants: {one: 0}\n")
        self.fails("the dtype of the variable `one` is not known")

    def test_pointers_to_arguments(self):
        self.write("suites/k.cu", KERNELS)
        self.write("suites/t.yaml", """warpmark: 1
kernel: {file: k.cu}
arguments:
  rows: {pointers: [a, null, b]}
  a: {in: rng.random(32), dtype: float32}
  b: {in: rng.random(32), dtype: float32}
  out: {out: 32}
launch:
  - {entry: gather, arguments: [rows, out], block: 32}
reference: {out: a + b}
""")
        self.check()

    def texture(self, options, reference="image"):
        self.write("suites/k.cu", KERNELS)
        self.write("suites/t.yaml", """warpmark: 1
kernel: {file: k.cu, entry: sample}
arguments:
  image: {texture: "rng.random((8, 16))", %s}
  out: {out: [8, 16]}
launch: {block: 16, grid: 8}
reference: {out: %s}
tolerance: {atol: 1e-6}
""" % (options, reference))

    def test_a_texture_that_wraps_and_one_that_clamps(self):
        self.texture("dtype: float32, address: wrap, filter: linear, normalized: true")
        self.check()
        self.texture("dtype: float32, address: clamp, normalized: true", '"np.repeat(image[:, -1:], 16, axis=1)"')
        self.check()

    def test_a_texture_that_no_hardware_has(self):
        self.texture("dtype: float64, normalized: true")
        self.fails("no texture has elements of float64", "float16 or float32")

    def test_a_layered_texture_is_refused(self):
        more = """
extern "C" __global__ void sheet(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2DLayered<float>(t, 0.5f, 0.5f, 1); }
"""
        for entry, code in (("shades", 0), ("sheet", 1)):
            self.suite(entry, "  t: {texture: np.arange(32), dtype: float32}\n  out: {out: 32}\n", "{out: t}")
            self.write("suites/k.cu", KERNELS + more)
            out, _ = self.check(code=code)
        self.assertIn("t.yaml:2:29: error: `sheet` uses a layered texture or surface, or a cube map, and a suite has none of "
                      "them: tex2DLayered (tex.a2d.v4.f32.f32)", out)

    def test_a_texture_without_a_dtype(self):
        self.texture("normalized: true")
        self.fails("the texture `image` needs a dtype")

    def test_integers_are_read_as_floats(self):
        self.suite("shades", "  t: {texture: np.arange(32) * 8, dtype: uint8, read: normalized}\n  out: {out: 32}\n",
                   "{out: t / np.float32(255)}", "tolerance: {atol: 1e-7}\n")
        self.check()

    def test_a_surface(self):
        self.write("suites/k.cu", KERNELS)
        self.write("suites/t.yaml", """warpmark: 1
kernel: {file: k.cu, entry: draw}
arguments:
  image: {out: [8, 16, 4], dtype: uint8, surface: true, channels: 4}
launch: {block: 16, grid: 8}
reference:
  image: "np.stack(np.broadcast_arrays(np.arange(16), np.arange(8)[:, None], 7, 255), axis=-1)"
""")
        self.check()

    def test_a_surface_whose_channels_are_elsewhere(self):
        self.write("suites/k.cu", KERNELS)
        self.write("suites/t.yaml", """warpmark: 1
kernel: {file: k.cu, entry: draw}
arguments:
  image: {out: [4, 8, 16], dtype: uint8, surface: true, channels: 4}
launch: {block: 16, grid: 8}
reference: {image: "np.zeros((4, 8, 16))"}
""")
        self.fails("`image` has shape (4, 8, 16): its last axis is not its 4 channels")


class OnGpu(Arguments):
    """The same on a GPU, where there is one."""
    DEVICE = "gpu"

    def setUp(self):
        super().setUp()
        if not gpu_is_there():
            self.skipTest("there is no GPU")


if __name__ == "__main__":
    unittest.main()
