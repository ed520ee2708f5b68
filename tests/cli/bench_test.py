# `warpmark bench` on the CPU device: what is timed, what is not, its reports, and how it ends.
import json
import os
import signal
import subprocess
import time
import unittest

from program import KERNEL, PROGRAM, SOURCE, CheckTest

# Enough samples to go through everything, on any machine.
QUICK = ("--device", "cpu", "--max-samples", "3")
HANG = KERNEL.replace("int i =", "volatile int stay = 1; while (stay) { }\n  int i =")


class BenchTest(CheckTest):
    def bench(self, *arguments, code=0, **options):
        return self.run_program("bench", *(arguments or ("suites",)), *QUICK, code=code, **options)

    def write_bench(self, path="suites/t.yaml", more="bench: {axes: {n: [256]}, bytes: 8 * n, flops: n}\n",
                    **changes):
        return self.write_scale(path, more=more, **changes)

    def valid(self, records):
        try:
            import jsonschema
        except ImportError:
            return records
        validator = jsonschema.Draft7Validator(
            json.loads((SOURCE / "schema/outcome.json").read_text()))
        for record in records:
            self.assertEqual([error.message for error in validator.iter_errors(record)], [], record)
        return records


class Times(BenchTest):
    def test_a_case_and_its_records(self):
        self.write_bench()
        out, errors = self.bench("suites", "--journal", "run.jsonl", "--benchmark-out", "gb.json")
        self.assertEqual(errors, "")
        self.assertIn("warpmark bench: 1 suite, 1 case on ", out)
        self.assertRegex(out, r"\ncase +instructions +bytes\nt\.n=256 +[0-9,]+ +2,048\n")
        self.assertRegex(out, r"\n1 passed in ")
        self.assertNotIn("of copy", out)  # a device that counts has no ceilings
        run, case, end = self.valid(self.journal())
        self.assertIsNone(run["bench"]["ceilings"])
        self.assertIsNone(run["bench"]["git"])  # there is no repository around
        self.assertGreaterEqual(run["bench"]["cuda_version"], 12040)
        measurement = case["measurement"]
        self.assertEqual(measurement["point"], [{"name": "n", "value": 256}])
        self.assertEqual((measurement["bytes"], measurement["flops"]), (2048, 256))
        self.assertEqual(len(measurement["series"]), 1)
        series = measurement["series"][0]
        self.assertEqual((series["mode"], series["batch"]), ("hot", 1))
        self.assertEqual(series["count"], len(series["samples_s"]))
        self.assertEqual(series["count"], 3)  # as QUICK says; five by default
        self.assertGreater(series["median_s"], 0)
        counters = {each["name"]: each["value"] for each in measurement["counters"]}
        self.assertGreater(counters["ptx_thread_instructions"], 256)
        self.assertEqual(measurement["kernels"][0]["grid"], [8, 1, 1])
        self.assertEqual(end["exit_code"], 0)
        result = json.loads((self.folder / "gb.json").read_text())
        self.assertEqual([each["name"] for each in result["benchmarks"]], ["t.n=256"])
        self.assertAlmostEqual(result["benchmarks"][0]["real_time"], series["median_s"] * 1e9)
        self.assertEqual(result["benchmarks"][0]["ptx_thread_instructions"],
                         counters["ptx_thread_instructions"])
        self.assertEqual(result["context"]["suites"][0]["name"], "t")

    def test_counts_and_sources_are_the_same_each_time(self):
        self.write_bench()
        measured = []
        for _ in range(2):
            self.bench("suites", "--journal", "run.jsonl")
            measured.append(self.journal()[1]["measurement"])
        for key in ("counters", "sources", "kernels", "point"):
            self.assertEqual(measured[0][key], measured[1][key])
        self.write("suites/k.cu", KERNEL + "// changed\n")
        self.bench("suites", "--journal", "run.jsonl")
        self.assertNotEqual(self.journal()[1]["measurement"]["sources"], measured[0]["sources"])

    def test_json(self):
        self.write_bench()
        out, _ = self.bench("suites", "--json")
        records = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([record["type"] for record in records], ["run", "case", "end"])
        self.valid(records)

    def test_the_budget_is_kept(self):
        # 40 million thread-instructions a run: a sample takes longer than the budget.
        self.write_bench(kernel_text=KERNEL.replace(
            "if (i < n)", "for (int k = 0; k < 20000; ++k) f = __fmul_rn(f, 1.0f);\n  if (i < n)"))
        started = time.monotonic()
        self.run_program("bench", "suites", "--device", "cpu", "--budget-s", "0.001",
                         "--journal", "run.jsonl")
        series = self.journal()[1]["measurement"]["series"][0]
        self.assertLess(series["count"], 20)
        self.assertLess(time.monotonic() - started, 50)
        self.assertEqual(self.journal()[1]["measurement"]["budget_s"], 0.001)

    def test_options_go_before_the_suite(self):
        self.write_bench(more="bench: {axes: {n: [64]}, budget_s: n // 32, cache: both}\n")
        self.bench("suites", "--journal", "run.jsonl")
        self.assertEqual(self.journal()[1]["measurement"]["budget_s"], 2)
        self.bench("suites", "--journal", "run.jsonl", "--budget-s", "1", "--precision", "0.02")
        measurement = self.journal()[1]["measurement"]
        self.assertEqual((measurement["budget_s"], measurement["precision"]), (1, 0.02))
        self.write_bench(more="bench: {budget_s: n - 100}\n")
        errors = self.refused("bench", "suites", *QUICK)
        self.assertRegex(errors, r"suites/t\.yaml:\d+:19: error: `n - 100` is 0: a number more than 0")

    def test_a_given_peak(self):
        self.write_bench(more="bench: {axes: {n: [256]}, flops: n, peak_flops_per_s: n * 1e9}\n")
        self.bench("suites", "--journal", "run.jsonl")
        _, case, _ = self.valid(self.journal())
        measurement = case["measurement"]
        self.assertEqual((measurement["peak_flops_per_s"], measurement["peak_dtype"]), (2.56e11, None))
        series = measurement["series"][0]
        self.assertAlmostEqual(series["peak_share"], series["flops_per_s"] / 2.56e11)
        # A peak below the measured rate fails no case on a device whose times mean nothing.
        self.write_bench(more="bench: {axes: {n: [256]}, flops: n, peak_flops_per_s: 1}\n")
        self.bench("suites")
        for wrong, code in (("n - 100", 2), ("n - n", 2), ("0 * device.warp_size", 1)):
            self.write_bench(more="bench: {flops: n, peak_flops_per_s: %s}\n" % wrong)
            said = "".join(self.run_program("bench", "suites", *QUICK, code=code))
            self.assertRegex(said, r"suites/t\.yaml:\d+:37: (error: )?`.* is 0: a number more than 0")


