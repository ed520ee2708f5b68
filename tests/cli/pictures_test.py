# Pictures of what went wrong: pages of profile, check and grade with planted mistakes, and a browser that looks at them.
import html
import html.parser
import json
import re
import shutil
import subprocess
import unittest

from assignment import GradeTest
from program import CheckTest

# Line 4 is read by other threads in line 5.
RACE = """extern "C" __global__ void k(float *out, const float *src) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  tile[t] = src[t];  // </svg><script>alert(1)</script> & "quotes"
  out[t] = tile[63 - t];
}
"""
RACE_SUITE = """warpmark: 1
kernel: {file: race.cu, entry: k}
arguments: {out: {out: 64}, src: {in: rng.random(64)}}
launch: {block: 64}
reference: {out: 'src[::-1]'}
tolerance: exact
"""
# Reads by columns of memory and of the tile, and three branches, one within another's side.
SLOW = """extern "C" __global__ void k(float *out, const float *src) {
  __shared__ float tile[32][32];
  int x = threadIdx.x;
  for (int y = 0; y < 32; ++y)
    tile[y][x] = src[x * 32 + y];
  __syncthreads();
  float v = 0;
  for (int y = 0; y < 32; ++y)
    v += tile[x][y];
  if (x % 2 == 0) {
    if (x < 8)
      atomicAdd(&out[x], v);
    else
      out[x] = v;
  } else {
    out[x] = v + 0.0f * x;
  }
}
"""
SLOW_SUITE = """warpmark: 1
kernel: {file: slow.cu, entry: k}
arguments: {out: {inout: 'np.zeros(32)', dtype: float32}, src: {in: 'rng.random((32, 32))'}}
launch: {block: 32}
reference: {out: src.sum(axis=0)}
tolerance: {rtol: 1e-4}
"""
# Each lane another element of its own array, and copies of every 16th element to every 8th.
OWN = """extern "C" __global__ void k(float *out, const float *src) {
  __shared__ float tile[256];
  float mine[32];
  int x = threadIdx.x;
  for (int j = 0; j < 32; ++j)
    mine[j] = src[j];
  unsigned at = (unsigned)__cvta_generic_to_shared(&tile[x * 8]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(src + x * 16));
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  out[x] = mine[x * 5 % 32] + tile[x * 8];
}
"""
OWN_SUITE = """warpmark: 1
kernel: {file: own.cu, entry: k}
arguments: {out: {out: 32}, src: {in: rng.random(512)}}
launch: {block: 32}
reference: {out: 'src[np.arange(32) * 5 % 32] + src[np.arange(32) * 16]'}
tolerance: {rtol: 1e-5}
"""
LIMIT = 1 << 20

LOOK = """<script>addEventListener("load", () => {
  const faults = [];
  const svgs = document.querySelectorAll("svg.picture");
  for (const svg of svgs) {
    const frame = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        faults.push("`" + text.textContent + "` is outside of its picture");
      if (getComputedStyle(text).fill === getComputedStyle(svg.parentElement).backgroundColor && !text.classList.contains("on"))
        faults.push("`" + text.textContent + "` has the colour of the paper");
    }
  }
  const page = document.scrollingElement;
  if (page.scrollWidth > page.clientWidth) faults.push("the page is " + page.scrollWidth + " wide");
  const paper = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0] < 128 ? "dark" : "light";
  parent.postMessage([innerWidth, paper, svgs.length, ...faults].join("\\n"), "*");
});</script>"""
FRAMES = """<!doctype html><body><script>addEventListener("message", (event) => {
  const out = document.createElement("pre");
  out.className = "look";
  out.textContent = event.data;
  document.body.append(out);
});</script>%s"""


class Figures(html.parser.HTMLParser):
    """The pictures of a page, each with the texts of its elements; and scripts."""

    def __init__(self, page):
        super().__init__()
        self.figures, self.scripts, self.inside = [], 0, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.inside.append(tag)
        self.scripts += tag == "script"
        if tag == "figure" and dict(attributes).get("class") == "picture":
            self.figures.append({"figcaption": "", "title": "", "desc": "", "text": "", "p": ""})
        if tag == "svg" and self.figures:
            self.figures[-1]["role"] = dict(attributes).get("role")

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data):
        if self.figures and self.inside and self.inside[-1] in self.figures[-1]:
            self.figures[-1][self.inside[-1]] += data + "\n"


