# `--update-baseline`: a baseline of counters, and what then compares with it.
import json
import re
import unittest

from program import BUILD, KERNEL, SOURCE, CheckTest

MORE_WORK = KERNEL.replace("f * src[i]", "f * src[i] + 0.f * src[(i + 1) % n]")
# MORE_WORK gives the results of KERNEL, since src has no infinities.
RANDOM = "{in: 'rng.random(n)'}"


class Baseline(CheckTest):
    RUN = ("bench", "suites", "--device", "cpu", "--max-samples", "1", "--compare", "base.jsonl")

    def setUp(self):
        super().setUp()
        self.write_scale("suites/a/t.yaml", axes="{n: [400, 32, 100]}", src=RANDOM)
        self.write_scale("suites/b/u.yaml", axes="{n: [32]}", src=RANDOM)
        self.update()

    def update(self, *arguments, **options):
        return self.run_program(*self.RUN, "--update-baseline", *arguments, **options)

    def lines(self):
        text = (self.folder / "base.jsonl").read_text()
        self.assertTrue(text.endswith("\n"))
        return text.split("\n")[:-1]

    def changed(self, before):
        """The numbers of the lines that are not what they were, from 0."""
        after = self.lines()
        self.assertEqual(len(after), len(before))
        return [i for i, line in enumerate(before) if line != after[i]]

    def test_two_runs_write_the_same_bytes(self):
        first = (self.folder / "base.jsonl").read_bytes()
        for word in ("date", "seconds", "host", "commit", "command", "uuid", str(self.folder)):
            self.assertNotIn(word, first.decode())
        (self.folder / "base.jsonl").unlink()
        self.update("-q")
        self.assertEqual((self.folder / "base.jsonl").read_bytes(), first)
        before = (self.folder / "base.jsonl").stat().st_mtime_ns
        out, _ = self.update()
        self.assertTrue(out.endswith("\n4 the same (every change counts)\n\n"
                                     "base.jsonl is up to date, 4 cases\n"), out)
        self.assertEqual((self.folder / "base.jsonl").stat().st_mtime_ns, before)

    def test_a_line_for_each_case_in_the_order_of_numbers(self):
        records = [json.loads(line) for line in self.lines()]
        self.assertEqual([one.get("case") for one in records],
                         [None, "a/t.n=32", "a/t.n=100", "a/t.n=400", "b/u.n=32", None])
        self.assertEqual(records[1]["counters"]["ptx_flops"], 32)
        self.assertNotIn("barriers", records[1]["counters"])  # 0
        self.assertIn("barriers", records[0]["counters"])
        try:
            import jsonschema
        except ImportError:
            return
        schema = json.loads((SOURCE / "schema/baseline.json").read_text())
        for record in records:
            jsonschema.validate(record, schema)

    def test_a_change_of_one_kernel_changes_its_lines(self):
        before = self.lines()
        self.write("suites/b/k.cu", MORE_WORK)
        out, _ = self.run_program(*self.RUN, code=1)
        self.assertRegex(out, r"\nif that is meant: \S*warpmark bench suites .* --update-baseline\n")
        out, _ = self.update()
        self.assertRegex(out, r"\nslower +b/u\.n=32 ")
        self.assertNotIn("if that is meant", out)
        self.assertTrue(out.endswith("\nwrote base.jsonl, 4 cases: 1 changed\n"), out)
        self.assertEqual(self.changed(before), [4])
        self.run_program(*self.RUN)

    def grow(self):
        """A line more above, and more work in another; its kernel includes a header."""
        self.write("suites/b/h.cuh", "// scales\n__device__ float scale(float f, float x) {\n"
                                     "  return f * x;\n}\n")
        kernel = KERNEL.replace("f * src[i]", "scale(f, src[i])")
        self.write("suites/b/k.cu", '#include "h.cuh"\n' + kernel)
        self.update()
        kernel = kernel.replace("  int i", "  // A comment.\n  int i")
        self.write("suites/b/k.cu", '#include "h.cuh"\n' + kernel.replace(
            "src[i])", "src[i] + 0.f * src[(i + 1) % n])"))

    def test_lines_that_grew_are_named(self):
        self.grow()
        arguments = (*self.RUN, "--journal", "j.jsonl", "--junit", "j.xml", "--annotations", "github")
        out, errors = self.run_program(*arguments, code=1)
        grown = r"suites/b/k\.cu:5: \+128 global_load_bytes \(128 → 256\), " \
                r"\+1 global_load_requests \(1 → 2\), and 2 counters more"
        self.assertRegex(out, r"\n +%s\n" % grown)
        self.assertEqual(len(re.findall(r"k\.cu:\d+: ", out)), 1)  # no other line grew
        self.assertRegex(errors, r"::error file=suites/b/k\.cu,line=5,title=b/u\.n=32::slower"
                                 r".*%%0A%s%%0A" % grown)
        self.assertRegex((self.folder / "j.xml").read_text(), r"\n%s\n" % grown)
        # The journal keeps them for other reports.
        self.assertEqual([one["type"] for one in self.journal("j.jsonl")],
                         ["run"] + 4 * ["case"] + ["lines", "end"])
        out, _ = self.run_program("compare", "base.jsonl", "j.jsonl", "--markdown", code=1)
        self.assertRegex(out, r"\n\| `b/u\.n=32` \| `suites/b/k\.cu:5` \| \+128 global_load_bytes "
                              r"\(128 → 256\), .* \| `if \(i < n\) out\[i\] = scale\(f, src\[i\] ")
        (point,) = [one for one in json.loads(self.run_program(
            "compare", "base.jsonl", "j.jsonl", "--json", code=1)[0])["points"] if one["lines"]]
        self.assertEqual((point["case"], point["lines"][0]["line"]), ("b/u.n=32", 5))
        # In the header, too.
        self.write("suites/b/h.cuh", "// scales\n\n__device__ float scale(float f, float x) {\n"
                                     "  return f * x + 0.f * x * x;\n}\n")
        self.assertRegex(self.run_program(*self.RUN, code=1)[0],
                         r"\n +suites/b/h\.cuh:4: \+64 ptx_thread_instructions \(32 → 96\)")

    def test_a_baseline_without_lines_says_so(self):
        self.run_program(*self.RUN[:-2], "--journal", "old.jsonl", "-q")
        self.write("suites/b/k.cu", MORE_WORK)
        out, _ = self.run_program(*self.RUN[:-1], "old.jsonl", code=1)
        self.assertRegex(out, r"\n +the baseline has no lines; most of global_load_bytes is now in\n"
                              r" +suites/b/k\.cu:3: 256 global_load_bytes\n")

    def test_texts_of_the_suite_have_its_lines(self):
        text = ("warpmark: 1\nkernel:\n  entry: k\n  source: |\n"
                '    extern "C" __global__ void k(int *a) {\n'
                "      a[threadIdx.x] = 7;\n    }\n"
                "arguments: {a: {out: 32}}\nlaunch: {block: 32}\nreference: {a: 'np.full(32, 7)'}\n")
        self.write("suites/b/u.yaml", text)
        self.update()
        self.write("suites/b/u.yaml", "# A comment.\n" + text.replace(
            "a[threadIdx.x] = 7;", "a[threadIdx.x] = 7; atomicAdd(a, 0);"))
        out, _ = self.run_program(*self.RUN, code=1)
        self.assertRegex(out, r"\n +suites/b/u\.yaml:7: \+\d+ global_atomic_bytes \(0 → ")

    def test_cases_come_and_go(self):
        self.write_scale("suites/a/t.yaml", axes="{n: [32, 100, 1000]}", src=RANDOM)
        out, _ = self.update()
        self.assertTrue(out.endswith("\nwrote base.jsonl, 4 cases: 1 added, 1 removed\n"), out)
        self.assertEqual([json.loads(line)["case"] for line in self.lines()[1:-1]],
                         ["a/t.n=32", "a/t.n=100", "a/t.n=1000", "b/u.n=32"])
        # Having no case in common is not an error here, though nothing can be compared.
        self.write_scale("suites/a/t.yaml", axes="{n: [7]}", src=RANDOM)
        self.write_scale("suites/b/u.yaml", axes="{n: [7]}", src=RANDOM)
        self.assertIn("no case in common", self.run_program(*self.RUN, code=2)[1])
        out, _ = self.update("-q")
        self.assertTrue(out.endswith("\nwrote base.jsonl, 2 cases: 2 added, 4 removed\n"), out)

    def test_what_was_not_asked_for_stays(self):
        before = self.lines()
        self.write("suites/a/k.cu", MORE_WORK)
        out, _ = self.update("-k", "n=100")
        self.assertTrue(out.endswith("\nwrote base.jsonl, 4 cases: 1 changed\n"), out)
        self.assertEqual(self.changed(before), [2])
        # But not together with counts that were made in another way.
        after = self.lines()
        _, errors = self.update("-k", "n=100", "--seed", "7", code=2)
        self.assertIn("cannot be updated in a part: the seeds differ: 0 and 7", errors)
        self.assertEqual(self.lines(), after)
        self.update("--seed", "7")
        self.assertIn('"seed":7', self.lines()[0])

    def test_a_case_that_fails_leaves_it_as_it_was(self):
        before = self.lines()
        self.write("suites/a/k.cu", KERNEL.replace("f * src", "2 * src"))
        out, _ = self.update(code=1)
        self.assertTrue(out.endswith("\nbase.jsonl stays as it was: not every case is right\n"), out)
        self.assertEqual(self.lines(), before)
        (self.folder / "base.jsonl").unlink()
        out, _ = self.update(code=1)
        self.assertTrue(out.endswith("\nbase.jsonl is not written: not every case is right\n"), out)
        self.assertFalse((self.folder / "base.jsonl").exists())

    def test_a_device_that_does_not_count(self):
        before = self.lines()
        # The CPU device as one that has the driver's API alone.
        device = (BUILD / "lib/warpmark/libwarpmark_cpu.so").read_bytes()
        (self.folder / "libwarpmark_plain.so").write_bytes(
            device.replace(b"warpmark_device_v1\0", b"warpmark_device_no\0"))
        self.environment["WARPMARK_PLUGIN_PATH"] = str(self.folder)
        errors = self.run_program("bench", "suites", "--device", "plain", "--compare",
                                  "base.jsonl", "--update-baseline", code=3)[1]
        self.assertIn("counts nothing that a baseline could hold", errors)
        self.assertIn("--device cpu", errors)
        self.assertEqual(self.lines(), before)

    def test_a_pinned_version(self):
        self.assertNotIn("pinned", self.lines()[0])
        self.run_program(*self.RUN, "--update-baseline=pinned")
        self.assertIn('"pinned":true', self.lines()[0])
        self.run_program(*self.RUN)
        version = json.loads(self.lines()[0])["warpmark"]
        pinned = (self.folder / "base.jsonl").read_text()
        self.write("base.jsonl", pinned.replace('"warpmark":"%s"' % version, '"warpmark":"0.0.1"'))
        for words in (self.RUN, ("compare", "base.jsonl", "old.jsonl")):
            if words[0] == "compare":
                self.run_program(*self.RUN[:-2], "--journal", "old.jsonl", "-q")
            errors = self.run_program(*words, code=3)[1]
            self.assertIn("base.jsonl is pinned to Warpmark 0.0.1, and this is of version " + version,
                          errors)
            self.assertIn("--update-baseline shows what changed", errors)
        self.update()
        self.assertEqual((self.folder / "base.jsonl").read_text(), pinned)

    def test_run_configurations_name_it(self):
        self.write("c.yaml", "warpmark: 1\nbench: {suites: [suites], device: cpu, max_samples: 1, "
                             "compare: other/b.jsonl, quiet: true}\n")
        self.assertIn("--update-baseline writes one", self.run_program("run", "c.yaml", code=2)[1])
        out, _ = self.run_program("run", "c.yaml", "--update-baseline")
        self.assertTrue(out.endswith("\nwrote other/b.jsonl, 4 cases: 4 added\n"), out)
        self.assertEqual((self.folder / "other/b.jsonl").read_text(),
                         (self.folder / "base.jsonl").read_text())
        self.run_program("run", "c.yaml")
        self.assertIn("does not know which baseline",
                      self.refused("bench", "suites", "--device", "cpu", "--update-baseline"))

    def test_a_journal_is_replaced_and_compares_with_it(self):
        self.run_program(*self.RUN[:-2], "--journal", "old.jsonl", "-q")
        for pair in (("base.jsonl", "old.jsonl"), ("old.jsonl", "base.jsonl"),
                     ("base.jsonl", "base.jsonl")):
            out, _ = self.run_program("compare", *pair)
            self.assertTrue(out.endswith("\n4 the same (every change counts)\n"), out)
            self.assertIn("base.jsonl, counts of NVRTC", out)
            json.loads(self.run_program("compare", *pair, "--json")[0])
            self.run_program("compare", *pair, "--markdown")
        out, _ = self.run_program(*self.RUN[:-1], "old.jsonl", "--update-baseline")
        self.assertTrue(out.endswith("\nwrote old.jsonl, 4 cases: the counts are as before\n"), out)
        self.assertEqual((self.folder / "old.jsonl").read_text(),
                         (self.folder / "base.jsonl").read_text())
        # A report shows times, which it has not.
        self.assertIn("baseline of counters, which has no times",
                      self.refused("report", "base.jsonl"))

    def test_files_that_are_not_whole(self):
        text = (self.folder / "base.jsonl").read_text()
        lines = text.splitlines(keepends=True)
        conflict = lines[:1] + ["<<<<<<< HEAD\n"] + lines[1:]
        cut_off = ("base.jsonl: error: the baseline is cut off", "from version control")
        for damaged, (message, hint) in (
                ("".join(lines[:-1]), cut_off), (text[:-60], cut_off), (text[:-1], cut_off),
                (lines[0], cut_off),
                ("".join(conflict), ("base.jsonl:2: error: this line of the baseline is not JSON",
                                     "a merge left a conflict")),
                (text + lines[1], ("base.jsonl:7: error: there is a line behind", "")),
                (text.replace(lines[2], lines[1]), ("base.jsonl:3: error: a second line of the case",
                                                    "the first is line 2")),
                (text.replace('"baseline":1', '"baseline":2'),
                 ("base.jsonl:1: error: the baseline is of version 2, and this Warpmark knows "
                  "versions up to 1", "a newer one")),
                (text.replace('"counters":{', '"count":{'),
                 ("base.jsonl:2: error: the record has no `counters`", "schema/baseline.json")),
                (text.replace('"ptx_flops":32', '"ptx_flops":"x"'),
                 ("base.jsonl:2: error: `counters/ptx_flops` must be", "")),
                ("", ("the journal has no whole line", ""))):
            self.write("base.jsonl", damaged)
            for words in (self.RUN, (*self.RUN, "--update-baseline"),
                          ("compare", "base.jsonl", "base.jsonl")):
                errors = self.refused(*words)
                self.assertIn(message, errors)
                self.assertIn(hint, errors)
            self.assertIn("delete it, and --update-baseline writes a new one",
                          self.refused(*self.RUN, "--update-baseline"))
            self.assertEqual((self.folder / "base.jsonl").read_text(), damaged)
        # A file of another kind is not suggested for deletion.
        for file in ("suites", SOURCE / "tests/results/h200.jsonl",
                     SOURCE / "tests/results/check.jsonl"):
            self.assertNotIn("delete", self.refused(*self.RUN[:-1], file, "--update-baseline"))

    def test_what_counts_depend_on_is_compared(self):
        text = (self.folder / "base.jsonl").read_text()
        nvrtc = json.loads(self.lines()[0])["nvrtc_version"]
        for old, new, message in (
                ('"nvrtc_version":"%s"' % nvrtc, '"nvrtc_version":"12.4"',
                 "WARNING the compilers differ: NVRTC 12.4 and NVRTC %s" % nvrtc),
                ('"seed":0', '"seed":18446744073709551615',
                 "WARNING the seeds differ: 18446744073709551615 and 0"),
                ('"warpmark":"', '"warpmark":"9', "note: the versions of Warpmark differ")):
            self.write("base.jsonl", text.replace(old, new))
            self.assertIn(message, self.run_program(*self.RUN)[0])
        self.write("base.jsonl", text.replace("Warpmark CPU device", "Another device"))
        self.assertIn("the devices differ", self.run_program(*self.RUN, code=2)[1])
        self.assertIn("the devices differ", self.update(code=2)[1])
        self.update("--across-devices")
        self.assertEqual((self.folder / "base.jsonl").read_text(), text)

    def test_files_that_cannot_be_written(self):
        _, errors = self.run_program(*self.RUN[:-1], "/dev/full", "--update-baseline", code=3)
        self.assertIn("cannot write /dev/full: No space left on device", errors)
        before = self.lines()
        self.write("suites/b/k.cu", MORE_WORK)
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        self.environment["TMPDIR"] = "/tmp"
        _, errors = self.update(code=3, preexec_fn=self.permissions_count())
        self.assertIn("cannot write base.jsonl: Permission denied", errors)
        self.assertEqual(self.lines(), before)

    def test_it_is_no_file_that_the_run_reads(self):
        for file in ("suites/a/t.yaml", "suites/a/k.cu"):
            text = (self.folder / file).read_text()
            self.refused(*self.RUN[:-1], file, "--update-baseline")
            self.assertEqual((self.folder / file).read_text(), text)
        self.assertIn("name one file", self.refused(*self.RUN, "--update-baseline", "--junit",
                                                    "base.jsonl"))


if __name__ == "__main__":
    unittest.main()
