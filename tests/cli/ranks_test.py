# `devices` under mpirun: one case on several processes, which print and write as one.
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree as xml

import assignment
from program import BUILD, PROGRAM, SOURCE, CheckTest

SUITE = """warpmark: 1
kernel: {file: k.cu, entry: k}
devices: %(devices)s
arguments:
  x: {inout: "np.arange(%(n)s.) + 1", dtype: float32, partition: {axis: 0}}
  w: {in: "[2, 3]", dtype: float32}
  y: {out: x.shape, dtype: float32, partition: {axis: 0}}
  length: {scalar: %(n)s // devices}
launch: {block: 64, grid: "ceil_div(x.size, 64)"}
reference: {x: 2 * x, y: 3 * x}
%(more)s"""
# Elements are 1, 2, 3 …, so that a part of 300 says whose it is.
KERNEL = """extern "C" __global__ void k(float *x, const float *w, float *y, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  %s
  if (i < length) y[i] = w[1] * x[i], x[i] *= w[0];
}
"""
ALONE = "warpmark: 1\nkernel: {file: k.cu, entry: k}\n" + "".join(
    SUITE[SUITE.index("arguments"):].replace(", partition: {axis: 0}", "").replace("devices", "1")
    % {"n": 60, "more": ""})


def mpirun():
    """Open MPI's, or None: others have other options."""
    program = shutil.which("mpirun")
    if program is None:
        return None
    version = subprocess.run([program, "--version"], capture_output=True, check=False)
    return program if b"Open MPI" in version.stdout else None


class RanksTest(CheckTest):
    MPIRUN = mpirun()

    def setUp(self):
        if self.MPIRUN is None:
            self.skipTest("there is no mpirun of Open MPI")
        if not (BUILD / "lib/warpmark/warpmark-mpi.so").exists():
            self.skipTest("the build found no MPI")
        super().setUp()
        self.environment.update(
            OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
            OMPI_MCA_btl_vader_single_copy_mechanism="none",  # which containers forbid
            OMPI_MCA_btl="self,vader", OMPI_MCA_plm_rsh_agent="false",
            LSAN_OPTIONS="detect_leaks=0")  # MPI's, in modules that are gone, cannot be named

    def ranks(self, *arguments, count=4, code=0, program=PROGRAM):
        """Both outputs, of which the launcher's own words are left out."""
        words = ("--oversubscribe", "-n", count, program, *arguments)
        out, errors = self.run_program(*words, program=self.MPIRUN, code=code)
        lines, box = [], False
        for line in errors.splitlines():
            if line.startswith("-----"):
                box = not box
            elif not box and not line.startswith(("Primary job", "[")):
                lines.append(line)
        return out, "\n".join(lines)

    def check_ranks(self, *arguments, **options):
        return self.ranks("check", *(arguments or ("suites",)), "--device", "cpu", **options)

    def suite(self, kernel="", devices="all", n=1200, more=""):
        self.write("suites/k.cu", KERNEL % kernel)
        self.write("suites/t.yaml", SUITE % {"devices": devices, "n": n, "more": more})


