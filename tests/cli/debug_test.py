# `warpmark debug`: commands in gdb's words, on kernels whose values are known.
import ctypes
import os
import signal
import subprocess
import time
import unittest

from program import BUILD, PROGRAM, SOURCE as SOURCE_DIR, ProgramTest

KERNEL = """struct Pair { float x; int n[3]; };
__device__ int triangle(int n) {
  if (n <= 1)
    return n;
  int rest = triangle(n - 1);
  return n + rest;
}
__device__ float twice(float v) {
  float sum = v + v;
  return sum;
}
extern "C" __global__ void k(float *out, const float *src, int n) {
  __shared__ int tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i;
  __syncthreads();
  Pair p = {0.0f, {1, 2, i}};
  double local[4];
  for (int j = 0; j < 4; ++j)
    local[j] = i + j;
  if (i < n) {
    float v = twice(src[i]);
    out[i] = v + p.x + tile[threadIdx.x ^ 1] + triangle(3) + local[2];
  }
}
"""
SUITE = """warpmark: 1
kernel: {file: k.cu, entry: k}
arguments:
  out: {out: 100}
  src: {in: 'np.arange(100)', dtype: float32}
  n: {scalar: 100}
launch: {block: 64, grid: 2}
reference:
  out: '2 * src + (np.arange(100) ^ 1) + 6 + np.arange(100) + 2'
"""


def has_libdw():
    """Built with its headers, and the library is here."""
    try:
        ctypes.CDLL("libdw.so.1")
    except OSError:
        return False
    return "LIBDW_INCLUDE_DIR:PATH=/" in (BUILD / "CMakeCache.txt").read_text()


HAS_VARIABLES = has_libdw()


class DebugTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("s/k.cu", KERNEL)
        self.write("s/suite.yaml", SUITE)

    def debug(self, *commands, case=None, suite="s/suite.yaml", code=0, options=()):
        words = ["debug", suite, "--batch", *options]
        if case:
            words += ["--case", case]
        for command in commands:
            words += ["--command", command]
        out, errors = self.run_program(*words, code=code)
        self.assertEqual(errors, "")
        return out

    def answers(self, out):
        """The text behind each command."""
        parts = out.split("(warpmark) ")
        return [part.split("\n", 1)[1].rstrip("\n") if "\n" in part else "" for part in parts[1:]]


