# A machine that runs out of things, and files that cannot be written.
import os
import resource
import stat
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

from faults import BUILD, EXHAUSTIVE, SANITIZED, FaultTest
from program import PROGRAM

# Calls that fail, with the error: EPERM 1, ENOENT 2, EAGAIN 11, ENOMEM 12, EMFILE 24, ENOSPC 28,
# EROFS 30, ECONNRESET 104, ENOBUFS 105.
CALLS = {"memfd_create": 24, "ftruncate": 28, "eventfd": 24, "socketpair": 24, "posix_spawn": 11,
         "pthread_create": 11, "map_shared": 12, "seal": 1, "sendmsg": 105, "recvmsg": 104,
         "poll": 12, "mkostemp": 28, "rename": 28, "write": 28, "map_private": 12,
         "proc": 2}
# Calls that write the reports.
REPORTS = ("mkostemp", "rename", "write", "proc")


class System(FaultTest):
    def setUp(self):
        super().setUp()
        self.environment["LD_PRELOAD"] = str(BUILD / "tests/drivers/libfailing_system.so")
        if SANITIZED:
            self.skipTest("sanitizers intercept the same calls, and come first")

    def one(self, name, occurrence, action):
        """Makes one call fail; returns whether there was such a call."""
        log = self.folder / ("failures-%s-%d" % (name, occurrence))
        if name in REPORTS:
            return self.one_of_reports(name, occurrence, log)
        done, what = self.check_faulty("", device="cpu", WARPMARK_FAILING="%s:%d:%s" % (
            name, occurrence, action), WARPMARK_FAILING_LOG=str(log))
        what = "%s %d\n%s" % (name, occurrence, what)
        if done.code == 3:
            self.assertRegex(done.errors, r"(?m)^error: .*", what)
        for case in done.cases:
            # "interrupted" is for what was not run because of an error that was reported.
            self.assertIn(case["verdict"], ("passed", "failed", "interrupted"), what)
            self.assertTrue(case["verdict"] != "interrupted" or done.code == 3, what)
            if case["verdict"] == "failed":
                self.assertIn(case["failure"], ("crash", "driver", "compile"), what)
        return log.exists()

    def one_of_reports(self, name, occurrence, log):
        """A report that cannot be written is named; what was written is valid."""
        journal, junit = log.with_suffix(".jsonl"), log.with_suffix(".xml")
        done, what = self.run_faulty(
            "", "check", "suites", "--device", "cpu", "--journal", journal, "--junit", junit,
            WARPMARK_FAILING="%s:%d:%d" % (name, occurrence, CALLS[name]),
            WARPMARK_FAILING_LOG=str(log))
        self.assertIn(done.code, (0, 3), what)
        self.assertEqual(done.code == 3, done.errors.startswith("error: "), what)
        if journal.exists():
            self.journal(journal)
        if junit.exists():
            ElementTree.parse(junit)
        return log.exists()

    def each(self, names, action=None):
        def until_there_is_none(name):
            for occurrence in range(1, 40 if EXHAUSTIVE else 4):
                if not self.one(name, occurrence, action or CALLS[name]):
                    self.assertGreater(occurrence, 1, "%s is not called" % name)
                    return
        self.sweep([lambda name=name: until_there_is_none(name) for name in names])

    def test_each_call_fails(self):
        self.each(CALLS)

    def test_memory_for_arrays_runs_out(self):
        """The run says which memory it could not get, and why, as with a full /dev/shm."""
        def one(name, error, text):
            for occurrence in (0, 1, 2, 3):
                done, what = self.check_faulty("", device="cpu", WARPMARK_FAILING="%s:%d:%d" % (
                    name, occurrence, error))
                self.assertEqual(done.code, 3, what)
                # The device's own memory is the first; each case's arrays are the next.
                words = (r"bytes of shared memory: .*%s\n  hint: free memory" % text
                         if occurrence > 1 else "cuCtxCreate failed with CUDA_ERROR_OUT_OF_MEMORY")
                self.assertRegex(done.errors, words, what)
                self.assertNotIn("failed", [case["verdict"] for case in done.cases], what)
        self.sweep([lambda which=which: one(*which) for which in (
            ("memfd_create", 28, "No space left on device"),
            ("memfd_create", 12, "Cannot allocate memory"),
            ("ftruncate", 28, "No space left on device"),
            ("map_shared", 12, "Cannot allocate memory"))])

    def test_front_or_worker_is_killed_at_a_message(self):
        """A kill of the worker costs its case; a kill of the front leaves valid files."""
        for name in ("sendmsg", "recvmsg"):
            for occurrence in range(1, 12 if EXHAUSTIVE else 4):
                journal = self.folder / ("killed-%s-%d.jsonl" % (name, occurrence))
                environment = dict(self.environment,
                                   WARPMARK_FAILING="%s:%d:kill" % (name, occurrence))
                done = self.start("check", "suites", "--device", "cpu", "--journal", journal,
                                  env=environment, timeout=30)
                self.assertIn(done.returncode, (0, 1, 3, -9), done.stderr)
                records = self.journal(journal) if journal.exists() else []
                for record in records:
                    self.assertIn(record["type"], ("run", "case", "end"))