class Selection(BenchTest):
    def test_the_cases_are_those_of_the_bench_axes(self):
        self.write_bench()
        out, _ = self.run_program("list", "--bench", "suites")
        self.assertIn("\n  t.n=256\n", out)
        out, _ = self.run_program("list", "suites")
        self.assertIn("\n  t.n=100\n", out)
        out, _ = self.bench("suites", "-a", "n=32,64", "-k", "n=32")
        self.assertIn("1 case (1 deselected)", out)
        self.assertIn("\nt.n=32 ", out)
        out, _ = self.bench("suites", "--case", "t.n=256")
        self.assertIn("1 passed", out)
        self.assertIn("no case is called `t.n=100`", self.refused("bench", "--case", "t.n=100"))

    def test_what_is_expected_to_fail_has_no_time(self):
        self.write_bench()
        self.write_scale("suites/broken.yaml", kernel_text=None, reference=None,
                         more="expect: compile_error\n")
        out, _ = self.bench()
        self.assertIn("not measured: 1 suite, where a fault", out)
        self.assertNotIn("broken.n", out)
        for arguments in (("--case", "broken.n=100"), ("suites/broken.yaml",)):
            errors = self.refused("bench", *arguments, *QUICK)
            self.assertIn("broken has nothing to measure: it expects", errors)
        out, _ = self.run_program("list", "--bench")
        self.assertIn("1 suite, 1 case; 1 suite not measured\n", out)

    def test_modes_of_a_gpu_change_nothing_where_the_device_counts(self):
        self.write_bench(more="bench: {graph: true, transfers: true}\n")
        out, _ = self.bench("suites", "--graph", "--transfers", "--journal", "run.jsonl")
        self.assertIn("1 passed", out)
        self.assertNotIn("graph", out)
        self.assertEqual([one["mode"] for one in self.journal()[1]["measurement"]["series"]], ["hot"])

    def test_a_profile_is_for_the_profilers_of_a_gpu(self):
        self.write_bench()
        errors = self.refused("bench", "suites", "--profile", *QUICK)
        self.assertIn("--profile is for the profilers of a GPU, and the device is Warpmark CPU", errors)
        self.assertIn("`warpmark profile` shows what its kernels do", errors)
        for option in ("--compare", "--benchmark-out"):
            errors = self.refused("bench", "suites", "--profile", option, "x.json", *QUICK)
            self.assertIn("--profile takes no times, so that %s has nothing to go by" % option, errors)

    def test_mistakes(self):
        self.write_bench()
        for words, message in (
                (("--cache", "warm"), "--cache must be cold, hot or both, and is `warm`"),
                (("--budget-s", "-1"), "--budget-s must be a number of seconds above 0"),
                (("--trials", "2"), "unknown option `--trials` of `warpmark bench`"),
                (("--budget", "2"), "did you mean `--budget-s`?"),
                (("nowhere",), "there is no file or folder `nowhere`"),
                (("--journal", "x", "--benchmark-out", "./x"),
                 "--journal and --benchmark-out name one file, x")):
            self.assertIn(message, self.refused("bench", *words))
        self.assertIn("--journal and --junit name one file",
                      self.refused("check", "--journal", "x", "--junit", "sub/../x"))
        self.run_program("check", "suites", "--device", "cpu", "--journal", "/dev/null", "--junit",
                         "/dev/null")