class Lines(DebugTest):
    def test_begins_at_the_first_statement(self):
        out = self.debug("quit")
        self.assertEqual("Variables are not known" in out, not HAS_VARIABLES, out)
        self.assertIn("The first statement of the launch\n[block (0,0,0), thread (0,0,0), warp 0, lane 0] k at k.cu:12\n", out)
        self.assertIn("12\textern \"C\" __global__ void k(", out)

    def test_breakpoints_stop_each_warp(self):
        out = self.debug("break k.cu:16", "continue", "continue", "continue", "delete 1", "continue")
        self.assertIn("Breakpoint 1 at k.cu:16\n", out)
        self.assertIn("Breakpoint 1\n[block (0,0,0), thread (0,0,0), warp 0, lane 0] k at k.cu:16\n", out)
        self.assertIn("[block (0,0,0), thread (32,0,0), warp 1, lane 0] k at k.cu:16\n", out)
        self.assertIn("[block (1,0,0), thread (0,0,0), warp 0, lane 0] k at k.cu:16\n", out)
        self.assertIn(": passed\n", out)

    def test_a_line_without_code_is_the_next_one(self):
        out = self.debug("break k.cu:11", "info breakpoints", "break k.cu:900")
        self.assertIn("Breakpoint 1 at k.cu:12 (line 11 has no code)\n", out)
        self.assertIn("1 breakpoint k.cu:11 (at k.cu:12), hit 0 times\n", out)
        self.assertIn("no code of this launch is there", out)

    def test_conditions_choose_a_thread(self):
        out = self.debug("break k.cu:15 if blockIdx.x == 1 && threadIdx.x % 32 > 6", "continue", "print threadIdx.x",
                         "print blockIdx", "info breakpoints")
        self.assertIn("[block (1,0,0), thread (7,0,0), warp 0, lane 7] k at k.cu:15\n", out)
        self.assertIn("threadIdx.x = 7\n", out)
        self.assertIn("blockIdx = {x = 1, y = 0, z = 0}\n", out)
        self.assertIn("if blockIdx.x == 1 && threadIdx.x % 32 > 6, hit 1 times\n", out)

    def test_a_condition_that_cannot_be_told_stops(self):
        out = self.debug("break k.cu:15 if nothing > 3", "continue", "break k.cu:16 if 1 +")
        self.assertIn("the condition of breakpoint 1 cannot be told: nothing is called `nothing` here\n", out)
        self.assertIn("the end was not expected in the expression (column 4)", out)

    def test_steps_follow_one_thread(self):
        out = self.debug("break k.cu:15", "continue", "step", "step", "info position")
        self.assertIn("thread (0,0,0), warp 0, lane 0] k at k.cu:16\n", out)
        self.assertRegex(out, r"thread \(0,0,0\), warp 0, lane 0\] k at k.cu:(17|18|19)\n")

    def test_step_goes_in_and_next_over(self):
        out = self.debug("break k.cu:22", "continue", "step", "backtrace", "finish")
        self.assertRegex(out, r"lane 0\] twice at k.cu:(8|9)\n")
        self.assertRegex(out, r"#0 twice at k.cu:\d+\n#1 k at k.cu:22\n")
        self.assertRegex(out.split("finish")[1], r"\] k at k.cu:22\n")
        out = self.debug("break k.cu:22", "continue", "next")
        self.assertIn("] k at k.cu:23\n", out)

    def test_a_statement_of_ptx(self):
        out = self.debug("break k.cu:16", "continue", "x/i", "stepi", "info registers %r1")
        self.assertIn("bar.sync", out)

    def test_several_steps(self):
        out = self.debug("break k.cu:15", "continue", "delete 1", "step 2", "next 5 x", "continue 3", "step 0", "reverse-step 2", "print i")
        answers = self.answers(out)
        # The stops between are not shown.
        self.assertRegex(answers[3], r"^\[block \(0,0,0\), thread \(0,0,0\), warp 0, lane 0\] k at k.cu:1[789]\n[^\n]*$")
        self.assertEqual(answers[4], "next takes a number, or `warp`: next 5")
        self.assertEqual(answers[5], "continue takes no further words")
        self.assertEqual(answers[6], "step takes a number, or `warp`: step 5")
        self.assertIn("] k at k.cu:15\n", answers[7])

    def test_a_breakpoint_ends_several_steps(self):
        out = self.debug("break k.cu:15", "continue", "break k.cu:16", "step 9", "next")
        self.assertIn("Breakpoint 2\n", self.answers(out)[3])
        self.assertRegex(self.answers(out)[4], r"\] k at k.cu:1[789]\n")  # none of the nine is left

    def test_the_steps_of_a_warp_go_through_both_sides_of_a_branch(self):
        self.write("s/k.cu", """extern "C" __global__ void k(float *out, const float *src, int n) {
  int i = threadIdx.x;
  if (i % 2 == 0)
    out[i] = 1;
  else
    out[i] = 2;
  out[i] += n;
}
""")
        out = self.debug("break k.cu:3", "continue", "delete 1", *["next warp"] * 4)
        stops = [answer.split("\n", maxsplit=1)[0] for answer in self.answers(out)[-4:]]
        for side in ("thread (0,0,0), warp 0, lane 0] k at k.cu:4", "thread (1,0,0), warp 0, lane 1] k at k.cu:6"):
            self.assertIn("[block (0,0,0), " + side, stops)
        self.assertRegex(stops[-1], r"warp 0, lane \d+\] k at k.cu:7$")
        out = self.debug("break k.cu:3", "continue", "delete 1", "next", "next")
        self.assertEqual([line for line in out.splitlines() if "k.cu:6" in line], [])  # thread 0 is never there

    def test_a_thread_that_has_left_does_not_step(self):
        out = self.debug("break k.cu:25", "continue", "delete 1", "next", "thread 40", "next", "thread 40", "next warp",
                         "thread 40", "stepi", "info position")
        answers = self.answers(out)
        for i in (4, 6, 8):
            self.assertIn("thread (40,0,0), warp 1, lane 8] has left the kernel", answers[i])
        for i in (3, 5, 7, 9):  # it does not go on to the end of the launch
            self.assertTrue(answers[i].startswith("The thread has left the kernel\n[block (0,0,0), thread (0,0,0)"), answers[i])
        self.assertIn("launch 1, ", answers[10])

    def test_list_shows_the_source(self):
        out = self.debug("break k.cu:16", "continue", "list", "list 1")
        self.assertIn(">16\t  __syncthreads();\n", out)
        self.assertIn("1\tstruct Pair", out)

    def test_commands_come_from_a_file_and_from_a_pipe(self):
        self.write("commands", "# a comment\nbreak k.cu:16\ncontinue\n")
        out, _ = self.run_program("debug", "s/suite.yaml", "--batch", "-x", "commands", "--command", "info position")
        self.assertIn("(warpmark) info position\nlaunch 1, 0 statements", out)
        self.assertIn("Breakpoint 1\n", out)
        process = subprocess.run([PROGRAM, "debug", "s/suite.yaml"], cwd=self.folder, text=True, input="break k.cu:16\nc\nq\n",
                                 capture_output=True, check=True, env=dict(os.environ, HOME=str(self.folder)))
        self.assertIn("Breakpoint 1\n", process.stdout)


