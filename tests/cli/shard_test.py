# `--shard` and `warpmark merge`: parts of a run, and the one run that they make.
import json
import random
import re
import shutil
import subprocess
import unittest

from program import PROGRAM, SOURCE, CheckTest

SUITES = ("suites/doublify", "suites/multiply_them", "suites/course/softmax")
SMALL = """warpmark: 1
kernel: {source: 'extern "C" __global__ void k(int *out, int n) { if (threadIdx.x < n) out[threadIdx.x] = 2; }', entry: k}
axes: {n: [1, 3, 5, 7, 9]}
arguments: {out: {out: n, dtype: int32}, n: {scalar: n}}
launch: {block: 32, grid: 1}
reference: {out: np.full(n, 2)}
"""
TIMES = (r'"seconds":[0-9.e+-]+', r'"date":"[^"]+"', r' time="[0-9.]+"', r' timestamp="[^"]+"',
         r'"compiled_from_cache":(true|false)')


def steady(text):
    """Without what no two runs have in common."""
    for pattern in TIMES:
        text = re.sub(pattern, "T", text)
    return text


class ShardTest(CheckTest):
    def paths(self):
        return [SOURCE / path for path in SUITES]

    def check(self, *more, code=0):
        return self.run_program("check", *self.paths(), "--device", "cpu", "-q", *more, code=code)

    def records(self, name):
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]

    def shards(self, count, *more):
        for index in range(1, count + 1):
            self.check("--shard", "%d/%d" % (index, count), "--journal", "part{shard}.jsonl", "--junit",
                       "part{shard}.xml", *more)


class Merged(ShardTest):
    def test_four_shards_are_one_run(self):
        self.check("--journal", "whole.jsonl", "--junit", "whole.xml")
        self.shards(4)
        counts = [len(self.records("part%d.jsonl" % index)) - 2 for index in (1, 2, 3, 4)]
        self.assertLessEqual(max(counts) - min(counts), 1)
        for kind in ("jsonl", "xml"):
            out, errors = self.run_program("merge", *["part%d.%s" % (index, kind) for index in (3, 1, 4, 2)],
                                           "-o", "merged." + kind)
            self.assertEqual(errors, "")
            self.assertRegex(out, r"^merged\.\w+: the \w+( report)? of 4 shards\n$")
        whole, merged = [(self.folder / name).read_text() for name in ("whole.jsonl", "merged.jsonl")]
        command = re.compile(r'"command":"[^"]+"')
        self.assertEqual(command.sub("", steady(merged)), command.sub("", steady(whole)))
        self.assertNotIn("shard", merged.replace("{shard}", ""))
        self.assertEqual(steady((self.folder / "merged.xml").read_text()),
                         steady((self.folder / "whole.xml").read_text()))

    def test_failures(self):
        self.write("suites/a.yaml", SMALL.replace("= 2", "= n > 5 ? 1 : 2"))
        for name, more in (("whole", ()), ("part1", ("--shard", "1/2")), ("part2", ("--shard=2/2",))):
            self.run_program("check", "suites", "--device", "cpu", "--journal", name + ".jsonl", "--junit",
                             name + ".xml", *more, code=1)
        for kind in ("jsonl", "xml"):
            self.run_program("merge", "part1." + kind, "part2." + kind, "-o", "merged." + kind, code=1)
        self.assertEqual(self.records("merged.jsonl")[-1]["failed"], 2)
        self.assertEqual(self.records("merged.jsonl")[-1]["exit_code"], 1)
        self.assertEqual(steady((self.folder / "merged.xml").read_text()),
                         steady((self.folder / "whole.xml").read_text()))

    def test_a_part_of_skips_only(self):
        for skipped, codes in (("n == 3", (0, 77, 0)), ("n > 0", (77, 77, 77))):
            self.write("suites/a.yaml", SMALL.replace("[1, 3, 5, 7, 9]", "[1, 3]")
                       + "skip: {when: %s, reason: too long}\n" % skipped)
            for name, more, code in zip(("part1", "part2", "whole"), (["--shard=1/2"], ["--shard=2/2"], []), codes):
                self.run_program("check", "suites", "--device", "cpu", "--journal", name + ".jsonl", *more, code=code)
            self.run_program("merge", "part1.jsonl", "part2.jsonl", "-o", "merged.jsonl", code=codes[-1])
            ends = [self.records(name + ".jsonl")[-1] for name in ("merged", "whole")]
            self.assertEqual([end["exit_code"] for end in ends], 2 * [codes[-1]])

    def test_a_part_of_which_nothing_loads(self):
        self.write("suites/a.yaml", SMALL.replace("[1, 3, 5, 7, 9]", "[1]"))
        self.write("suites/b.yaml", "no: suite\n")
        for name, more, code in (("part1", ["--shard=1/2"], 0), ("part2", ["--shard=2/2"], 2), ("whole", [], 1)):
            self.run_program("check", "suites", "--device", "cpu", "--journal", name + ".jsonl", *more, code=code)
        for parts in (["part1.jsonl", "part2.jsonl"], ["part2.jsonl", "part1.jsonl"]):
            self.run_program("merge", *parts, "-o", "merged.jsonl", code=1)
            self.assertEqual(steady((self.folder / "merged.jsonl").read_text().splitlines()[-1]),
                             steady((self.folder / "whole.jsonl").read_text().splitlines()[-1]))

    def test_a_bench(self):
        self.write("suites/a.yaml", SMALL)
        self.write("suites/b.yaml", SMALL.replace("[1, 3, 5, 7, 9]", "[2, 4]"))
        arguments = ["bench", "suites", "--device", "cpu", "-q"]
        self.run_program(*arguments, "--journal", "whole.jsonl", "--benchmark-out", "whole.json", "--junit", "whole.xml")
        for index in (1, 2):
            self.run_program(*arguments, "--shard", "%d/2" % index, "--journal", "part%d.jsonl" % index,
                             "--benchmark-out", "part{shard}.json", "--junit", "part{shard}.xml")
        for kind in ("jsonl", "json", "xml"):
            self.run_program("merge", "part1." + kind, "part2." + kind, "-o", "merged." + kind)
        whole, merged = [json.loads((self.folder / name).read_text()) for name in ("whole.json", "merged.json")]
        for one in (whole, merged):
            for member in ("date", "command", "load_avg", "mhz_per_cpu"):
                one["context"].pop(member)
            for benchmark in one["benchmarks"]:
                for name in ("cpu_time", "real_time", "q1_s", "q3_s", "low_s", "high_s"):
                    benchmark.pop(name)
        self.assertEqual(merged, whole)
        # The merged journal can be used wherever that of a single run can.
        self.run_program("compare", "whole.jsonl", "merged.jsonl")