class Failures(BenchTest):
    def test_the_self_test_needs_a_clock_and_no_paths(self):
        _, errors = self.run_program("bench", "--self-test", "--device", "cpu", code=2)
        self.assertIn("Warpmark CPU device counts, and has no times to test", errors)
        _, errors = self.run_program("bench", "--self-test", "suites", code=2)
        self.assertIn("takes no PATHS", errors)

    def test_a_wrong_kernel_has_no_time(self):
        self.write_bench("suites/right.yaml")
        self.write_bench("suites/wrong.yaml", kernel_text=None, reference="{out: src}")
        out, _ = self.bench("suites", "--journal", "run.jsonl", "--benchmark-out", "gb.json", code=1)
        self.assertRegex(out, r"\nwrong\.n=256 +failed\n")
        self.assertIn("1 passed, 1 failed", out)
        self.assertEqual(["measurement" in case for case in self.valid(self.journal())[1:-1]],
                         [True, False])
        result = json.loads((self.folder / "gb.json").read_text())
        self.assertEqual([each["name"] for each in result["benchmarks"]], ["right.n=256"])
        command = next(line for line in out.splitlines() if "reproduce: " in line)
        words = command.split("reproduce: warpmark ")[1].split()
        self.assertEqual(words[0], "bench")
        out, _ = self.run_program(*words, code=1)
        self.assertIn("0 passed, 1 failed", out)

    def test_a_kernel_that_hangs_stops_nothing_else(self):
        self.write_bench("suites/a.yaml")
        self.write("suites/hang.cu", HANG)
        self.write_bench("suites/hang.yaml", kernel_text=None, kernel="{file: hang.cu, entry: k}")
        self.write_bench("suites/z.yaml")
        out, _ = self.bench("suites", "--timeout-s", "1", "--journal", "run.jsonl", code=1)
        self.assertIn("2 passed, 1 failed", out)
        self.assertEqual([(case["failure"], "measurement" in case)
                          for case in self.journal()[1:-1]],
                         [("none", True), ("limit", False), ("none", True)])

    def test_skips_are_counted(self):
        self.write_bench(more="bench: {axes: {n: [256, 64]}}\n"
                              "skip: {when: n == 64, reason: too small}\n")
        out, _ = self.bench()
        self.assertIn("1 passed, 1 skipped", out)
        self.assertIn("SKIPPED t.n=64: too small", out)
        self.bench("suites", "--case", "t.n=64", code=77)

    def test_the_first_failure_can_stop_it(self):
        self.write_bench(reference="{out: src}", more="bench: {axes: {n: [8, 16]}}\n")
        out, _ = self.bench("suites", "-x", code=1)
        self.assertIn("0 passed, 1 failed, 1 not run", out)

    def test_no_git(self):
        self.write_bench()
        self.environment["PATH"] = "/nowhere"
        self.bench("suites", "--journal", "run.jsonl")
        self.assertIsNone(self.journal()[0]["bench"]["git"])

    def test_git(self):
        git = ["git", "-C", self.folder, "-c", "user.name=a", "-c", "user.email=a@b", "-c",
               "commit.gpgsign=false"]
        self.write_bench()
        try:
            subprocess.run([*git, "init", "-q"], check=True)
        except FileNotFoundError:
            self.skipTest("no git")
        subprocess.run([*git, "add", "suites"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "one"], check=True)
        self.bench("suites", "--journal", "run.jsonl")
        state = self.journal()[0]["bench"]["git"]
        self.assertRegex(state["commit"], "^[0-9a-f]{40,64}$")
        self.assertFalse(state["dirty"])

    def test_variables_of_google_benchmark(self):
        self.write_bench()
        self.environment.update(BENCHMARK_FILTER="nothing", BENCHMARK_REPETITIONS="3",
                                BENCHMARK_LIST_TESTS="1", BENCHMARK_OUT="other.json")
        out, errors = self.bench("suites")
        self.assertEqual(errors, "")
        self.assertIn("1 passed", out)
        self.assertFalse((self.folder / "other.json").exists())


