"""Kernels with one mistake each that sizes, launch shapes, contents or orders of threads show.

`BUGS` has them by name, each with a suite whose sizes are ranges; `smallest` is the case that a person
would add to the suite. `RIGHT` has kernels without a mistake for the same suites.
"""
from dataclasses import dataclass, field

MAP = """extern "C" __global__ void k(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  %s
}
"""
MAP_SUITE = """warpmark: 1
about: %(about)s
kernel: {file: %(name)s.cu, entry: k}
axes: {n: {any: [1, 5000]}}
arguments:
  y: {out: n}
  x: {in: rng.random(n)}
  n: {scalar: n}
launch: {block: 128, grid: "%(grid)s"}
reference: {y: 2 * x}
tolerance: exact
"""

SUM_SUITE = """warpmark: 1
about: %(about)s
kernel: {file: %(name)s.cu, entry: k}
axes: {n: {any: [1, 5000]}}
arguments:
  y: {out: 1, dtype: int32}
  x: {in: "rng.integers(1, 9, n)", dtype: int32}
  n: {scalar: n}
launch: {block: 256, grid: 1}
reference: {y: x.sum()}
"""

MATRIX_SUITE = """warpmark: 1
about: %(about)s
kernel: {file: %(name)s.cu, entry: k}
axes:
  rows: {any: [1, 200]}
  columns: {any: [1, 200]}
arguments:
  y: {out: [columns, rows]}
  x: {in: "rng.random((rows, columns))"}
  rows: {scalar: rows}
  columns: {scalar: columns}
launch: {block: [16, 16], grid: ["ceil_div(columns, 16)", "ceil_div(rows, 16)"]}
reference: {y: x.T}
tolerance: exact
"""


@dataclass
class Bug:
    about: str
    source: str
    suite: str
    smallest: dict = field(default_factory=dict)  # the least failing case; {} if several are as good


BUGS = {}


def add(name, about, source, suite, smallest=None, **more):
    text = suite % {"name": name, "about": about, **more}
    BUGS[name] = Bug(about, source, text, smallest or {})


def mapped(name, about, body, smallest=None, grid="ceil_div(n, 128)"):
    add(name, about, MAP % body, MAP_SUITE, smallest, grid=grid)


mapped("map_last_missing", "The last element is left out where a block is not full.",
       "if (n % 128 != 0 ? i < n - 1 : i < n) y[i] = 2 * x[i];", {"n": 1})
mapped("map_past_end", "Writes one element past the end.", "if (i <= n) y[i < n ? i : n] = 2 * x[i < n ? i : 0];")
mapped("map_exact_only", "Blocks that are not full do nothing.",
       "if ((blockIdx.x + 1) * blockDim.x <= n) y[i] = 2 * x[i];", {"n": 1})
mapped("map_grid_floor", "The grid is rounded down.", "if (i < n) y[i] = 2 * x[i];", {"n": 129},
       grid="max(1, n // 128)")
mapped("map_two_blocks", "Only two blocks are launched.", "if (i < n) y[i] = 2 * x[i];", {"n": 257},
       grid="min(2, ceil_div(n, 128))")
mapped("map_magic", "One size is wrong.", "if (i < n) y[i] = n == 1000 ? x[i] : 2 * x[i];", {"n": 1000})
mapped("map_char_index", "The index is a byte.",
       "unsigned char c = i; if (i < n) y[i] = 2 * x[n > 255 ? c : i];", {"n": 257})
mapped("map_short_index", "The index is of 12 bits.",
       "if (i < n) y[i] = 2 * x[i & 4095];", {"n": 4097})
mapped("map_vector_tail", "The rest behind groups of four is left out.",
       """int groups = n / 4;
  if (i < groups) for (int k = 0; k < 4; ++k) y[4 * i + k] = 2 * x[4 * i + k];""", {"n": 1})
mapped("map_vector_tail_of_many", "The rest is one element where it may be three.",
       """int groups = n / 4;
  if (i < groups) for (int k = 0; k < 4; ++k) y[4 * i + k] = 2 * x[4 * i + k];
  if (i == 0 && n % 4 != 0) y[n - 1] = 2 * x[n - 1];""", {"n": 2})
