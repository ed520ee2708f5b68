# The options of `check` that choose, repeat, stop and remember, and `list` with them.
import json
import os
import pty
import re
import shlex
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

from program import DEMO, KERNEL, PROGRAM, SOURCE, CheckTest, ProgramTest

# Wrong from n = 28 on.
WRONG = KERNEL.replace("f * src[i]", "i < 28 ? f * src[i] : src[i]")


class Selecting(CheckTest):
    def setUp(self):
        super().setUp()
        self.write_scale("suites/one.yaml", axes="{n: [4, 16, 100]}", kernel_text=WRONG)
        self.write_scale("suites/sub/two.yaml", axes="{n: [4, 40], f: [2, -1]}", f="{scalar: f}",
                         kernel_text=WRONG)

    def ids(self, *arguments, code=0):
        out, errors = self.check("suites", *arguments, "--json", code=code)
        self.assertEqual(errors, "")
        records = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([record["type"] for record in records],
                         ["run"] + ["case"] * (len(records) - 2) + ["end"])
        return {record["case"]: record["verdict"] for record in records[1:-1]}

    def test_expressions(self):
        for expression, ids in (
                ("one and not 100", ["one.n=4", "one.n=16"]),
                ("ONE AND 4", None),
                ("*n=4", ["one.n=4"]),
                ("sub/two and n=4,", ["sub/two.n=4,f=2", "sub/two.n=4,f=~1"]),
                ("n=4 and f=-1 and not 40", ["sub/two.n=4,f=~1"]),
                ("(one or f=2) and n=16", ["one.n=16"])):
            if ids is None:
                self.assertIn("missing before `AND`", self.refused("check", "suites", "-k",
                                                                   expression))
            else:
                self.assertEqual(list(self.ids("-k", expression)), ids, expression)

    def test_it_counts_what_it_leaves_out(self):
        out, _ = self.check("suites", "-k", "n=16")
        self.assertIn("1 suite, 1 case (6 deselected) on ", out)
        self.assertRegex(out, r"\n1 passed, 6 deselected in ")
        out, _ = self.check("suites/one.yaml", "--case", "one.n=4", "--case", "one.n=16", "-k", "16")
        self.assertRegex(out, r"\n1 passed, 1 deselected in ")

    def test_no_case_is_an_error_with_the_nearest(self):
        for words, hint in ((["-k", "onne"], "did you mean `one`?"),
                            (["-k", "one and sub"], "`warpmark list`"),
                            (["-k", "n=5"], "did you mean `n=4`?"),
                            (["-k", "zebra"], "no case id has `zebra`"),
                            (["-k", "*.n=5"], "`warpmark list`")):
            errors = self.refused("check", "suites", *words)
            self.assertIn("-k selects no case", errors)
            self.assertIn(hint, errors)

    def test_axes(self):
        self.assertEqual(list(self.ids("-a", "n=2**3,min(9, 7)", "-k", "one")),
                         ["one.n=8", "one.n=7"])
        self.assertEqual(list(self.ids("-a", "f=0.5,2 as two", "-a", "n=-1+4", "-k", "sub")),
                         ["sub/two.n=3,f=0.5", "sub/two.n=3,f=two"])
        self.assertIn("did you mean `f`?", self.refused("check", "suites", "-a", "ff=1"))
        self.assertIn("at column 5 of `n=4,m+1`",
                      self.refused("check", "suites", "-a", "n=4,m+1"))

    def test_a_failure_of_an_overridden_axis_reproduces(self):
        out, _ = self.check("suites", "-a", "n=30", "-a", "f=3 as three", "--trials", "2", "--seed",
                            "9", "--timeout-s", "30", "-k", "sub", code=1)
        command = re.search("reproduce: (.*)", out).group(1)
        self.assertEqual(shlex.split(command)[1:], [
            "check", "suites/sub/two.yaml", "--case", "sub/two.n=30,f=three", "-a", "n=30", "-a",
            "f=3 as three", "--device", "cpu", "--seed", "9", "--trial", "0", "--timeout-s", "30"])
        again, _ = self.run_program(*shlex.split(command)[1:], code=1)
        block = out[out.index("FAILED"):out.index("  reproduce")]
        self.assertIn(block, again)

    def test_stopping(self):
        for words, verdicts in ((["-x"], "ppfnnnn"), (["--maxfail", "2"], "ppfppfn"),
                                (["--maxfail", "9"], "ppfppff"), (["--maxfail=0"], "ppfppff")):
            found = self.ids(*words, code=1)
            self.assertEqual("".join(verdict[0] for verdict in found.values()), verdicts, words)
        out, _ = self.check("suites", "-x", "--junit", "junit.xml", code=1)
        self.assertRegex(out, r"\nsub/two +4 +- +- +- +0\.00 s  \(4 not run\)\n")
        self.assertRegex(out, r"\n2 passed, 1 failed, 4 not run in ")
        tests = list(ElementTree.parse(self.folder / "junit.xml").iter("testcase"))
        self.assertEqual(["".join(child.tag[0] for child in test) for test in tests],
                         ["", "", "f", "s", "s", "s", "s"])
        self.assertEqual(tests[3].find("skipped").get("message").splitlines()[-1],
                         "not run: the run stops after 1 failure")

    def test_last_failed(self):
        out, _ = self.check("suites/one.yaml", "--lf", code=1)
        self.assertIn("\nlast failed: no case that is remembered; running all\n", out)
        self.assertEqual(list(self.ids("--last-failed", code=1)), ["one.n=100"])
        self.check("suites/sub", code=1)  # each suite has a memory of its own
        self.assertEqual(list(self.ids("--lf", code=1)),
                         ["one.n=100", "sub/two.n=40,f=2", "sub/two.n=40,f=~1"])
        self.write("suites/k.cu", KERNEL)
        self.assertEqual(self.ids("--lf", "-k", "one"), {"one.n=100": "passed"})
        self.assertEqual(list(self.ids("--lf", code=1)), ["sub/two.n=40,f=2", "sub/two.n=40,f=~1"])
        out, _ = self.check("suites/sub", "--lf", "-k", "n=4,")
        self.assertIn("last failed: 2 cases, not among these; running all", out)
        # A suite that goes takes nothing else along.
        (self.folder / "suites/sub/two.yaml").unlink()
        self.assertIn("running all", self.check("suites/one.yaml", "--lf")[0])

    def test_a_memory_that_cannot_be_written(self):
        self.write("no_folder", "")
        self.environment["WARPMARK_CACHE_DIR"] = str(self.folder / "no_folder")
        out, _ = self.check("suites/one.yaml", code=1)
        self.assertIn("what failed cannot be remembered for --last-failed: ", out)
        del self.environment["WARPMARK_CACHE_DIR"], self.environment["XDG_CACHE_HOME"]
        del self.environment["HOME"]
        self.assertIn("WARPMARK_CACHE_DIR", self.refused("check", "suites", "--lf", code=3))


