# Every command on a machine in hard times: no room, no permission, no home, few descriptors, no
# terminal; many at once, and killed at any moment.
#
# Random moments print their seed; WARPMARK_TEST_SEED repeats them.
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest
import zipfile

from assignment import KERNEL
from hard_times import FULL, NEARLY_FULL, READ_ONLY, HardTimes
from program import PROGRAM

NO_ROOM = "No space left on device"
READERS = {"list": ["list", "suites"], "doctor": ["doctor"]}


class Places(HardTimes):
    """Folders that take no file: exit 3, and the sentence says which and why."""

    def refuses(self, script, *words):
        for name, arguments in self.writers().items():
            with self.subTest(name):
                self.assert_plain(self.placed(script, self.out, arguments), 3, *words)

    def test_a_full_disk(self):
        self.refuses(FULL, NO_ROOM)

    def test_a_read_only_folder(self):
        self.refuses(READ_ONLY, "Read-only file system")

    def test_a_disk_that_becomes_full(self):
        # 4 KiB are free: the first lines of a journal are there, and what is there is whole.
        self.write_scale(axes="{n: [%s]}" % ", ".join(map(str, range(1, 40))))
        script = NEARLY_FULL.replace("exec ", "") + '; code=$?; cp "$0/run.jsonl" .; exit $code'
        done = self.placed(script, self.out, self.all_writers()["check"])
        self.assert_plain(done, 3, NO_ROOM)
        run, *cases = self.journal()
        self.assertEqual(run["type"], "run")
        # The end finds no room either, or the little that the cases left.
        self.assertTrue(cases)
        for case in cases[:-1]:
            self.assertIn(case["verdict"], ("passed", "interrupted"))


class Caches(HardTimes):
    """No place for the cache is no failure: the kernel is compiled, and a notice says so."""
    NAMES = ("check", "grade")

    def compiles(self, script):
        cache = self.folder / "no-cache"
        cache.mkdir()
        self.environment["WARPMARK_CACHE_DIR"] = str(cache)
        for name, arguments in self.writers().items():
            with self.subTest(name):
                done = self.placed(script, cache, arguments)
                self.assert_plain(done, 0)
                if name == "check":
                    self.assertIn(b"the compiled kernel is not kept: ", done.stdout + done.stderr)

    def test_a_full_disk(self):
        self.compiles(FULL)

    def test_a_read_only_folder(self):
        self.compiles(READ_ONLY)


class TemporaryFiles(HardTimes):
    """TMPDIR that takes none: what needs it says so."""
    NAMES = ("bench", "grade")

    def run_without(self, script):
        scratch = self.folder / "scratch"
        scratch.mkdir()
        self.environment["TMPDIR"] = str(scratch)
        for name, arguments in self.writers().items():
            with self.subTest(name):
                done = self.placed(script, scratch, arguments)
                self.assertIn(done.returncode, (0, 3), done.stderr)
                self.assert_plain(done, done.returncode, *(["scratch"] if done.returncode else []))

    def test_a_full_disk(self):
        self.run_without(FULL)

    def test_an_archive_is_not_at_fault(self):
        scratch = self.folder / "scratch"
        scratch.mkdir()
        self.environment["TMPDIR"] = str(scratch)
        with zipfile.ZipFile(self.folder / "class/bob.zip", "w") as file:
            file.writestr("scale.cu", KERNEL)
        done = self.placed(FULL, scratch, self.all_writers()["grade"])
        self.assert_plain(done, 3, NO_ROOM)

    def test_a_read_only_folder(self):
        self.run_without(READ_ONLY)


class Environments(HardTimes):
    """Environments that a cron job, a container or a service gives a program."""
    NAMES = ("check", "grade", "report")

    def all_work(self, **options):
        for name, arguments in {**self.writers(), **READERS}.items():
            with self.subTest(name):
                self.assert_plain(self.start(*arguments, **options), 0)

    def test_neither_home_nor_cache(self):
        for name in ("HOME", "XDG_CACHE_HOME"):
            del self.environment[name]
        self.all_work()

    def test_a_home_that_is_not_there(self):
        del self.environment["XDG_CACHE_HOME"]
        self.environment["HOME"] = "/nonexistent/nobody"
        self.all_work()

    def test_locales(self):
        self.write("more/漢字.cu", KERNEL)
        self.write_scale("more/t.yaml", kernel="{file: 漢字.cu, entry: scale}", about="Ümläute")
        for name in ("LANG", "LC_ALL"):
            self.environment.pop(name, None)
        for locale in (None, "C", "xx_YY.UTF-8", "tr_TR.ISO-8859-9"):
            if locale is not None:
                self.environment["LC_ALL"] = locale
            with self.subTest(locale):
                self.assert_plain(self.start("check", "more", "--device", "cpu"), 0)
                self.assertIn("漢字.cu", self.run_program("plan", "more")[0])

    def test_no_standard_streams(self):
        for name, arguments in self.writers().items():
            for closed in ("<&-", "<&- 2>&-"):
                with self.subTest((name, closed)):
                    shutil.rmtree(self.out)
                    self.out.mkdir()
                    done = self.start("-c", 'exec "$0" "$@" ' + closed, PROGRAM, *arguments,
                                      program="sh", stdin=None)
                    self.assert_plain(done, 0)
                    self.assertTrue(list(self.out.iterdir()))

    def test_a_closed_pipe(self):
        for name, arguments in {**self.writers(), **READERS}.items():
            with self.subTest(name):
                read, write = os.pipe()
                os.close(read)
                done = self.start(*arguments, stdout=write)
                os.close(write)
                # A verdict that cannot be written is an error.
                code = 3 if name.split()[0] in ("check", "bench") else 0
                self.assert_plain(done, code, *(["standard output"] if code else []))

    def test_few_descriptors(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))
        for name, arguments in {**self.writers(), **READERS}.items():
            with self.subTest(name):
                done = self.start(*arguments, preexec_fn=limit)
                self.assertIn(done.returncode, (0, 3), done.stderr)
                self.assert_plain(done, done.returncode,
                                  *(["Too many open files"] if done.returncode else []))