class PicturesTest(CheckTest):
    def setUp(self):
        super().setUp()
        self.write("suites/race.cu", RACE)
        self.write("suites/race.yaml", RACE_SUITE)
        self.write("suites/slow.cu", SLOW)
        self.write("suites/slow.yaml", SLOW_SUITE)
        self.write("suites/own.cu", OWN)
        self.write("suites/own.yaml", OWN_SUITE)

    def page(self, *words, code=0):
        self.run_program(*words, code=code)
        text = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertLess(len(text.encode()), LIMIT)
        self.assertNotIn("<script", text)
        found = Figures(text)
        self.assertEqual(found.scripts, 0)
        for figure in found.figures:
            self.assertEqual(figure["role"], "img")
            for part in ("figcaption", "title", "desc", "p"):
                self.assertTrue(figure[part].strip(), figure)
        return text, found.figures

    def profile(self, suite="suites/slow.yaml"):
        return self.page("profile", suite, "-o", "page.html")

    def counted(self, suite, *words, code=1):
        return self.page("check", suite, "--device", "cpu", "--counters", "--format", "html=page.html", *words, code=code)

    def race(self):
        return self.page("check", "suites/race.yaml", "--device", "cpu", "--checks", "race", "--format", "html=page.html", code=1)


class Pictures(PicturesTest):
    def test_a_profile_draws_the_worst_lines_and_where_lanes_part(self):
        _, figures = self.profile()
        captions = [figure["figcaption"].strip() for figure in figures]
        self.assertEqual(captions[0], "Bank conflicts: line 9 of slow.cu: v += tile[x][y];")
        self.assertIn("Sectors of a global load: line 5 of slow.cu: tile[y][x] = src[x * 32 + y];", captions)
        self.assertEqual(captions[-2:], ["Lanes that part: block (0,0,0), warp 0", "Roofline by counts, on an H200"])
        self.assertIn("32 words of this bank: 32 passes", figures[0]["text"])
        self.assertIn("32 lanes: 32 passes, where 1 would do.", figures[0]["p"])
        sectors = figures[captions.index("Sectors of a global load: line 5 of slow.cu: tile[y][x] = src[x * 32 + y];")]
        self.assertIn("32 lanes ask for 128 bytes of src; 32 sectors move 1024 bytes.", sectors["p"])
        self.assertIn("… and 22 more lines of 128 bytes", sectors["text"])
        branches = figures[-2]["text"]
        self.assertIn("line 10: if (x % 2 == 0) {\n", branches)
        self.assertRegex(branches, r"16 lanes go on at line 11: if \(x < 8\)\n(.*\n)*line 11: if \(x < 8\)\n4 lanes go on at line 12: ")
        self.assertIn("memory is the limit", figures[-1]["p"])

    def test_a_profile_is_the_same_with_every_number_of_workers_and_order_of_launches(self):
        pages = {self.page("profile", "suites/slow.yaml", "-o", "page.html")[0] for _ in range(2)}
        self.assertEqual(len(pages), 1)

    def test_a_race_on_a_time_line(self):
        text, figures = self.race()
        self.assertEqual(len(figures), 1)
        self.assertEqual(figures[0]["figcaption"].strip(), "Race: read after write of tile")
        drawn = figures[0]["text"]
        self.assertRegex(drawn, r"thread \(\d+,0,0\)\nblock \(0,0,0\), warp [01]\n")
        self.assertIn("1  line 4 writes\n", drawn)
        self.assertIn("2  line 5 reads\n", drawn)
        self.assertIn("missing: __syncthreads()\n", drawn)
        self.assertIn("out[t] = tile[63 - t];\n", drawn)
        self.assertIn("tile[t] = src[t];  // &lt;/svg&gt;&lt;script&gt;", text)
        self.assertIn("Put __syncthreads() between line 4 and line 5", figures[0]["p"])

    def test_a_journal_has_the_texts_of_both_lines(self):
        self.run_program("check", "suites/race.yaml", "--device", "cpu", "--checks", "race", "--journal", "run.jsonl", code=1)
        record = json.loads((self.folder / "run.jsonl").read_text().splitlines()[1])
        race = record["findings"][0]
        texts = {one["line"]: one["text"] for one in (race, race["other"])}
        self.assertEqual(texts[5], "out[t] = tile[63 - t];")
        self.assertTrue(texts[4].startswith("tile[t] = src[t];  // </svg>"))

    def test_a_counter_that_is_too_high_shows_why(self):
        self.write("suites/slow.yaml", SLOW_SUITE + "expect: {counters: {shared_load_conflicts: 0}}\n")
        _, figures = self.page("check", "suites/slow.yaml", "--device", "cpu", "--format", "html=page.html", "--journal", "run.jsonl", code=1)
        self.assertEqual(figures[0]["figcaption"].strip(), "Bank conflicts: line 9 of slow.cu: v += tile[x][y];")
        record = json.loads((self.folder / "run.jsonl").read_text().splitlines()[1])
        self.assertEqual(sorted(record["counters"][0]), ["kernel", "samples"])

    def test_counters_that_are_asked_for_are_drawn_of_each_failure(self):
        for change, reason in (("shared_load_conflicts: 0", "shared_load_conflicts"), (None, "wrong")):
            text = SLOW_SUITE.replace("src.sum(axis=0)", "src.sum(axis=0) + 1") if change is None else SLOW_SUITE + "expect: {counters: {%s}}\n" % change
            self.write("suites/slow.yaml", text)
            page, figures = self.counted("suites/slow.yaml", "--journal", "run.jsonl")
            self.assertIn(reason, page)
            captions = [figure["figcaption"].strip() for figure in figures]
            self.assertEqual(captions[0], "Bank conflicts: line 9 of slow.cu: v += tile[x][y];")
            self.assertEqual(captions[-2:], ["Lanes that part: block (0,0,0), warp 0", "Roofline by counts, on an H200"])
            record = json.loads((self.folder / "run.jsonl").read_text().splitlines()[1])
            self.assertIn("shared_load_wavefronts", record["counters"][0])
            (self.folder / "run.jsonl").unlink()

    def test_a_race_comes_before_what_is_counted(self):
        _, figures = self.counted("suites/race.yaml", "--checks", "race")
        self.assertEqual([figure["figcaption"].strip().split(":")[0] for figure in figures], ["Race"])  # its accesses are ideal
        self.write("suites/race.cu", RACE.replace("tile[63 - t]", "tile[t * 32 % 64]").replace("src[t]", "src[t * 8 % 64] * 2"))
        _, figures = self.counted("suites/race.yaml", "--checks", "race")
        self.assertEqual([figure["figcaption"].strip().split(":")[0] for figure in figures],
                         ["Race", "Sectors of a global load", "Bank conflicts", "Roofline by counts, on an H200"])

    def test_samples_are_kept_only_where_they_are_drawn(self):
        passes = SLOW_SUITE + "expect: {counters: {shared_load_conflicts: '>= 0'}}\n"
        self.write("suites/slow.yaml", passes)
        for words, kept in (((), False), (("--format", "html=page.html"), True)):
            self.run_program("check", "suites/slow.yaml", "--device", "cpu", "--counters", "--journal", "run.jsonl", *words)
            record = json.loads((self.folder / "run.jsonl").read_text().splitlines()[1])
            self.assertEqual("samples" in record["counters"][0], kept)
            (self.folder / "run.jsonl").unlink()

    def test_local_memory_and_copies(self):
        _, figures = self.profile("suites/own.yaml")
        by_caption = {figure["figcaption"].strip().split(":")[0]: figure for figure in reversed(figures)}
        local = by_caption["Sectors of a local load"]
        self.assertIn("line 11 of own.cu", local["figcaption"])
        self.assertIn("word 9\n", local["text"])
        self.assertIn("32 lanes ask for 128 bytes; 32 sectors move 1024 bytes. 4 would do if all lanes used the same words", local["p"])
        self.assertIn("line 8 of own.cu", by_caption["Sectors of a global asynchronous load"]["figcaption"])
        banks = [figure for figure in figures if "Asynchronous store of 4 bytes by 32 lanes: 8 passes" in figure["p"]]
        self.assertEqual(len(banks), 1)

    def test_a_page_of_many_cases_stays_small(self):
        self.write("suites/own.cu", OWN + "// a line\n" * 20)
        self.write("suites/own.yaml", OWN_SUITE.replace("kernel:", "axes: {m: {python: range(150)}}\nkernel:"))
        text, figures = self.profile("suites/own.yaml")  # looks at its size
        self.assertIn("The page is full: --case own.m=149 shows this one.", text)
        self.assertNotIn("own.m=0 shows", text)
        self.assertRegex(text, r"further pictures are left out: the page stays small\. Pages of fewer cases have them\.</p>")
        self.assertGreater(len(figures), 30)

    def test_no_pictures_where_nothing_is_wrong(self):
        self.write("suites/race.cu", RACE.replace("  out[t]", "  __syncthreads();\n  out[t]"))
        text, figures = self.page("check", "suites/race.yaml", "--device", "cpu", "--checks", "race", "--format", "html=page.html")
        self.assertEqual(figures, [])
        self.assertNotIn("svg.picture", text)