class Trials(CheckTest):
    # Fails for about one input in four.
    KERNEL = KERNEL.replace("f * src[i]", "src[0] > 0.7f ? 0 : f * src[i]")

    def test_a_failure_names_its_trial_and_reproduces(self):
        self.write_scale(kernel_text=self.KERNEL)
        out, _ = self.check("suites", "--trials", "50", "--journal", "run.jsonl", code=1)
        self.assertIn(", 50 trials of each case", out)
        run, case, _ = self.journal()
        self.assertEqual(run["trials"], 50)
        trial = case["trial"]
        self.assertIn("\n  trial: %d\n" % trial, out)
        words = shlex.split(case["reproduce"])
        self.assertEqual(words[-2:], ["--trial", str(trial)])
        again, _ = self.run_program(*words[1:], code=1)
        self.assertIn(out[out.index("FAILED"):out.index("\n\n0 passed")], again)
        if trial > 0:  # the one before it passed
            self.check("suites", "--trial", str(trial - 1))
        # One trial is what a run without the option does.
        plain = self.check("suites", "--journal", "plain.jsonl", code=1 if trial == 0 else 0)
        self.assertIsNone(self.journal("plain.jsonl")[1]["trial"], plain)


class Reports(CheckTest):
    def setUp(self):
        super().setUp()
        self.write_scale(axes="{n: [4, 100]}", kernel_text=WRONG)

    def test_verbosity(self):
        out, _ = self.check("suites", "-v", code=1)
        self.assertRegex(out, r"\npassed      t\.n=4  \d\.\d\d s\nfailed      t\.n=100  \d\.\d\d s\n")
        out, _ = self.check("suites", "-q", code=1)
        self.assertRegex(out, r"^\nFAILED t\.n=100\n(  .*\n)+\n1 passed, 1 failed in .*\n$")
        self.assertRegex(self.check("suites", "-q", "-k", "n=4")[0], r"^1 passed, 1 deselected in")

    def test_show(self):
        self.write_scale(kernel_text=KERNEL.replace("f * src", "-9 - f * src"),
                         axes="{n: [1, 2, 3, 4]}", path="wrong/t.yaml")
        for words, shown, rest in (([], 1, 3), (["--show", "3"], 3, 1), (["--show", "4"], 4, 0),
                                   (["--show", "0"], 4, 0)):
            with self.subTest(words):
                out, _ = self.check("wrong", "--junit", "r.xml", *words, code=1)
                self.assertEqual(out.count("the first is out[0] = "), shown)
                self.assertIn("FAILED t.n=%d%s\n" % (shown, {0: "", 1: " and 1 more case",
                                                             3: " and 3 more cases"}[rest]), out)
                self.assertEqual(out.count("the same in "), int(rest > 0))
                text = (self.folder / "r.xml").read_text()  # files have each case
                self.assertEqual(len(re.findall("<failure [^>]*the first is out", text)), 4)
        # An output that is wrong in a part says where, and each case has a text.
        self.write_scale(kernel_text=KERNEL.replace("f * src[i]", "i == 0 ? 9 : f * src[i]"),
                         axes="{n: [2, 3, 4]}", path="wrong/t.yaml")
        self.assertEqual(self.check("wrong", code=1)[0].count("the first is out[0] = "), 3)
        self.assertIn("a whole number from 0", self.refused("check", "wrong", "--show", "x"))

    def test_durations(self):
        out, _ = self.check("suites", "--durations", "1", code=1)
        self.assertRegex(out, r"\nslowest 1 case\n +\d\.\d\d s  t\.n=\d+\n\n")
        self.assertRegex(self.check("suites", "--durations", "0", code=1)[0],
                         r"\nslowest 2 cases\n")

    def test_json_lines_are_the_journal(self):
        out, errors = self.check("suites", "--json", "--journal", "run.jsonl", code=1)
        self.assertEqual(errors, "")
        self.assertEqual([json.loads(line) for line in out.splitlines()], self.journal())

    def test_a_full_disk(self):
        for words in ([], ["--json"]):
            with open("/dev/full", "wb") as full:
                done = self.start("check", "suites", "--device", "cpu", *words, stdout=full)
            self.assertEqual(done.returncode, 3, done)
            self.assertIn(b"standard output cannot be written", done.stderr)
        _, errors = self.check("suites", "--journal", "/dev/full", code=3)
        self.assertIn("cannot write the journal /dev/full: No space left on device", errors)

    def test_outputs_that_cannot_be_written(self):
        self.write("file", "")
        for option, code in (("--journal", 3), ("--junit", 3), ("--keep", 3)):
            errors = self.refused("check", "suites", "--device", "cpu", option, "file/below",
                                  code=code)
            self.assertIn("file/below", errors)
        # An existing file is replaced.
        self.write("old.jsonl", "old")
        self.check("suites", "--journal", "old.jsonl", code=1)
        self.assertEqual(len(self.journal("old.jsonl")), 4)

    def test_progress_on_a_terminal(self):
        front, back = pty.openpty()
        self.addCleanup(os.close, front)
        process = subprocess.Popen([PROGRAM, "check", "suites", "--device", "cpu"],
                                   cwd=self.folder, stdin=subprocess.DEVNULL, stdout=back,
                                   env={**self.environment, "TERM": "xterm", "NO_COLOR": "1"})
        os.close(back)
        said = b""
        while True:
            try:
                part = os.read(front, 4096)
            except OSError:  # EIO: the other side is closed
                break
            if not part:
                break
            said += part
        self.assertEqual(process.wait(60), 1)
        self.assertIn(b"[1/2] t.n=4\r\x1b[K", said)
        self.assertIn(b"[2/2] t.n=100\r\x1b[K", said)
        self.assertNotRegex(said, rb"\x1b\[\d+m")