class Endings(BenchTest):
    def start_hanging(self):
        self.write_bench("suites/a.yaml")
        self.write("suites/hang.cu", HANG)
        self.write_bench("suites/hang.yaml", kernel_text=None, kernel="{file: hang.cu, entry: k}")
        process = subprocess.Popen(
            [PROGRAM, "bench", "suites", *QUICK, "--journal", "run.jsonl", "--benchmark-out",
             "gb.json"], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 50
        while time.monotonic() < deadline:
            if (self.folder / "run.jsonl").exists() and len(self.journal()) == 2:
                return process
            time.sleep(0.05)
        self.fail("the first case did not end")

    def test_ctrl_c_finishes_the_reports(self):
        process = self.start_hanging()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assertIn(b"1 passed, 1 interrupted", out)
        self.assertEqual([record.get("verdict") for record in self.valid(self.journal())],
                         [None, "passed", "interrupted", None])
        result = json.loads((self.folder / "gb.json").read_text())
        self.assertEqual([each["name"] for each in result["benchmarks"]], ["a.n=256"])

    def test_kill_leaves_whole_files(self):
        self.write("gb.json", "{}")
        process = self.start_hanging()
        process.kill()
        process.wait()
        self.assertEqual(len(self.valid(self.journal())), 2)
        self.assertEqual((self.folder / "gb.json").read_text(), "{}")

    def test_a_full_disk(self):
        if not os.access("/dev/full", os.W_OK):
            self.skipTest("no /dev/full")
        self.write_bench()
        _, errors = self.bench("suites", "--journal", "/dev/full", code=3)
        self.assertIn("cannot write the journal /dev/full: No space left on device", errors)
        _, errors = self.bench("suites", "--benchmark-out", "/dev/full", code=3)
        self.assertIn("cannot write /dev/full: No space left on device", errors)


class Processes(BenchTest):
    """On a device that takes times, in several processes."""

    def setUp(self):
        super().setUp()
        self.misbehave()
        for name in ("PROCESSES", "GRIDS"):
            self.environment["WARPMARK_TEST_" + name] = str(self.folder / name.lower())
        self.write_scale(axes="{n: [64, 128, 256, 512]}", more="bench: {bytes: 8 * n}\n")

    def measure(self, code=0, **options):
        return self.run_program("bench", "suites", "--device", "timing", "--budget-s", "0.5",
                                "--max-samples", "50", "--journal", "run.jsonl", code=code, **options)

    def processes_of(self, case):
        return case["measurement"]["series"][0]["processes"]

    def test_each_measures_every_case_in_an_order_of_its_own(self):
        out, errors = self.measure()
        self.assertEqual(errors, "")
        self.assertIn("4 passed", out)
        run, *cases, _ = self.valid(self.journal())
        self.assertGreater(run["bench"]["ceilings"]["copy_bytes_per_s"], 0)
        for case in cases:
            processes = self.processes_of(case)
            self.assertEqual(len(processes), 5)
            self.assertEqual(sum(one["count"] for one in processes),
                             case["measurement"]["series"][0]["count"])
        orders = {}
        for line in (self.folder / "grids").read_text().splitlines():
            process, grid = line.split()
            orders.setdefault(int(process), []).append(int(grid))
        # The first also runs each case beforehand, and again at its end.
        further = [orders[process] for process in range(2, 6)]
        for order in further:
            self.assertEqual(sorted(order), [2, 4, 8, 16])
        self.assertGreater(len({tuple(order) for order in further}), 1)

    def test_a_fresh_one_does_the_work_of_one_that_dies(self):
        self.environment["WARPMARK_TEST_DIES"] = "3"
        out, _ = self.measure()
        self.assertIn("4 passed", out)
        self.assertEqual((self.folder / "processes").read_text(), 6 * ".")
        _, *cases, _ = self.valid(self.journal())
        for case in cases:
            self.assertEqual(len(self.processes_of(case)), 5)

    def test_where_all_die_there_is_no_time(self):
        self.environment["WARPMARK_TEST_DIES"] = "3+"
        out, _ = self.measure(code=1)
        self.assertIn("4 failed", out)
        self.assertIn("the worker died in the middle of the case: it ended by signal 9 (Killed)", out)
        _, *cases, _ = self.valid(self.journal())
        for case in cases:
            self.assertNotIn("measurement", case)


class Configurations(BenchTest):
    def test_check_and_bench_in_one_file(self):
        self.write_bench()
        self.write("run.yaml", "warpmark: 1\nbench: {suites: [suites], device: cpu, max_samples: 3, "
                               "journal: b.jsonl}\ncheck: {suites: [suites], device: cpu}\n")
        out, _ = self.run_program("run", "run.yaml")
        self.assertLess(out.index("warpmark bench: "), out.index("warpmark check: "))
        self.assertEqual(self.journal("b.jsonl")[1]["case"], "t.n=256")
        # Each job takes the options that are its own.
        out, _ = self.run_program("run", "run.yaml", "--trials", "2", "--budget-s", "1")
        self.assertIn("2 trials of each case", out)
        self.assertEqual(self.journal("b.jsonl")[1]["measurement"]["budget_s"], 1)
        errors = self.refused("run", "run.yaml", "--job", "check", "--budget-s", "1")
        self.assertIn("none of these jobs takes --budget-s", errors)

    def test_mistakes(self):
        self.write_bench()
        for text, words in (("bench: {suites: [suites], trials: 2}", "unknown key of `bench` `trials`"),
                            ("bench: {suites: [suites], cache: warm}", "`cache` must be cold, hot or both"),
                            ("bench: {cache: hot}", "`bench` needs `suites`"),
                            ("bench: {suites: [suites], journal: a, benchmark_out: a}",
                             "is written twice")):
            self.write("run.yaml", "warpmark: 1\n%s\n" % text)
            self.assertIn(words, self.refused("run", "run.yaml"))

    def test_the_shipped_one_can_be_listed(self):
        # It takes minutes on a GPU; here it is only read.
        errors = self.refused("run", SOURCE / "configs/bench.yaml", "--case", "none")
        self.assertIn("no case is called `none`", errors)


if __name__ == "__main__":
    unittest.main()
