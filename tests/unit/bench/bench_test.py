"""The bench front from outside: console, exit codes, journal, Google Benchmark's JSON and variables.

Usage: bench_test.py PROBE SCHEMA [unittest arguments]. PROBE is bench_probe, which see.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import front
from front import PROBE, SCHEMA, strict


class Front(front.Front):
    maxDiff = None
    SUITE = front.SUITE % "[1]" + "bench:\n  axes: {n: [-1, 16, 2.5]}\n"

    def result(self, path="out.json"):
        return strict((self.root / path).read_text())

    def names(self, path="out.json"):
        return [each["name"] for each in self.result(path)["benchmarks"]]


class Reports(Front):
    def test_console(self):
        done = self.run_probe("suites/doublify.yaml=phf", "suites/reductions/dot.yaml=ubn")
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(done.stderr, "")
        self.assertEqual(re.sub(r"in \d+\.\d+ s$", "in TIME", done.stdout, flags=re.M), """\
warpmark bench: 2 suites, 6 cases on NVIDIA H200 (sm_90, driver 13.0, NVRTC 13.0), seed 0
device: using NVIDIA H200 (sm_90)

copy 4100 GB/s, read 4400 GB/s, measured in this run

case                       time         ±        hot     GB/s  of copy  samples
doublify.n=~1          4.000 ms  ±0.14 %           -     4000   97.6 %       41
doublify.n=16          4.000 ms  ±0.14 %    3.200 ms     4000   97.6 %       41
doublify.n=2.5           failed
reductions/dot.n=~1     2.000 s  ±0.10 %           -    8.000   0.20 %        3  unstable
reductions/dot.n=16    2.000 µs    ±13 %!          -  8000000  195122 %       12
reductions/dot.n=2.5   4.000 ms  ±0.14 %           -     4000   97.6 %       41

! the time is not known as well as was asked for: see --budget-s

FAILED doublify.n=2.5
  suites/doublify.yaml:14:3: 2 of 16 elements of z are wrong
  reproduce: warpmark bench suites/doublify.yaml --case doublify.n=2.5

NOTICE reductions/dot.n=2.5
  warning: unused variable

5 passed, 1 failed in TIME
""")

    def test_impossible_time(self):
        done = self.run_probe("--l2", "60000000", "--journal", "run.jsonl", "suites/doublify.yaml=pbp",
                              "--benchmark-out", "out.json")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("""\
FAILED doublify.n=16
  error: n=16 cold: 2.000 µs is less than the 3.293 ms that moving 14.9 GiB \