class Keep(CheckTest):
    def setUp(self):
        super().setUp()
        self.write_scale("suites/sub/t.yaml", axes="{n: [4, 100]}", kernel_text=WRONG)

    def test_a_failure(self):
        out, _ = self.check("suites", "--keep", "kept", code=1)
        self.assertIn("\nkept the files of 1 case in kept\n", out)
        folder = self.folder / "kept/sub+t.n=100"
        self.assertEqual(os.listdir(self.folder / "kept"), [folder.name])
        self.assertEqual(sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")), [
            "README.txt", "inputs/f.npy", "inputs/n.npy", "inputs/src.npy", "outcome.json",
            "outputs/out.npy", "outputs/src.npy", "plan.json", "references/out.npy",
            "unit0/compile.log", "unit0/k.cu", "unit0/kernel.cubin", "unit0/kernel.ptx"])
        self.assertEqual((folder / "unit0/k.cu").read_text(), WRONG)
        self.assertIn(".visible .entry k", (folder / "unit0/kernel.ptx").read_text())
        self.assertEqual((folder / "unit0/kernel.cubin").read_bytes()[:4], b"\x7fELF")
        readme = (folder / "README.txt").read_text()
        self.assertIn("reproduce: warpmark check suites/sub/t.yaml --case sub/t.n=100 --device cpu\n",
                      readme)
        self.assertEqual(json.loads((folder / "outcome.json").read_text())["case"], "sub/t.n=100")
        plan, _ = self.run_program("plan", "suites", "--case", "sub/t.n=100")
        self.assertEqual((folder / "plan.json").read_text(), plan)
        done = subprocess.run([os.environ["WARPMARK_TEST_PYTHON"], "-c", """
import numpy, sys
load = lambda name: numpy.load(sys.argv[1] + "/" + name + ".npy", allow_pickle=False)
source, out, reference = load("inputs/src"), load("outputs/out"), load("references/out")
assert load("inputs/n").shape == () and load("inputs/n").dtype == "int32" and load("inputs/n") == 100
assert load("inputs/f") == 3 and source.dtype == out.dtype == numpy.float32
assert out.shape == reference.shape == source.shape == (100,)
assert (reference == 3 * source).all() and (out[:28] == reference[:28]).all()
assert (out[28:] == source[28:]).all() and (load("outputs/src") == source).all()
""", folder], env=self.environment, stderr=subprocess.PIPE, check=False)
        if b"No module named 'numpy'" in done.stderr:
            self.skipTest("the tests' Python has no NumPy")
        self.assertEqual(done.returncode, 0, done.stderr.decode())

    def test_again_and_all(self):
        self.check("suites", "--keep", "kept", code=1)
        self.write("kept/sub+t.n=100/more", "goes with the old folder")
        self.check("suites", "--keep", "kept", "--keep-all", code=1)
        self.assertEqual(sorted(os.listdir(self.folder / "kept")), ["sub+t.n=100", "sub+t.n=4"])
        self.assertFalse((self.folder / "kept/sub+t.n=100/more").exists())

    def test_what_did_not_compile_or_died(self):
        self.write("suites/sub/k.cu", "oops")
        self.check("suites", "--keep", "kept", "-k", "100", code=1)
        folder = self.folder / "kept/sub+t.n=100"
        self.assertEqual((folder / "unit0/k.cu").read_text(), "oops")
        self.assertFalse((folder / "unit0/kernel.ptx").exists())
        self.write("suites/sub/k.cu", KERNEL.replace("< n", "<= n"))
        self.check("suites", "--keep", "kept", "-k", "100", code=1)
        self.assertTrue((folder / "inputs/src.npy").exists())
        self.assertTrue((folder / "unit0/kernel.ptx").exists())

    def test_folders_of_others_stay(self):
        self.write("kept/sub+t.n=100/thesis.txt", "years of work")
        _, errors = self.check("suites", "--keep", "kept", code=3)
        self.assertIn("kept/sub+t.n=100: it is there already", errors)
        self.assertEqual(os.listdir(self.folder / "kept"), ["sub+t.n=100"])
        self.assertEqual(os.listdir(self.folder / "kept/sub+t.n=100"), ["thesis.txt"])
        self.write("file", "")
        self.assertIn("file is no folder", self.refused("check", "suites", "--device", "cpu",
                                                        "--keep", "file"))
        self.assertIn("--keep-all needs --keep", self.refused("check", "suites", "--keep-all"))


