# A function of a suite, or a library that it loads, that ends the process: the run fails, and goes on where it can.
import os
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

from assignment import GradeTest
from program import PROGRAM, CheckTest

SUITE = """warpmark: 1
kernel: {source: 'extern "C" __global__ void k(float *o) { o[threadIdx.x] = 1; }', entry: k}
arguments: {o: {out: 32}}
launch: {block: 32}
%s
"""
RIGHT = SUITE % "reference: {o: np.ones(32)}"
WRONG = SUITE % "reference: {o: np.zeros(32)}"
ENDS = {
    "exits": "import os\ndef f(o):\n    os._exit(0)\n",
    "is_replaced": "import os\ndef f(o):\n    os.execv('/bin/true', ['true'])\n",
    "library_exits": "import ctypes\ndef f(o):\n    ctypes.CDLL(None).exit(0)\n",
    "library_ends_at_once": "import ctypes\ndef f(o):\n    ctypes.CDLL('libc.so.6')._exit(0)\n",
    "crashes": "import ctypes\ndef f(o):\n    ctypes.string_at(0)\n"}


class Check(CheckTest):
    REAL_STARTS = True  # who ends is a process

    def test_the_case_fails_and_the_others_run(self):
        for name, text in ENDS.items():
            self.write("suites/%s.py" % name, text)
            self.write("suites/a_%s.yaml" % name, SUITE % ('check: {function: "%s.py:f"}' % name))
        self.write("suites/b_wrong.yaml", WRONG)
        self.write("suites/c_right.yaml", RIGHT)
        out, _ = self.check("suites", "--junit", "j.xml", "--journal", "j.jsonl", code=1)
        self.assertIn("1 passed, %d failed" % (len(ENDS) + 1), out)
        self.assertEqual(out.count("the process that evaluates its references and checks"), len(ENDS), out)
        for words in ("exited with code 0 in the middle of the case", "signal 11"):
            self.assertIn(words, out)
        failed = [case.get("name") for case in xml.etree.ElementTree.parse(self.folder / "j.xml").iter("testcase")
                  if case.find("failure") is not None]
        self.assertEqual(len(failed), len(ENDS) + 1)
        self.assertEqual(sum("verdict" in one for one in self.journal("j.jsonl")), len(ENDS) + 2)

    def test_references_too(self):
        self.write("suites/r.py", "import os\ndef f():\n    os._exit(0)\n")
        for text in ('{o: {function: "r.py:f"}}', "{o: \"__import__('os')._exit(0)\"}"):
            self.write("suites/a.yaml", SUITE % ("reference: " + text))
            self.write("suites/b.yaml", RIGHT)
            for more in ((), ("-j", "2"), ("--trials", "3")):
                out, _ = self.check("suites", *more, code=1)
                self.assertIn("1 passed, 1 failed", out)

    def test_one_process_alone_fails_the_run(self):
        self.write("suites/e.py", ENDS["exits"])
        self.write("suites/a.yaml", SUITE % 'check: {function: "e.py:f"}')
        for more in (("check", "--keep", "kept"), ("bench", "--budget-s", "0.1"), ("run", "run.yaml")):
            self.write("run.yaml", "warpmark: 1\nbench: {suites: [suites], budget_s: 0.1}\n")
            with self.subTest(more):
                paths = ["suites"] if more[0] != "run" else []
                _, errors = self.run_program(*more, *paths, "--device", "cpu", code=1)
                self.assertIn("error: the run ended in its middle: its process exited with code 0", errors)

    def test_reports_have_what_ended_before(self):
        self.write("suites/e.py", ENDS["exits"])
        self.write("suites/a_right.yaml", RIGHT)
        self.write("suites/b_wrong.yaml", WRONG)
        self.write("suites/c_ends.yaml", SUITE % 'check: {function: "e.py:f"}')
        self.write("suites/d_right.yaml", RIGHT)
        self.write("run.yaml", "warpmark: 1\nbench: {suites: [suites], budget_s: 0.1, junit: j.xml}\n")
        for command in (("check", "suites", "--keep", "kept", "--junit", "j.xml"),
                        ("bench", "suites", "--budget-s", "0.1", "--junit", "j.xml"), ("run", "run.yaml")):
            with self.subTest(command):
                self.write("j.xml", "<testsuites><!-- of a run before --></testsuites>")
                self.run_program(*command, "--device", "cpu", code=1)
                root = xml.etree.ElementTree.parse(self.folder / "j.xml").getroot()
                cases = {case.get("classname"): case for case in root.iter("testcase")}
                self.assertEqual(set(cases), {"a_right", "b_wrong", "warpmark"})
                self.assertIsNotNone(cases["b_wrong"].find("failure"))
                self.assertEqual(cases["warpmark"].find("error").get("message"), "the run did not come to its end")

    def test_who_is_killed_leaves_a_report(self):
        process = self.slow_run("--junit", "j.xml")
        process.kill()
        process.wait(30)
        self.assertIn("the run did not come to its end", (self.folder / "j.xml").read_text())

    def test_exit_codes_are_the_runs_own(self):
        self.write("suites/a.yaml", RIGHT)
        self.check("suites")
        self.check("suites", "--no-such-option", code=2)
        self.write("suites/a.yaml", WRONG)
        self.check("suites", code=1)

    def slow_run(self, *more):
        self.write("suites/s.py", "import time\ndef f(o):\n    open('there', 'w').close()\n    time.sleep(60)\n    return True\n")
        self.write("suites/a.yaml", SUITE % 'check: {function: "s.py:f"}')
        process = subprocess.Popen([str(PROGRAM), "check", "suites", "--device", "cpu", "--keep", "kept", "--journal", "j.jsonl", *more],
                                   cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        for _ in range(600):
            if (self.folder / "there").exists():
                break
            time.sleep(0.05)
        return process

    def test_signals_are_handed_on(self):
        for which in (signal.SIGINT, signal.SIGTERM):
            process = self.slow_run()
            process.send_signal(which)
            time.sleep(1.5)
            process.send_signal(which)  # the first waits for the function
            self.assertIn(process.wait(30), (128 + which, -which))
            (self.folder / "there").unlink()

    def test_who_is_killed_leaves_nobody(self):
        process = self.slow_run()
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], stdout=subprocess.PIPE, text=True,
                                  check=False).stdout.split()
        self.assertEqual(len(children), 1)
        process.kill()
        process.wait(30)
        for _ in range(100):
            if not os.path.exists("/proc/" + children[0]):
                return
            with open("/proc/%s/stat" % children[0]) as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return
            time.sleep(0.05)
        self.fail("the run outlives its guard")


class Grade(GradeTest):
    REAL_STARTS = True

    def test_a_class_whose_reference_ends_the_process_is_no_success(self):
        self.write("suites/e.py", "import os\ndef f(f, src):\n    os._exit(0)\n")
        suite = (self.folder / "suites/scale.yaml").read_text()
        self.write("suites/scale.yaml", suite.replace("reference: {out: f * src}", 'reference: {out: {function: "e.py:f"}}'))
        self.hand_in(ann=(self.folder / "suites/scale.cu").read_text())
        done = self.start(*self.arguments())
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
