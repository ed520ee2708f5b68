# Suites as tests of ctest, with the real program: which device a test takes, which starts it shares.
import json
import os
import re
import subprocess
import time
import unittest

from coverage_test import read_tracefile
from program import BUILD, PROGRAM, SOURCE, CheckTest

CMAKE, CTEST = os.environ["WARPMARK_TEST_CMAKE"], os.environ["WARPMARK_TEST_CTEST"]

LISTS = """cmake_minimum_required(VERSION 3.25)
project(nested NONE)
enable_testing()
include([[%s/cmake/WarpmarkDiscoverTests.cmake]])
warpmark_discover_tests(suites PROGRAM [[%s]] %s)
"""


class CtestTest(CheckTest):
    """A project in `self.folder`, whose suites are in `suites`."""
    def setUp(self):
        super().setUp()
        self.hide_gpu()
        # Settings of a ctest that runs this test are not meant for the programs that it starts.
        for name in list(self.environment):
            if name.startswith("CTEST_RESOURCE"):
                del self.environment[name]

    def configure(self, arguments="DEVICE cpu", program=PROGRAM):
        self.write("CMakeLists.txt", LISTS % (SOURCE, program, arguments))
        done = subprocess.run([CMAKE, "-S", self.folder, "-B", self.folder / "build"], text=True,
                              timeout=60, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)

    def ctest(self, *arguments, **environment):
        done = subprocess.run([CTEST, *arguments], cwd=self.folder / "build", text=True,
                              timeout=300, env=dict(self.environment, **environment),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout


class Resources(CtestTest):
    def allot(self, devices, count="1", types="gpus"):
        self.environment.update(CTEST_RESOURCE_GROUP_COUNT=count, CTEST_RESOURCE_GROUP_0=types,
                                CTEST_RESOURCE_GROUP_0_GPUS=devices)

    def uuids(self):
        return [device["uuid"] for device in
                json.loads(self.run_program("devices", "--json")[0])["devices"]]

    def uuid_used(self, path="run.jsonl"):
        return self.journal(path)[0]["device"]["uuid"]

    def test_the_list_is_a_specification(self):
        self.environment["WARPMARK_CPU_DEVICES"] = "2"
        spec = json.loads(self.run_program("devices", "--resource-spec")[0])
        self.assertEqual(spec["version"], {"major": 1, "minor": 0})
        self.assertEqual([list(group) for group in spec["local"]], [["gpus"]])
        slots = len(os.sched_getaffinity(0))
        self.assertEqual([device["id"] for device in spec["local"][0]["gpus"]], ["cpu_0", "cpu_1"])
        self.assertEqual({device["slots"] for device in spec["local"][0]["gpus"]}, {slots})
        # Devices of other kinds are no processors for a test that asks for one.
        self.misbehave()
        self.assertEqual(json.loads(self.run_program("devices", "--resource-spec")[0]), spec)
        self.refused("devices", "--resource-spec", "--json")
        self.refused("devices", "--resource-spec", "--api")

    def test_without_any_device_the_list_is_empty(self):
        out, _ = self.run_program("devices", "--resource-spec", code=3,
                                  program=self.lonely_program())
        self.assertEqual(json.loads(out)["local"], [{"gpus": []}])

    def test_a_case_runs_on_the_device_that_ctest_gave(self):
        self.environment["WARPMARK_CPU_DEVICES"] = "3"
        self.write_scale("suites/t.yaml")
        uuids = self.uuids()
        self.assertEqual(len(set(uuids)), 3)
        self.allot("id:cpu_2,slots:1")
        for device, index in (("auto", 2), ("cpu", 2), ("cpu:1", 1), (None, 2)):
            self.check("suites", "--journal", "run.jsonl", device=device)
            self.assertEqual(self.uuid_used(), uuids[index], device)
        # A device of the list may be gone.
        self.allot("id:cpu_3,slots:1")
        self.assertIn("there is no device 3", self.refused("check", "suites", code=3))
        # A test for GPUs is not run on the processor.
        self.allot("id:cpu_0,slots:1")
        self.refused("check", "suites", "--device", "gpu", code=3)
        out, _ = self.run_program("check", "suites", "--device", "gpu", "--skip-without-device",
                                  code=77)
        self.assertIn("skipped: ", out)

    def pretend_gpus(self, count):
        """The CPU device in the place of NVIDIA's driver. It is chosen, but runs no kernels: as a GPU
        it gets code for one."""
        (self.folder / "nothing/libcuda.so.1").unlink()
        (self.folder / "nothing/libcuda.so.1").symlink_to(BUILD / "lib/warpmark/libwarpmark_cpu.so")
        self.environment["WARPMARK_CPU_DEVICES"] = str(count)

    def test_gpus_are_one_slot_each(self):
        self.pretend_gpus(3)
        spec = json.loads(self.run_program("devices", "--resource-spec")[0])
        self.assertEqual(spec["local"], [{"gpus": [{"id": str(index), "slots": 1}
                                                   for index in range(3)]}])
        self.write_scale("suites/t.yaml")
        self.allot("id:2,slots:1")
        for device, kind, index in (("auto", "gpu", 2), ("gpu", "gpu", 2), ("gpu:0", "gpu", 0),
                                    ("cpu", "cpu", 0)):
            self.check("suites", "--journal", "run.jsonl", device=device,
                       code=1 if kind == "gpu" else 0)
            used = self.journal()[0]["device"]
            self.assertEqual((used["kind"], used["uuid"]), (kind, self.uuids()[index]), device)

    def test_a_gpu_that_is_gone_is_not_replaced(self):
        self.write_scale("suites/t.yaml")
        self.allot("id:0,slots:1")
        for device in ("auto", "gpu"):
            self.assertIn("libcuda.so.1", self.refused("check", "suites", "--device", device, code=3))

    def test_what_cannot_be_read_is_refused(self):
        self.write_scale("suites/t.yaml")
        for devices in ("", "0", "id:card,slots:1", "id:0"):
            self.allot(devices)
            self.assertIn("CTEST_RESOURCE_GROUP_0_GPUS is `%s`" % devices,
                          self.refused("check", "suites", "--device", "auto"))

    def test_ctest_spreads_tests_over_the_devices(self):
        self.environment["WARPMARK_CPU_DEVICES"] = "2"
        spec = json.loads(self.run_program("devices", "--resource-spec")[0])
        for device in spec["local"][0]["gpus"]:
            device["slots"] = 1  # as of GPUs: then the second test needs the second one
        self.spread(spec, "100% tests passed")

    def test_ctest_gives_each_test_a_gpu(self):
        self.pretend_gpus(2)
        self.spread(json.loads(self.run_program("devices", "--resource-spec")[0]),
                    "2 tests failed out of 2")

    def spread(self, spec, verdict):
        self.write("spec.json", json.dumps(spec))
        # Each test stays until both are there.
        program = self.write("journalling", """#!/bin/sh
            test "$1" = check || exec '%s' "$@"
            touch '%s'/started.$$
            for i in $(seq 600); do
              [ $(ls '%s'/started.* | wc -l) -ge 2 ] && break; sleep 0.1
            done
            exec '%s' "$@" --journal '%s'/$$.jsonl
            """ % (PROGRAM, self.folder, self.folder, PROGRAM, self.folder))
        program.chmod(0o755)
        self.write_scale("suites/t.yaml", axes="{n: [100, 200]}")
        self.configure("DEVICE auto RESOURCE OWN_START", program)
        output = self.ctest("-j2", "--resource-spec-file", str(self.folder / "spec.json"))
        self.assertIn(verdict, output)
        used = [self.uuid_used(path) for path in self.folder.glob("*.jsonl")]
        self.assertEqual(sorted(used), sorted(set(self.uuids())))
        self.assertIn(verdict, self.ctest())  # without a file: no device is given


# Notes each case that is computed, and the process that does it; and does what a file says.
FUNCTION = """import os, time
def triple(src, n):
    with open(%r, "a") as log:
        log.write("%%d %%d\\n" %% (os.getpid(), n))
    if n == 104 and os.path.exists("kill"):
        os.kill(os.getpid(), 9)
    if n == 104 and os.path.exists("sleep"):
        time.sleep(7)
    return 3 * src
"""
SIZES = list(range(101, 109))


class Shared(CtestTest):
    def setUp(self):
        super().setUp()
        self.log = self.folder / "log"
        self.write("suites/f.py", FUNCTION % str(self.log))
        self.write_scale("suites/t.yaml", axes="{n: %s}" % SIZES, out="{out: n}",
                         reference="{out: {function: 'f.py:triple'}}")
        self.kernel = self.folder / "suites/k.cu"
        self.old_enough()

    def old_enough(self):
        """Waits, since a file that has just changed could have been read before or after: no result of it is kept."""
        time.sleep(0.05)

    def interfere(self, call, what):
        """A program that runs a line of shell before the test of that number, from 1."""
        calls = self.folder / "calls"
        calls.unlink(missing_ok=True)
        program = self.write("interfering", """#!/bin/sh
            if [ "$1" = check ]; then
              echo >> '%s'
              if [ $(wc -l < '%s') = %d ]; then
                cd '%s'; %s
                cd build
              fi
            fi
            exec '%s' "$@"
            """ % (calls, calls, call, self.folder, what, PROGRAM))
        program.chmod(0o755)
        return program

    def runs(self):
        """Sizes and processes of what was computed since the last call."""
        lines = [line.split() for line in self.log.read_text().splitlines()]
        self.log.unlink()
        return sorted(int(line[1]) for line in lines), {line[0] for line in lines}

    def verdicts(self, output):
        return {int(size): verdict for size, verdict in
                re.findall(r"Test +#\d+: t\.n=(\d+) \.+(?: +|\*\*\*)(Passed|Failed|Skipped)", output)}

    def assert_all(self, output, verdict="Passed", but=()):
        expected = {size: verdict for size in SIZES}
        expected.update(but)
        self.assertEqual(self.verdicts(output), expected, output)

    def test_cases_of_a_suite_share_a_start(self):
        self.configure()
        for _ in range(2):  # nothing is left for the next ctest
            self.assert_all(self.ctest())
            sizes, processes = self.runs()
            self.assertEqual(sizes, SIZES)
            self.assertEqual(len(processes), 2)
        left = list(self.folder.glob("build/*.shared/*"))
        self.assertEqual(len(left), 1, left)  # of the last ctest, until the next one

    def test_one_case_is_run_alone(self):
        self.configure()
        self.ctest("-R", "n=103")
        self.assertEqual(self.runs()[0], [103])

    def test_unread_results_are_not_of_the_next_ctest(self):
        self.configure()
        self.ctest("-R", "n=10[12]")
        self.assertEqual(self.runs()[0], SIZES)
        self.assert_all(self.ctest())
        self.assertEqual(self.runs()[0], SIZES)

    def test_each_repetition_runs(self):
        self.configure()
        self.ctest("--repeat", "until-fail:3")
        self.assertEqual(self.runs()[0], sorted(SIZES * 3))

    def test_in_parallel(self):
        self.configure()
        self.assert_all(self.ctest("-j8"))
        self.assertEqual(self.runs()[0], SIZES)

    def test_own_starts(self):
        for arguments in ("DEVICE cpu OWN_START", "DEVICE cpu TIMEOUT 19"):
            self.configure(arguments)
            self.assert_all(self.ctest())
            sizes, processes = self.runs()
            self.assertEqual((sizes, len(processes)), (SIZES, len(SIZES)), arguments)

    def failing(self, size):
        self.kernel.write_text(self.kernel.read_text().replace("f * src[i]",
                                                               "(n == %d ? 2 : f) * src[i]" % size))
        self.old_enough()

    def test_a_failure_is_reported_by_its_own_test_as_without_sharing(self):
        self.failing(105)
        blocks = []
        for arguments in ("DEVICE cpu", "DEVICE cpu OWN_START"):
            self.configure(arguments)
            output = self.ctest("--output-on-failure")
            self.assert_all(output, but={105: "Failed"})
            self.assertIn("reproduce: warpmark check ", output)
            block = output[output.index("warpmark check: "):output.index("6/8 Test")]
            block = re.sub(r"\d+\.\d+ s", "TIME", block)
            blocks.append(re.sub(r"(?m)^ *Start .*\n", "", block))
        self.assertEqual(*blocks)
        self.assertEqual(blocks[0].count("FAILED"), 1)
        self.configure()
        output = self.ctest("--rerun-failed")
        self.assertEqual(self.verdicts(output), {105: "Failed"})

    def test_a_changed_kernel_is_run_by_the_next_ctest(self):
        self.configure()
        good = self.kernel.read_text()
        self.assert_all(self.ctest())
        self.kernel.write_text(good.replace("f * src[i]", "2 * src[i]"))
        self.old_enough()
        self.assert_all(self.ctest(), "Failed")
        self.kernel.write_text(good)
        self.assert_all(self.ctest("--rerun-failed"))  # and at once
        self.assert_all(self.ctest())

    def test_a_file_that_changes_meanwhile_counts_from_then_on(self):
        good = self.kernel.read_text()
        for what, path in (("sed -i 's/f [*] src/2 * src/' suites/k.cu", "k.cu"),
                           ("sed -i 's/return 3/return 2/' suites/f.py", "f.py"),
                           ("sed -i 's/f: {scalar: 3}/f: {scalar: 2}/' suites/t.yaml", "t.yaml")):
            with self.subTest(path):
                file = self.folder / "suites" / path
                before = file.read_text()
                self.configure(program=self.interfere(4, what))
                self.old_enough()
                self.assert_all(self.ctest(), "Failed",
                                but={size: "Passed" for size in SIZES[:3]})
                self.assertNotEqual(file.read_text(), before)
                file.write_text(before)
                self.old_enough()
        self.assertEqual(self.kernel.read_text(), good)

    def test_a_result_that_is_gone_or_damaged_is_no_pass(self):
        self.failing(107)
        for what in ("rm build/*.shared/*/*.result", "rm -r build/*.shared",
                     "for i in build/*.shared/*/*.result; do echo > $i; done",
                     "for i in build/*.shared/*/*.result; do echo '{\"exit_code\": 0}' > $i; done",
                     "for i in build/*.shared/*/*.result; do sed -i 's/n=10/n=11/' $i; done",
                     "chmod 0 build/*.shared/*"):
            with self.subTest(what):
                self.configure(program=self.interfere(4, what))
                self.assert_all(self.ctest(), but={107: "Failed"})
                sizes, _ = self.runs()
                if os.geteuid() != 0 or "chmod" not in what:
                    # With its file it is forgotten that a case was run: the next batch has all.
                    self.assertEqual({size for size in sizes if sizes.count(size) == 1},
                                     set() if "rm" in what else set(SIZES[:3]))

    def test_what_ends_the_process_fails_its_own_test_only(self):
        (self.folder / "build").mkdir()
        self.write("build/kill", "")
        self.configure()
        output = self.ctest()
        verdicts = self.verdicts(output)
        self.assertEqual([size for size in SIZES if verdicts.get(size) != "Passed"], [104], output)
        self.assertRegex(output, r"88% tests passed, 1 tests failed out of 8")

    def test_a_case_that_takes_long_does_not_take_the_time_of_others(self):
        (self.folder / "build").mkdir()
        self.write("build/sleep", "")
        self.configure("DEVICE cpu TIMEOUT 20")
        self.assert_all(self.ctest())

    def test_skipped_without_a_device(self):
        self.configure("DEVICE gpu SKIP_WITHOUT_DEVICE")
        self.assert_all(self.ctest(), "Skipped")

    def test_by_hand_nothing_is_shared(self):
        for size in (101, 102, 103):
            self.check("suites/t.yaml", "--case", "t.n=%d" % size, "--share", "results")
        sizes, processes = self.runs()
        self.assertEqual((sizes, len(processes)), ([101, 102, 103], 3))
        self.assertFalse((self.folder / "results").exists())

    def test_what_cannot_be_shared_is_refused(self):
        case = ["check", "suites/t.yaml", "--case", "t.n=101", "--device", "cpu", "--share", "d"]
        for more in (["--case", "t.n=102"], ["-k", "n"], ["--journal", "j"], ["--junit", "j"],
                     ["--json"], ["--keep", "kept"], ["--trials", "2"], ["--lf"],
                     ["--fail-on", "skipped"], ["suites"]):
            self.assertIn("--share ", self.refused(*case, *more))
        self.assertIn("--share is for one case", self.refused("check", "--share", "d"))

    def test_annotations_come_from_the_test_of_the_case(self):
        self.failing(105)
        self.configure()
        output = self.ctest("--output-on-failure", GITHUB_ACTIONS="true")
        self.assert_all(output, but={105: "Failed"})
        self.assertEqual(len(re.findall(r"(?m)^::error .*title=t\.n=105", output)), 1, output)
        stops = re.findall(r"(?m)^::stop-commands::(.*)$", output)
        self.assertEqual(len(stops), 1)
        self.assertEqual(output.count("::%s::" % stops[0]), 1)


# Small values go one way and large ones the other; each case has one of them.
TWO_WAYS = """extern "C" __global__ void k(float *out, const float *src, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < 100)
    atomicAdd(out + i, f * src[i]);
  else if (n < 1000)
    atomicAdd(out + i, src[i] * f);
  else
    atomicExch(out + i, f * src[i]);
}
"""


class Covered(CtestTest):
    """The variable WARPMARK_COVERAGE names a folder: the tracefiles of all tests add up."""

    def test_tests_add_up(self):
        self.write_scale(axes="{n: [64, 128]}", kernel_text=TWO_WAYS, out="{inout: np.zeros(n)}", launch="{block: n}")
        self.configure()
        for _ in range(2):  # the same tests again replace their files
            output = self.ctest("-j2", WARPMARK_COVERAGE=str(self.folder / "traces"))
            self.assertIn("100% tests passed", output)
            files = [read_tracefile(file.read_text()) for file in (self.folder / "traces").glob("*.info")]
            self.assertEqual(len(files), 2)
            lines = {}
            for file in files:
                (name, one), = file.items()
                self.assertTrue(name.endswith("suites/k.cu"), name)
                for line, count in one["lines"].items():
                    lines[line] = lines.get(line, 0) + count
            self.assertEqual([line for line, count in lines.items() if count == 0], [8], "the way of large sizes")
            self.assertEqual((lines[4] % 64, lines[6] % 128), (0, 0))


if __name__ == "__main__":
    unittest.main()