class Lists(ProgramTest):
    def test_choice(self):
        out, _ = self.run_program("list", SOURCE / "suites", "-k", "doublify and n=7", "-a", "n=7,9")
        self.assertIn("  doublify/double_array.n=7\n", out)
        self.assertNotIn("n=9", out)
        self.assertRegex(out, r"\d+ suites?, \d+ cases?, \d+ deselected\n$")
        whole = json.loads(self.run_program("list", DEMO, "--json", "-k", "single")[0])
        self.assertEqual([suite["name"] for suite in whole["suites"]], ["demo/single"])
        self.assertGreater(whole["deselected"], 0)

    def test_json_keeps_the_schemas(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("no jsonschema")
        for name, words in (("list", ["list", DEMO]), ("devices", ["devices"]),
                            ("doctor", ["doctor"]), ("list", ["list", DEMO, "-k", "single"])):
            schema = json.loads((SOURCE / "schema" / (name + ".json")).read_text())
            jsonschema.Draft7Validator.check_schema(schema)
            done = self.start(*words, "--json")
            self.assertIn(done.returncode, (0, 3))
            value = json.loads(done.stdout)
            jsonschema.validate(value, schema)
            value["warpmark"] = 2
            self.assertFalse(jsonschema.Draft7Validator(schema).is_valid(value))

    def test_very_many_cases(self):
        self.write_suite("many.yaml", axis="{python: 'list(range(1, 100001))'}")
        out, _ = self.run_program("list", "many.yaml", "-k", "n=99999 or n=100000")
        self.assertIn("1 suite, 2 cases, 99998 deselected", out)

    def test_two_suites_with_one_name(self):
        self.write_suite("one/suites/t.yaml")
        self.write_suite("two/suites/t.yaml")
        errors = self.refused("list", "one", "two")
        self.assertIn("two files make the suite `t`", errors)
        self.assertIn("one/suites/t.yaml", errors)

    def test_a_folder_that_cannot_be_read(self):
        self.write_suite("suites/closed/t.yaml")
        os.chmod(self.folder / "suites/closed", 0)
        self.addCleanup(os.chmod, self.folder / "suites/closed", 0o755)
        self.assertIn("cannot read the folder",
                      self.refused("list", "suites", preexec_fn=self.permissions_count()))


if __name__ == "__main__":
    unittest.main()
