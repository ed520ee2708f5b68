# `--update-baseline`: a baseline of counters, and what then compares with it.
import json
import re
import unittest

from program import BUILD, KERNEL, SOURCE, CheckTest

MORE_WORK = KERNEL.replace("f * src[i]", "f * src[i] + 0.f * src[(i + 1) % n]")
# MORE_WORK gives the results of KERNEL, since src has no infinities.
RANDOM = "{in: 'rng.random(n)'}"


class Baseline(CheckTest):
    RUN = ("bench", "suites", "--device", "cpu", "--max-samples", "1", "--compare", "base.baseline")

    def setUp(self):
        super().setUp()
        self.write_scale("suites/a/t.yaml", axes="{n: [400, 32, 100]}", src=RANDOM)
        self.write_scale("suites/b/u.yaml", axes="{n: [32]}", src=RANDOM)
        self.update()

    def update(self, *arguments, **options):
        return self.run_program(*self.RUN, "--update-baseline", *arguments, **options)

    def lines(self):
        text = (self.folder / "base.baseline").read_text()
        self.assertTrue(text.endswith("\n"))
        return text.split("\n")[:-1]

    def counts(self):
        """The lines below the head, by their words."""
        lines = self.lines()
        self.assertEqual(lines[-1], "end")
        return [line.split(" ") for line in lines[lines.index("") + 1:-1]]

    def cases(self):
        return list(dict.fromkeys(case for case, _, _ in self.counts()))

    def changed(self, before):
        """The cases and counters of the lines that are not what they were; none comes or goes."""
        after = self.lines()
        self.assertEqual(len(after), len(before))
        pairs = [(old.split(" "), new.split(" ")) for old, new in zip(before, after) if old != new]
        for old, new in pairs:
            self.assertEqual(old[:2], new[:2])
        return [tuple(old[:2]) for old, _ in pairs]

    def test_two_runs_write_the_same_bytes(self):
        first = (self.folder / "base.baseline").read_bytes()
        for word in ("date", "seconds", "host", "commit", "command", "uuid", str(self.folder)):
            self.assertNotIn(word, first.decode())
        (self.folder / "base.baseline").unlink()
        self.update("-q")
        self.assertEqual((self.folder / "base.baseline").read_bytes(), first)
        before = (self.folder / "base.baseline").stat().st_mtime_ns
        out, _ = self.update()
        self.assertTrue(out.endswith("\n4 the same (every change counts)\n\n"
                                     "base.baseline is up to date, 4 cases\n"), out)
        self.assertEqual((self.folder / "base.baseline").stat().st_mtime_ns, before)

    def test_a_line_for_each_case_and_counter(self):
        lines = self.lines()
        self.assertEqual(lines[0], "warpmark baseline 2")
        head = dict(line.split(": ", 1) for line in lines[1:lines.index("")])
        self.assertEqual(list(head), ["version", "device", "kind", "architecture", "nvrtc", "seed",
                                      "counter"])
        self.assertEqual(head["device"], "Warpmark CPU device")
        counters = [line.split(": ")[1] for line in lines if line.startswith("counter: ")]
        # Numbers in ids are ordered by their value, and counters by their names.
        self.assertEqual(self.cases(), ["a/t.n=32", "a/t.n=100", "a/t.n=400", "b/u.n=32"])
        for case in self.cases():
            names = [name for one, name, _ in self.counts() if one == case]
            self.assertEqual(names, sorted(set(names) & set(counters)))
        self.assertIn(["a/t.n=32", "ptx_flops", "32"], self.counts())
        self.assertIn("barriers", counters)
        self.assertNotIn("barriers", [name for _, name, _ in self.counts()])  # 0
        self.assertLess(max(map(len, lines)), 60)

    def records(self):
        return [json.loads(line)
                for line in (self.folder / "base.baseline.lines").read_text().splitlines()]

    def test_lines_and_digests_are_beside_it(self):
        records = self.records()
        self.assertEqual([one.get("case") for one in records], [None, *self.cases(), None])
        self.assertEqual(records[1]["lines"][0]["file"], "k.cu")
        for word in ("k.cu", records[1]["sources"]):
            self.assertNotIn(word, "\n".join(self.lines()))
        try:
            import jsonschema
        except ImportError:
            return
        schema = json.loads((SOURCE / "schema/baseline.json").read_text())
        for record in records:
            jsonschema.validate(record, schema)

    def test_a_comment_changes_nothing(self):
        self.write("suites/b/h.cuh", "#define TWO 2\n")
        kernel = '#include "h.cuh"\n' + KERNEL
        self.write("suites/b/k.cu", kernel)
        self.update()
        before = (self.folder / "base.baseline").read_bytes()
        sources = [one.get("sources") for one in self.records()]
        self.write("suites/b/h.cuh", "// A comment\n// in a header.\n#define TWO 2\n")
        self.write("suites/b/k.cu", "// And one here.\n" + kernel)
        self.write_scale("suites/a/t.yaml", axes="{n: [400, 32, 100]}", src=RANDOM,
                         kernel_text="// One more.\n" + KERNEL)
        out, _ = self.update()
        self.assertTrue(out.endswith("\nbase.baseline is up to date, 4 cases\n"), out)
        self.assertEqual((self.folder / "base.baseline").read_bytes(), before)
        self.assertNotEqual([one.get("sources") for one in self.records()], sources)
        self.run_program(*self.RUN)

    def test_a_change_of_one_kernel_changes_its_lines(self):
        before = self.lines()
        self.write("suites/b/k.cu", MORE_WORK)
        out, _ = self.run_program(*self.RUN, code=1)
        self.assertRegex(out, r"\nif that is meant: \S*warpmark bench suites .* --update-baseline\n")
        out, _ = self.update()
        self.assertRegex(out, r"\nslower +b/u\.n=32 ")
        self.assertNotIn("if that is meant", out)
        self.assertTrue(out.endswith("\nwrote base.baseline, 4 cases: 1 changed\n"), out)
        changed = self.changed(before)
        self.assertEqual({case for case, _ in changed}, {"b/u.n=32"})
        self.assertIn(("b/u.n=32", "ptx_thread_instructions"), changed)
        self.assertLess(len(changed), 8)
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
        out, _ = self.run_program("compare", "base.baseline", "j.jsonl", "--markdown", code=1)
        self.assertRegex(out, r"\n\| `b/u\.n=32` \| `suites/b/k\.cu:5` \| \+128 global_load_bytes "
                              r"\(128 → 256\), .* \| `if \(i < n\) out\[i\] = scale\(f, src\[i\] ")
        (point,) = [one for one in json.loads(self.run_program(
            "compare", "base.baseline", "j.jsonl", "--json", code=1)[0])["points"] if one["lines"]]
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
        self.assertTrue(out.endswith("\nwrote base.baseline, 4 cases: 1 added, 1 removed\n"), out)
        self.assertEqual(self.cases(), ["a/t.n=32", "a/t.n=100", "a/t.n=1000", "b/u.n=32"])
        # Having no case in common is not an error here, though nothing can be compared.
        self.write_scale("suites/a/t.yaml", axes="{n: [7]}", src=RANDOM)
        self.write_scale("suites/b/u.yaml", axes="{n: [7]}", src=RANDOM)
        self.assertIn("no case in common", self.run_program(*self.RUN, code=2)[1])
        out, _ = self.update("-q")
        self.assertTrue(out.endswith("\nwrote base.baseline, 2 cases: 2 added, 4 removed\n"), out)

    def test_what_was_not_asked_for_stays(self):
        before = self.lines()
        self.write("suites/a/k.cu", MORE_WORK)
        out, _ = self.update("-k", "n=100")
        self.assertTrue(out.endswith("\nwrote base.baseline, 4 cases: 1 changed\n"), out)
        self.assertEqual({case for case, _ in self.changed(before)}, {"a/t.n=100"})
        # The lines of the others are kept.
        self.assertEqual([one["case"] for one in self.records()[1:-1]], self.cases())
        # But not together with counts that were made in another way.
        after = self.lines()
        _, errors = self.update("-k", "n=100", "--seed", "7", code=2)
        self.assertIn("cannot be updated in a part: the seeds differ: 0 and 7", errors)
        self.assertEqual(self.lines(), after)
        self.update("--seed", "7")
        self.assertIn("seed: 7", self.lines())

    def test_a_case_that_fails_leaves_it_as_it_was(self):
        before = self.lines()
        self.write("suites/a/k.cu", KERNEL.replace("f * src", "2 * src"))
        out, _ = self.update(code=1)
        self.assertTrue(out.endswith("\nbase.baseline stays as it was: not every case is right\n"), out)
        self.assertEqual(self.lines(), before)
        (self.folder / "base.baseline").unlink()
        out, _ = self.update(code=1)
        self.assertTrue(out.endswith("\nbase.baseline is not written: not every case is right\n"), out)
        self.assertFalse((self.folder / "base.baseline").exists())

    def test_a_device_that_does_not_count(self):
        before = self.lines()
        # The CPU device as one that has the driver's API alone.
        device = (BUILD / "lib/warpmark/libwarpmark_cpu.so").read_bytes()
        (self.folder / "libwarpmark_plain.so").write_bytes(
            device.replace(b"warpmark_device_v1\0", b"warpmark_device_no\0"))
        self.environment["WARPMARK_PLUGIN_PATH"] = str(self.folder)
        errors = self.run_program("bench", "suites", "--device", "plain", "--compare",
                                  "base.baseline", "--update-baseline", code=3)[1]
        self.assertIn("counts nothing that a baseline could hold", errors)
        self.assertIn("--device cpu", errors)
        self.assertEqual(self.lines(), before)

    def test_a_pinned_version(self):
        self.assertNotIn("pinned: true", self.lines())
        self.run_program(*self.RUN, "--update-baseline=pinned")
        self.assertIn("pinned: true", self.lines())
        self.run_program(*self.RUN)
        version = self.lines()[1].split(": ")[1]
        pinned = (self.folder / "base.baseline").read_text()
        self.write("base.baseline", pinned.replace("version: " + version, "version: 0.0.1"))
        for words in (self.RUN, ("compare", "base.baseline", "old.jsonl")):
            if words[0] == "compare":
                self.run_program(*self.RUN[:-2], "--journal", "old.jsonl", "-q")
            errors = self.run_program(*words, code=3)[1]
            self.assertIn("base.baseline is pinned to Warpmark 0.0.1, and this is of version " + version,
                          errors)
            self.assertIn("--update-baseline shows what changed", errors)
        self.update()
        self.assertEqual((self.folder / "base.baseline").read_text(), pinned)

    def test_run_configurations_name_it(self):
        self.write("c.yaml", "warpmark: 1\nbench: {suites: [suites], device: cpu, max_samples: 1, "
                             "compare: other/b.baseline, quiet: true}\n")
        self.assertIn("--update-baseline writes one", self.run_program("run", "c.yaml", code=2)[1])
        out, _ = self.run_program("run", "c.yaml", "--update-baseline")
        self.assertTrue(out.endswith("\nwrote other/b.baseline, 4 cases: 4 added\n"), out)
        self.assertEqual((self.folder / "other/b.baseline").read_text(),
                         (self.folder / "base.baseline").read_text())
        self.run_program("run", "c.yaml")
        self.assertIn("does not know which baseline",
                      self.refused("bench", "suites", "--device", "cpu", "--update-baseline"))

    def test_a_journal_is_replaced_and_compares_with_it(self):
        self.run_program(*self.RUN[:-2], "--journal", "old.jsonl", "-q")
        for pair in (("base.baseline", "old.jsonl"), ("old.jsonl", "base.baseline"),
                     ("base.baseline", "base.baseline")):
            out, _ = self.run_program("compare", *pair)
            self.assertTrue(out.endswith("\n4 the same (every change counts)\n"), out)
            self.assertIn("base.baseline, counts of NVRTC", out)
            json.loads(self.run_program("compare", *pair, "--json")[0])
            self.run_program("compare", *pair, "--markdown")
        out, _ = self.run_program(*self.RUN[:-1], "old.jsonl", "--update-baseline")
        self.assertTrue(out.endswith("\nwrote old.jsonl, 4 cases: the counts are as before\n"), out)
        self.assertEqual((self.folder / "old.jsonl").read_text(),
                         (self.folder / "base.baseline").read_text())
        # A report shows times, which it has not.
        self.assertIn("baseline of counters, which has no times",
                      self.refused("report", "base.baseline"))

    def refuse_damaged(self, cases):
        """Each text as the baseline is refused with its message and hint, and stays."""
        for damaged, message, hint in cases:
            self.write("base.baseline", damaged)
            for words in (self.RUN, (*self.RUN, "--update-baseline"),
                          ("compare", "base.baseline", "base.baseline")):
                errors = self.refused(*words)
                self.assertIn(message, errors)
                self.assertIn(hint, errors)
            self.assertIn("delete it, and --update-baseline writes a new one",
                          self.refused(*self.RUN, "--update-baseline"))
            self.assertEqual((self.folder / "base.baseline").read_text(), damaged)

    def test_files_of_the_old_form_that_are_not_whole(self):
        text = (self.folder / "base.baseline.lines").read_text()
        lines = text.splitlines(keepends=True)
        conflict = lines[:1] + ["<<<<<<< HEAD\n"] + lines[1:]
        cut_off = ("base.baseline: error: the baseline is cut off", "from version control")
        self.refuse_damaged((
            ("".join(lines[:-1]), *cut_off), (text[:-60], *cut_off), (text[:-1], *cut_off),
            (lines[0], *cut_off),
            ("".join(conflict), "base.baseline:2: error: this line of the baseline is not JSON",
             "a merge left a conflict"),
            (text + lines[1], "base.baseline:7: error: there is a line behind", ""),
            (text.replace(lines[2], lines[1]), "base.baseline:3: error: a second line of the case",
             "the first is line 2"),
            (text.replace('"baseline":1', '"baseline":2'),
             "base.baseline:1: error: the baseline is of version 2, and this Warpmark knows "
             "versions up to 1", "a newer one"),
            (text.replace('"counters":{', '"count":{'),
             "base.baseline:2: error: the record has no `counters`", "schema/baseline.json"),
            (text.replace('"ptx_flops":32', '"ptx_flops":"x"'),
             "base.baseline:2: error: `counters/ptx_flops` must be", ""),
            ("", "the journal has no whole line", "")))

    def test_files_that_are_not_whole(self):
        text = (self.folder / "base.baseline").read_text()
        lines = text.splitlines(keepends=True)
        first = lines.index("\n") + 1
        flops = next(i for i, line in enumerate(lines) if line.startswith("a/t.n=32 ptx_flops"))
        cut_off = ("base.baseline: error: the baseline is cut off", "from version control")

        def having(number, *others):
            return "".join(lines[:number] + list(others) + lines[number + 1:])

        def at(number, column, message):
            return "base.baseline:%d:%d: error: %s" % (number + 1, column, message)
        conflict = ("a merge left a conflict in the baseline",
                    "take either side of the file, and write it again with --update-baseline")
        cases = [
            ("".join(lines[:-1]), *cut_off), (text[:-60], *cut_off), (text[:-1], *cut_off),
            ("".join(lines[:first]), *cut_off), (lines[0], *cut_off), (text + "e", *cut_off),
            (text + "end\n", at(len(lines), 1, "there is a line behind the last one"), ""),
            (text.replace(" 2\n", " 3\n", 1),
             at(0, 19, "the baseline is of version 3, and this Warpmark knows versions up to 2"),
             "a newer one"),
            (text.replace(" 2\n", " two\n", 1), at(0, 19, "the version of the baseline is no number"),
             ""),
            (having(1), at(first - 2, 1, "the head has no line `version`"), ""),
            (having(1, "vresion: 1\n"), at(1, 1, "`vresion: 1` is no line of the baseline's head"),
             "an empty line"),
            (having(first - 1), at(first - 1, 1, "`a/t.n=32 global_load_bytes 128` is no line of"),
             "an empty line"),
            (having(2, lines[1]), at(2, 1, "a second line `version`"), "the first is line 2"),
            (having(8, lines[7]), at(8, 1, "a second line `counter: launches`"),
             "the first is line 8"),
            (having(4, "architecture: sm\n"), at(4, 15, "`architecture` must be a whole number"), ""),
            (having(6, "seed: -1\n"), at(6, 7, "`seed` must be a whole number"), ""),
            (having(6, "pinned: no\n"), at(6, 9, "`pinned` must be true"), ""),
            (having(flops, "a/t.n=32 ptx_flop 32\n"),
             at(flops, 10, "the baseline's head has no counter `ptx_flop`"),
             "did you mean `ptx_flops`?"),
            (having(flops, "a/t.n=32 ptx_flops\n"),
             at(flops, 19, "a line of the baseline is `CASE COUNTER VALUE`, and this has 2 words"), ""),
            (having(flops, "a/t.n=32 ptx_flops 3 2\n"), at(flops, 22, "a line of the baseline is"), ""),
            (having(flops, "\n"), at(flops, 1, "a line of the baseline is"), ""),
            (having(flops, lines[flops], lines[flops]),
             at(flops + 1, 1, "a second line of ptx_flops of a/t.n=32"),
             "the first is line %d" % (flops + 1))]
        for value in ("x", "-1", "3.5", "1e3", "9223372036854775808"):
            cases.append((having(flops, "a/t.n=32 ptx_flops %s\n" % value),
                          at(flops, 20, "`%s` is no count" % value), ""))
        for marker in ("<<<<<<< HEAD", "||||||| base", "=======", ">>>>>>> theirs"):
            cases.append((having(flops, marker + "\n"), at(flops, 1, conflict[0]), conflict[1]))
        cases.append(("<<<<<<< HEAD\n" + text, at(0, 1, conflict[0]), conflict[1]))
        cases.append((having(1, "<<<<<<< HEAD\n"), at(1, 1, conflict[0]), conflict[1]))
        self.refuse_damaged(cases)

    def test_lines_may_end_as_on_windows(self):
        text = (self.folder / "base.baseline").read_bytes()
        (self.folder / "base.baseline").write_bytes(text.replace(b"\n", b"\r\n"))
        self.run_program(*self.RUN)
        self.update()
        self.assertEqual((self.folder / "base.baseline").read_bytes(), text)

    def test_a_missing_or_old_lines_file(self):
        lines = self.folder / "base.baseline.lines"
        old = lines.read_text()
        self.write("suites/b/k.cu", MORE_WORK)
        lines.unlink()
        out, _ = self.run_program(*self.RUN, "--journal", "j.jsonl", code=1)
        self.assertIn("the baseline has no lines; most of", out)
        # A message about sources needs their digests.
        self.assertNotIn("of the same sources", out)
        self.assertNotIn("kernel, plan or options differ", out)
        points = json.loads(self.run_program("compare", "base.baseline", "j.jsonl", "--json",
                                             code=1)[0])["points"]
        self.assertEqual([point["sources_differ"] for point in points], 4 * [None])
        # Lines of other counts than the baseline's are not used.
        lines.write_text(old)
        self.assertRegex(self.run_program(*self.RUN, code=1)[0], r"k\.cu:3: \+128 global_load_bytes")
        text = (self.folder / "base.baseline").read_text()
        self.write("base.baseline", text.replace("b/u.n=32 ptx_flops 32", "b/u.n=32 ptx_flops 31"))
        self.assertIn("the baseline has no lines; most of", self.run_program(*self.RUN, code=1)[0])
        for damaged, place in ((old[:-60], ""), (old.replace('"counters":{', "<<<", 1), ":2"),
                               ("x\n", ":1"), ("", ":1")):
            lines.write_text(damaged)
            errors = self.refused(*self.RUN)
            self.assertIn("base.baseline.lines%s: error: " % place, errors)
            self.assertIn("delete it: the baseline is complete without it", errors)

    def test_merge_converts_the_old_form(self):
        text = (self.folder / "base.baseline").read_bytes()
        lines = (self.folder / "base.baseline.lines").read_bytes()
        (self.folder / "old.jsonl").write_bytes(lines)
        self.assertTrue(self.run_program("compare", "old.jsonl", "base.baseline")[0].endswith(
            "\n4 the same (every change counts)\n"))
        self.run_program(*self.RUN[:-1], "old.jsonl")
        out, _ = self.run_program("merge", "old.jsonl", "-o", "new.baseline")
        self.assertEqual(out, "new.baseline: the baseline of 1 file, 4 cases\n")
        for name in ("new.baseline", "old.jsonl"):  # in the place of the old one, too
            self.run_program("merge", "old.jsonl", "-o", name)
            self.assertEqual((self.folder / name).read_bytes(), text)
            self.assertEqual((self.folder / (name + ".lines")).read_bytes(), lines)
        # A bench does it as well.
        (self.folder / "old.jsonl").write_bytes(lines)
        self.run_program(*self.RUN[:-1], "old.jsonl", "--update-baseline")
        self.assertEqual((self.folder / "old.jsonl").read_bytes(), text)

    def test_merge_makes_one_of_several(self):
        text = (self.folder / "base.baseline").read_text()
        for part in "ab":
            self.run_program("bench", "suites/" + part, "--device", "cpu", "--max-samples", "1",
                             "--compare", "parts/%s.baseline" % part, "--update-baseline")
        names = ("parts/b.baseline", "parts/a.baseline")
        parts = {name: (self.folder / name).read_text() for name in names}
        self.run_program("merge", *names, "-o", "whole.baseline")
        whole = (self.folder / "whole.baseline").read_text()
        self.assertEqual(whole, text)
        self.assertTrue(self.run_program("compare", "parts", "whole.baseline")[0].endswith(
            "\n4 the same (every change counts)\n"))
        self.assertIn("the case b/u.n=32 is in both", self.refused("merge", *names, names[0], "-o", "x"))
        self.write(names[1], parts[names[1]].replace("nvrtc: ", "nvrtc: 1"))
        self.assertIn("are no parts of one baseline: the compilers differ: NVRTC",
                      self.refused("merge", *names, "-o", "x"))
        self.run_program(*self.RUN[:-2], "--journal", "j.jsonl", "-q")
        self.assertIn("are files of different kinds",
                      self.refused("merge", names[0], "j.jsonl", "-o", "x"))
        self.write("odd.jsonl", (self.folder / "base.baseline.lines").read_text().replace(
            '"case":"b/u.n=32"', '"case":"b/u n=32"'))
        self.assertIn("the case `b/u n=32` has no place in a baseline",
                      self.refused("merge", "odd.jsonl", "-o", "x"))
        self.assertFalse((self.folder / "x").exists())

    def test_files_of_another_kind(self):
        # A file of another kind is not suggested for deletion.
        for file in ("suites", SOURCE / "tests/results/h200.jsonl",
                     SOURCE / "tests/results/check.jsonl"):
            self.assertNotIn("delete", self.refused(*self.RUN[:-1], file, "--update-baseline"))

    def test_what_counts_depend_on_is_compared(self):
        text = (self.folder / "base.baseline").read_text()
        nvrtc = re.search(r"\nnvrtc: (.*)\n", text).group(1)
        for old, new, message in (
                ("nvrtc: " + nvrtc, "nvrtc: 12.4",
                 "WARNING the compilers differ: NVRTC 12.4 and NVRTC %s" % nvrtc),
                ("seed: 0", "seed: 18446744073709551615",
                 "WARNING the seeds differ: 18446744073709551615 and 0"),
                ("version: ", "version: 9", "note: the versions of Warpmark differ")):
            self.write("base.baseline", text.replace(old, new))
            self.assertIn(message, self.run_program(*self.RUN)[0])
        self.write("base.baseline", text.replace("Warpmark CPU device", "Another device"))
        self.assertIn("the devices differ", self.run_program(*self.RUN, code=2)[1])
        self.assertIn("the devices differ", self.update(code=2)[1])
        self.update("--across-devices")
        self.assertEqual((self.folder / "base.baseline").read_text(), text)

    def test_files_that_cannot_be_written(self):
        _, errors = self.run_program(*self.RUN[:-1], "/dev/full", "--update-baseline", code=3)
        self.assertIn("cannot write /dev/full: No space left on device", errors)
        before = self.lines()
        self.write("suites/b/k.cu", MORE_WORK)
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        self.environment["TMPDIR"] = "/tmp"
        _, errors = self.update(code=3, preexec_fn=self.permissions_count())
        self.assertIn("cannot write base.baseline: Permission denied", errors)
        self.assertEqual(self.lines(), before)

    def test_it_is_no_file_that_the_run_reads(self):
        for file in ("suites/a/t.yaml", "suites/a/k.cu"):
            text = (self.folder / file).read_text()
            self.refused(*self.RUN[:-1], file, "--update-baseline")
            self.assertEqual((self.folder / file).read_text(), text)
        for file in ("base.baseline", "base.baseline.lines"):
            self.assertIn("name one file", self.refused(*self.RUN, "--update-baseline", "--junit",
                                                        file))


if __name__ == "__main__":
    unittest.main()