class Limits(FaultTest):
    def limited(self, limit, value, *arguments):
        return self.start("check", "suites", "--device", "cpu", *arguments, timeout=60,
                          preexec_fn=lambda: resource.setrlimit(limit, (value, value)))

    def test_few_files(self):
        codes = set()
        for count in range(3, 40) if EXHAUSTIVE else (4, 5, 7, 9, 12, 20):
            with self.subTest(count):
                done = self.limited(resource.RLIMIT_NOFILE, count)
                text = (done.stdout + done.stderr).decode()
                # Below about 6 the loader itself finds no room for libraries: 127.
                self.assertIn(done.returncode, (0, 1, 3) if count > 6 else (0, 1, 3, 127), text)
                self.assertNotRegex(text, "Traceback|terminate called|mistake in Warpmark")
                codes.add(done.returncode)
        self.assertEqual(self.limited(resource.RLIMIT_NOFILE, 64).returncode, 0)

    def test_files_of_no_size(self):
        """RLIMIT_FSIZE, as on a full disk: no journal, no JUnit, and memory is no file."""
        done = self.limited(resource.RLIMIT_FSIZE, 0, "--journal", "run.jsonl")
        self.assertIn(done.returncode, (3, -25), done.stderr)  # SIGXFSZ, if nobody ignores it

    def test_little_memory(self):
        """The front may refuse; it reports no internal error, and makes no pass up."""
        if SANITIZED:
            self.skipTest("sanitizers map more than any limit")
        for mib in range(60, 700, 40) if EXHAUSTIVE else (100, 160, 260, 420):
            with self.subTest(mib):
                done = self.limited(resource.RLIMIT_AS, mib << 20)
                text = (done.stdout + done.stderr).decode(errors="replace")
                self.assertIn(done.returncode, (0, 1, 3, 127), text)
                self.assertNotRegex(text, "mistake in Warpmark|terminate called")


class Files(FaultTest):
    def check_files(self, *arguments, code, **options):
        return self.start_checked("check", "suites", "--device", "cpu", *arguments, code=code,
                                  **options)

    def start_checked(self, *arguments, code, **options):
        done = self.start(*arguments, **options)
        text = (done.stdout or b"").decode() + done.stderr.decode()
        self.assertEqual(done.returncode, code, text)
        self.assertNotRegex(text, "Traceback|terminate called|mistake in Warpmark")
        return text

    def test_a_full_disk(self):
        disk = self.folder / "full"
        try:  # root could put a file in the place of the real one
            os.mknod(disk, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
            with open(disk, "wb"):
                pass
        except OSError:
            self.assertNotEqual(os.geteuid(), 0)
            disk = "/dev/full"
            if not os.access(disk, os.W_OK):
                self.skipTest("/dev/full may not be written here")
        for option in ("--journal", "--junit"):
            text = self.check_files(option, disk, code=3)
            self.assertIn("full: No space left on device", text)
            self.assertTrue(stat.S_ISCHR(os.stat(disk).st_mode))  # no file was put in its place
        with open("/dev/full", "wb") as full:
            for arguments in (["check", "suites", "--device", "cpu"], ["list", "suites"],
                              ["plan", "suites/t.yaml"], ["lint", "suites"], ["devices"],
                              ["doctor"], ["cache"], ["schema"], ["schema", "suite"], ["--help"],
                              ["--version"]):
                with self.subTest(arguments):
                    text = self.start_checked(*arguments, code=3, stdout=full)
                    self.assertIn("standard output", text)

    def test_no_standard_output_at_all(self):
        for arguments in ("check suites --device cpu --journal run.jsonl", "list suites",
                          "devices"):
            command = 'exec "$0" %s >&-' % arguments
            done = subprocess.run(["sh", "-c", command, PROGRAM], cwd=self.folder,
                                  env=self.environment, stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(b"standard output", done.stderr)
        self.assertEqual(self.journal()[-1]["type"], "end")

    def test_a_reader_that_leaves(self):
        done = subprocess.run(["sh", "-c", '"$0" list suites | true', PROGRAM], cwd=self.folder,
                              env=self.environment, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_no_temporary_folder(self):
        """None is needed: drafts are beside their files, or in memory."""
        os.mkdir(self.folder / "closed")
        os.chmod(self.folder / "closed", 0o500)
        for folder in ("/nowhere", self.folder / "closed"):
            environment = dict(self.environment, TMPDIR=str(folder))
            self.check_files("--junit", "junit.xml", code=0, env=environment)
            ElementTree.parse(self.folder / "junit.xml")

    def test_a_working_directory_that_is_gone(self):
        suites = self.folder / "suites"
        for arguments in ("check %s --device cpu" % suites, "list %s" % suites,
                          "plan %s/t.yaml" % suites, "lint %s" % suites, "devices", "doctor",
                          "cache", "check %s --device cpu --journal run.jsonl" % suites,
                          "check %s --device cpu --junit junit.xml" % suites, "list suites"):
            for cache in (None, "relative"):
                environment = dict(self.environment)
                if cache:
                    environment["WARPMARK_CACHE_DIR"] = cache
                command = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" %s' % arguments
                done = subprocess.run(["sh", "-c", command, PROGRAM], cwd=self.folder,
                                      env=environment, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, timeout=60)
                text = "%s: exit %d\n%s" % (arguments, done.returncode,
                                            (done.stdout + done.stderr).decode())
                self.assertIn(done.returncode, (3,) if "--j" in arguments else
                              (2,) if arguments == "list suites" else (0, 3), text)
                self.assertNotIn("mistake in Warpmark", text)


if __name__ == "__main__":
    unittest.main()