mapped("map_pair_align", "Pairs are read beyond an odd end.",
       """if (2 * i < n) {
    y[2 * i] = 2 * x[2 * i];
    float next = ((const volatile float *)x)[2 * i + 1];
    if (2 * i + 1 < n) y[2 * i + 1] = 2 * next;
  }""", {"n": 1})
mapped("map_stride_once", "A loop over the grid runs once only.",
       "for (int j = i; j < n && j < i + 1024; j += 1024) y[j] = 2 * x[j];", {"n": 1025},
       grid="min(8, ceil_div(n, 128))")
mapped("map_stride_block", "A loop over the grid goes on by a block.",
       """for (int j = i; j < n; j += gridDim.x * blockDim.x) y[j] = 2 * x[j];
  if (i == 0 && n > 512) y[511] = x[511];""", {"n": 513}, grid="min(4, ceil_div(n, 128))")
mapped("map_first_of_block", "The first thread of the fourth block reads its neighbour.",
       "if (i < n) y[i] = 2 * x[i == 384 ? 383 : i];", {"n": 385})
mapped("map_at_power", "Sizes beyond 2048 take a way of their own.",
       "if (i < n) y[i] = n > 2048 && i == n - 1 ? 0 : 2 * x[i];", {"n": 2049})
mapped("map_multiple_of_seven", "Multiples of 77 are wrong.",
       "if (i < n) y[i] = n % 77 == 0 && i == 3 ? 0 : 2 * x[i];", {"n": 77})
mapped("map_one", "One element is divided by none.",
       "if (i < n) y[i] = 2 * x[i] * ((n - 1) / (float)(n - 1));", {"n": 1})
mapped("map_two", "Exactly two elements are swapped.",
       "if (i < n) y[i] = 2 * x[n == 2 ? 1 - i : i];", {"n": 2})
mapped("map_warp_tail", "Lanes of a warp that is not full get their value from a missing lane.",
       """float v = i < n ? 2 * x[i] : 0;
  float other = __shfl_down_sync(~0u, v, 1);
  if (i < n) y[i] = (n & 31) == 31 && i == n - 1 ? other : v;""", {"n": 31})


def summed(name, about, body, smallest=None):
    source = "extern \"C\" __global__ void k(int *y, const int *x, int n) {\n%s\n}\n" % body
    add(name, about, source, SUM_SUITE, smallest)


TREE = """  __shared__ int part[256];
  int t = threadIdx.x, sum = 0;
  for (int i = t; i < n; i += 256) sum += x[i];
  part[t] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) *y = part[0];"""
summed("sum_first_block", "Only the first 256 elements are added.",
       TREE.replace("i < n; i += 256", "i < n && i < 256; i += 256"), {"n": 257})
summed("sum_skips_last", "The loop ends one early.", TREE.replace("i < n;", "i < n - 1;"), {"n": 1})
summed("sum_unrolled", "The unrolled loop leaves out a rest.",
       TREE.replace("for (int i = t; i < n; i += 256) sum += x[i];",
                    "for (int i = t; i + 256 < n || i < 256 && i < n; i += 512) {\n"
                    "    sum += x[i];\n    if (i + 256 < n) sum += x[i + 256];\n  }"), {"n": 513})
summed("sum_no_barrier", "A barrier is missing where more than one warp has values.",
       TREE.replace("    __syncthreads();\n  }", "    if (n <= 64) __syncthreads();\n  }"), {"n": 65})
summed("sum_reads_ahead", "Reads ahead by one block of elements.",
       TREE.replace("sum += x[i];", "sum += x[i];\n  if (n >= 700) ((const volatile int *)x)[t + n - 255];"), {"n": 700})
summed("sum_uninitialized", "Threads without an element keep what shared memory had.",
       TREE.replace("part[t] = sum;", "if (t < n) part[t] = sum;"), {"n": 1})
summed("sum_short", "The sum of a thread is of 16 bits.",
       TREE.replace("int t = threadIdx.x, sum = 0;", "int t = threadIdx.x; int sum = n > 3000 && threadIdx.x == 0 ? 1 : 0;"),
       {"n": 3001})
summed("sum_even_steps", "Steps of 96 are no power of two.",
       TREE.replace("int s = 128; s > 0", "int s = n % 3 == 1 && n > 9 ? 96 : 128; s > 0"), {"n": 10})


