# The plugin of pytest: what it collects, how it names and runs cases, and what it prints.
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

from package import ENDLESS, KERNEL, PRINTING, SUITE, WRONG, PackageTest, commands, missing

IDS = ["scale.yaml::scale.n=1", "scale.yaml::scale.n=4096"]


@unittest.skipIf(missing("pytest"), missing("pytest"))
class Plugin(PackageTest):
    def setUp(self):
        super().setUp()
        # An installed package's plugin would also be loaded by its entry point.
        self.set("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        self.command = [sys.executable, "-B", "-m", "pytest", "-p", "warpmark.pytest_plugin",
                        "-p", "no:cacheprovider", "--warpmark-device", "cpu"]

    def pytest(self, *arguments, code=0):
        done = subprocess.run([*self.command, *map(str, arguments)], capture_output=True, text=True,
                              check=False, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(self.left(), [])
        return done.stdout

    def outcomes(self, text):
        """The ids in a report of `-v`, by their outcome."""
        found = {}
        for name, outcome in re.findall(r"^(\S.*::\S+) ([A-Z]+)", text, re.M):
            found.setdefault(outcome, []).append(name)
        return found

    def test_a_named_file(self):
        self.write_suite()
        self.assertEqual(self.outcomes(self.pytest("scale.yaml", "-v")), {"PASSED": IDS})
        self.assertEqual(self.outcomes(self.pytest("scale.yaml::scale.n=1", "-v")),
                         {"PASSED": IDS[:1]})
        self.pytest("scale.yaml::scale.n=2", code=4)

    def test_coverage_of_a_run(self):
        """The variable names a folder, in which each run leaves one tracefile."""
        self.write_suite()
        self.set("WARPMARK_COVERAGE", "traces")
        for _ in range(2):
            self.pytest("scale.yaml", "-v")
            files = [pathlib.Path("traces", name) for name in os.listdir("traces")]
            self.assertEqual(len(files), 1)
            text = files[0].read_text()
            self.assertRegex(text, r"(?m)^SF:.*\.cu$")
            hit, found = (int(re.search(r"(?m)^%s:(\d+)$" % key, text).group(1)) for key in ("LH", "LF"))
            self.assertEqual(hit, found)
            self.assertGreater(hit, 0)

    def test_folders_only_where_one_asks(self):
        self.write_suite("a b/größe/scale.yaml")
        self.write("a b/other.yaml", "list: [1]\n")
        self.write("a b/assignment.yaml", "# of a course\nwarpmark: 1\nassignment: a\n")
        self.write("a b/run.yaml", "warpmark: 1\nbench: {}\n")
        self.pytest("a b", code=5)
        ids = ["a b/größe/" + name for name in IDS]
        self.assertEqual(self.outcomes(self.pytest("a b", "-v", "--warpmark")), {"PASSED": ids})
        self.write("pytest.ini", "[pytest]\nwarpmark = true\n")
        self.assertEqual(self.outcomes(self.pytest("-v")), {"PASSED": ids})

    def test_the_failure_is_the_program_s_text(self):
        self.write_suite(kernel=WRONG)
        text = self.pytest("scale.yaml", "--junit-xml=r.xml", code=1)
        printed = self.program("check", "scale.yaml", "--device", "cpu").stdout
        block = printed[printed.index("FAILED"):].split("\n\n")[0].splitlines()
        report = "\n".join(line[2:] for line in block[1:])
        self.assertIn("_ case scale.n=1 _", text)
        self.assertIn("\n%s\n" % report, text)
        self.assertIn("reproduce: warpmark check scale.yaml --case scale.n=1 --device cpu", report)
        self.assertNotIn("Traceback", text)
        [failure] = xml.etree.ElementTree.parse("r.xml").iter("failure")
        self.assertIn(report, failure.text)

    def test_selection(self):
        self.write_suite()
        for words in (["-k", "4096"], ["--warpmark-select", "n=4096"]):
            with self.subTest(words):
                text = self.pytest("scale.yaml", "-v", *words)
                self.assertEqual(self.outcomes(text), {"PASSED": IDS[1:]})
        self.write("none_test.py", "def test(): pass\n")
        text = self.pytest(".", "--warpmark", "-v", "-m", "warpmark", "--strict-markers")
        self.assertEqual(self.outcomes(text), {"PASSED": IDS})
        self.pytest("scale.yaml", "--warpmark-select", "zzz", code=5)

    def test_the_last_failures(self):
        at = self.command.index("no:cacheprovider")
        self.command[at - 1:at + 1] = []
        for name in ("suites/scale.yaml", "suites/deep/scale.yaml"):
            self.write_suite(name, kernel=WRONG)
        self.write_suite("suites/right.yaml", kernel=WRONG,
                         suite=SUITE.replace("[1, 4096]", "[128]"))
        for words in (["suites", "--warpmark"], ["suites/scale.yaml", "suites/deep/scale.yaml"]):
            with self.subTest(words):
                self.pytest(*words, code=1)
                for folder in ("suites", "."):  # with `--warpmark` and without
                    for again in (["--lf", folder], ["--lf", folder, "--warpmark"]):
                        text = self.pytest(*again, "-v", code=1)
                        self.assertEqual(sorted(re.findall(r"^(\S+)::\S+ FAILED", text, re.M)),
                                         ["suites/deep/scale.yaml", "suites/scale.yaml"])
                        self.assertNotIn("PASSED", text)
        for name in ("suites/scale.cu", "suites/deep/scale.cu"):
            self.write(name, KERNEL)
        self.assertIn("2 passed", self.pytest("--lf", "suites"))
        self.pytest("--lf", "suites", code=5)  # nothing failed last, and nothing asks for suites

    def test_skips_and_notices(self):
        self.write_suite(suite=SUITE + "skip: {when: n == 1, reason: too small}\n",
                         kernel=KERNEL.replace("int i =", "int u; int i ="))
        text = self.pytest("scale.yaml", "-rs")
        self.assertIn("too small", text)
        self.assertRegex(text, r"1 passed, 1 skipped")
        self.assertIn('Notice: scale.n=4096: ', text)
        self.assertIn('"u" was declared but never referenced', text)

    def test_bad_suites(self):
        self.write_suite("good/scale.yaml")
        self.write("bad.yaml", "warpmark: 1\noops: 2\n")
        text = self.pytest(".", "--warpmark", code=2)
        self.assertIn("\nbad.yaml:2:1: error: unknown key of a suite `oops`\n  hint: known: ", text)
        self.assertNotIn("Traceback", text)
        text = self.pytest(".", "--warpmark", "--continue-on-collection-errors", "-v", code=1)
        self.assertEqual(self.outcomes(text)["PASSED"], ["good/" + name for name in IDS])
        self.write("empty.yaml", "warpmark:\n")
        self.assertIn("empty.yaml:", self.pytest("empty.yaml", code=2))

    def test_suites_of_one_name(self):
        self.write_suite("a/scale.yaml")
        self.write_suite("b/scale.yaml", kernel=WRONG)
        found = self.outcomes(self.pytest("a/scale.yaml", "b", "--warpmark", "-v", code=1))
        self.assertEqual(found, {"FAILED": ["b/" + IDS[0]],
                                 "PASSED": ["a/" + IDS[0], "a/" + IDS[1], "b/" + IDS[1]]})

    def test_one_process_runs_all_cases(self):
        self.write_suite("a/scale.yaml", suite=SUITE.replace("[1, 4096]", "[1, 2, 3, 4]"))
        self.write_suite("b/other.yaml")
        self.count_processes()
        self.pytest("a", "b", "--warpmark")
        ran = (self.folder / "processes").read_text().split()
        self.assertEqual(ran.count("check"), 1)
        self.assertLessEqual(ran.count("list"), 2)  # pytest looks into one folder after another

    def count_processes(self):
        self.write("site/sitecustomize.py", "import sys\nif '--json' in sys.argv:\n"
                   "    print(sys.argv[1], file=open(%r, 'a'))\n" % str(self.folder / "processes"))
        self.set("PYTHONPATH", os.pathsep.join([str(self.folder / "site"),
                                                os.environ.get("PYTHONPATH", "")]))

    def test_the_first_failure_ends_the_run(self):
        self.write_suite(kernel=WRONG, suite=SUITE.replace("[1, 4096]", "[1, 2, 3, 4]"))
        self.assertIn("1 failed in", self.pytest("scale.yaml", "-x", code=1))

    def test_what_kernels_print_is_shown_with_failures(self):
        self.write_suite(kernel=PRINTING.replace("i < n)", "i <= n)"))
        text = self.pytest("scale.yaml", code=1)
        self.assertIn("- Captured stderr call -", text)
        self.assertEqual(text.count("\nfrom the kernel\n"), 1)

    def test_options_of_the_program(self):
        self.write_suite()
        self.pytest("scale.yaml", "--warpmark-args", "--trials 2 --checks memory")
        text = self.pytest("scale.yaml", "--warpmark-args=--foo", code=1)
        self.assertIn("\nunknown option `--foo` of `warpmark check`\n", text)

    def test_beside_tests_in_python(self):
        self.write_suite(kernel=WRONG)
        self.write("own_test.py", "import warpmark\n\n\ndef test_scale():\n"
                   "    warpmark.check('scale.yaml', device='cpu').raise_on_failure()\n")
        text = self.pytest("own_test.py", code=1)
        self.assertIn("CheckFailed: 1 passed, 1 failed", text)
        self.assertIn("scale.cu:3: error: out-of-bounds", text)

    @unittest.skipIf(missing("xdist"), missing("xdist"))
    def test_several_processes(self):
        self.write_suite("a/scale.yaml", kernel=WRONG)
        self.write_suite("b/other.yaml")
        for how in ("load", "loadfile"):
            with self.subTest(how):
                text = self.pytest(".", "--warpmark", "-p", "xdist.plugin", "-n", "2",
                                   "--dist", how, code=1)
                self.assertIn("1 failed, 3 passed", text)
                self.assertIn("reproduce: warpmark check a/scale.yaml", text)

    def test_ctrl_c(self):
        self.write_suite(kernel=ENDLESS)
        child = subprocess.Popen([*self.command, "scale.yaml"], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, start_new_session=True)
        deadline = time.monotonic() + 60
        while not any(b"warpmark-worker" in line for line in commands(child.pid)):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        text, _ = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 2, text)
        self.assertIn(b"KeyboardInterrupt", text)
        self.assertEqual((commands(child.pid), self.left()), ([], []))


if __name__ == "__main__":
    unittest.main()
