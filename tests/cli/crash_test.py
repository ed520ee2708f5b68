# `warpmark check` when a worker dies or hangs, and when the program is interrupted or killed.
import os
import pathlib
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree as ElementTree

from program import PROGRAM, CheckTest

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def children_of(process):
    """The processes whose parent is `process` and that have not ended."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        state, parent = state_of(folder.name)
        if parent == process and state != "Z":
            found.append(int(folder.name))
    return found


def state_of(process):
    """State and parent of a process, as proc(5) has them; ("Z", 0) if there is none."""
    try:
        fields = pathlib.Path("/proc/%s/stat" % process).read_text().rpartition(")")[2].split()
    except OSError:
        return "Z", 0
    return fields[0], int(fields[1])


class Workers(CheckTest):
    def setUp(self):
        super().setUp()
        self.misbehave()
        self.hanging = self.folder / "hanging"
        self.environment["WARPMARK_TEST_HANGING"] = str(self.hanging)
        # Dynamic shared memory of 1001 and more asks the device for what the tests want.
        self.launch = "{block: 32, grid: 'ceil_div(100, 32)', shared: shared}"

    def write_shared(self, values):
        self.write_scale(axes="{shared: %s}" % values, out="{out: 100}", n="{scalar: 100}",
                         src="{in: rng.standard_normal(100)}", launch=self.launch)

    def test_each_costs_one_case(self):
        self.write_shared([0, 1001, 8, 1002, 16, 1003, 24, 1004, 32])
        out, errors = self.check("suites", "--timeout-s", "4", "--journal", "run.jsonl", code=1,
                                 device="misbehaving")
        self.assertEqual(errors, "")
        for shared, words in (
                (1001, "the worker died in the middle of the case: it ended by signal 9 (Killed)"),
                (1002, "the worker died in the middle of the case: it ended by signal 11 "
                       "(Segmentation fault)"),
                (1003, "no answer within 4 s; the worker was ended\n"
                       "    hint: --timeout-s gives a slow kernel more time"),
                (1004, "the worker died in the middle of the case: it exited with code 7")):
            self.assertIn("\nFAILED t.shared=%d\n  error: %s\n  reproduce: " % (shared, words), out)
        self.assertIn("\n5 passed, 4 failed in ", out)
        _, *cases, end = self.journal()
        self.assertEqual([case["failure"] for case in cases],
                         ["none", "crash", "none", "crash", "none", "limit", "none", "crash",
                          "none"])
        self.assertEqual((end["passed"], end["failed"], end["exit_code"]), (5, 4, 1))

    def start_hanging(self, journal="run.jsonl"):
        """A run that hangs in the launch of its second case of three, and its worker."""
        self.write_shared([0, 1003, 8])
        command = [PROGRAM, "check", "suites", "--device", "misbehaving", "--journal", journal,
                   "--junit", "junit.xml"]
        process = subprocess.Popen(
            command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
            # A shell's background jobs ignore the first, nohup the last.
            preexec_fn=lambda: [signal.signal(each, signal.SIG_DFL) for each in INTERRUPTS])
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        journal = self.folder / journal
        self.wait_for(lambda: journal.exists() and journal.read_bytes().count(b"\n") == 2)
        worker, = children_of(process.pid)
        self.wait_for(lambda: self.hangs(worker))
        return process, worker

    def hangs(self, worker):
        return self.hanging.exists() and str(worker) in self.hanging.read_text().split("\n")

    def wait_for(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.01)

    def test_an_interrupt_finishes_the_reports(self):
        ways = {signal.SIGINT: lambda process, worker: os.killpg(process.pid, signal.SIGINT),
                signal.SIGTERM: self.as_timeout_does, signal.SIGHUP: self.as_a_manager_does}
        for number, (sign, send) in enumerate(ways.items()):
            with self.subTest(sign):
                process, worker = self.start_hanging("run%d.jsonl" % number)
                send(process, worker)
                out, errors = process.communicate(timeout=120)
                code = 128 + sign
                self.assertEqual(process.returncode, code, errors)
                self.assertIn(b"\n1 passed, 2 interrupted in ", out)
                run, *cases, end = self.journal("run%d.jsonl" % number)
                self.assertEqual(run["cases"], 3)
                self.assertEqual([case["verdict"] for case in cases],
                                 ["passed", "interrupted", "interrupted"])
                self.assertEqual((end["interrupted"], end["exit_code"]), (2, code))
                tests = list(ElementTree.parse(self.folder / "junit.xml").getroot()
                             .iter("testcase"))
                (self.folder / "junit.xml").unlink()
                self.assertEqual([test.get("name") for test in tests],
                                 ["shared=0", "shared=1003", "shared=8"])
                self.assertEqual([test.find("skipped") is not None for test in tests],
                                 [False, True, True])
                self.assertEqual(state_of(worker)[0], "Z")

    @staticmethod
    def as_timeout_does(process, _):
        process.send_signal(signal.SIGTERM)
        os.killpg(process.pid, signal.SIGTERM)

    @staticmethod
    def as_a_manager_does(process, worker):
        os.kill(worker, signal.SIGHUP)
        process.send_signal(signal.SIGHUP)

    def test_two_at_once_are_one_wish(self):
        process, worker = self.start_hanging()
        process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.1)
        process.send_signal(signal.SIGCONT)  # both are waiting
        _, errors = process.communicate(timeout=120)
        self.assertIn(process.returncode, (129, 143), errors)
        self.assertEqual(self.journal()[-1]["type"], "end")

    def test_a_kill_leaves_valid_files_and_no_worker(self):
        self.write("junit.xml", "<testsuites/>\n")
        process, worker = self.start_hanging()
        process.kill()
        self.wait_for(lambda: state_of(worker)[0] == "Z", seconds=2)
        self.assertEqual(process.wait(120), -signal.SIGKILL)
        run, case = self.journal()
        self.assertEqual((run["type"], run["cases"], case["verdict"]), ("run", 3, "passed"))
        # No report of the run before: what ended, and that the run did not.
        root = ElementTree.parse(self.folder / "junit.xml").getroot()
        self.assertEqual([one.get("classname") for one in root.iter("testcase")], ["t", "warpmark"])
        self.assertEqual(root.find(".//error").get("message"), "the run did not come to its end")

    def test_a_worker_that_somebody_kills_twice(self):
        process, worker = self.start_hanging()
        os.kill(worker, signal.SIGKILL)
        # The case is done once more, by a fresh worker. One that is killed before it has started
        # would not count.
        self.wait_for(lambda: any(self.hangs(child) for child in children_of(process.pid)
                                  if child != worker))
        again, = set(children_of(process.pid)) - {worker}
        os.kill(again, signal.SIGKILL)
        out, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn(b"it ended by signal 9 (Killed)", out)
        self.assertIn(b"\n2 passed, 1 failed in ", out)


if __name__ == "__main__":
    unittest.main()
