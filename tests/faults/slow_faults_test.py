# Driver calls that take too long: a timeout ends each, in its own case, and nothing hangs.
import json
import unittest

from faults import EXHAUSTIVE, FaultTest

# Longer than any of these tests may take.
FOREVER = "delay_ms=600000"

# The calls of a case until its values are there, in their order.
OF_A_CASE = ("cuModuleLoadDataEx", "cuModuleGetFunction", "cuMemAlloc_v2", "cuMemcpyHtoD_v2",
             "cuMemsetD8_v2", "cuLaunchKernel", "cuStreamSynchronize", "cuMemcpyDtoH_v2")
# Calls that a worker makes for the last case after it has reported it.
AFTERWARDS = ("cuMemFree_v2", "cuModuleUnload", "cuStreamDestroy_v2")
# The last call of a worker, when its front needs nothing more of it.
AT_THE_END = ("cuCtxDestroy_v2",)


class Slow(FaultTest):
    def test_slow_calls(self):
        """All at once, as they wait: each names what it was about when it fails."""
        self.sweep([*self.a_slow_call_fails_its_case_and_no_other(),
                    *self.a_slow_release_costs_no_more_than_one_case(),
                    *self.a_slow_end_changes_no_verdict(),
                    *self.a_slow_call_on_a_thread_ends_the_run(),
                    self.calls_that_are_only_slow_change_nothing,
                    self.run_does_as_check,
                    self.devices_and_doctor_look_at_the_others], jobs=8)

    def a_slow_call_fails_its_case_and_no_other(self):
        def one(name):
            done, what = self.check_faulty("name=%s,%s" % (name, FOREVER), "--timeout-s", "2")
            self.assertEqual(done.fired, [name], what)
            self.assertEqual([case["verdict"] for case in done.cases],
                             ["failed", "passed", "passed"], what)
            self.assertEqual(done.cases[0]["failure"], "limit", what)
            self.assertIn("no answer within 2 s; the worker was ended", done.cases[0]["message"])
            self.assertIn("--timeout-s", done.out, what)
        return [lambda name=name: one(name) for name in OF_A_CASE if EXHAUSTIVE or name in (
            "cuModuleLoadDataEx", "cuLaunchKernel", "cuStreamSynchronize", "cuMemcpyDtoH_v2")]

    def a_slow_release_costs_no_more_than_one_case(self):
        def one(name):
            done, what = self.check_faulty("name=%s,%s" % (name, FOREVER), "--timeout-s", "2")
            self.assertEqual(done.fired, [name], what)
            failed = [case for case in done.cases if case["verdict"] != "passed"]
            self.assertLessEqual(len(failed), 1, what)
            for case in failed:
                self.assertEqual((case["verdict"], case["failure"]), ("failed", "limit"), what)
                self.assertIn("no answer within 2 s", case["message"], what)
        return [lambda name=name: one(name) for name in AFTERWARDS
                if EXHAUSTIVE or name == "cuModuleUnload"]

    def a_slow_end_changes_no_verdict(self):
        def one(name):
            done, what = self.check_faulty("name=%s,%s" % (name, FOREVER))
            self.assertEqual((done.code, [case["verdict"] for case in done.cases]),
                             (0, ["passed"] * 3), what)
        return [lambda name=name: one(name) for name in AT_THE_END]

    def a_slow_call_on_a_thread_ends_the_run(self):
        """A thread cannot be ended, and says so; what was not run is reported as such."""
        def one(name):
            done, what = self.check_faulty("name=%s,%s" % (name, FOREVER), "--timeout-s", "1",
                                           "--in-process")
            self.assertEqual(done.code, 3, what)
            self.assertIn("the worker does not answer, and it is a thread", done.errors, what)
            self.assertNotIn("passed", [case["verdict"] for case in done.cases], what)
        return [lambda name=name: one(name) for name in OF_A_CASE
                if name == "cuLaunchKernel" or EXHAUSTIVE and name == "cuMemAlloc_v2"]

    def calls_that_are_only_slow_change_nothing(self):
        names = OF_A_CASE
        done, what = self.check_faulty(";".join("name=%s,delay_ms=100" % name for name in names))
        self.assertEqual((done.code, done.misuse, done.leaks), (0, [], []), what)
        self.assertEqual(set(done.fired), set(names), what)

    def test_a_suite_sets_its_own_limit(self):
        self.write_scale(axes="{n: [100, 101, 102]}", more="limits: {timeout_s: 1.5}\n")
        done, what = self.check_faulty("name=cuLaunchKernel," + FOREVER)
        self.assertIn("no answer within 1.5 s", done.cases[0]["message"], what)
        self.assertIn("`limits.timeout_s`", done.out, what)

    def run_does_as_check(self):
        self.write("c.yaml", "warpmark: 1\ncheck: {suites: [suites], device: faulty, "
                             "timeout_s: 1}\n")
        done, what = self.run_faulty("name=cuLaunchKernel," + FOREVER, "run", "c.yaml")
        self.assertEqual(done.code, 1, what)
        self.assertIn("no answer within 1 s; the worker was ended", done.out, what)

    def test_a_driver_that_does_not_start(self):
        if not EXHAUSTIVE:
            self.skipTest("a device has two minutes to start")
        for name in ("cuInit", "cuCtxCreate_v2"):
            done, what = self.check_faulty("name=%s,%s" % (name, FOREVER), timeout=150)
            self.assertEqual((done.code, done.cases), (3, []), what)
            self.assertIn("the worker did not start: it gave no answer within 120 s", done.errors)

    def devices_and_doctor_look_at_the_others(self):
        words = "the driver gave no answer within 1 s"
        for name in ("cuDeviceGetCount", "cuDeviceGetName", "cuInit")[0 if EXHAUSTIVE else 2:]:
            spec = "name=%s,%s" % (name, FOREVER)
            done, what = self.run_faulty(spec, "devices", "--timeout-s", "1")
            self.assertEqual(done.code, 0, what)
            self.assertRegex(done.out, r"(?m)^cpu:0  Warpmark CPU device$", what)
            self.assertIn("no faulty: " + words, done.out, what)
        done, what = self.run_faulty(spec, "devices", "--json", "--timeout-s", "1")
        missing = {one["kind"]: one["reason"] for one in json.loads(done.out)["missing"]}
        self.assertEqual(missing["faulty"], words, what)
        done, what = self.run_faulty(spec, "doctor", "--timeout-s", "1")
        self.assertEqual(done.code, 0, what)
        self.assertIn(words, " ".join(done.out.split()), what)
        self.assertRegex(done.out, r"Warpmark can check kernels on (gpu:0, )?cpu:0\b")


if __name__ == "__main__":
    unittest.main()