@unittest.skipUnless(HAS_VARIABLES, "no libdw")
class Values(DebugTest):
    def test_variables_by_their_types(self):
        out = self.debug("break k.cu:23 if i == 3", "continue", "info locals", "info args", "print out", "print src[i]",
                         "print src[0:5]", "print local", "print tile[0:6]", "print *src", "print p.n[1]", "print &src[2]",
                         "print (float)i / 2", "print -i + 10", "print v > 5 || i == 0", "print %rd1 != 0", "print j",
                         "print tile[100000]", "print local[1] * 2",
                         "print 1.5e1f + .5", "print 0x10 % 7", "print *(int *)tile + 1 << 3", "print 1 $ 2", "print 5 / 0")
        for text in ("1.5e1f + .5 = 15.5", "0x10 % 7 = 2", "*(int *)tile + 1 << 3 = 8", "`$` is no part of an expression (column 3)",
                     "a division by zero"):
            self.assertIn(text + "\n", out)
        self.assertRegex(out, r"\ni = 3\n")
        self.assertRegex(out, r"\nv = 6\n|\nv = 6.0\n|\nv = <optimised out>\n")
        self.assertRegex(out, r"local = \[3 4 5 6\]\n")
        self.assertRegex(out, r"\nn = 100\n")
        self.assertIn("p = {x = 0, n = [1 2 3]}\n", out)
        self.assertRegex(out, r"out = 0x[0-9a-f]+ \(out\)\n")
        self.assertIn("src[i] = 3\n", out)
        self.assertIn("src[0:5] = [0 1 2 3 4]\n", out)
        self.assertIn("tile[0:6] = [0 1 2 3 4 5]\n", out)
        self.assertIn("*src = 0\n", out)
        self.assertIn("p.n[1] = 2\n", out)
        self.assertRegex(out, r"&src\[2\] = 0x[0-9a-f]+ \(src \+ 2\)\n")
        self.assertIn("(float)i / 2 = 1.5\n", out)
        self.assertIn("-i + 10 = 7\n", out)
        self.assertIn("nothing is called `j` here\n", out)
        self.assertIn("cannot be read: they are in no allocation\n", out)
        self.assertIn("local[1] * 2 = 8\n", out)

    def test_constants_and_enumerations(self):
        # A variable of one value in the whole kernel has no place in memory.
        self.write("s/k.cu", """enum Colour { red, green = 5, blue = -2 };
enum class Shade : unsigned char { dark, light };
extern "C" __global__ void k(int *out, Colour given) {
  const int seven = 7;
  constexpr double half = 0.5;
  const signed char below = -3;
  Shade shade = Shade::light;
  Colour colour = given;
  if (colour == green)
    out[threadIdx.x] = seven + (int)(2 * half) + (int)shade + below;
}
""")
        self.write("s/suite.yaml", """warpmark: 1
kernel: {file: k.cu, entry: k}
arguments: {out: {out: 32}, given: {scalar: 5, dtype: int32}}
launch: {block: 32}
reference: {out: 'np.full(32, 6)'}
""")
        out = self.debug("break k.cu:9 if colour == green", "continue", "info locals", "print seven * 2", "print/x below", "print colour == blue",
                         "print shade == Shade::light", "watch seven", "print/x colour")
        answers = self.answers(out)
        shown = dict(line.split(" = ", 1) for line in answers[2].splitlines())
        self.assertEqual(shown, {"seven": "7", "half": "0.5", "below": "-3", "shade": "Shade::light (1)", "colour": "green (5)"})
        self.assertEqual(answers[3:6], ["seven * 2 = 14", "below = 0xfd", "colour == blue = false"])
        self.assertEqual(answers[6], "shade == Shade::light = true")
        self.assertIn("only memory can be watched", answers[7])
        self.assertEqual(answers[8], "colour = 0x5")

    def test_numbers_in_hexadecimal(self):
        out = self.debug("break k.cu:23 if i == 33", "continue", "print/x i", "p/x local[0]", "print/x tile[0:3]", "print/x p", "print/x -i",
                         "print/x src", "print/x true", "print/d i", "info/x locals", "print i")
        for text in ("i = 0x21", "local[0] = 0x4040800000000000", "tile[0:3] = [0x0 0x1 0x2]", "p = {x = 0x0, n = [0x1 0x2 0x21]}",
                     "-i = 0xffffffdf", "true = true", "print has one format: print/x, in hexadecimal", "only print has a format: print/x"):
            self.assertIn(text + "\n", out)
        self.assertRegex(out, r"\nsrc = 0x[0-9a-f]+ \(src\)\n")
        self.assertEqual(self.answers(out)[-1], "i = 33")

    def test_arguments_are_known_at_the_first_statement(self):
        out = self.debug("info args", "print src[7]")
        self.assertIn("\nn = 100\n", out)
        self.assertIn("src[7] = 7\n", out)

    def test_a_recursive_function_has_a_frame_for_each_call(self):
        out = self.debug("break k.cu:4", "continue", "backtrace", "print n", "up", "print n", "up", "print n")
        self.assertRegex(out, r"#0 triangle at k.cu:4\n#1 triangle at k.cu:5\n#2 triangle at k.cu:5\n#3 k at k.cu:23\n")
        self.assertEqual([line for line in out.splitlines() if line.startswith("n = ")], ["n = 1", "n = 2", "n = 3"])

    def test_watchpoints_name_who_wrote(self):
        out = self.debug("watch tile[5]", "continue", "print tile[5]")
        self.assertIn("Watchpoint 1: tile[5]: 0 -> 5, written by thread (5,0,0) of block (0,0,0) at k.cu:15\n", out)
        out = self.debug("break k.cu:16 if blockIdx.x == 1", "continue", "print tile[5]", "watch out[70]", "delete 1", "continue")
        self.assertIn("tile[5] = 69\n", out)
        self.assertRegex(out, r"Watchpoint 2: out\[70\]: \S+ -> 289.*written by thread \(6,0,0\) of block \(1,0,0\) at k.cu:23\n")

    def test_registers_cannot_be_watched(self):
        out = self.debug("break k.cu:16", "continue", "watch i")
        self.assertIn("`i` lies in a register: only memory can be watched\n", out)


    def test_what_is_optimised_out_says_so(self):
        self.write("s/k.cu", KERNEL.replace("  int i = ", "  int gone;\n  int i = "))
        out = self.debug("break k.cu:17", "continue", "info locals", "print gone", "break k.cu:17 if gone == 7")
        self.assertIn("\ngone = <optimised out>\n", out)
        self.assertIn("`gone` is optimised out here\n", out)


