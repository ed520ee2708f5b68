# GitHub's runner finds our annotations in the output, and no command that others wrote.
import json
import re
import unittest

from program import KERNEL, CheckTest, ProgramTest

# Wrong from n = 28 on.
WRONG = KERNEL.replace("f * src[i]", "i < 28 ? f * src[i] : src[i]")


class Runner(ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment["GITHUB_ACTIONS"] = "true"

    def taken(self, text):
        """The lines that the runner would take for commands (ActionCommandManager.cs, ActionCommand.cs)."""
        found, stopped = [], None
        for line in re.split("\r\n|\r|\n", text):
            stripped = line.strip()
            new = re.match(r"::([^:]*?)::(.*)$", stripped) if stripped.startswith("::") else None
            old = re.search(r"##\[(\w+)[^\]]*\](.*)$", line)
            if stopped is not None:
                if new and new.group(1) == stopped:
                    stopped = None
            elif new and new.group(1) == "stop-commands":
                stopped = new.group(2)
            elif stripped.startswith("::") or old:
                found.append(stripped)
        self.assertIsNone(stopped)
        return found

    def commands(self, out, errors):
        """The commands of both streams, which the runner may read in either order."""
        found = self.taken(out + "\n" + errors)
        self.assertEqual(self.taken(errors + "\n" + out), found)
        self.assertEqual(self.taken(out) + self.taken(errors), found)
        return found


class Check(CheckTest, Runner):
    def setUp(self):
        super().setUp()
        self.write_scale(axes="{n: [4, 100]}", kernel_text=WRONG)

    def test_failures(self):
        out, errors = self.check("suites", "--annotations", "off", code=1)
        self.assertEqual((self.commands(out, errors), errors), ([], ""))
        (line,) = self.commands(*self.check("suites", code=1))
        self.assertTrue(line.startswith("::error file=suites/t.yaml,line=10,"), line)
        self.assertIn(",title=t.n=100::suites/t.yaml:10:", line)
        self.assertIn("%0Areproduce: warpmark check ", line)
        del self.environment["GITHUB_ACTIONS"]
        out, errors = self.check("suites", code=1)
        self.assertEqual((self.commands(out, errors), errors), ([], ""))
        self.assertEqual(self.commands(*self.check("suites", "--annotations=github", code=1)),
                         [line])

    def test_files_are_named_from_the_checkout(self):
        self.environment["GITHUB_WORKSPACE"] = str(self.folder)
        for folder, words in ((".", "suites"), ("suites", "t.yaml"), ("elsewhere", "../suites")):
            (self.folder / folder).mkdir(exist_ok=True)
            for device in ("cpu", "none"):  # of a case, and of what ended the program
                out, errors = self.check(words, cwd=self.folder / folder, device=device,
                                         code=1 if device == "cpu" else 3)
                (line,) = self.commands(out, errors)
                self.assertTrue(line.startswith("::error file=suites/t.yaml,line=10,"
                                                if device == "cpu" else "::error title="), line)
        # Each job of a configuration is a separate process; lint has its own list.
        self.write("configs/run.yaml",
                   "warpmark: 1\ncheck: {suites: [../suites], device: cpu}\n")
        for words, code in ((["run", "run.yaml"], 1), (["lint", "--static", "../suites"], 2)):
            if code == 2:
                self.write_scale("suites/u.yaml", axes="{n: [4, 4]}", kernel_text=None)
            (line,) = self.commands(*self.run_program(*words, cwd=self.folder / "configs", code=code))
            self.assertRegex(line, r"^::error file=suites/[tu]\.yaml,line=\d+,")

    def test_compilers_can_forge_none(self):
        # The compiler shows the line that it does not understand.
        hostile = "::error file=/etc/passwd::forged ##[error]forged\n"
        self.write("suites/k.cu", hostile + KERNEL)
        for words in (["--in-process"], [], ["--annotations", "off"]):
            out, errors = self.check("suites", "-k", "n=100", *words, code=1)
            self.assertIn(": :error file=/etc/passwd::forged", out)
            lines = self.commands(out, errors)
            self.assertEqual(len(lines), 0 if "off" in words else 1)
            for line in lines:
                self.assertTrue(line.startswith("::error file=suites/k.cu,line="), line)
                self.assertIn(",title=t.n=100::suites/k.cu:", line)
        # JSON has the log as it is, and forges as little.
        out, errors = self.check("suites", "-k", "n=100", "--json", code=1)
        self.assertEqual(self.commands(out, errors), [])
        self.assertIn("::error file=/etc/passwd::forged ##[error]forged\n",
                      json.loads(out.splitlines()[1])["message"])
        _, errors = self.run_program("lint", code=2)
        (line,) = self.commands("", errors)
        self.assertTrue(line.startswith("::error file=suites/k.cu,line="), line)
        self.assertIn(": :error file=/etc/passwd::forged", errors)
        out, _ = self.run_program("lint", "--json", code=2)
        self.assertEqual(self.commands(out, ""), [])
        self.assertIn("##[error]forged", json.loads(out)["problems"][0]["message"])

    def test_kernels_can_forge_none(self):
        self.misbehave()
        self.write_scale(axes="{n: [4, 100]}", kernel_text=WRONG,
                         launch="{block: 32, grid: 'ceil_div(n, 32)', shared: 1005}")
        for words in ([], ["--json"], ["--in-process"]):
            out, errors = self.check("suites", "--annotations", "github", *words,
                                     device="misbehaving", code=1)
            self.assertIn("::error::forged on std", out + errors)
            if not words:  # while it runs, and when the worker ends
                self.assertGreaterEqual(errors.count("::error::forged on stdout"), 3)
            elif "--in-process" in words:  # up to its end, at which the driver prints once more
                out, errors = re.match(r"(?s).*\n::error file=[^\n]*\n", out).group(0), ""
            self.assertEqual(len(self.commands(out, errors)), 1, (out, errors))

    def test_beside_json(self):
        out, errors = self.check("suites", "--json", code=1)
        self.assertEqual(errors, "")
        out, errors = self.check("suites", "--json", "--annotations", "github", code=1)
        self.assertEqual(len(self.commands(out, errors)), 1)
        for line in out.splitlines():
            json.loads(line)

    def test_a_full_disk_is_reported_as_well(self):
        with open("/dev/full", "wb") as full:
            _, errors = self.check("suites", "-k", "n=4", "--journal", "run.jsonl", "--junit",
                                   "junit.xml", code=3, stdout=full)
        self.assertEqual(self.commands("", errors),
                         ["::error title=warpmark::standard output cannot be written"])
        self.assertEqual(self.journal()[-1]["exit_code"], 3)
        self.assertIn("exit code 3: ", (self.folder / "junit.xml").read_text())


class Bench(CheckTest, Runner):
    def bench(self, *arguments, device="cpu", code=1, **options):
        return self.run_program("bench", "suites", "--device", device, "--max-samples", "3",
                                *arguments, code=code, **options)

    def test_failures(self):
        self.write_scale(axes="{n: [4, 100]}", kernel_text=WRONG)
        out, errors = self.bench("--annotations", "off")
        self.assertEqual((self.commands(out, errors), errors), ([], ""))
        (line,) = self.commands(*self.bench())
        self.assertTrue(line.startswith("::error file=suites/t.yaml,line=10,"), line)
        self.assertIn("%0Areproduce: warpmark bench ", line)
        self.write("run.yaml", "warpmark: 1\nbench: {suites: [suites], device: cpu, "
                               "max_samples: 3, annotations: github}\n")
        del self.environment["GITHUB_ACTIONS"]
        self.assertEqual(self.commands(*self.run_program("run", "run.yaml", code=1)), [line])

    def test_others_can_forge_none(self):
        self.misbehave()
        self.write("suites/j.cu", "::error file=/etc/passwd::forged ##[error]forged\n" + KERNEL)
        self.write_scale("suites/j.yaml", kernel_text=None, kernel="{file: j.cu, entry: k}")
        self.write_scale(kernel_text=WRONG, launch="{block: 32, grid: 'ceil_div(n, 32)', "
                                                   "shared: 1005}")
        for words in ([], ["--json", "--annotations", "github"]):
            out, errors = self.bench(*words, device="misbehaving")
            self.assertIn("::error::forged on stdout", errors)
            self.assertEqual(len(self.commands(out, errors)), 2, (out, errors))

    def test_a_full_disk_is_reported_as_well(self):
        self.write_scale()
        with open("/dev/full", "wb") as full:
            _, errors = self.bench("--journal", "run.jsonl", code=3, stdout=full)
        self.assertEqual(self.commands("", errors),
                         ["::error title=warpmark::standard output cannot be written"])
        self.assertEqual(self.journal()[-1]["exit_code"], 3)


class Mistakes(Runner):
    """Errors that end a program before its first case."""

    def annotation(self, *arguments, code=2):
        (line,) = self.commands("", self.refused(*arguments, code=code))
        return line

    def test_suites(self):
        self.write_suite("suites/a.yaml", axis="[4, 4]")
        errors = self.refused("check", "suites")
        (line,) = self.commands("", errors)
        self.assertTrue(line.startswith("::error file=suites/a.yaml,line=6,col="), line)
        self.assertIn(",title=warpmark::two values of the axis", line)
        self.assertIn("\nsuites/a.yaml:6:", errors)
        self.assertEqual(self.taken(self.refused("check", "suites", "--annotations", "off")), [])
        _, errors = self.run_program("check", "suites", "--json", code=2)
        self.assertEqual(self.taken(errors), [])
        self.assertEqual(self.taken(self.refused("list", "suites")), [])

    def test_options_and_machines(self):
        self.write_suite("suites/a.yaml")
        self.assertIn("::--seed must be a whole number", self.annotation("check", "suites", "--seed", "x"))
        self.assertIn("::no libwarpmark_none.so in ",
                      self.annotation("check", "suites", "--device", "none", code=3))
        self.assertIn("%0Ahint: ", self.annotation("check", "nowhere"))

    def test_run_configurations(self):
        self.write_suite("suites/a.yaml", axis="[4, 4]")
        self.write("run.yaml", "warpmark: 1\ncheck: {suites: [suites], seeed: 1}\n")
        self.assertTrue(self.annotation("run", "run.yaml").startswith("::error file=run.yaml,line=2,col="))
        self.write("run.yaml", "warpmark: 1\ncheck: {suites: [suites]}\n")
        self.assertIn("::error file=suites/a.yaml,line=6,", self.annotation("run", "run.yaml"))
        self.write("run.yaml", "warpmark: 1\ncheck: {suites: [suites], annotations: 'off'}\n")
        self.assertEqual(self.taken(self.refused("run", "run.yaml")), [])
        self.write("run.yaml", "warpmark: 1\ncheck:\n" + "".join(
            "  - {name: %s, suites: [suites]}\n" % name for name in "ab"))
        _, errors = self.run_program("run", "run.yaml", code=2)
        self.assertEqual(len(self.commands("", errors)), 2)

    def test_labels_and_keys_can_forge_none(self):
        for bad in ("axes: {n: [{value: 4, label: \"a\\n::error::x ##[error]y\"}]}",
                    "\"a\\n::error::x ##[error]y\": 1", "about: [\"\\n::error::x ##[error]y\"]",
                    "requires: [\"\\u2003::error::x ##[error]y\"]"):
            text = self.write_suite("suites/a.yaml").read_text()
            key = bad.split(":")[0] + ":"
            self.write("suites/a.yaml", "\n".join(
                line for line in text.splitlines() if not line.startswith(key)) + "\n" + bad + "\n")
            for words in (["check", "suites"], ["list", "suites"], ["lint", "--static"]):
                with self.subTest(bad=bad, words=words):
                    out, errors = self.run_program(*words, code=2)
                    self.assertEqual(len(self.commands(out, errors)),
                                     0 if words[0] == "list" else 1)

    def test_lint(self):
        self.write_suite("suites/a.yaml", axis="[4, 4]")
        self.write_suite("suites/b.yaml", axis="[m]")
        out, errors = self.run_program("lint", "--static", code=2)
        self.assertEqual([re.match("::error file=([^,]*),line=[68],col=", line).group(1)
                          for line in self.commands(out, errors)],
                         ["suites/a.yaml", "suites/b.yaml"])
        self.assertIn("\nsuites/a.yaml:6:", errors)
        plain = errors[errors.index("\nsuites/a.yaml:6:") + 1:]
        for words in (["--annotations", "off"], ["--json"]):
            out, errors = self.run_program("lint", "--static", *words, code=2)
            self.assertEqual(errors, "" if "--json" in words else plain)
        del self.environment["GITHUB_ACTIONS"]
        self.assertEqual(self.run_program("lint", "--static", code=2)[1], plain)
        _, errors = self.run_program("lint", "--static", "--annotations=github", "--json", code=2)
        self.assertEqual(len(self.commands("", errors)), 2)
        self.assertIn("auto, github or off, and is `gitlab`",
                      self.refused("lint", "--annotations", "gitlab"))

    def test_lint_that_cannot_check_all(self):
        self.environment["WARPMARK_NVRTC"] = "/nowhere/libnvrtc.so"
        self.write_suite("suites/a.yaml")
        out, errors = self.run_program("lint", code=3)
        (line,) = self.commands(out, errors)
        self.assertIn("/nowhere/libnvrtc.so", line)
        _, errors = self.run_program("lint", "--json", "--annotations", "github", code=3)
        self.assertEqual(self.commands("", errors), [line.split("; `warpmark lint --static`")[0]])


if __name__ == "__main__":
    unittest.main()
