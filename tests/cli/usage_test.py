# Wrong usage, help, run configurations and what becomes of the output: words and exit codes.
import json
import os
import re
import subprocess
import unittest

from program import DEMO, PROGRAM, SOURCE, ProgramTest

COMMANDS = ("check", "bench", "run", "grade", "handout", "merge", "pack", "try", "compare", "report", "export", "list", "plan", "profile", "debug", "lint",
            "devices", "doctor", "cache", "schema", "completion")


class Usage(ProgramTest):
    def test_help_is_short_and_names_every_command(self):
        out, errors = self.run_program("--help")
        self.assertLessEqual(len(out.splitlines()), 60)
        self.assertEqual(errors, "")
        for name in COMMANDS:
            self.assertRegex(out, r"\n  %s +\S" % name)
        self.assertNotIn("worker", out)
        self.assertIn("Exit codes:", out)

    def test_help_of_each_command(self):
        for name in COMMANDS:
            out, _ = self.run_program(name, "--help")
            self.assertIn("Usage: warpmark %s" % name, out)
            # `run` has the options of `check` and of `bench`.
            most = {"run": 54, "check": 53, "bench": 53, "grade": 53}.get(name, 24)
            self.assertLessEqual(len(out.splitlines()), most)
            self.assertLess(max(map(len, out.splitlines())), 100)

    def test_version(self):
        self.assertRegex(self.run_program("--version")[0], r"^warpmark \d+\.\d+\.\d+\n$")

    def test_no_command(self):
        self.assertIn("which command?", self.refused())

    def test_unknown_words(self):
        for arguments, message, hint in (
                (["lis"], "unknown command `lis` of `warpmark`", "did you mean `list`?"),
                (["doktor", "x"], "unknown command `doktor`", "did you mean `doctor`?"),
                (["zebra"], "unknown command `zebra`",
                 "commands: check, watch, bench, run, grade, judge, handout, merge, pack, try, compare, report, export, list"),
                (["list", "--jsn"], "unknown option `--jsn` of `warpmark list`",
                 "did you mean `--json`?"),
                (["check", "--devise=cpu"], "unknown option `--devise`", "did you mean `--device`?"),
                (["list", "-x"], "unknown option `-x`", "`warpmark list --help`"),
                (["--jsn"], "unknown option `--jsn` of `warpmark`", "`warpmark --help`"),
                (["devices", "gpu"], "unknown argument `gpu`", "`warpmark devices --help`"),
                (["cache", "cleer"], "unknown command `cleer` of `warpmark cache`",
                 "did you mean `clear`?"),
                (["list", "plam", "list"], "there is no file or folder `plam`", "PATHS are"),
                (["check", "--case"], "--case", "see `warpmark check --help`"),
                (["run"], "CONFIG is required", "see `warpmark run --help`")):
            errors = self.refused(*arguments)
            self.assertIn("error: ", errors)
            self.assertIn(message, errors)
            self.assertIn("hint: " + hint if "mean" in hint else hint, errors)

    def test_unknown_paths(self):
        self.write_suite("suites/sort/suite.yaml")
        for command in ("list", "plan", "lint", "check"):
            errors = self.refused(command, "suites/sorts")
            self.assertIn("there is no file or folder `suites/sorts`", errors)
            self.assertIn("did you mean `suites/sort`?", errors)
        self.assertIn("did you mean `suites`?", self.refused("list", "suite/"))
        self.assertIn("has no suite", self.refused("list", SOURCE / "schema"))

    def test_numbers(self):
        for option, value in (("--seed", "-1"), ("--seed", "1.5"), ("--seed", str(2**64)),
                              ("--seed", ""), ("--seed", "0x10"), ("--timeout-s", "0"),
                              ("--timeout-s", "-3"), ("--timeout-s", "nan"),
                              ("--timeout-s", "inf"), ("--timeout-s", "5s")):
            errors = self.refused("check", DEMO, "%s=%s" % (option, value))
            self.assertTrue(errors.startswith("error: "), errors)
            self.assertIn(option, errors)

    def test_control_characters_are_not_echoed(self):
        self.assertNotIn("\x1b", self.refused("list", "\x1b[31mred"))
        self.assertNotIn("\x1b", self.refused("\x1b[31mred"))

    def test_words_that_are_not_utf8(self):
        self.refused("list", os.fsdecode(b"\xff\xfe"))


class CheckSelection(ProgramTest):
    """Command lines that `check` refuses before any case runs."""

    def test_no_suites_and_no_case(self):
        self.assertIn("no PATHS were given", self.refused("check"))
        errors = self.refused("check", DEMO, "--case", "demo/single.defaults")
        self.assertIn("did you mean `demo/single.default`?", errors)

    def test_a_broken_suite(self):
        self.write_suite("a.yaml", axis="[4, 4]")
        self.assertRegex(self.refused("check", "a.yaml"), r"^a\.yaml:6:\d+: error: ")