takes at 4,840 GB/s, if the cache holds 57.2 MiB of it: bench.bytes is wrong, or the kernel does \
not do the work
""", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^doublify.n=16 +failed$")
        self.assertIn("2 passed, 1 failed in", done.stdout)
        _, _, case, _, _ = self.journal()
        self.assertEqual((case["verdict"], case["failure"]), ("failed", "impossible"))
        self.assertNotIn("measurement", case)
        self.assertEqual(self.names(), ["doublify.n=~1", "doublify.n=2.5"])

    def hold_against(self, value):
        (self.root / "suites/doublify.yaml").write_text(self.SUITE.replace(
            "bench:\n", "baseline: {kernel: {source: void g();, entry: g}}\n"
                       "bench:\n  against_baseline: %s\n" % value))
        done = self.run_probe("--journal", "run.jsonl", "suites/doublify.yaml=rqy")
        return done, [each for each in self.journal() if each["type"] == "case"]

    def test_against_baseline(self):
        done, cases = self.hold_against("true")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("  0.5 of its baseline's 8.000 ms (0.5 to 0.5)\n", done.stdout)
        self.assertIn("  2 of its baseline's 2.000 ms (2 to 2)\n", done.stdout)
        self.assertIn("its baseline could not be timed: z[0] is 1, and 2 is expected", done.stdout)
        relative = [each["measurement"]["series"][0].get("relative") for each in cases]
        self.assertEqual([each and round(each["ratio"], 12) for each in relative], [0.5, 2, None])

    def test_a_case_that_takes_more_than_is_allowed_fails(self):
        done, cases = self.hold_against("1.05")
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual([(each["verdict"], each["failure"]) for each in cases],
                         [("passed", "none"), ("failed", "slower"), ("failed", "slower")])
        self.assertIn("it takes 2 of its baseline's 2.000 ms (2 to 2), in 3 rounds by turns; "
                      "at most 1.05 is allowed", done.stdout)
        self.assertRegex(done.stdout, r"suites/doublify.yaml:17:\d+: error: it takes 2")
        self.assertNotIn("measurement", cases[1])

    def test_a_device_that_counts_has_no_impossible_time(self):
        done = self.run_probe("--l2", "60000000", "--counts", "suites/doublify.yaml=pbp")
        self.assertEqual(done.returncode, 0, done)

    def test_counting_device(self):
        done = self.run_probe("--counts", "suites/doublify.yaml=p", "--case", "doublify.n=~1")
        self.assertIn("case              instructions            bytes\n"
                      "doublify.n=~1        1,234,567            4,096\n", done.stdout)
        for part in ("of copy", "time", "±", "GB/s", "samples"):
            self.assertNotIn(part, done.stdout)

    def test_records_keep_the_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("no jsonschema")
        validator = jsonschema.Draft7Validator(strict(SCHEMA.read_text()))
        self.run_probe("--journal", "run.jsonl", "suites/doublify.yaml=hfs",
                       "suites/reductions/dot.yaml=ube")
        self.run_probe("--counts", "--journal", "counted.jsonl", "suites/doublify.yaml=plt")
        for record in self.journal() + self.journal("counted.jsonl"):
            self.assertEqual([error.message for error in validator.iter_errors(record)], [], record)
            if "measurement" in record:
                del record["measurement"]["series"][0]["median_s"]
                self.assertFalse(validator.is_valid(record))

    def test_journal(self):
        self.run_probe("--journal", "run.jsonl", "suites/doublify.yaml=pas")
        run, *cases, end = self.journal()
        self.assertEqual(run["bench"]["cuda_version"], 13000)
        self.assertEqual(["measurement" in case for case in cases], [True, False, False])
        self.assertEqual(cases[0]["measurement"]["point"], [{"name": "n", "value": -1}])
        self.assertEqual(len(cases[0]["measurement"]["series"][0]["samples_s"]), 41)
        self.assertEqual((end["passed"], end["failed"], end["skipped"]), (1, 1, 1))

    def test_json(self):
        done = self.run_probe("--json", "--journal", "run.jsonl", "suites/doublify.yaml=phs")
        self.assertEqual([strict(line) for line in done.stdout.splitlines()], self.journal())


class GoogleBenchmark(Front):
    def test_file(self):
        (self.root / "out.json").write_text("old")
        self.run_probe("--benchmark-out", "out.json", "suites/doublify.yaml=hps",
                       "suites/reductions/dot.yaml=bpp")
        result = self.result()
        self.assertEqual(self.names(), ["doublify.n=~1", "doublify.n=16", "reductions/dot.n=~1",
                                        "reductions/dot.n=16", "reductions/dot.n=2.5"])
        first = result["benchmarks"][0]
        for key, value in {"real_time": 4e6, "time_unit": "ns", "label": "cold, precise",
                           "samples": 41, "batch": 1, "stop": 0, "bytes_per_second": 4e12,
                           "flops_per_second": 2.5e11, "copy_share": 4 / 4.1,
                           "read_share": 4 / 4.4, "hot_median_s": 3.2e-3,
                           "q1_s": 3.992e-3, "q3_s": 4.008e-3}.items():
            self.assertEqual(first[key] if isinstance(value, str) else round(first[key] / value, 9)
                             if value else first[key],
                             value if isinstance(value, str) or not value else 1, key)
        self.assertLess(first["low_s"], 4e-3)
        self.assertGreater(first["high_s"], 4e-3)
        self.assertNotIn("hot_median_s", result["benchmarks"][1])
        self.assertEqual(result["benchmarks"][2]["stop"], 1)

    def test_has_what_compare_py_reads(self):
        # tools/gbench/report.py and util.py of Google Benchmark 1.7.1 to 1.9.
        self.run_probe("--benchmark-out", "out.json", "suites/doublify.yaml=ppp")
        result = self.result()
        self.assertEqual(result["context"].get("json_schema_version"), 1)
        for each in result["benchmarks"]:
            for key in ("name", "run_name", "run_type", "repetitions", "repetition_index",
                        "threads", "iterations", "real_time", "cpu_time", "time_unit",
                        "family_index", "per_family_instance_index"):
                self.assertIn(key, each)
            self.assertEqual(each["run_type"], "iteration")
            self.assertNotIn("error_occurred", each)

    def test_context(self):
        self.run_probe("--benchmark-out", "out.json", "suites/doublify.yaml=p",
                       "suites/reductions/dot.yaml=p")
        context = self.result()["context"]
        for key, value in {"date": "2026-11-21T00:00:00Z", "executable": "warpmark",
                           "warpmark": "1.2.3", "device": "NVIDIA H200", "device_uuid": "GPU-1",
                           "driver_version": 13000, "nvrtc_version": "13.0",
                           "sm_clock_mhz": 1980, "system": "Linux 6.1.0", "git_dirty": True,
                           "git_commit": "b" * 40, "copy_bytes_per_second": 4.1e12}.items():
            self.assertEqual(context.get(key), value, key)
        self.assertEqual([suite["name"] for suite in context["suites"]],
                         ["doublify", "reductions/dot"])
        self.assertRegex(context["suites"][0]["sha256"], "^[0-9a-f]{64}$")
        self.assertNotIn(os.uname().nodename, json.dumps(context).split('"'))

    def test_counts(self):
        self.run_probe("--counts", "--benchmark-out", "out.json", "suites/doublify.yaml=p")
        first = self.result()["benchmarks"][0]
        self.assertEqual(first["ptx_thread_instructions"], 1234567)
        self.assertNotIn("copy_share", first)

    def test_no_time_for_what_is_not_right(self):
        self.run_probe("--benchmark-out", "out.json", "suites/doublify.yaml=afs",
                       "suites/reductions/dot.yaml=opp")
        self.assertEqual(self.names(), ["reductions/dot.n=16", "reductions/dot.n=2.5"])

    def test_variables_have_no_effect(self):
        done = self.run_probe(
            "--benchmark-out", "out.json", "suites/doublify.yaml=pfp", BENCHMARK_FILTER="nothing",
            BENCHMARK_LIST_TESTS="1", BENCHMARK_REPETITIONS="3", BENCHMARK_MIN_WARMUP_TIME="1",
            BENCHMARK_FORMAT="csv", BENCHMARK_OUT="other.json", BENCHMARK_OUT_FORMAT="console",
            BENCHMARK_REPORT_AGGREGATES_ONLY="1", BENCHMARK_DISPLAY_AGGREGATES_ONLY="1",
            BENCHMARK_ENABLE_RANDOM_INTERLEAVING="1", BENCHMARK_CONTEXT="device=mine",
            BENCHMARK_TIME_UNIT="s", BENCHMARK_COLOR="true", BENCHMARK_COUNTERS_TABULAR="1",
            BENCHMARK_DRY_RUN="1", BENCHMARK_MIN_TIME="100", BENCHMARK_PERF_COUNTERS="CYCLES")
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(done.stderr, "")
        self.assertIn("2 passed, 1 failed in", done.stdout)
        self.assertEqual(self.names(), ["doublify.n=~1", "doublify.n=2.5"])
        result = self.result()
        self.assertEqual(result["benchmarks"][0]["repetitions"], 1)
        self.assertEqual(result["benchmarks"][0]["time_unit"], "ns")
        self.assertEqual(result["context"]["device"], "NVIDIA H200")
        self.assertEqual(sorted(os.listdir(self.root)), ["out.json", "suites"])


class ExitCodes(Front):
    def test_verdicts(self):
        self.assertEqual(self.code("suites/doublify.yaml=pbu"), 0)
        self.assertEqual(self.code("suites/doublify.yaml=pos"), 0)
        self.assertEqual(self.code("suites/doublify.yaml=sss"), 77)
        self.assertEqual(self.code("suites/doublify.yaml=spf"), 1)
        self.assertEqual(self.code("suites/doublify.yaml=pap"), 1)

    def test_single_case(self):
        one = ["--case", "doublify.n=16"]
        self.assertEqual(self.code(*one, "suites/doublify.yaml=psp"), 77)
        self.assertEqual(self.code(*one, "suites/doublify.yaml=pfp"), 1)

    def test_stopping(self):
        self.run_probe("--maxfail", "1", "--journal", "run.jsonl", "suites/doublify.yaml=pfp")
        self.assertEqual([case["verdict"] for case in self.journal()[1:-1]],
                         ["passed", "failed", "not_run"])

    def test_unwritable_reports_before_any_case(self):
        (self.root / "folder").mkdir()
        for option in ("--journal", "--benchmark-out"):
            done = self.run_probe(option, "folder", "suites/doublify.yaml")
            self.assertEqual((done.returncode, done.stdout), (3, ""), done)
            self.assertIn("folder", done.stderr)

    def test_environment_error_finishes_the_reports(self):
        done = self.run_probe("--journal", "run.jsonl", "--benchmark-out", "out.json",
                              "suites/doublify.yaml=pep")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr, "error: the device is gone\n  hint: plug it in\n")
        self.assertIn("1 passed, 2 interrupted", done.stdout)
        self.assertEqual(self.journal()[-1]["error"], "the device is gone")
        self.assertEqual(self.names(), ["doublify.n=~1"])

    def test_mistakes_of_ours_are_internal(self):
        self.assertEqual(self.code("suites/doublify.yaml=xpp"), 4)
        done = self.run_probe("suites/doublify.yaml=ipp")
        self.assertEqual(done.returncode, 4)
        self.assertIn("a measured time of nan s", done.stderr)

    def test_a_full_disk(self):
        if not os.access("/dev/full", os.W_OK):
            self.skipTest("no /dev/full")
        done = self.run_probe("--benchmark-out", "/dev/full", "--journal", "run.jsonl",
                              "suites/doublify.yaml=ppp")
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot write /dev/full: No space left on device", done.stderr)
        self.assertEqual([record["type"] for record in self.journal()],
                         ["run", "case", "case", "case", "end"])
        self.assertEqual(self.journal()[-1]["exit_code"], 3)
        self.assertIn("cannot write /dev/full", self.journal()[-1]["error"])

    def test_a_full_disk_under_the_console(self):
        if not os.access("/dev/full", os.W_OK):
            self.skipTest("no /dev/full")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROBE, "--benchmark-out", "out.json", "--journal", "run.jsonl",
                                   "suites/doublify.yaml=pfp"], cwd=self.root, text=True,
                                  timeout=60, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr),
                         (3, "error: standard output cannot be written\n"))
        self.assertEqual(self.names(), ["doublify.n=~1", "doublify.n=2.5"])
        self.assertEqual((self.journal()[-1]["failed"], self.journal()[-1]["exit_code"]), (1, 3))

    def test_what_runs_the_cases_ends_before_the_reports(self):
        done = self.run_probe("--close-fails", "--benchmark-out", "out.json", "--journal",
                              "run.jsonl", "suites/doublify.yaml=ppp")
        self.assertEqual((done.returncode, done.stderr), (3, "error: it does not end\n"))
        self.assertIn("3 passed in", done.stdout)
        self.assertEqual(self.journal()[-1]["error"], "it does not end")
        self.assertEqual(len(self.names()), 3)


class Interrupts(Front):
    def test_first_finishes_the_reports(self):
        process = self.start("--journal", "run.jsonl", "--benchmark-out", "out.json",
                             "suites/doublify.yaml=pwp")
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assertIn("1 passed, 2 interrupted", output)
        _, *cases, end = self.journal()
        self.assertEqual([case["verdict"] for case in cases],
                         ["passed", "interrupted", "interrupted"])
        self.assertEqual(end["exit_code"], 130)
        self.assertEqual(self.names(), ["doublify.n=~1"])

    def test_kill_leaves_a_whole_journal_and_the_old_file(self):
        (self.root / "out.json").write_text("{}")
        process = self.start("--journal", "run.jsonl", "--benchmark-out", "out.json",
                             "suites/doublify.yaml=pwp")
        process.kill()
        process.communicate(timeout=30)
        self.assertEqual([record["type"] for record in self.journal()], ["run", "case"])
        self.assertEqual((self.root / "out.json").read_text(), "{}")
        self.assertEqual(sorted(os.listdir(self.root)), ["out.json", "run.jsonl", "suites"])


if __name__ == "__main__":
    front.main()
