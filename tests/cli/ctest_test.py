# Suites as tests of ctest, with the real program: which device a test takes.
import json
import os
import re
import subprocess
import unittest

from program import PROGRAM, SOURCE, CheckTest

CMAKE, CTEST = os.environ["WARPMARK_TEST_CMAKE"], os.environ["WARPMARK_TEST_CTEST"]

LISTS = """cmake_minimum_required(VERSION 3.25)
project(nested NONE)
enable_testing()
include([[%s/cmake/WarpmarkDiscoverTests.cmake]])
warpmark_discover_tests(suites PROGRAM [[%s]] %s)
"""


class CtestTest(CheckTest):
    """A project in `self.folder`, whose suites are in `suites`."""
    SHARES_KERNELS = True

    def setUp(self):
        super().setUp()
        self.hide_gpu()
        # What a ctest that runs this test says is not for the programs that it starts.
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
        # What is in the list may be gone.
        self.allot("id:cpu_3,slots:1")
        self.assertIn("there is no device 3", self.refused("check", "suites", code=3))
        # A test for GPUs is not run on the processor.
        self.allot("id:cpu_0,slots:1")
        self.refused("check", "suites", "--device", "gpu", code=3)
        out, _ = self.run_program("check", "suites", "--device", "gpu", "--skip-without-device",
                                  code=77)
        self.assertIn("skipped: ", out)

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
        self.write("spec.json", json.dumps(spec))
        # Each test stays until both are there.
        program = self.write("journalling", """#!/bin/sh
            test "$1" = check || exec '%s' "$@"
            touch '%s'/started.$$
            for i in $(seq 600); do
              set -- "$@"; [ $(ls '%s'/started.* | wc -l) -ge 2 ] && break; sleep 0.1
            done
            exec '%s' "$@" --journal '%s'/$$.jsonl
            """ % (PROGRAM, self.folder, self.folder, PROGRAM, self.folder))
        program.chmod(0o755)
        self.write_scale("suites/t.yaml", axes="{n: [100, 200]}")
        self.configure("DEVICE auto RESOURCE", program)
        output = self.ctest("-j2", "--resource-spec-file", str(self.folder / "spec.json"))
        self.assertIn("100% tests passed", output)
        used = [self.uuid_used(path) for path in self.folder.glob("*.jsonl")]
        self.assertEqual(sorted(used), sorted(self.uuids()))
        self.assertIn("100% tests passed", self.ctest())  # without a file: no device is given


if __name__ == "__main__":
    unittest.main()