class RunConfigs(ProgramTest):
    def config(self, text):
        return self.write("configs/mine.yaml", "warpmark: 1\n" + text)

    def test_mistakes_have_places_and_hints(self):
        self.write_suite("suites/a.yaml")
        check = "check: {suites: [../suites], %s}\n"
        for text, place, message in (
                ("chekc: {suites: [../suites]}\n", "2:1", "did you mean `check`?"),
                (check % "devise: cpu", "2:30", "did you mean `device`?"),
                (check % "seed: -1", "2:36", "`seed` must be a whole number"),
                (check % "timeout_s: no", "2:41", "`timeout_s` must be a number of seconds"),
                ("check: {suites: [../siutes]}\n", "2:18", "no file or folder `siutes`"),
                ("check: {suites: []}\n", "2:17", "`suites` is an empty list"),
                ("check: {suites: ../suites}\n", "2:17", "`suites` must be a list"),
                ("check: {device: cpu}\n", "2:8", "`check` needs `suites`"),
                ("about: nothing\n", "1:1", "nothing to do"),
                ("warpmark: 1\n" + check % "seed: 1", "2:1", "warpmark")):
            self.config(text)
            errors = self.refused("run", "configs/mine.yaml")
            self.assertTrue(errors.startswith("configs/mine.yaml:%s: error: " % place),
                            text + errors)
            self.assertIn(message, errors)

    def test_the_version_is_asked_for(self):
        self.write("a.yaml", "check: {suites: [.]}\n")
        self.assertIn("`warpmark: 1`", self.refused("run", "a.yaml"))
        self.write("a.yaml", "warpmark: 2\ncheck: {suites: [.]}\n")
        self.assertIn("a.yaml:1:11: error: version `2`", self.refused("run", "a.yaml"))

    def test_paths_are_relative_to_the_file(self):
        self.write_suite("suites/a.yaml", axis="[4, 4]")
        file = self.config("check: {suites: [../suites]}\n")
        # The suite's own mistake shows that it was found.
        for cwd in (self.folder, "/"):
            self.assertRegex(self.refused("run", file, cwd=cwd), r"suites/a\.yaml:6:\d+: error: ")

    def test_a_missing_file(self):
        self.config("")
        errors = self.refused("run", "configs/mime.yaml")
        self.assertIn("did you mean `configs/mine.yaml`?", errors)

    def test_schema_knows_what_the_reader_knows(self):
        schema = json.loads((SOURCE / "schema/run.json").read_text())
        self.config("check: {zebra: 1}\n")
        known = re.search("known: (.*)", self.refused("run", "configs/mine.yaml")).group(1)
        self.assertEqual(list(schema["definitions"]["check"]["properties"]), known.split(", "))
        self.config("zebra: 1\n")
        known = re.search("known: (.*)", self.refused("run", "configs/mine.yaml")).group(1)
        self.assertEqual(list(schema["properties"]), known.split(", "))


class Outputs(ProgramTest):
    def test_a_full_disk_is_an_error(self):
        for command in (["list", DEMO], ["plan", DEMO], ["--help"], ["--version"], ["cache"]):
            with open("/dev/full", "wb") as full:
                done = self.start(*command, stdout=full)
            self.assertEqual(done.returncode, 3, command)
            self.assertIn(b"No space left on device", done.stderr)

    def test_a_closed_output_is_an_error_and_takes_no_other_file(self):
        done = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', str(PROGRAM), "list", str(DEMO)],
                              env=self.environment, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"cannot write to standard output", done.stderr)

    def test_a_reader_that_leaves_is_no_error(self):
        self.write_suite("many.yaml", axis="[%s]" % ", ".join(map(str, range(1, 9001))))
        with subprocess.Popen([str(PROGRAM), "list", "many.yaml"], cwd=self.folder,
                              env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdout.read(10)
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b"")
            self.assertEqual(process.wait(60), 0)

    def test_long_output_is_whole(self):
        self.write_suite("many.yaml", axis="[%s]" % ", ".join(map(str, range(1, 9001))))
        out, _ = self.run_program("list", "many.yaml")
        self.assertEqual(out.count("\n"), 9002)

    def test_nothing_is_written_to_the_working_directory(self):
        before = sorted(self.folder.rglob("*"))
        for command in (["list", DEMO], ["lint", "--static", DEMO], ["devices"], ["doctor"], ["cache"]):
            self.start(*command)
        # The folder is HOME, too, where NVIDIA's driver keeps its own cache.
        after = [path for path in self.folder.rglob("*") if ".nv" not in path.parts]
        self.assertEqual(sorted(after), before)


if __name__ == "__main__":
    unittest.main()
