"""`warpmark watch`: what changes is checked again, and nothing else."""
import contextlib
import os
import re
import select
import signal
import subprocess
import time
import unittest

import program

PATIENCE_S = 120  # against a hang only


class Watch:
    """A running `warpmark watch`; `said` waits for what it prints."""

    def __init__(self, test, *arguments):
        self.test = test
        command = [str(part) for part in (program.PROGRAM, "watch", *arguments)]
        self.process = subprocess.Popen(
            command, cwd=test.folder, env=test.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        test.addCleanup(self.end)
        self.text = ""

    def said(self, pattern):
        """Returns the output up to a match of the pattern, and removes it from the buffer."""
        deadline = time.monotonic() + PATIENCE_S
        while not re.search(pattern, self.text, re.M):
            ready, _, _ = select.select([self.process.stdout], [], [], deadline - time.monotonic())
            part = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not part:
                self.test.fail("no %r in:\n%s" % (pattern, self.text))
            self.text += part.decode()
        end = re.search(pattern, self.text, re.M).end()
        head, self.text = self.text[:end], self.text[end:]
        return head

    @contextlib.contextmanager
    def paused(self):
        """Makes one change of everything that is written meanwhile, however slow the machine is."""
        os.kill(self.process.pid, signal.SIGSTOP)
        yield
        os.kill(self.process.pid, signal.SIGCONT)

    def interrupt(self, number=signal.SIGINT):
        os.killpg(self.process.pid, number)  # as a terminal does
        rest = self.process.communicate(timeout=PATIENCE_S)[0].decode()
        return self.process.returncode, self.text + rest

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process.stdout.close()


class Refused(program.ProgramTest):
    def test_what_check_would_refuse_each_time(self):
        self.assertIn("no PATHS were given", self.refused("watch"))
        self.write_suite("suites/a.yaml")
        self.assertIn("did you mean `suites`?", self.refused("watch", "suits"))
        self.assertIn("--seed must be", self.refused("watch", "suites", "--seed", "x"))


class WatchTest(program.CheckTest):
    WAITING = r"^watching .*; Ctrl-C ends\n"
    SUM = r"^\d+ passed.* in .*\n"

    def watch(self, *arguments):
        return Watch(self, *(arguments or ("suites",)), "--device", "cpu")

    def write_two(self):
        """Two suites, of which `one` has a header."""
        header = "__device__ float times(float f, float x) { return f * x; }\n"
        self.write("suites/one/times.cuh", header)
        self.write_scale("suites/one/one.yaml", "#include \"times.cuh\"\n" + program.KERNEL.replace(
            "f * src[i]", "times(f, src[i])"))
        self.write_scale("suites/two/two.yaml")
        return header

    def replace(self, path, text):
        """Writes a file as many editors do."""
        self.write(path + ".tmp", text)
        (self.folder / (path + ".tmp")).rename(self.folder / path)

    def test_only_what_is_touched(self):
        header = self.write_two()
        watch = self.watch()
        self.assertIn("check: 2 suites, 2 cases", watch.said(self.SUM))
        self.assertIn("watching 2 suites with 7 files", watch.said(self.WAITING))
        self.replace("suites/one/times.cuh", header.replace("f * x", "f + x"))
        said = watch.said(self.SUM)
        self.assertRegex(said, r"(?m)^\d\d:\d\d:\d\d changed: suites/one/times\.cuh\n")
        self.assertIn("check: 1 suite, 1 case", said)
        self.assertIn("FAILED one/one.n=100", said)
        with watch.paused():
            self.write("suites/one/times.cuh", header)
        self.assertIn("1 passed in ", watch.said(self.SUM))
        # A new suite, in a new folder.
        with watch.paused():
            self.write_scale("suites/three/three.yaml")
        self.assertRegex(watch.said(self.SUM), r"changed: suites/three/three.yaml is new\n(.*\n)*three/three ")
        code, rest = watch.interrupt()
        self.assertEqual((code, rest), (130, ""))

    def test_a_suite_that_breaks_and_a_file_that_goes(self):
        self.write_two()
        watch = self.watch("suites/one", "suites/two/two.yaml")
        watch.said(self.WAITING)
        good = (self.folder / "suites/two/two.yaml").read_text()
        with watch.paused():
            self.write("suites/two/two.yaml", good + "kernal: 1\n")
        self.assertIn("unknown key of a suite `kernal`", watch.said("did you mean.*\n"))
        kernel = self.folder / "suites/two/k.cu"
        text = kernel.read_text()
        self.replace("suites/two/two.yaml", good)
        self.assertIn("1 passed", watch.said(self.SUM))
        kernel.unlink()
        self.assertIn("suites/two/k.cu is gone", watch.said(r"there is no file `k.cu`(.*\n)*"))
        self.replace("suites/two/k.cu", text)
        self.assertIn("1 passed", watch.said(self.SUM))
        # The suite itself, and its folder.
        (self.folder / "suites/two").rename(self.folder / "away")
        self.assertIn("is gone", watch.said(r"no suite is left to check\n"))
        (self.folder / "away").rename(self.folder / "suites/two")
        self.assertIn("1 passed", watch.said(self.SUM))
        self.assertEqual(watch.interrupt(signal.SIGTERM)[0], 143)

    def test_a_header_that_was_missing(self):
        self.write_two()
        (self.folder / "suites/one/times.cuh").rename(self.folder / "times")
        watch = self.watch("suites/one")
        self.assertIn("0 passed, 1 failed", watch.said(self.SUM))
        watch.said(self.WAITING)
        (self.folder / "times").rename(self.folder / "suites/one/times.cuh")
        said = watch.said(self.SUM)
        self.assertIn("suites/one/times.cuh is new", said)
        self.assertIn("1 passed", said)

    def test_options_are_those_of_check(self):
        self.write_two()
        watch = self.watch("suites", "-k", "one", "-a", "n=7,8", "-v")
        self.assertIn("2 passed", watch.said(self.SUM))
        watch.said(self.WAITING)
        (self.folder / "suites/two/k.cu").touch()
        self.write("suites/two/k.cu", program.KERNEL)
        watch.said("no chosen case is of these suites\n")
        self.write("suites/one/k.cu", (self.folder / "suites/one/k.cu").read_text() + "\n")
        self.assertRegex(watch.said(self.SUM), r"(?s)one/one\.n=7.*one/one\.n=8.*2 passed")

    def test_many_changes_are_one(self):
        self.write_two()
        watch = self.watch()
        watch.said(self.WAITING)
        text = (self.folder / "suites/two/k.cu").read_text()
        with watch.paused():
            for number in range(20):
                self.write("suites/two/k.cu", text + "\n" * number)
                self.write("suites/one/k.cu", (self.folder / "suites/one/k.cu").read_text() + "\n")
        self.assertIn("check: 2 suites", watch.said(self.SUM))

    def test_a_link_is_what_it_links_to(self):
        self.write_two()
        (self.folder / "suites/two/k.cu").rename(self.folder / "elsewhere.cu")
        (self.folder / "suites/two/k.cu").symlink_to(self.folder / "elsewhere.cu")
        watch = self.watch("suites/two")
        watch.said(self.WAITING)
        with watch.paused():
            self.write("elsewhere.cu", program.KERNEL.replace("f *", "1 +"))
        self.assertIn("1 failed", watch.said(self.SUM))

    def test_nobody_reads(self):
        self.write_two()
        watch = self.watch()
        watch.said(self.WAITING)
        watch.process.stdout.close()
        self.assertEqual(watch.process.wait(PATIENCE_S), 0)

    def test_an_interrupt_while_it_checks(self):
        self.misbehave()
        self.write_scale("suites/t.yaml", axes="{shared: [1003]}", out="{out: 100}",
                         n="{scalar: 100}", src="{in: rng.standard_normal(100)}",
                         launch="{block: 32, grid: 'ceil_div(100, 32)', shared: shared}")
        watch = Watch(self, "suites", "--device", "misbehaving")
        watch.said("^suite ")
        code, rest = watch.interrupt()
        self.assertEqual(code, 130)
        self.assertIn("1 interrupted in ", rest)
        self.assertNotIn("watching", rest)

    def test_no_watches_are_left(self):
        self.write_two()
        failing = program.BUILD / "tests/drivers/libfailing_system.so"
        if program.SANITIZED or not failing.exists():
            self.skipTest("no library of failing calls")
        errors = self.refused("watch", code=3, env={
            **self.environment, "LD_PRELOAD": str(failing),
            "WARPMARK_FAILING": "inotify_add_watch:1:28"})  # ENOSPC
        self.assertIn("there are no inotify watches left", errors)
        self.assertIn("fs.inotify.max_user_watches", errors)


if __name__ == "__main__":
    unittest.main()