class Back(DebugTest):
    def test_steps_go_back(self):
        out = self.debug("break k.cu:16", "continue", "info position", "stepi", "reverse-stepi", "info position",
                         "reverse-step", "reverse-continue")
        positions = [line for line in out.splitlines() if line.startswith("launch 1,")]
        self.assertEqual(positions[0], positions[1])
        self.assertIn("] k at k.cu:15\n", out.split("reverse-step\n")[1])
        self.assertIn("The beginning: there is nothing before\n", out)

    def test_continues_back_to_the_breakpoint_before(self):
        out = self.debug("break k.cu:16", "continue", "continue", "continue", "reverse-continue", "reverse-continue")
        stops = [line for line in out.splitlines() if line.endswith("k at k.cu:16")]
        self.assertEqual(len(stops), 5)
        self.assertEqual(stops[3], stops[1])
        self.assertEqual(stops[4], stops[0])

    def test_goes_back_from_the_end(self):
        out = self.debug("break k.cu:23", "continue", "delete 1", "continue", "break k.cu:16", "reverse-continue", "continue")
        self.assertIn(": passed\n", out)
        self.assertIn("[block (1,0,0), thread (32,0,0), warp 1, lane 0] k at k.cu:16\n", out)

    @unittest.skipUnless(HAS_VARIABLES, "no libdw")
    def test_finds_the_writer_of_memory(self):
        out = self.debug("break k.cu:23 if i == 3", "continue", "writer tile[40]")
        self.assertRegex(out, r"tile\[40\]: 40, written by thread \(40,0,0\) of block \(0,0,0\) at k.cu:15\n")

    @unittest.skipUnless(HAS_VARIABLES, "no libdw")
    def test_it_stays_where_nothing_has_written(self):
        out = self.debug("break k.cu:16 if blockIdx.x == 1", "continue", "thread 40", "info position", "writer out[3]", "info position",
                         "print threadIdx.x", "writer out[99]", "delete 1", "continue")
        answers = self.answers(out)
        # Block 0 has written out[3], and nobody out[99] yet.
        self.assertIn("out[3]: ", answers[4])
        self.assertIn("written by thread (3,0,0) of block (0,0,0)", answers[4])
        out = self.debug("break k.cu:16 if blockIdx.x == 1", "continue", "thread 40", "info position", "writer out[99]", "info position",
                         "print threadIdx.x", "delete", "delete 1", "continue")
        answers = self.answers(out)
        self.assertEqual(answers[4], "out[99]: nothing has written it before")
        self.assertEqual(answers[5], answers[3])
        self.assertEqual(answers[6], "threadIdx.x = 40")
        self.assertEqual(answers[7], "which one? delete N")
        self.assertIn(": passed", answers[9])

    def test_runs_again(self):
        out = self.debug("break k.cu:16", "continue", "continue", "run")
        stops = [line for line in out.splitlines() if line.endswith("k at k.cu:16")]
        self.assertEqual(stops[0], stops[2])

    def test_goes_to_a_block(self):
        out = self.debug("block 1", "block 7", "thread 99", "warp 1", "lane 3", "lane 77")
        self.assertIn("[block (1,0,0), thread (0,0,0), warp 0, lane 0] k at k.cu:12\n", out)
        self.assertIn("the grid has no such block: it is (2,1,1)\n", out)
        self.assertIn("the block has no such thread: it is (64,1,1)\n", out)
        self.assertIn("[block (1,0,0), thread (35,0,0), warp 1, lane 3]", out)