class Verdicts(RanksTest):
    def test_shipped_suites_pass_and_are_reported_once(self):
        suites = str(SOURCE / "suites/devices")
        out, errors = self.check_ranks(suites, "--junit", "j.xml", "--journal", "run.jsonl")
        self.assertEqual(out.count("7 passed"), 1, out)
        self.assertIn("4 ranks", out)
        self.assertEqual(errors, "")
        self.assertEqual(len(xml.parse(self.folder / "j.xml").findall(".//testcase")), 7)
        verdicts = [one["verdict"] for one in self.journal() if "verdict" in one]
        self.assertEqual(verdicts, 7 * ["passed"])

    def test_all_are_as_many_as_ranks(self):
        for count in (2, 3):
            self.suite(more="expect: {counters: {launches: '== %d'}}\n" % count)
            self.assertIn("1 passed", self.check_ranks(count=count)[0])

    def test_fewer_devices_than_ranks_are_the_first_ones_and_more_are_skipped(self):
        self.suite(devices="d", more="axes: {d: [1, 2, 5]}\n")
        out, _ = self.check_ranks()
        self.assertIn("2 passed, 1 skipped", out)
        self.assertIn("t.yaml:3:10: runs on 5 devices, and there are 4 ranks", out)

    def test_a_wrong_element_is_one_of_the_whole_array(self):
        self.suite("float other[] = {7, 9};\n  if (i < length && x[i] == 901) w = other;")
        out, errors = self.check_ranks(code=1)
        self.assertEqual(out.count("2 of 1200 elements") + out.count("1 of 1200 elements"), 2, out)
        self.assertIn("x[900]", out)
        self.assertEqual(errors, "")

    def test_a_part_that_does_not_divide(self):
        self.suite(n=1000)
        out, _ = self.check_ranks(count=3, code=1)
        self.assertEqual(out.count("3 devices cannot share `x`: its first axis has 1000 elements"), 1)

    def test_a_fault_names_its_rank(self):
        self.suite("if (i < length && x[i] == 601) x[1 << 28] = 0;")
        self.suite_of_another_case()
        out, _ = self.check_ranks(code=1)
        self.assertIn("1 passed, 1 failed", out)
        self.assertEqual(out.count("rank 2: "), 1, out)
        self.assertIn("rank 2: out-of-bounds global write of 4 bytes", out)

    def suite_of_another_case(self):
        """One behind the first, for what a failure leaves behind."""
        text = (self.folder / "suites/t.yaml").read_text().replace("k.cu", "good.cu")
        self.write("suites/good.cu", KERNEL % "")
        self.write("suites/z.yaml", text)

    def test_a_fault_of_one_rank_may_be_expected(self):
        self.suite("if (i < length && x[i] == 601) x[1 << 28] = 0;", more="expect: {fault: illegal_address}\n")
        text = (self.folder / "suites/t.yaml").read_text()
        self.write("suites/t.yaml", text.replace("reference: {x: 2 * x, y: 3 * x}\n", ""))
        self.assertIn("1 passed", self.check_ranks()[0])

    def test_findings_name_their_rank(self):
        self.suite("if (i < length && x[i] == 301) y[length] = 0;")
        out, _ = self.check_ranks("--checks", "all", "suites", code=1)
        self.assertEqual(out.count("rank 1: "), 1, out)

    def test_a_rank_that_takes_too_long(self):
        self.suite("while (i < length && x[i] == 301) __nanosleep(1);", more="limits: {timeout_s: 1}\n")
        self.suite_of_another_case()
        text = (self.folder / "suites/z.yaml").read_text()
        self.write("suites/z.yaml", text.replace("timeout_s: 1", "timeout_s: 100"))
        out, _ = self.check_ranks(code=1)
        self.assertIn("1 passed, 1 failed", out)
        self.assertEqual(out.count("rank 1: "), 1, out)

    def test_a_worker_that_dies_names_its_rank(self):
        # misbehaving_driver.c kills the process (1001), which is tried again, or crashes (1002).
        self.misbehave()
        for shared in (1001, 1002):
            self.suite(more="limits: {timeout_s: 100}\n")
            text = (self.folder / "suites/t.yaml").read_text()
            self.write("suites/t.yaml", text.replace("block: 64", "shared: %d, block: 64" % shared))
            out, errors = self.ranks("check", "suites", "--device", "misbehaving", code=1)
            self.assertEqual((out + errors).count("rank 0: the worker died"), 1, out + errors)

    def test_what_does_not_compile_is_told_once(self):
        self.suite("int = 3;")
        out, _ = self.check_ranks(code=1)
        self.assertEqual(out.count("error: expected"), 1, out)

    def test_one_rank_is_as_without_mpirun(self):
        self.suite(more="expect: {counters: {launches: '== 2'}}\n")
        self.environment["WARPMARK_CPU_DEVICES"] = "2"
        out, _ = self.check_ranks(count=1)
        self.assertIn("1 passed", out)
        self.assertNotIn("ranks", out)

    def test_devices_behind_the_one_that_is_named(self):
        self.environment["WARPMARK_CPU_DEVICES"] = "3"
        self.suite()
        out, _ = self.ranks("check", "suites", "--device", "cpu:1", count=3)
        self.assertIn("1 passed", out)