def matrix(name, about, body, smallest=None):
    source = ("extern \"C\" __global__ void k(float *y, const float *x, int rows, int columns) {\n"
              "%s\n}\n" % body)
    add(name, about, source, MATRIX_SUITE, smallest)


TILE = """  __shared__ float tile[16][17];
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  if (r < rows && c < columns) tile[threadIdx.y][threadIdx.x] = x[r * columns + c];
  __syncthreads();
  int tc = blockIdx.y * 16 + threadIdx.x, tr = blockIdx.x * 16 + threadIdx.y;
  if (tr < columns && tc < rows) y[tr * rows + tc] = tile[threadIdx.x][threadIdx.y];"""
matrix("transpose_square", "The bounds are those of a square.",
       TILE.replace("tr < columns && tc < rows", "tr < rows && tc < rows"))
matrix("transpose_row_bound", "Rows have no bound.", TILE.replace("r < rows && c < columns", "c < columns"))
matrix("transpose_pitch", "The row of the result is as long as that of the input.",
       TILE.replace("y[tr * rows + tc]", "y[tr * (rows == columns ? rows : columns) + tc]"))
matrix("transpose_one_tile", "Beyond eight tiles in a row the column is wrong.",
       TILE.replace("x[r * columns + c]", "x[r * columns + (c >= 128 ? c - 1 : c)]"), {"columns": 129, "rows": 1})
matrix("transpose_no_barrier", "No barrier stands between the halves.",
       TILE.replace("  __syncthreads();\n", "  if (rows < 3 || columns < 3) __syncthreads();\n"))
matrix("transpose_equal_sides", "A square of more than one tile is copied.",
       TILE.replace("tile[threadIdx.x][threadIdx.y];",
                    "rows == columns && rows > 16 ? x[tr * rows + tc] : tile[threadIdx.x][threadIdx.y];"),
       {"rows": 17, "columns": 17})
matrix("transpose_wide", "More columns than rows by a factor of ten.",
       TILE.replace("if (tr < columns && tc < rows)",
                    "if (tr < columns && tc < rows && !(columns > 10 * rows && tr == columns - 1))"),
       {"rows": 1, "columns": 11})
matrix("transpose_product", "More than 20,000 elements overflow an index.",
       TILE.replace("x[r * columns + c]", "x[(r * columns + c) % 20000]"))

STENCIL_SUITE = MAP_SUITE.replace("{y: 2 * x}", "{y: \"np.pad(x, 1)[:-2] + x + np.pad(x, 1)[2:]\"}").replace(
    "tolerance: exact", "tolerance: {ulp: 4}")
STENCIL = """  __shared__ float s[130];
  int t = threadIdx.x;
  s[t + 1] = i < n ? x[i] : 0;
  if (t == 0) s[0] = i > 0 ? x[i - 1] : 0;
  if (t == 127) s[129] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n) y[i] = s[t] + s[t + 1] + s[t + 2];"""


def stencil(name, about, old, new, smallest=None):
    assert old in STENCIL, name
    add(name, about, MAP % STENCIL.replace(old, new), STENCIL_SUITE, smallest, grid="ceil_div(n, 128)")


stencil("stencil_left_halo", "The left neighbour of a block is missing.", "i > 0 ? x[i - 1] : 0", "0", {"n": 129})
stencil("stencil_right_halo", "The right neighbour is read beyond the end.", "i + 1 < n ? x[i + 1] : 0",
        "x[i + 1]", {"n": 1})
stencil("stencil_halo_thread", "The right halo is loaded by a thread that the last block lacks.",
        "if (t == 127) s[129] = i + 1 < n ? x[i + 1] : 0;",
        "if (t == 127) s[129] = i + 1 < n && n % 128 != 5 ? x[i + 1] : 0;", {"n": 133})
stencil("stencil_barrier", "The barrier is left out for more than one block.", "  __syncthreads();\n",
        "  if (gridDim.x == 1) __syncthreads();\n", {"n": 129})

