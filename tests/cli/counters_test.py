# Counters: `check --counters`, bounds in suites, and `profile`.
import html.parser
import re
import unittest

from program import KERNEL, CheckTest

# A tile of 32 × 32 floats that one warp writes by rows and reads by columns: 32 lanes in one bank.
TILE = """extern "C" __global__ void k(float *out, const float *src, int width) {
  __shared__ float tile[32 * 33];
  int lane = threadIdx.x;
  for (int row = 0; row < 32; ++row)
    tile[row * width + lane] = src[row * 32 + lane];
  __syncthreads();
  for (int row = 0; row < 32; ++row)
    out[row * 32 + lane] = tile[lane * width + row];  // <b>&
}
"""
TILE_SUITE = """warpmark: 1
kernel: {file: tile.cu, entry: k}
axes: {width: [32, 33]}
arguments:
  out: {out: [32, 32]}
  src: {in: 'rng.standard_normal((32, 32))'}
  width: {scalar: width}
launch: {block: 32}
reference: {out: src.T}
tolerance: exact
"""


class Counters(CheckTest):
    def write_tile(self, more=""):
        self.write("suites/tile.cu", TILE)
        return self.write("suites/tile.yaml", TILE_SUITE + more)

    def test_a_block_for_each_case(self):
        self.write_scale()
        out, errors = self.check("suites/t.yaml", "--counters", "--journal", "run.jsonl")
        self.assertEqual(errors, "")
        # 100 threads of 4 blocks of 32: four warps, of which the last has 4 active lanes at the
        # load, so 4 + 4 + 4 + 1 sectors, in which 400 of 416 bytes are used.
        self.assertRegex(out, r"\nt\.n=100\n  launch +k, 4 blocks of 32 threads; occupancy 50 % "
                              r"\(by blocks; [1-9]\d* registers a thread\)\n")
        self.assertRegex(out, r"\n  global load +4 +400 +13 +3\.2 +96 %\n")
        self.assertRegex(out, r"\n  global store +4 +400 +13 +3\.2 +96 %\n")
        self.assertRegex(out, r"\n  flops +100\n")
        self.assertIn("1 passed", out)
        launch = self.journal()[1]["counters"][0]
        self.assertEqual((launch["kernel"], launch["global_load_sectors"], launch["warps"]),
                         ("k", 13, 4))
        self.assertNotIn("lines", launch)

    def test_registers_of_the_compiler_limit_the_occupancy(self):
        self.write("suites/k.cu", """extern "C" __global__ void __maxnreg__(80) k(float *a) {
  float v[64];
  for (int i = 0; i < 64; ++i) v[i] = a[i];
  for (int k = 0; k < 10; ++k)
    for (int i = 0; i < 64; ++i) v[i] = v[i] * v[(i + 7) % 64] + 1;
  float sum = 0;
  for (int i = 0; i < 64; ++i) sum += v[i];
  if (sum == 1234567) a[threadIdx.x] = sum;
}
""")
        self.write("suites/t.yaml", "warpmark: 1\nkernel: {file: k.cu, entry: k}\narguments: {a: {inout: np.zeros(64)}}\n"
                   "launch: {block: 256}\nreference: {a: a}\nexpect: {counters: {occupancy: '<= 0.375'}}\n")
        out, _ = self.check("suites/t.yaml", "--counters", "--journal", "run.jsonl")
        self.assertRegex(out, r"occupancy 38 % \(by registers; (6[5-9]|7\d|80) registers a thread\)\n")
        occupancy = self.journal()[1]["counters"][0]["occupancy"]
        self.assertEqual((occupancy["blocks"], occupancy["limited_by"]), (3, "registers"))

    def test_nothing_unless_asked_for(self):
        self.write_scale()
        out, _ = self.check("suites/t.yaml", "--journal", "run.jsonl")
        self.assertNotIn("sectors", out)
        self.assertNotIn("counters", self.journal()[1])
        quiet, _ = self.check("suites/t.yaml", "--counters", "--quiet")
        self.assertNotIn("sectors", quiet)

    def test_bounds(self):
        bounds = """expect:
  counters:
    global_load_sectors: %s
    shared_load_wavefronts: "%s"
    ptx_divergent_branches: 0
    global_store_bytes: == out.nbytes
"""
        # 32 rows of 128 bytes; conflict-free in the padded tile, 32 ways in the other.
        self.write_tile(bounds % ("<= ceil_div(src.nbytes, 32)", ">= 32"))
        self.check("suites/tile.yaml", code=0)
        self.write_tile(bounds % ("< 4.5 * 32", "<= 32"))
        out, _ = self.check("suites/tile.yaml", "--journal", "run.jsonl", code=1)
        self.assertIn("1 passed, 1 failed", out)
        self.assertIn("FAILED tile.width=32\n  suites/tile.yaml:14:33: error: "
                      "the counter shared_load_wavefronts is 1024, and must be <= 32\n", out)
        self.assertEqual([record["failure"] for record in self.journal()[1:-1]],
                         ["counter", "none"])
        self.write_tile("expect: {counters: {shared_load_conflicts: 0}}\n")
        out, _ = self.check("suites/tile.yaml", code=1)
        self.assertIn("the counter shared_load_conflicts is 992, and must be == 0", out)

    def test_of_several_bounds_each_must_hold(self):
        for bounds, message in (("['>= 13', '<= 13', 13]", None),
                                ("['>= 3', '<= 4']", "11:55: error: the counter global_load_sectors is 13, and must be <= 4\n"),
                                ("['>= 14', '<= 20']", "11:47: error: the counter global_load_sectors is 13, and must be >= 14\n")):
            self.write_scale(more="expect: {counters: {global_load_sectors: %s}}\n" % bounds)
            out, _ = self.check("suites/t.yaml", code=1 if message else 0)
            self.assertIn("suites/t.yaml:" + message if message else "1 passed", out)

    def test_occupancy_may_be_bounded(self):
        # 32 blocks of one warp is all that a multiprocessor takes, of 64 warps.
        for bound, code in ((">= 0.5", 0), ("0.5", 0), ("<= 1", 0), ("> 0.5", 1), (">= 1", 1)):
            self.write_scale(more="expect: {counters: {occupancy: '%s'}}\n" % bound)
            out, _ = self.check("suites/t.yaml", code=code)
            if code:
                self.assertIn("the counter occupancy is 0.5, and must be " + bound, out)

    def test_a_wrong_result_is_reported_first(self):
        self.write_scale(kernel_text=KERNEL.replace("f *", "2 * f *"),
                         more="expect: {counters: {global_load_bytes: 1}}\n")
        out, _ = self.check("suites/t.yaml", code=1)
        self.assertIn("elements of `out` are wrong", out)
        self.assertNotIn("global_load_bytes", out)

    def test_mistakes_in_bounds(self):
        for bound, message in (
            ("{global_load_sector: 1}", "did you mean `global_load_sectors`?"),
            ("{barriers: '<='}", "`barriers` needs a bound behind <="),
            ("{barriers: '<= 0 - 1'}", "a number, 0 or more, is needed"),
            ("{barriers: '<= m'}", "`m`"), ("3", "`counters`"),
            ("{flops: 1}", "unknown counter `flops`\n  hint: did you mean `ptx_flops`?"),
            ("{load_sectors: 1}", "did you mean one of `global_load_sectors`, `local_load_sectors`, `async_global_load_sectors`, "
                                  "`texture_load_sectors`, `surface_load_sectors`?"),
            ("{sectors: 1}", "did you mean one of `global_load_sectors`, `global_store_sectors`, "),
            ("{bank_conflicts: 1}", "did you mean one of `shared_load_conflicts`, `shared_store_conflicts`, "),
            ("{zebras: 1}", "known: launches, blocks, "),
            ("{barriers: []}", "`barriers` is an empty list"),
            ("{barriers: ['>= 0', '<=']}", "`barriers` needs a bound behind <="),
            ("{barriers: ['>= 0', [1]]}", "`barriers` must be text, and here is a list"),
        ):
            self.write_scale(more="expect: {counters: %s}\n" % bound)
            errors = self.refused("check", "suites/t.yaml", "--device", "cpu")
            self.assertIn("suites/t.yaml:11:", errors)
            self.assertIn(message, errors)

    def test_every_counter_of_the_device_may_be_bounded(self):
        self.write_scale()
        self.check("suites/t.yaml", "--counters", "--journal", "run.jsonl")
        launch = self.journal()[1]["counters"][0]
        names = [name for name, value in launch.items() if name != "launch" and isinstance(value, int)]
        self.assertGreater(len(names), 80)
        self.write_scale(more="expect:\n  counters:\n" +
                         "".join("    %s: %d\n" % (name, launch[name]) for name in names))
        self.check("suites/t.yaml")


    def test_a_kernel_has_its_readable_name(self):
        template = KERNEL.replace('extern "C" __global__', "namespace {\ntemplate <class T, int N> __global__") + "}\n"
        self.write_scale(kernel_text=template, kernel='{file: k.cu, entry: "k<float, 2>"}')
        out, _ = self.check("suites/t.yaml", "--counters", "--journal", "run.jsonl")
        self.assertIn("  launch          k, 4 blocks of 32 threads; ", out)
        self.assertTrue(self.journal()[1]["counters"][0]["kernel"].startswith("_Z"))  # the symbol

    def test_a_baseline_that_fails_leaves_the_cases_own_numbers(self):
        kernels = KERNEL + KERNEL.replace(" k(", " base(").replace("f *", "2 * f *")
        self.write_scale(kernel_text=kernels,
                         more="expect: {parallel: true}\nbaseline: {kernel: {file: k.cu, entry: base}}\n")
        out, _ = self.check("suites/t.yaml", "--counters", "--journal", "run.jsonl", code=1)
        self.assertIn("the baseline fails: ", out)
        self.assertIn("  launch          k, 4 blocks", out)
        self.assertEqual([launch["kernel"] for launch in self.journal()[1]["counters"]], ["k"])