class Mistakes(RanksTest):
    def test_fewer_devices_than_ranks(self):
        self.suite()
        self.environment["WARPMARK_CPU_DEVICES"] = "2"
        out, errors = self.check_ranks(code=3)
        self.assertEqual(out, "")
        self.assertEqual(errors.count("mpirun started 4 ranks, and they have 2 devices"), 1, errors)
        self.assertIn("mpirun -n 2", errors)

    def test_no_device_and_no_compiler(self):
        self.suite()
        self.environment["WARPMARK_NVRTC"] = "/nowhere/libnvrtc.so"
        _, errors = self.check_ranks(code=3)
        self.assertEqual(errors.count("error: "), 1, errors)

    def test_cases_without_devices_run_once(self):
        self.write("suites/k.cu", KERNEL % "")
        self.write("suites/t.yaml", ALONE)
        out, errors = self.check_ranks()
        self.assertEqual(out.count("1 passed"), 1, out)
        self.assertNotIn("ranks", out)
        self.assertEqual(errors, "")

    def test_usage_errors_and_other_commands_speak_once(self):
        self.suite()
        for words, code in ((("check", "--nonsense"), 2), (("check", "no.yaml"), 2),
                            (("check", "--help"), 0), (("--version",), 0), (("list", "suites"), 0),
                            (("plan", "suites/t.yaml"), 0)):
            with self.subTest(words):
                alone = self.start(*words)
                self.assertEqual(alone.returncode, code)
                out, errors = self.ranks(*words, code=code)
                self.assertEqual(out, alone.stdout.decode())
                self.assertEqual(errors.strip(), alone.stderr.decode().strip())

    def test_bench_run_and_grade_are_refused(self):
        self.suite()
        self.write("run.yaml", "warpmark: 1\nabout: A run.\ncheck: {suites: [suites], device: cpu}\n")
        for words, message in (
                (("bench", "suites", "--device", "cpu"),
                 "of a suite with `devices` only `warpmark check` runs on them"),
                (("run", "run.yaml"),
                 "of a suite with `devices` only `warpmark check` runs on them"),
                (("grade", "course.yaml", "submissions", "-o", "out"),
                 "`warpmark grade` is for one process, and mpirun started 4"),
                (("watch", "suites"), "`warpmark watch` is for one process")):
            with self.subTest(words[0]):
                out, errors = self.ranks(*words, code=2)
                self.assertEqual(out, "")
                self.assertEqual(errors.count(message), 1, errors)

    def test_each_rank_benches_its_shard(self):
        self.write("suites/k.cu", KERNEL % "")
        self.write("suites/t.yaml", ALONE + "axes: {a: [1, 2, 3]}\n")
        self.ranks("bench", "suites", "--device", "cpu", "-q", "--shard", "auto", "--journal", "{shard}.jsonl", count=2)
        self.run_program("merge", "1.jsonl", "2.jsonl", "-o", "all.jsonl")

    def test_each_rank_grades_its_shard(self):
        for name, text in (("suites/scale.yaml", assignment.SUITE), ("suites/scale.cu", assignment.KERNEL),
                           ("hw1.yaml", assignment.ASSIGNMENT), ("class/ada.cu", assignment.KERNEL),
                           ("class/bob.cu", assignment.WRONG), ("secret", "0123456789abcdef\n")):
            self.write(name, text)
        self.ranks("grade", "hw1.yaml", "class", "-o", "{shard}", "--shard", "auto", "--secret", "secret", "--device", "cpu",
                   "--no-sandbox", "-q", count=2)
        out, _ = self.run_program("merge", "1", "2", "-o", "all")
        self.assertIn("2 submissions: 1 with full points", out)

    def without_mpi(self):
        """The program of a build that found no MPI."""
        tree = self.folder / "alone"
        (tree / "lib/warpmark").mkdir(parents=True)
        (tree / "bin").mkdir()
        (tree / "CMakeCache.txt").touch()
        shutil.copy(PROGRAM, tree / "bin")
        for name in ("deps", "share"):
            (tree / name).symlink_to(BUILD / name)
        for file in (BUILD / "lib/warpmark").iterdir():
            if file.name != "warpmark-mpi.so":
                (tree / "lib/warpmark" / file.name).symlink_to(file)
        return tree / "bin/warpmark"

    def test_a_build_without_mpi(self):
        program = self.without_mpi()
        self.suite()
        out, errors = self.check_ranks(program=program, code=3)
        self.assertEqual(out, "")
        self.assertEqual(errors.count("cannot use MPI: there is no warpmark-mpi.so"), 1, errors)
        self.assertIn("libopenmpi-dev", errors)
        self.write("suites/t.yaml", ALONE)
        self.assertEqual(self.check_ranks(program=program)[0].count("1 passed"), 1)

    def test_the_program_itself_needs_no_mpi(self):
        needed = subprocess.run(["ldd", PROGRAM], capture_output=True, check=True).stdout
        self.assertNotIn(b"libmpi", needed)

    def test_another_launcher_than_the_librarys(self):
        self.suite()
        self.environment.update(PMI_RANK="0", PMI_SIZE="4")
        errors = self.refused("check", "suites", "--device", "cpu", code=3)
        self.assertIn("the launcher started 4 processes, and MPI counts 1", errors)