# Each thread reads what its neighbour writes; the hidden case has a race, too.
SHARED = """extern "C" __global__ void scale(float *out, const float *src, float f, int n) {
  __shared__ float tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[63 - threadIdx.x] = i < n ? src[i] : 0;
  float mine = tile[63 - (threadIdx.x ^ 32)] * 0;
  if (i < n) out[i] = f * src[i] + mine;
}
"""


class Graded(GradeTest):
    def test_students_and_staff_see_a_race_of_a_visible_case(self):
        self.hand_in(ann=SHARED.replace("tile[63 - threadIdx.x]", "/* </svg><script> */ tile[63 - threadIdx.x]"))
        self.grade()
        student = next((self.folder / "out" / "students").glob("*/*.html")).read_text(encoding="utf-8")
        staff = next((self.folder / "out").glob("*.html")).read_text(encoding="utf-8")
        for page in (student, staff):
            self.assertNotIn("<script", page)
            figures = Figures(page).figures
            self.assertGreaterEqual(len(figures), 1)
            self.assertIn("missing: __syncthreads()", figures[0]["text"])
            self.assertIn("line 4 writes", figures[0]["text"])
            self.assertIn("tile[63 - (threadIdx.x ^ 32)]", figures[0]["text"])
        cases = {one["name"]: one for one in self.result("ann")["cases"]}
        self.assertEqual(cases["small"]["items"][0]["evidence"][0]["kind"], "race")
        self.assertEqual(len(Figures(student).figures), 1)