# Two rounds of one kernel, and another that reads what they wrote.
STEPS = """extern "C" __global__ void fill(int *a) { a[threadIdx.x] = threadIdx.x; }
extern "C" __global__ void twice(int *a) {
  a[threadIdx.x] *= 2;
}
"""
STEPS_SUITE = """warpmark: 1
kernel: {file: steps.cu}
axes: {n: [64]}
arguments: {a: {out: n}}
launch:
  - {entry: fill, block: n}
  - {entry: twice, name: double, block: n, repeat: {i: 2}}
reference: {a: 4 * np.arange(n)}
"""


class CountedSteps(CheckTest):
    def write_steps(self):
        self.write("suites/steps.cu", STEPS)
        self.write("suites/steps.yaml", STEPS_SUITE)

    def profile(self, *arguments, **options):
        return self.run_program("profile", "suites", *arguments, **options)[0]

    def test_a_block_for_each_step_over_its_rounds(self):
        self.write_steps()
        out, _ = self.check("suites", "--counters", "--journal", "run.jsonl")
        blocks = re.split(r"^steps\.n=64, ", out, flags=re.M)[1:]
        self.assertEqual([block.split("\n")[0] for block in blocks],
                         ["all 2 steps", "step `fill`", "step `double`"])
        for block, stores in zip(blocks, (6, 2, 4)):
            self.assertRegex(block, r"\n  global store +%d " % stores)
            self.assertEqual("global load" in block, block is not blocks[1])
        self.assertRegex(blocks[1], r"\n  launch +fill, 1 block")
        self.assertRegex(blocks[2], r"\n  launch +2 times twice, 1 block")
        launches = self.journal()[1]["counters"]
        self.assertEqual([(one["step"], one["step_name"]) for one in launches],
                         [("step 1, `fill`", "fill"), ("step 2, `double` (i = 0)", "double"),
                          ("step 3, `double` (i = 1)", "double")])

    def test_one_launch_has_one_block_and_no_step(self):
        self.write_scale()
        out, _ = self.check("suites", "--counters", "--journal", "run.jsonl")
        self.assertNotIn("step", out)
        self.assertNotIn("step_name", self.journal()[1]["counters"][0])

    def test_a_profile_of_one_step(self):
        self.write_steps()
        whole = self.profile()
        self.assertIn("steps.n=64, all 2 steps\n", whole)
        self.assertRegex(whole, r"\n +1 .* extern")
        one = self.profile("--step", "double", "-o", "page.html")
        self.assertTrue(one.startswith("steps.n=64, step `double`\n"), one)
        self.assertRegex(one, r"\n +3 [isw ]+4 .*a\[threadIdx.x\] \*= 2")
        self.assertRegex(one, r"\n +1 +extern")  # no numbers
        self.assertNotIn("`fill`", one)
        self.assertNotIn("`fill`", (self.folder / "page.html").read_text())

    def test_cases_without_the_step_are_left_out(self):
        self.write_steps()
        self.write_scale()
        self.assertNotIn("t.n=100", self.profile("--step", "fill"))
        self.assertTrue(self.profile("--step", "k").startswith("t.n=100\n"))

    def test_a_step_that_there_is_not(self):
        self.write_steps()
        errors = self.refused("profile", "suites", "--step", "doubel")
        self.assertIn("unknown step `doubel`; there are: fill, double\n", errors)
        self.assertIn("did you mean `double`?", errors)