class Ended(RanksTest):
    def start_endless(self):
        """A run in which rank 1's kernel never ends, and its worker."""
        self.suite("while (i < length && x[i] == 301) __nanosleep(1);")
        words = [self.MPIRUN, "--oversubscribe", "-n", "4", str(PROGRAM), "check", "suites",
                 "--device", "cpu", "--journal", "run.jsonl"]
        process = subprocess.Popen(words, cwd=self.folder, env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 100
        worker = None
        while worker is None and time.monotonic() < deadline:
            time.sleep(0.2)
            worker = self.busy_worker()
        self.assertIsNotNone(worker)
        return process, worker

    def busy_worker(self):
        """One of ours that has computed for a second."""
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                words = (stat.parent / "cmdline").read_bytes().split(b"\0")
                home = (stat.parent / "environ").read_bytes()
                ticks = int(stat.read_text().rsplit(")", 1)[1].split()[11])
            except (OSError, ValueError, IndexError):
                continue
            if b"worker" in words and os.fsencode(self.folder) in home and ticks > 100:
                return int(stat.parent.name)
        return None

    def test_all_by_an_interrupt(self):
        process, _ = self.start_endless()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=100)
        self.assertNotEqual(process.returncode, 0)
        for record in (self.folder / "run.jsonl").read_text().splitlines():
            json.loads(record)

    def test_a_worker_that_crashes_names_its_rank(self):
        process, worker = self.start_endless()
        os.kill(worker, signal.SIGABRT)
        out = process.communicate(timeout=100)[0].decode()
        self.assertEqual(process.returncode, 1, out)
        self.assertEqual(out.count("rank 1: the worker died in the middle of the case"), 1, out)

    def test_a_rank_that_is_killed_leaves_nobody_waiting(self):
        process, worker = self.start_endless()
        front = int(pathlib.Path("/proc/%d/stat" % worker).read_text().rsplit(")", 1)[1].split()[1])
        os.kill(front, signal.SIGKILL)
        process.communicate(timeout=100)
        self.assertNotEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