@unittest.skipUnless(shutil.which("chromium"), "no Chromium on this machine")
class Browser(PicturesTest):
    def test_pictures_fit_at_both_widths_in_light_and_dark(self):
        pages = {"profile": self.profile()[0], "race": self.race()[0], "own": self.profile("suites/own.yaml")[0],
                 "race, counted": self.counted("suites/race.yaml")[0]}
        for what, text in pages.items():
            text = re.sub("<meta http-equiv[^>]*>", "", text) + LOOK
            # A frame has the scheme of its page, which is asked for by a media query.
            self.write("dark.html", text.replace("(prefers-color-scheme:dark)", "all"))
            self.write("light.html", text.replace("(prefers-color-scheme:dark)", "not all"))
            self.write("frames.html", FRAMES % "".join(
                "<iframe src=%s.html width=%d height=900></iframe>" % (scheme, width)
                for scheme in ("light", "dark") for width in (400, 1400)))
            done = subprocess.run(
                ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--virtual-time-budget=5000",
                 "--user-data-dir=%s" % (self.folder / "profile"), "--dump-dom", (self.folder / "frames.html").as_uri()],
                cwd=self.folder, capture_output=True, text=True, timeout=120, check=True)
            said = [html.unescape(one).split("\n") for one in re.findall(r'<pre class="look">(.*?)</pre>', done.stdout, re.S)]
            self.assertEqual(sorted(one[:2] for one in said), [["1400", "dark"], ["1400", "light"], ["400", "dark"], ["400", "light"]], what)
            for one in said:
                self.assertGreater(int(one[2]), 0, what)
                self.assertEqual(one[3:], [], "%s at %s pixels, %s" % (what, one[0], one[1]))


if __name__ == "__main__":
    unittest.main()