@unittest.skipUnless(HAS_VARIABLES, "no libdw")
class Writers(DebugTest):
    def setUp(self):
        super().setUp()
        self.write("s/k.cu", """extern "C" __global__ void k(int *a, const int *src) {
  __shared__ int tile[64];
  int own[2];
  if (threadIdx.x < 48)
    tile[threadIdx.x] = src[threadIdx.x];
  own[1] = 5;
  __syncthreads();
  if (threadIdx.x == 40)
    tile[2] = 2;
  own[1] = 5;
  __syncthreads();
  a[threadIdx.x] = tile[threadIdx.x % 48] + own[1];
}
""")
        self.write("s/suite.yaml", """warpmark: 1
kernel: {file: k.cu, entry: k}
arguments: {a: {out: 64}, src: {in: 'np.arange(64)', dtype: int32}}
launch: {block: 64}
reference: {a: 'np.arange(64) % 48 + 5'}
""")

    def test_of_each_element(self):
        out = self.debug("break k.cu:12", "writers tile", "continue", "thread 50", "writers tile", "info position", "print threadIdx.x",
                         "info writers tile[2]", "writers a[0:64]", "writers own", "writers 1 + 2", "writers tile[0:99999999]",
                         "delete 1", "continue")
        answers = self.answers(out)
        self.assertEqual(answers[1], "tile[0:64]: never written")
        lines = answers[4].splitlines()
        places = [line.partition(",0,0) of block (0,0,0) at k.cu")[0] for line in lines]
        self.assertEqual(places[0], "tile[0:2]: threads (0,0,0) to (1")
        self.assertEqual(places[1], "tile[2]: thread (40")
        self.assertEqual(lines[-1], "tile[48:64]: never written")
        self.assertIn(" at k.cu:9, statement ", lines[1])
        self.assertIn(" at k.cu:5, statement ", lines[2])
        # It stands where it stood, at the same thread.
        self.assertEqual(answers[6], "threadIdx.x = 50")
        self.assertEqual(answers[7], lines[1])
        self.assertEqual(answers[8], "a[0:64]: never written by a kernel")
        self.assertRegex(answers[9], r"own\[0\]: never written\nown\[1\]: thread \(50,0,0\) of block \(0,0,0\) at k.cu:10, statement \d+")
        self.assertIn("lies in a register", answers[10])
        self.assertIn(": passed\n", out)

    def test_stores_of_the_same_value_count(self):
        out = self.debug("break k.cu:12", "continue", "writer tile[2]", "continue", "thread 7", "writer own[1]", "info breakpoints")
        self.assertIn("tile[2]: 2, the same value again, written by thread (40,0,0) of block (0,0,0) at k.cu:9\n", out)
        self.assertIn("own[1]: 5, the same value again, written by thread (7,0,0) of block (0,0,0) at k.cu:10\n", out)
        self.assertEqual(self.answers(out)[-1].count("watchpoint"), 0)  # the search leaves none
        # A watchpoint is about changes.
        out = self.debug("watch tile[2]", "continue", "continue")
        self.assertIn("tile[2]: 0 -> 2, written by thread (2,0,0)", out)
        self.assertNotIn("written by thread (40,0,0)", out)