class Refused(ShardTest):
    def merge(self, *files):
        return self.run_program("merge", *files, "-o", "merged", code=2)[1]

    def test_what_is_no_whole(self):
        self.shards(3)
        self.assertIn("one is missing: 2", self.merge("part1.jsonl", "part3.jsonl"))
        shutil.copy(self.folder / "part1.jsonl", self.folder / "again.jsonl")
        self.assertIn("shard 1 of 3 is there twice: again.jsonl and part1.jsonl",
                      self.merge("again.jsonl", "part1.jsonl", "part2.jsonl", "part3.jsonl"))
        self.assertIn("one is missing: 2", self.merge("part1.xml", "part3.xml"))
        self.assertIn("different kinds", self.merge("part1.xml", "part2.jsonl"))
        self.check("--journal", "whole.jsonl")
        self.assertIn("whole.jsonl is no shard's", self.merge("whole.jsonl", "part1.jsonl"))
        text = (self.folder / "part2.jsonl").read_text()
        (self.folder / "part2.jsonl").write_text("".join(text.splitlines(True)[:-1]))
        self.assertIn("has no end", self.merge("part1.jsonl", "part2.jsonl", "part3.jsonl"))
        lines = text.splitlines(True)
        (self.folder / "part2.jsonl").write_text("".join(lines[:1] + lines[2:]))
        self.assertIn("are in no shard", self.merge("part1.jsonl", "part2.jsonl", "part3.jsonl"))
        self.assertFalse((self.folder / "merged").exists())

    def test_parts_of_other_runs(self):
        self.check("--shard", "1/2", "--journal", "a.jsonl")
        self.check("--shard", "2/2", "--journal", "seed.jsonl", "--seed", "7")
        self.assertIn("the seed is 7, and in a.jsonl it is 0", self.merge("a.jsonl", "seed.jsonl"))
        self.check("--shard", "2/2", "--journal", "select.jsonl", "-k", "softmax")
        self.assertIn("the choice of cases", self.merge("a.jsonl", "select.jsonl"))
        text = (self.folder / "a.jsonl").read_text()
        (self.folder / "a.jsonl").write_text(text.replace('"warpmark":"', '"warpmark":"9.'))
        self.check("--shard", "2/2", "--journal", "b.jsonl")
        self.assertIn("the version of Warpmark", self.merge("a.jsonl", "b.jsonl"))

    def test_damaged_files_are_named(self):
        seed = random.randrange(1 << 32)
        print("seed %d" % seed)
        dice = random.Random(seed)
        self.shards(2)
        for number in range(60):
            kind = ("jsonl", "xml")[number % 2]
            text = bytearray((self.folder / ("part2." + kind)).read_bytes())
            for _ in range(dice.choice([1, 1, 3])):
                at = dice.randrange(len(text))
                if dice.random() < 0.5:
                    del text[at:at + dice.randrange(1, 60)]
                else:
                    text[at:at] = dice.choice([b'"', b"{", b"}", b"0", b"-1", b"9" * 20, b"<", b"]]>", b"null"])
            (self.folder / ("damaged." + kind)).write_bytes(text)
            done = subprocess.run([PROGRAM, "merge", "part1." + kind, "damaged." + kind, "-o", "merged"],
                                  cwd=self.folder, env=self.environment, timeout=60, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            # A text within a record may have changed, which is what it says.
            self.assertIn(done.returncode, (0, 2), (seed, number, done.stderr))

    def test_a_part_has_no_comparison(self):
        self.assertIn("--shard", self.check("--shard", "1/2", "--last-failed", code=2)[1])
        self.assertIn("too many", self.check("--shard", "1/999", code=2)[1])
        self.assertIn("must be I/N", self.check("--shard", "one", code=2)[1])
        self.assertIn("--shard is missing", self.check("--shard-times", "x.jsonl", code=2)[1])
        self.assertIn("warpmark merge", self.run_program("bench", *self.paths(), "--shard", "1/2", "--compare",
                                                         "x.jsonl", code=2)[1])


class Divided(ShardTest):
    def test_by_the_times_of_an_earlier_run(self):
        self.check("--journal", "whole.jsonl")
        records = self.records("whole.jsonl")
        for number, record in enumerate(one for one in records if one["type"] == "case"):
            record["seconds"] = 10.0 if number == 0 else 0.1
        (self.folder / "times.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
        self.shards(2, "--shard-times", "times.jsonl")
        counts = [len(self.records("part%d.jsonl" % index)) - 2 for index in (1, 2)]
        self.assertEqual(counts[0], 1)
        self.run_program("merge", "part1.jsonl", "part2.jsonl", "-o", "merged.jsonl")
        self.check("--shard", "2/2", "--journal", "other.jsonl")
        self.assertIn("different ways", self.run_program("merge", "part1.jsonl", "other.jsonl", "-o", "x", code=2)[1])

    def test_by_the_environment(self):
        self.environment.update(CI_NODE_INDEX="2", CI_NODE_TOTAL="2")
        self.check("--journal", "whole.jsonl")
        whole = len(self.records("whole.jsonl")) - 2
        self.check("--shard", "auto", "--journal", "part.jsonl")
        run = self.records("part.jsonl")[0]
        self.assertEqual((run["shard"]["index"], run["shard"]["count"], run["shard"]["cases"]), (2, 2, whole))
        self.assertEqual(run["cases"], whole // 2)


class NoParts(CheckTest):
    """Shards of runs with other settings, or about other files, are parts of no one run."""
    KERNEL = """#include "two.h"
extern "C" __global__ void k(int *out, int n) { if (threadIdx.x < n) out[threadIdx.x] = TWO; }
"""
    SUITE = SMALL.replace(SMALL.splitlines()[1], "kernel: {file: k.cu, entry: k}")

    def setUp(self):
        super().setUp()
        self.write("suites/k.cu", self.KERNEL)
        self.write("suites/two.h", "#define TWO 2\n")
        self.write("suites/a.yaml", self.SUITE)

    def part(self, index, *more, **options):
        self.run_program("check", "suites", "--device", "cpu", "-q", "--shard", "%d/2" % index, "--journal", "part{shard}.jsonl",
                         "--junit", "part{shard}.xml", *more, **options)

    def refused(self, text):
        for kind in ("jsonl", "xml"):
            _, errors = self.run_program("merge", "part1." + kind, "part2." + kind, "-o", "merged." + kind, code=2)
            self.assertIn(text, errors)
            self.assertIn("not parts of one run", errors)

    def test_other_options(self):
        self.part(1)
        for option, value in (("checks", "memory"), ("fail_on", "notices"), ("timeout_s", "3"), ("schedules", "1"), ("maxfail", "1")):
            with self.subTest(option):
                self.part(2, "--" + option.replace("_", "-"), value)
                self.refused("the option `%s` is `%s`, and in part1" % (option, value))
                self.part(2)
                self.part(1, "--" + option.replace("_", "-"), value)
                self.refused("the option `%s` is not given, and in part1" % option)
                self.part(1)

    def test_options_that_decide_nothing_may_differ(self):
        self.part(1, "-v")
        self.part(2, "--no-cache", "--durations", "3")
        self.run_program("merge", "part1.jsonl", "part2.jsonl", "-o", "merged.jsonl")

    def test_other_files(self):
        for file, before, after in (("k.cu", "TWO;", "(TWO + 0);"), ("two.h", "TWO 2", "TWO (1 + 1)"), ("a.yaml", "grid: 1", "grid: 2")):
            with self.subTest(file):
                self.part(1)
                text = (self.folder / "suites" / file).read_text()
                self.write("suites/" + file, text.replace(before, after))
                self.part(2)
                self.refused("have other files of the suite a")
                self.write("suites/" + file, text)


if __name__ == "__main__":
    unittest.main()