class Together(HardTimes):
    def test_ten_on_one_cache(self):
        command = [PROGRAM, "check", "suites", "--device", "cpu"]
        self.environment["WARPMARK_CACHE_DIR"] = str(self.folder / "shared")
        together = [subprocess.Popen(command, cwd=self.folder, env=self.environment,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT) for _ in range(10)]
        for process in together:
            out, _ = process.communicate(timeout=280)
            self.assertEqual(process.returncode, 0, out)
            self.assertNotIn(b"NOTICE", out)
        self.check("suites", "--journal", "l.jsonl")
        for case in self.journal("l.jsonl")[1:-1]:
            self.assertTrue(case["compiled_from_cache"], case)


class Killed(HardTimes):
    """SIGKILL at any moment: what is written is valid, and the next run works."""
    MOMENTS = 3
    WHOLE = ("handout", "new course", "report")

    def setUp(self):
        super().setUp()
        seed = os.environ.get("WARPMARK_TEST_SEED") or str(random.SystemRandom().getrandbits(32))
        print("WARPMARK_TEST_SEED=%s" % seed, flush=True)
        self.random = random.Random(seed)

    def killed(self, arguments, seconds):
        process = subprocess.Popen([str(part) for part in (PROGRAM, *arguments)], cwd=self.folder,
                                   env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait(60)

    def moments(self, arguments):
        """Kills at random moments of a run as long as the first, which is not killed."""
        begin = time.monotonic()
        self.assert_plain(self.start(*arguments), 0)
        whole = time.monotonic() - begin
        for _ in range(self.MOMENTS):
            moment = self.random.uniform(0, whole)
            self.killed(arguments, moment)
            yield moment

    def assert_valid(self, file):
        """Checks that a file is JSON lines, or JSON; text without a line end is no line yet."""
        text = file.read_text()
        if file.suffix == ".jsonl":
            for line in text.split("\n")[:-1]:
                json.loads(line)
        elif file.suffix == ".json":
            json.loads(text)
        elif file.suffix == ".xml":
            self.assertTrue(text.rstrip().endswith("</testsuites>"), text[-200:])

    def journals(self, command):
        arguments = [*self.writers()[command], "--junit", self.out / "junit.xml"]
        if command == "bench":
            arguments += ["--benchmark-out", self.out / "google.json"]
        for moment in self.moments(arguments):
            with self.subTest(moment):
                for file in self.out.iterdir():
                    if file.name in ("run.jsonl", "junit.xml", "google.json"):
                        self.assert_valid(file)
                self.assert_plain(self.start(*arguments), 0)
                self.assertEqual(self.journal("out/run.jsonl")[-1]["type"], "end")

    def test_check(self):
        self.journals("check")

    def test_bench(self):
        self.journals("bench")

    def empty(self):
        shutil.rmtree(self.out)
        self.out.mkdir()

    def test_what_appears_is_whole(self):
        for name in self.WHOLE:
            arguments = self.all_writers()[name]
            begin = time.monotonic()
            self.assert_plain(self.start(*arguments), 0)
            whole = time.monotonic() - begin
            made, = self.out.iterdir()
            parts = sorted(path.relative_to(made) for path in made.rglob("*"))
            for _ in range(max(1, self.MOMENTS // 6)):
                self.empty()
                moment = self.random.uniform(0, whole)
                with self.subTest((name, moment)):
                    self.killed(arguments, moment)
                    if not made.exists():
                        self.assert_plain(self.start(*arguments), 0)
                    self.assertEqual(sorted(path.relative_to(made) for path in made.rglob("*")),
                                     parts)
            self.empty()


class AllCaches(Caches):
    NAMES = ("check", "bench", "grade", "handout", "profile")


class AllTemporaryFiles(TemporaryFiles):
    NAMES = None


class AllEnvironments(Environments):
    NAMES = None


class KilledOften(Killed):
    MOMENTS = 60
    WHOLE = ("handout", "pack", "new course", "report", "profile", "export")


if __name__ == "__main__":
    unittest.main()