class Templates(DebugTest):
    SOURCE = """template <typename T>
__device__ T twice(T v) {
  T sum = v + v;
  return sum * v;
}
extern "C" __global__ void k(float *a, int *b) {
  a[threadIdx.x] = twice(a[threadIdx.x]);
  b[threadIdx.x] = twice(b[threadIdx.x]);
}
"""

    def setUp(self):
        super().setUp()
        self.write("s/k.cu", self.SOURCE)
        self.write("s/suite.yaml", """warpmark: 1
kernel: {file: k.cu, entry: k}
arguments: {a: {inout: 'np.arange(32)', dtype: float32}, b: {inout: 'np.arange(32)', dtype: int32}}
launch: {block: 32}
reference: {a: 2 * a * a, b: 2 * b * b}
""")

    def test_each_instance(self):
        out = self.debug("break twice", "continue", "backtrace", "continue", "backtrace", "delete 1", "break twice<int>",
                         "run", "print v", "break k.cu:4")
        self.assertIn("Breakpoint 1 at k.cu:3, 2 places\n", out)
        self.assertRegex(out, r"#0 twice<float> at k.cu:[34]\n#1 k at k.cu:7\n")
        self.assertRegex(out, r"#0 twice<int> at k.cu:[34]\n#1 k at k.cu:8\n")
        self.assertRegex(self.answers(out)[7], r"Breakpoint 2\n.*twice<int> at k.cu")
        self.assertIn("Breakpoint 3 at k.cu:4, 2 places\n", out)

    def test_inlined(self):
        out = self.debug("break twice", "continue", "backtrace", "print v", "info locals", "break k.cu:3", options=["-O"])
        self.assertRegex(out, r"Breakpoint 1 at k.cu:[34], 2 places\n")
        self.assertRegex(out, r"#0 twice at k.cu:[34]\n#1 k at k.cu:7\n")
        self.assertIn("nothing is called `v` here", out)
        # The function that it was inlined into is a frame to look at.
        out = self.debug("break twice", "continue", "up", "frame 0", "down", "up", "up", "finish", options=["-O"])
        answers = self.answers(out)
        self.assertRegex(answers[2], r"\] k at k.cu:7\n7\t  a\[threadIdx.x\]")
        self.assertRegex(answers[3], r"\] twice at k.cu:[34]\n")
        self.assertRegex(answers[4], r"\] twice at k.cu:[34]\n")
        self.assertIn("] k at k.cu:7\n", answers[5])
        self.assertEqual(answers[6], "there is no such frame")


