"""Every command that writes files, with small inputs, and places that take no files."""
import os
import pathlib
import shutil
import subprocess
import tempfile

from assignment import KERNEL, GradeTest
from program import PROGRAM

# A mount that nobody else sees: of root, or in a namespace of a user's own.
PRIVATE = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
# The first argument is the folder; the command stands behind it.
FULL = ('mount -t tmpfs -o size=64k none "$0" && { head -c 1M /dev/zero >"$0/fill" 2>/dev/null || :; } '
        '&& exec "$@"')
NEARLY_FULL = ('mount -t tmpfs -o size=64k none "$0" && head -c 60K /dev/zero >"$0/fill" '
               '&& exec "$@"')
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'


class HardTimes(GradeTest):
    """Each test has results of a bench and of its two shards, a suite and an assignment."""
    results = None  # a folder with them, made once
    NAMES = None  # of the commands that are tried; all

    def setUp(self):
        super().setUp()
        self.write_scale(axes="{n: [100, 257]}", more="bench: {axes: {n: [100, 257]}}\n")
        self.hand_in(ada=KERNEL)
        if HardTimes.results is None:
            HardTimes.results = tempfile.TemporaryDirectory(prefix="warpmark-results-")
            for name, more in (("all", ()), ("one", ("--shard", "1/2")), ("two", ("--shard", "2/2"))):
                self.run_program("bench", "suites/t.yaml", "--device", "cpu", "--journal",
                                 pathlib.Path(HardTimes.results.name, name + ".jsonl"), *more)
        shutil.copytree(HardTimes.results.name, self.folder / "results")
        self.out = self.folder / "out"
        self.out.mkdir()

    def writers(self):
        """By their names: what each command writes goes to `out`."""
        return {name: arguments for name, arguments in self.all_writers().items()
                if self.NAMES is None or name in self.NAMES}

    def all_writers(self):
        out, suite = self.out, ("suites/t.yaml", "--device", "cpu")
        return {
            "check": ["check", *suite, "--journal", out / "run.jsonl"],
            "check --junit": ["check", *suite, "--junit", out / "junit.xml"],
            "bench": ["bench", *suite, "--journal", out / "run.jsonl"],
            "bench --benchmark-out": ["bench", *suite, "--benchmark-out", out / "google.json"],
            "grade": self.arguments(out=out / "graded"),
            "compare": ["compare", "results/all.jsonl", "results/all.jsonl",
                        "--junit", out / "junit.xml"],
            "report": ["report", "results/all.jsonl", "--no-plots", "-o", out / "page.html"],
            "export": ["export", "results/all.jsonl", "-o", out / "all.sqlite"],
            "merge": ["merge", "results/one.jsonl", "results/two.jsonl", "-o", out / "all.jsonl"],
            "new suite": ["new", "suite", "suites/k.cu", "-o", out],
            "new course": ["new", "course", out / "course"],
            "pack": ["pack", "gradescope", "hw1.yaml", "--no-sandbox", "-o", out / "hw1.zip"],
            "handout": ["handout", "hw1.yaml", "-o", out / "given"],
            "profile": ["profile", *suite, "-o", out / "page.html"],
        }

    def placed(self, script, folder, arguments, **options):
        """A command where a folder is mounted in another way."""
        probe = subprocess.run([*PRIVATE, "sh", "-c", script, folder, "true"], check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if probe.returncode != 0:
            self.skipTest("no private mounts here: " + probe.stderr.decode(errors="replace"))
        return self.start("--mount", *PRIVATE[2:], "sh", "-c", script, folder, PROGRAM, *arguments,
                          program="unshare", **options)

    def assert_plain(self, done, code, *words):
        """A sentence of ours that has one of the words, and that exit code."""
        errors = done.stderr.decode()
        text = "%s\n%s%s" % (done.args, (done.stdout or b"").decode(), errors)
        self.assertEqual(done.returncode, code, text)
        self.assertNotRegex(text, r"Traceback|terminate called|Sanitizer|mistake in Warpmark")
        if words:
            self.assertRegex(errors, r"(?m)^(\S+: )?(error|note|warning): ")
            self.assertTrue(any(word in errors for word in words), text)
