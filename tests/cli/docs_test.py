"""The examples of docs/ are run: suites with the program, the plugin through a compiler.

A code block whose first line is a comment with a file's name is that file.
"""
import json
import os
import re
import subprocess
import unittest

import program

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
NAME = re.compile(r"(?:#|//) (\w+\.(?:yaml|py|cu))\n")

TWICE = """warpmark: 1
plugin: twice
kernel: {%s}
arguments:
  a: {inout: np.arange(32)}
reference: {a: 2 * a}
"""


def blocks(page):
    return BLOCK.findall((program.SOURCE / "docs" / page).read_text())


class DocsTest(program.CheckTest):
    def test_the_suites_of_the_format_pass(self):
        suites = 0
        for _, text in blocks("suite-format.md"):
            name = NAME.match(text)
            if name:
                self.write("suites/" + name.group(1), text)
                suites += name.group(1).endswith(".yaml")
        self.assertGreaterEqual(suites, 4)
        out, errors = self.check("suites")
        self.assertIn("passed", out)
        # A device without a linker skips its one example.
        skipped = re.search(r"(\d+) skipped", out)
        self.assertLessEqual(int(skipped.group(1)) if skipped else 0, 1, out + errors)

    def test_the_python_files_are_not_run_by_list_and_plan(self):
        for _, text in blocks("suite-format.md"):
            if text.startswith("# distance.yaml"):
                self.write("suites/distance.yaml", text)
        self.write("suites/distance.py", "raise SystemExit('this file was run')\n")
        for command in (["list"], ["plan"], ["lint", "--static"]):
            self.run_program(*command, "suites")
        out, _ = self.run_program("plan", "suites", "--case", "distance.n=1")
        self.assertIn('{"function": "distance.py:lengths", "at": "/reference/0/value"}', out)

    def test_the_configuration_for_ci_runs(self):
        language, text = blocks("ci.md")[0]
        self.assertEqual((language, NAME.match(text).group(1)), ("yaml", "ci.yaml"))
        self.write("ci.yaml", text)
        for _, text in blocks("suite-format.md"):
            if text.startswith("# scale.yaml"):
                self.write("suites/scale.yaml", text)
        self.assertIn("2 passed", self.run_program("run", "ci.yaml")[0])
        for report in ("junit.xml", "journal.jsonl"):
            self.assertTrue((self.folder / "results" / report).is_file(), report)
        for part in ("--journal results/baseline.jsonl", "--compare results/baseline.jsonl",
                     "--compare results/counts.baseline --update-baseline",
                     "--compare results/counts.baseline"):
            self.run_program("bench", "suites", "--device", "cpu", "--max-samples", "1", *part.split())

    def test_the_container_of_codespaces_is_that_of_a_hand_out(self):
        [(language, text)] = blocks("machines/codespaces.md")
        ours = json.loads(text)
        self.assertEqual(language, "json")
        template = (program.SOURCE / "harness/grade/handout/devcontainer.json.in").read_text()
        handed_out = json.loads(re.sub(r"\{\{[^}]*\}\}", "", template))
        self.assertEqual(list(ours), list(handed_out))
        self.assertEqual(ours["image"].rpartition(":")[0], handed_out["image"].rpartition(":")[0])
        self.assertEqual(ours["remoteEnv"], handed_out["remoteEnv"])

    def test_the_plugin_can_be_built_and_used(self):
        example = next(text for language, text in blocks("plugins.md") if language == "cpp")
        self.write("twice.cpp", example)
        self.write("suites/t.yaml", TWICE % "type: float")
        folders = ["-I%s" % program.SOURCE.joinpath("harness/include")]
        folders += ["-I" + folder
                    for folder in os.environ["WARPMARK_TEST_JSON"].split(":") if folder]
        built = subprocess.run(
            [os.environ["WARPMARK_TEST_CXX"], "-std=c++17", "-Wall", "-Wextra", "-Werror", "-shared",
             "-fPIC", "-fvisibility=hidden", *folders, "twice.cpp", "-o",
             "suites/warpmark-plugin-twice.so"], cwd=self.folder, capture_output=True, text=True,
            timeout=120)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertIn("1 passed", self.check()[0])
        self.write("suites/t.yaml", TWICE % "")
        self.assertIn("suites/t.yaml:3:9: error: `kernel` needs `type`", self.refused("check"))


class Names(unittest.TestCase):
    """The name is not registered in an index of packages; whoever does so must not own our users."""
    BARE = re.compile(r"\bwarpmark\s*[=~<>!]=|"
                      r"\bpip3? install\b[^#\n`;&|]*(?<![\w./@-])warpmark(?![\w./*-]| @)")

    def test_what_is_a_bare_name(self):
        for text in ("pip install warpmark", "pip install -q 'warpmark'", "WARPMARK: warpmark==0.1.0", "warpmark >=0.1",
                     "python3 -m pip install numpy warpmark"):
            self.assertRegex(text, self.BARE)
        for text in ("pip install ./warpmark-*-cp312-*.whl", 'pip install "$WARPMARK"', "apt install ./warpmark_*.deb",
                     "pip install 'warpmark @ https://example.invalid/warpmark-1.whl#sha256=0'"):
            self.assertNotRegex(text, self.BARE)

    def test_no_command_of_ours_installs_by_the_bare_name(self):
        looked_at = 0
        for place in ("README.md", "SECURITY.md", "docs", "examples", "courses", "configs", "harness", "packaging", ".github",
                      "python", "plugins"):
            path = program.SOURCE / place
            for file in [path] if path.is_file() else path.rglob("*"):
                if file.suffix not in (".md", ".yml", ".yaml", ".sh", ".in", ".py", ".sbatch", "") or not file.is_file():
                    continue
                looked_at += 1
                for line in file.read_text(errors="replace").splitlines():
                    self.assertNotRegex(line, self.BARE, file)
        self.assertGreater(looked_at, 100)


if __name__ == "__main__":
    unittest.main()