class Others(DebugTest):
    def test_a_finding_stops_before_it_happens(self):
        self.write("s/k.cu", KERNEL.replace("if (i < n)", "if (i < n + 1)"))
        out = self.debug("finding", "print threadIdx.x", "info warps", "continue", "continue", "continue", code=1)
        self.assertRegex(out, r"Found here: out-of-bounds .*\n\[block \(1,0,0\), thread \(36,0,0\), .*\] k at k.cu:22\n")
        self.assertIn(": failed\n", out)

    @unittest.skipUnless(HAS_VARIABLES, "no libdw")  # then that is the reason given
    def test_without_debug_information(self):
        self.write("s/suite.yaml", SUITE.replace("src:", "source:").replace("2 * src", "2 * source"))
        out = self.debug("break k.cu:16", "continue", "info args", "info locals", "backtrace", "info registers",
                         "print src[7]", "print tile[3]", "print source", options=["-O"])
        self.assertIn("Variables are not known: the kernel has no debug information; lines, parameters and PTX registers are\n", out)
        self.assertRegex(out, r"\nout = 0x[0-9a-f]+ \(out\)\n")
        # Names are those of the kernel, and not of the suite; types, too.
        self.assertRegex(out, r"\nsrc = 0x[0-9a-f]+ \(source\)\nn = 100\n")
        self.assertIn("src[7] = 7\n", out)
        self.assertIn("tile[3] = 3\n", out)
        self.assertIn("nothing is called `source` here\n", out)
        self.assertIn("locals are not known: the kernel has no debug information\n", out)
        self.assertIn("#0 k at k.cu:16\n", out)

    def test_parameters_whose_types_no_source_tells(self):
        # T is a macro of the suite, Pair a struct, and the second parameter has no name.
        self.write("s/k.cu", """struct Pair { int x, y; };
template <typename U> __global__ void k(T *out, int, const U *src, Pair p, unsigned char c) {
  out[threadIdx.x] = src[threadIdx.x] + p.y + c;
}
template __global__ void k<short>(T *, int, const short *, Pair, unsigned char);
""")
        self.write("s/suite.yaml", """warpmark: 1
types: {Pair: {x: int32, y: int32}}
kernel: {file: k.cu, entry: k, define: {T: '"double"'}}
arguments:
  out: {out: 32}
  unused: {scalar: 3}
  src: {in: 'np.arange(32)'}
  p: {scalar: '(1, 2)', dtype: Pair}
  c: {scalar: 200}
launch: {block: 32}
reference: {out: 'src + 202.0'}
""")
        out = self.debug("break k.cu:3", "continue", "info args", "print src[3]", "print out[0]", options=["-O"])
        args = dict(line.split(" = ", 1) for line in self.answers(out)[2].splitlines())
        self.assertEqual(list(args), ["out", "unused", "src", "p", "c"])
        self.assertEqual((args["unused"], args["p"], args["c"]), ("3", "0x0000000200000001", "200"))
        self.assertIn("src[3] = 3\n", out)
        self.assertNotIn("not known>", out)

    def test_printf_and_several_launches(self):
        self.write("s/k.cu", """#include <stdio.h>
extern "C" __global__ void one(int *a) {
  if (threadIdx.x == 0) printf("hello %d\\n", 7);
  a[threadIdx.x] = 1;
}
extern "C" __global__ void two(int *a) {
  a[threadIdx.x] += 1;
}
""")
        self.write("s/suite.yaml", """warpmark: 1
kernel: {file: k.cu}
arguments: {a: {out: 32}}
launch:
  - {entry: one, arguments: [a], block: 32}
  - {entry: two, arguments: [a], block: 32}
reference: {a: 'np.full(32, 2)'}
""")
        out = self.debug("break k.cu:7", "continue", "info position", "print a[3]", "reverse-step", "reverse-continue", "continue",
                         "continue")
        self.assertIn("no code of this launch is there; later launches may have it", out)
        self.assertIn("] two at k.cu:7\n", out)
        self.assertIn("launch 2,", out)
        self.assertEqual(out.count("hello 7\n"), 1)
        self.assertIn(": passed\n", out)

    def test_a_kernel_that_hangs_is_stopped(self):
        self.write("s/k.cu", KERNEL.replace("  if (i < n) {", "  while (((volatile int *)tile)[0] >= 0) {}\n  if (i < n) {"))
        process = subprocess.Popen([PROGRAM, "debug", "s/suite.yaml"], cwd=self.folder, text=True, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, env=dict(os.environ, HOME=str(self.folder)))
        process.stdin.write("continue\n")
        process.stdin.flush()
        while "(warpmark) continue" not in process.stdout.readline():
            pass
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate("info warps\nprint threadIdx.x\nquit\n", timeout=60)
        self.assertIn("Interrupted\n", out)
        self.assertRegex(out, r"\] k at k.cu:\d+\n")
        self.assertEqual(process.returncode, 0)

    def test_wrong_words(self):
        out = self.debug("frobnicate", "print", "break", "delete 9", "info nothing", "frame 7", "watch 3", "step 5 x")
        for text in ("unknown command `frobnicate`; `help` lists them\n", "where? break FILE:LINE, or break FUNCTION\n",
                     "there is no breakpoint or watchpoint of that number\n", "there is no such frame\n"):
            self.assertIn(text, out)

    def test_the_manuals_example(self):
        lines = (SOURCE_DIR / "docs/debugger.md").read_text(encoding="utf-8").split("```\n")[1].splitlines()
        words = lines[0].removeprefix("$ warpmark ").split()
        commands = [line.removeprefix("(warpmark) ") for line in lines if line.startswith("(warpmark) ")]
        self.assertEqual((words[0], len(commands)), ("debug", 4))
        for command in commands:
            words += ["--command", command]
        words[1] = str(SOURCE_DIR / words[1])
        out, _ = self.run_program(*words, "--batch")
        for line in lines[1:]:
            self.assertIn(line + "\n", out)
        if HAS_VARIABLES:
            self.assertRegex(out, r"\nvalue\[0\]\[0:8\] = \[[-0-9 ]+\]\n")
            self.assertRegex(out, r"\nvalue\[0\]\[3\]: .*written by thread \(3,0,0\) of block \(3,0,0\) at scan.cu:13\n")

    def test_one_case_is_debugged(self):
        _, errors = self.run_program("debug", "s/suite.yaml", "--batch", "--case", "s.nothing", code=2)
        self.assertIn("s.nothing", errors)
        self.write("s/suite.yaml", SUITE.replace("arguments:", "axes: {m: [1, 2]}\narguments:", 1))
        _, errors = self.run_program("debug", "s/suite.yaml", "--batch", code=2)
        self.assertIn("one case can be debugged, and 2 were chosen", errors)

    def test_a_kernel_that_does_not_compile(self):
        self.write("s/k.cu", "extern \"C\" __global__ void k( {")
        out = self.debug(code=1)
        self.assertIn(": failed\n", out)


if __name__ == "__main__":
    unittest.main()