SHAPE_SUITE = """warpmark: 1
about: %(about)s
kernel: {file: %(name)s.cu, entry: k}
axes:
  n: [1000]
  block: {any: [32, 512], multiple_of: 32}
arguments:
  y: {out: "ceil_div(n, block)", dtype: int32}
  x: {in: "rng.integers(0, 9, n)", dtype: int32}
  n: {scalar: n}
launch: {block: block, grid: "ceil_div(n, block)"}
reference: {y: "np.add.reduceat(x, np.arange(0, n, block))"}
"""
BLOCK_SUM = """extern "C" __global__ void k(int *y, const int *x, int n) {
  __shared__ int part[512];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int width = blockDim.x; width > 1;) {
    int half = (width + 1) / 2;
    if (t < width - half) part[t] += part[t + half];
    __syncthreads();
    width = half;
  }
  if (t == 0) y[blockIdx.x] = part[0];
}
"""
add("block_power_of_two", "The tree is right for powers of two only.",
    BLOCK_SUM.replace("int half = (width + 1) / 2;", "int half = width / 2;"), SHAPE_SUITE, {"block": 96})
add("block_shared_size", "Shared memory is for 256 threads.", BLOCK_SUM.replace("part[512]", "part[256]"),
    SHAPE_SUITE, {"block": 288})
add("block_one_warp", "One warp alone needs no barrier, it says, and two have none.",
    BLOCK_SUM.replace("    __syncthreads();\n    width", "    if (blockDim.x != 64) __syncthreads();\n    width"),
    SHAPE_SUITE, {"block": 64})

VALUES_SUITE = """warpmark: 1
about: %(about)s
kernel: {file: %(name)s.cu, entry: k}
axes: {n: {any: [1, 300]}}
arguments:
  y: {out: 1}
  x: {in: rng.random(n), values: {any: special}}
  n: {scalar: n}
launch: {block: 32, grid: 1}
reference: {y: "%(reference)s"}
tolerance: exact
"""
MAXIMUM = """extern "C" __global__ void k(float *y, const float *x, int n) {
  float most = %s;
  for (int i = threadIdx.x; i < n; i += 32) most = %s;
  for (int d = 16; d > 0; d /= 2) {
    float other = __shfl_down_sync(~0u, most, d);
    most = isnan(other) || other > most ? other : most;
  }
  if (threadIdx.x == 0) *y = most;
}
"""
NAN_AWARE = "isnan(x[i]) || x[i] > most ? x[i] : most"
add("maximum_from_zero", "The maximum begins with 0.", MAXIMUM % ("0", NAN_AWARE), VALUES_SUITE,
    {"n": 1, "x": "negative"}, reference="x.max()")
add("maximum_without_nan", "NaN is passed over.", MAXIMUM % ("-INFINITY", "fmaxf(most, x[i])"), VALUES_SUITE,
    {"n": 1, "x": "nan"}, reference="x.max()")
add("maximum_finite", "The maximum begins with the least finite number.",
    MAXIMUM % ("-3.402823466e38f", NAN_AWARE), VALUES_SUITE, reference="x.max()")

RIGHT = {
    "right_map": (MAP % "if (i < n) y[i] = 2 * x[i];",
                  MAP_SUITE % {"name": "right_map", "about": "Right.", "grid": "ceil_div(n, 128)"}),
    "right_sum": ("extern \"C\" __global__ void k(int *y, const int *x, int n) {\n%s\n}\n" % TREE,
                  SUM_SUITE % {"name": "right_sum", "about": "Right."}),
    "right_transpose": ("extern \"C\" __global__ void k(float *y, const float *x, int rows, int columns) {\n"
                        "%s\n}\n" % TILE, MATRIX_SUITE % {"name": "right_transpose", "about": "Right."}),
    "right_stencil": (MAP % STENCIL, STENCIL_SUITE % {"name": "right_stencil", "about": "Right.",
                                                      "grid": "ceil_div(n, 128)"}),
    "right_block_sum": (BLOCK_SUM, SHAPE_SUITE % {"name": "right_block_sum", "about": "Right."}),
    "right_maximum": (MAXIMUM % ("-INFINITY", NAN_AWARE),
                      VALUES_SUITE % {"name": "right_maximum", "about": "Right.", "reference": "x.max()"}),
}


def write(folder, names=None):
    """Writes the suites of these names, or all, with their kernels."""
    for name, bug in BUGS.items():
        if names is None or name in names:
            (folder / (name + ".cu")).write_text(bug.source)
            (folder / (name + ".yaml")).write_text(bug.suite)
    for name, (source, suite) in RIGHT.items():
        if names is None or name in names:
            (folder / (name + ".cu")).write_text(source)
            (folder / (name + ".yaml")).write_text(suite)
