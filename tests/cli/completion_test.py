# `warpmark completion`: its scripts in real shells.
import shutil
import subprocess
import unittest

from program import PROGRAM, ProgramTest


class Completion(ProgramTest):
    def setUp(self):
        super().setUp()
        self.hide_gpu()
        self.write_suite("suites/deep/fill.yaml", axis="[4, -8]")
        self.write_suite("suites/with space.yaml".replace(" ", "_"))
        self.write("config.yaml", "warpmark: 1\ncheck:\n  - {name: first, suites: [suites]}\n"
                   "  - {name: other, suites: [suites]}\n")
        self.write("run.jsonl", "")
        self.write("results/run.jsonl", "")
        self.environment["PATH"] = "%s:%s" % (PROGRAM.parent, self.environment["PATH"])

    def shell(self, *command):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return done.stdout.splitlines()

    def bash(self, line):
        """Returns the text that readline would put after its last word break."""
        if shutil.which("bash") is None:
            self.skipTest("no bash")
        return self.shell("bash", "--norc", "-c", """
eval "$(warpmark completion bash)"
[[ $(complete -p warpmark) == *_warpmark* ]] || exit 1
COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'
read -ra COMP_WORDS <<< "${1//[=:]/ & }"
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_warpmark
(( ${#COMPREPLY[@]} )) && printf '%s\\n' "${COMPREPLY[@]}"
true
""", "bash", line)

    def test_bash(self):
        for line, words in (
                ("warpmark che", ["check"]),
                ("warpmark cache ", ["clear"]),
                ("warpmark work", []),
                ("warpmark check --dev", ["--device"]),
                ("warpmark check --device c", ["cpu", "cpu:0"]),
                ("warpmark check --device=cp", ["cpu", "cpu:0"]),
                ("warpmark check --device cpu:", ["0"]),
                ("warpmark check sui", ["suites/"]),
                ("warpmark check suites/deep/", ["suites/deep/fill.yaml"]),
                ("warpmark check --case d", ["deep/fill.n=4", "deep/fill.n=~8"]),
                ("warpmark check --case deep/fill.n=", ["4", "~8"]),
                ("warpmark check suites/deep --case ", ["deep/fill.n=4", "deep/fill.n=~8"]),
                ("warpmark check -a ", ["n="]),
                ("warpmark check --annotations g", ["github"]),
                ("warpmark check --fail-on ", ["notices", "skipped"]),
                ("warpmark compare --fail-on ", ["added", "faster", "inconclusive", "missing"]),
                ("warpmark run con", ["config.yaml"]),
                ("warpmark handout con", ["config.yaml"]),
                ("warpmark run config.yaml --job f", ["first"]),
                ("warpmark run config.yaml --par", []),
                ("warpmark export r", ["results/", "run.jsonl"]),
                ("warpmark report run", ["run.jsonl"]),
                ("warpmark export run.jsonl --sam", ["--samples"]),
                ("warpmark wat", ["watch"]),
                ("warpmark new ", ["assignment", "course", "plugin", "suite"]),
                ("warpmark watch --on", []),
                ("warpmark watch --fail-on n", ["notices"]),
                ("warpmark completion z", ["zsh"]),
                ("warpmark check suites/nothing --case ", ["deep/fill.n=4", "deep/fill.n=~8",
                                                           "with_space.n=4", "with_space.n=8"]),
                ("warpmark check 'a b' -k 'x y", [])):
            with self.subTest(line):
                self.assertEqual(self.bash(line), words)

    def test_a_word_of_other_characters_is_quoted(self):
        self.write("odd $x dir/config.yaml", "")
        self.assertEqual(self.bash("warpmark run odd"), ["odd\\ \\$x\\ dir/"])

    def test_zsh(self):
        if shutil.which("zsh") is None:
            self.skipTest("no zsh")
        script = """
compdef() { compdef_said="$*"; }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- "$@"; }
eval "$(warpmark completion zsh)"
[[ $compdef_said == '_warpmark warpmark' ]] || exit 1
LBUFFER=$1 words=(warpmark)
_warpmark
true
"""
        for line, words in (("warpmark che", ["check"]),
                            ("warpmark check --case deep/fill.n=", ["deep/fill.n=4",
                                                                    "deep/fill.n=~8"]),
                            ("warpmark check s", ["suites/"])):
            self.assertEqual(self.shell("zsh", "-f", "-c", script, "zsh", line), words)

    def test_fish(self):
        if shutil.which("fish") is None:
            self.skipTest("no fish")
        script = "warpmark completion fish | source; complete -C \"$argv[1]\""
        for line, words in (("warpmark che", ["check"]),
                            ("warpmark check --case deep/fill.n=", ["deep/fill.n=4",
                                                                    "deep/fill.n=~8"])):
            found = self.shell("fish", "--no-config", "-c", script, line)
            self.assertEqual([one.split("\t")[0] for one in found], words)

    def test_an_unknown_shell(self):
        self.assertIn("bash, zsh, fish", self.refused("completion", "tcsh"))


if __name__ == "__main__":
    unittest.main()
