# `check --jobs N`: several processes, and the run that one process would have made.
import json
import os
import re
import signal
import subprocess
import time
import unittest

from program import PROGRAM, SOURCE, CheckTest
from shard_test import steady

COMMAND = re.compile(r'"command":"[^"]+"|<property name="command" value="[^"]*"/>')
TIME = re.compile(r" *\d+(\.\d+)? (s|ms|min)\b")
SMALL = """warpmark: 1
kernel: {source: 'extern "C" __global__ void k(int *out, int n) { %s if (threadIdx.x < n) out[threadIdx.x] = n; }', entry: k}
axes: {n: [1, 3, 5, 7, 9]}
arguments: {out: {out: n, dtype: int32}, n: {scalar: n}}
launch: {block: 32, grid: 1}
reference: {out: "%s"}
"""
BLOCKS = """warpmark: 1
kernel:
  source: |
    extern "C" __global__ void k(float *out) {
      float x = threadIdx.x;
      for (int i = 0; i < 150000; ++i) x = x * 0.5f + 1;
      out[blockIdx.x * 256 + threadIdx.x] = x;
    }
  entry: k
arguments: {out: {out: 64 * 256, dtype: float32}}
launch: {block: 256, grid: 64}
reference: {out: "np.full(64 * 256, 2)"}
tolerance: {atol: 0.001}
"""
# A kernel that takes NVRTC some tenths of a second, in variants.
VARIANTS = """warpmark: 1
kernel:
  define: {VARIANT: n}
  source: |
    #include <cuda/std/type_traits>
    extern "C" __global__ void k(int *out) { *out = VARIANT; }
  entry: k
axes: {n: [%s]}
arguments: {out: {out: 1, dtype: int32}}
launch: {block: 1}
reference: {out: "%s"}
"""
ENDLESS = "while (*(volatile int *)out != 77) {}"


def without_times(text):
    return COMMAND.sub("C", steady(TIME.sub(" T", text)))