class Profiles(CheckTest):
    def write_tile(self):
        self.write("suites/tile.cu", TILE)
        self.write("suites/tile.yaml", TILE_SUITE)

    def profile(self, *arguments, code=0):
        return self.run_program("profile", *arguments, code=code)[0]

    def line(self, out, number):
        """The cells of a source line that has some, and its text."""
        found = re.search(r"^ +%d (.*)$" % number, out, re.M)
        self.assertIsNotNone(found, out)
        return found.group(1)

    def test_lines_of_the_source(self):
        self.write_tile()
        out = self.profile("suites/tile.yaml", "--case", "tile.width=32")
        self.assertIn("\ntile.cu\n", out)
        # A load of 4 sectors a row, and a column of 32 words in one bank.
        self.assertRegex(self.line(out, 5), r" 4\.0 +100 % +0 % .*tile\[row \* width \+ lane\]")
        self.assertRegex(self.line(out, 8), r"^[isw]*w[isw]* .* 4\.0 +100 % +3100 % ")
        self.assertRegex(self.line(out, 9), r"^ *\}?$|\d")
        padded = self.profile("suites/tile.yaml", "--case", "tile.width=33")
        self.assertRegex(self.line(padded, 8), r" 4\.0 +100 % +0 % ")

    def test_a_pipe_gets_whole_lines(self):
        end = "/* %s ä */" % ("long " * 40)
        self.write_scale(kernel_text=KERNEL.replace("f * src[i];", "f * src[i];  " + end))
        self.assertIn(end, self.profile("suites/t.yaml", "--device", "cpu"))

    def test_a_case_without_numbers_says_why(self):
        beyond = KERNEL.replace("if (i < n) out[i]", "out[i + 1]")
        for suite, code, reason in (
                (dict(kernel_text=beyond, reference=None, more="expect: {fault: illegal_address}\n"), 0,
                 "t.n=100: no numbers: its launch ends in a fault, as is expected\n"),
                (dict(kernel_text="oops", reference=None, more="expect: compile_error\n"), 0,
                 "t.n=100: no numbers: the compiler refuses it, as is expected\n"),
                (dict(kernel_text=beyond), 1, "\n  no numbers: no launch came to its end\n"),
                (dict(kernel_text="oops"), 1, "\n  no numbers: no launch came to its end\n")):
            self.write_scale(**suite)
            out = self.profile("suites/t.yaml", "-o", "page.html", code=code)
            self.assertTrue(out.startswith("t.n=100: "), out)
            self.assertIn(reason, out)
            self.assertNotIn("sectors", out)  # nor what the columns mean
            self.assertIn(reason.split(": ", 1)[1].strip() if code == 0 else reason.strip(), (self.folder / "page.html").read_text())
        # A case with wrong results still has its numbers.
        self.write_scale(kernel_text=KERNEL.replace("f *", "2 * f *"))
        out = self.profile("suites/t.yaml", code=1)
        self.assertIn("t.n=100: failed: ", out)
        self.assertRegex(self.line(out, 3), r" 3\.2 +96 % ")
        self.assertNotIn("no numbers", out)

    def test_a_page(self):
        self.write_tile()
        out = self.profile("suites/tile.yaml", "-o", "page.html")
        self.assertIn("\nwrote page.html\n", out)
        page = (self.folder / "page.html").read_text()
        self.assertIn("// &lt;b&gt;&amp;", page)
        self.assertNotIn("<script", page)
        self.assertNotRegex(page, r"(src|href)=\"(?!#)")
        opened = []

        class Tags(html.parser.HTMLParser):
            def handle_starttag(self, tag, attrs):
                if tag not in ("meta", "br", "link"):
                    opened.append(tag)

            def handle_endtag(self, tag):
                assert opened.pop() == tag, (tag, self.getpos())
        Tags().feed(page)
        self.assertEqual(opened, [])
        self.assertEqual(len(re.findall(r"<h2 id=", page)), 2)

    def test_a_source_in_the_suite(self):
        """Its lines are the suite file's, as in reports."""
        text = TILE_SUITE.replace("{file: tile.cu, entry: k}", "\n  source: |\n    %s  entry: k" %
                                  TILE.replace("\n", "\n    ")[:-4])
        self.write("suites/tile.yaml", text)
        out = self.profile("suites/tile.yaml", "--case", "tile.width=33", "-o", "page.html")
        self.assertIn("\ntile.yaml\n", out)
        self.assertNotIn("a header", out)
        # The file's first three lines are no source.
        self.assertRegex(self.line(out, 8), r" 4\.0 +100 % +0 % .*tile\[row \* width \+ lane\]")
        self.assertRegex(self.line(out, 11), r" 4\.0 +100 % +0 % .*out\[row \* 32 \+ lane\]")
        self.assertNotRegex(out, r"\n +[123] |\n +1[3-9] ")
        page = (self.folder / "page.html").read_text()
        row = re.search(r'<tr class="heat\d"><td class="line">8</td>.*</tr>', page).group(0)
        self.assertIn('<td class="number">4.0</td><td class="number">100 %</td>', row)
        self.assertIn("tile[row * width + lane] = src[row * 32 + lane];", row)

    def test_a_kernel_of_one_line_in_the_suite(self):
        self.write_scale(kernel_text=None, kernel="\n  source: |\n    " + KERNEL.replace("\n", " ") +
                         "\n  entry: k")
        out = self.profile("suites/t.yaml")
        self.assertRegex(self.line(out, 4), r"^isw? .* 3\.\d +9\d % .*extern \"C\"")

    def test_a_generated_source(self):
        """Text that the suite gives for the source is shown at the suite's line."""
        self.write("suites/e.yaml", """warpmark: 1
plugin: elementwise
kernel:
  parameters: float *out, const float *x
  operation: |
    float t = x[i];
    out[i] = t * 2
arguments: {out: {out: x.shape}, x: {in: rng.random(63), dtype: float32}}
reference: {out: x * 2}
""")
        out = self.profile("suites/e.yaml")
        # Where 16 bytes at once do not fit, elements are taken one by one.
        generated, written = out.split("\ne.generated.cu\n")[1].split("\ne.yaml\n")
        self.assertRegex(generated, r"\n +\d+ .*namespace warpmark")
        self.assertRegex(self.line(written, 7), r"^ +\d+ .* out\[i\] = t \* 2$")
        self.assertNotIn("a header", out)

    def test_headers_of_the_suite_have_their_text(self):
        """A kernel in a header of an include folder, and a function in one beside that header."""
        far = "// far from what counts\n"
        kernel = ('#pragma once\n#include "deep/twice.cuh"\n' + 40 * far +
                  "template <typename T>\n"
                  "__global__ void k(T *out, const T *src, unsigned n) {  // <b>&\n"
                  "  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "  if (i < n) out[i] = twice(src[i]);\n}\n")
        self.write("headers/k.cuh", kernel)
        self.write("headers/deep/twice.cuh", "#pragma once\ntemplate <typename T>\n"
                   "__device__ __noinline__ T twice(T x) { return x + x; }\n")
        self.write("suites/t.cu", "#include <k.cuh>\n"
                   "template __global__ void k<float>(float *, const float *, unsigned);\n")
        self.write("suites/t.yaml", """warpmark: 1
kernel: {file: t.cu, entry: k<float>, include: [../headers]}
arguments:
  out: {out: 100, dtype: float32}
  src: {in: rng.random(100), dtype: float32}
  n: {scalar: 100, dtype: uint32}
launch: {block: 32, grid: 4}
reference: {out: 2 * src}
""")
        out = self.profile("suites/t.yaml", "-o", "page.html")
        self.assertNotIn("is not shown", out)
        kernel, twice = re.split(r"\n\S*headers/deep/twice\.cuh\n", out.split("headers/k.cuh\n")[1])
        self.assertRegex(self.line(kernel, 46), r" 3\.2 +96 % .*  if \(i < n\) out\[i\] = twice\(src\[i\]\);$")
        self.assertIn("// <b>&", self.line(kernel, 44))
        self.assertEqual(kernel.count(far), 7)  # eight lines before the first that counts
        self.assertRegex(self.line(twice, 3), r"\d .* return x \+ x; }$")
        self.assertEqual(out.count("twice.cuh\n"), 1)  # under one of its names
        page = (self.folder / "page.html").read_text()
        self.assertIn("  if (i &lt; n) out[i] = twice(src[i]);</td>", page)
        self.assertNotIn("is not shown", page)

    def test_a_failing_case_is_profiled_all_the_same(self):
        self.write_scale(kernel_text=KERNEL.replace("f *", "2 * f *"))
        out = self.profile("suites/t.yaml", code=1)
        self.assertIn("t.n=100: failed: 100 of 100 elements of `out` are wrong", out)
        self.assertRegex(out, r"\n +3 .*out\[i\] = 2 \* f \* src")


if __name__ == "__main__":
    unittest.main()