def descendants(process):
    """The ids of a process and all that it started."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open("/proc/%s/stat" % entry) as file:
                    parents.setdefault(int(file.read().rpartition(")")[2].split()[1]), []).append(int(entry))
            except OSError:
                pass  # it has ended
    found = [process]
    for one in found:
        found += parents.get(one, [])
    return found


def threads_of_worker(process):
    """The threads of a process that executes kernels; 0 for any other."""
    try:
        with open("/proc/%d/cmdline" % process) as file:
            is_worker = file.read().split("\0")[1:2] == ["worker"]
        return len(os.listdir("/proc/%d/task" % process)) if is_worker else 0
    except OSError:
        return 0


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is one processor")
class Threads(CheckTest):
    def most_threads(self, *arguments, **environment):
        """The most threads that the worker of a check has while it runs."""
        self.write("suites/blocks.yaml", BLOCKS)
        own = {name: value for name, value in self.environment.items() if name != "CTEST_INTERACTIVE_DEBUG_MODE"}
        run = subprocess.Popen([str(PROGRAM), "check", "suites", "--device", "cpu", *arguments], cwd=self.folder,
                               env={**own, **environment}, stdout=subprocess.DEVNULL)
        most = 0
        while run.poll() is None:
            most = max([most] + [threads_of_worker(process) for process in descendants(run.pid)])
            time.sleep(0.002)
        self.assertEqual(run.returncode, 0)
        return most

    def test_a_process_alone_uses_all_processors(self):
        one = self.most_threads(WARPMARK_CPU_WORKERS="1")
        self.assertGreater(self.most_threads(), one)

    def test_under_ctest_it_uses_one(self):
        one = self.most_threads(WARPMARK_CPU_WORKERS="1")
        self.assertEqual(self.most_threads(CTEST_INTERACTIVE_DEBUG_MODE="0"), one)


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is one processor")
class Ahead(CheckTest):
    """Units of later cases are compiled in further processes, and come from the cache."""

    def check(self, *arguments, code=0, variants="1, 2, 3, 4", right="n", **environment):
        """The output, which cases came from the cache, and the processes that the run had."""
        self.write("suites/k.yaml", VARIANTS % (variants, right))
        out, processes = self.watched("check", "suites", "--journal", "run.jsonl", *arguments, code=code, **environment)
        return out, [case["compiled_from_cache"] for case in self.journal() if case["type"] == "case"], processes

    def watched(self, *arguments, code, **environment):
        own = {name: value for name, value in self.environment.items() if name != "CTEST_INTERACTIVE_DEBUG_MODE"}
        run = subprocess.Popen([str(PROGRAM), *arguments, "--device", "cpu"], cwd=self.folder,
                               env={**own, "WARPMARK_CACHE_DIR": str(self.folder / "cache"), **environment}, stdout=subprocess.PIPE, text=True)
        processes = set()
        while run.poll() is None:
            processes.update(process for process in descendants(run.pid) if threads_of_worker(process))
            time.sleep(0.01)
        out = run.communicate()[0]
        self.assertEqual(run.returncode, code, out)
        return out, processes

    def test_lint_compiles_all_suites_ahead(self):
        self.write("suites/a.yaml", VARIANTS % ("1, 2, 3, 4", "n"))
        self.write("suites/b.yaml", VARIANTS % ("5, 6, 'nothing'", "n if n != 'nothing' else 0"))
        out, processes = self.watched("lint", "suites", code=2)
        self.assertGreater(len(processes), 1)
        self.assertFalse([process for process in processes if threads_of_worker(process)])
        self.assertIn("1 problem", out)
        # The cache has no kernel that does not compile; with all others there, nothing is left to do.
        self.write("suites/b.yaml", VARIANTS % ("5, 6", "n"))
        _, processes = self.watched("lint", "suites", code=0)
        self.assertEqual(len(processes), 1)

    def test_later_units_are_compiled_while_the_first_run(self):
        # This process compiles units that no other has begun when their turn comes.
        _, cached, processes = self.check()
        self.assertFalse(cached[0])
        self.assertIn(True, cached)
        self.assertGreater(len(processes), 1)
        # With all in the cache there is nothing to do.
        _, cached, processes = self.check()
        self.assertEqual((cached, len(processes)), (4 * [True], 1))

    def test_under_ctest_and_without_a_cache_there_are_no_further_processes(self):
        _, cached, processes = self.check(variants="1, 2", CTEST_INTERACTIVE_DEBUG_MODE="0")
        self.assertEqual((cached, len(processes)), (2 * [False], 1))
        _, cached, processes = self.check("--no-cache", variants="1, 2")
        self.assertEqual((cached, len(processes)), (2 * [False], 1))

    def test_an_error_of_a_later_unit_is_told_when_its_turn_comes(self):
        out, cached, _ = self.check(code=1, variants="1, 2, 3, 'nothing'", right="n if n != 'nothing' else 0")
        self.assertIn(True, cached)
        self.assertEqual(out.count('identifier "nothing" is undefined'), 1)
        self.assertIn("3 passed, 1 failed", out)

    def test_the_end_of_a_run_ends_them(self):
        _, _, processes = self.check("-x", code=1, variants="1, 2, 3, 4, 5, 6", right="n if n < 3 else 0")
        self.assertGreater(len(processes), 1)
        self.assertFalse([process for process in processes if threads_of_worker(process)])


class Parallel(CheckTest):
    def run_in(self, jobs, name, *arguments, code):
        out, errors = self.run_program(
            "check", *arguments, "--device", "cpu", "-j", str(jobs), "--journal", name + ".jsonl", "--junit",
            name + ".xml", code=code)
        # Kernels print at the same time.
        texts = [out, "\n".join(sorted(errors.splitlines()))] + [(self.folder / (name + kind)).read_text() for kind in (".jsonl", ".xml")]
        return [without_times(text) for text in texts]

    def compare(self, *arguments, code):
        one = self.run_in(1, "one", *arguments, code=code)
        for jobs in (2, 5):
            for alone, together in zip(one, self.run_in(jobs, "many", *arguments, code=code)):
                self.assertEqual(together, alone)
        return one

    def test_every_verdict_is_that_of_one_process(self):
        self.write("suites/broken.yaml", "warpmark: 1\nkernel: nothing\n")
        self.write("suites/skipped.yaml", SMALL % ("", "np.full(n, n)") + "skip: {when: n > 3, reason: too large}\n")
        out = self.compare(SOURCE / "tests/cli/verdicts", SOURCE / "suites/doublify", "suites", code=1)[0]
        for word in ("passed", "failed", "skipped"):
            self.assertIn(word, out)

    def test_the_first_trial_that_fails_decides(self):
        self.write("suites/some.yaml", SMALL % ("", "np.full(n, n + (rng.random() < 0.3))"))
        out = self.compare("suites", "--trials", "6", code=1)[0]
        self.assertIn("--trial", out)

    def test_it_ends_after_the_first_failure(self):
        self.write("suites/wrong.yaml", SMALL % ("", "np.full(n, n + (n == 3))"))
        out = self.compare("suites", "-x", code=1)[0]
        self.assertIn("1 passed, 1 failed", out)
        self.assertIn("not run", out)

    def test_a_plan_that_cannot_be_made_fails_its_case_alone(self):
        self.write("suites/some.yaml", (SMALL % ("", "np.full(n, n)")).replace("block: 32", "block: 32 + n // (n - 5)"))
        for more in ([], ["--trials", "3"], ["--step", "k"]):
            out = self.compare("suites", *more, code=1)[0]
            self.assertIn("FAILED some.n=5\n  suites/some.yaml:5:", out)
            self.assertIn("division by zero", out)
            self.assertIn("4 passed, 1 failed", out)
            self.assertNotIn("trial:", out)

    def test_counters_and_other_seeds(self):
        self.compare(SOURCE / "suites/course/transpose", "--counters", "--seed", "7", code=0)

    def test_what_is_for_one_process(self):
        self.write("suites/s.yaml", SMALL % ("", "np.full(n, n)"))
        for option in (["--keep", "kept"], ["--in-process"]):
            _, errors = self.run_program("check", "--device", "cpu", "-j", "2", *option, code=2)
            self.assertIn("%s is for one process, and --jobs starts several" % option[0], errors)
        _, errors = self.run_program("check", "-j", "1025", code=2)
        self.assertIn("-j must be a whole number from 0 to 1024, and is `1025`", errors)

    def test_all_gpus_where_there_is_none(self):
        self.write("suites/s.yaml", SMALL % ("", "np.full(n, n)"))
        self.environment["CUDA_VISIBLE_DEVICES"] = ""
        _, errors = self.run_program("check", "--device", "all", code=3)
        self.assertIn("error: no GPU: ", errors)
        out, _ = self.run_program("check", "--device", "all", "--skip-without-device", code=77)
        self.assertIn("skipped: no GPU: ", out)
        # A command that measures times runs alone.
        _, errors = self.run_program("bench", "--device", "all", code=2)
        self.assertIn("`all` is no single device, and only `check`, `grade` and `judge` take several", errors)

    def test_a_run_configuration_has_it(self):
        self.write("suites/s.yaml", SMALL % ("", "np.full(n, n)"))
        self.write("run.yaml", "warpmark: 1\ncheck: {suites: [suites], device: cpu, jobs: 2}\n")
        self.assertIn("5 passed", self.run_program("run", "run.yaml")[0])


class Ended(CheckTest):
    """One of the processes ends early, or all of them do."""

    def start_endless(self):
        self.write("suites/s.yaml", SMALL % (ENDLESS, "np.full(n, n)"))
        run = subprocess.Popen([PROGRAM, "check", "--device", "cpu", "-j", "2", "--journal", "j.jsonl"],
                               cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            lanes = [lane for lane in self.children(run.pid) if self.children(lane)]
            # The journal begins with the run: from then on a signal leaves whole reports.
            if len(lanes) == 2 and (self.folder / "j.jsonl").exists():
                break
            time.sleep(0.05)
        self.assertEqual(len(lanes), 2)
        time.sleep(0.5)
        return run, lanes

    @staticmethod
    def children(process):
        try:
            with open("/proc/%d/task/%d/children" % (process, process), encoding="utf-8") as file:
                return [int(word) for word in file.read().split()]
        except OSError:
            return []

    def assert_gone(self, processes):
        deadline = time.monotonic() + 20
        while any(os.path.exists("/proc/%d" % process) for process in processes):
            self.assertLess(time.monotonic(), deadline, processes)
            time.sleep(0.05)

    def records(self):
        return [json.loads(line) for line in (self.folder / "j.jsonl").read_text().splitlines()]

    def test_an_interrupt_finishes_the_reports(self):
        run, lanes = self.start_endless()
        workers = [worker for lane in lanes for worker in self.children(lane)]
        os.killpg(run.pid, signal.SIGINT)
        out, errors = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, (out, errors))
        self.assertEqual({record["verdict"] for record in self.records()[1:-1]}, {"interrupted"})
        self.assert_gone(lanes + workers)

    def test_a_process_that_dies_is_an_error(self):
        run, lanes = self.start_endless()
        os.kill(lanes[0], signal.SIGKILL)
        _, errors = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 4, errors)
        self.assertIn("one of the processes of --jobs ended by signal 9", errors.decode())
        self.assertEqual(self.records()[-1]["type"], "end")
        self.assert_gone(lanes)

    def test_all_end_with_the_first(self):
        run, lanes = self.start_endless()
        run.kill()
        self.assert_gone(lanes)


if __name__ == "__main__":
    unittest.main()
