# `warpmark run` and the reports of mixed runs: what is printed, kept, and how to get it again.
import shlex
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

from program import KERNEL, PROGRAM, SOURCE, CheckTest


class Demo(CheckTest):
    def test_demo_passes_and_names_the_device_and_why(self):
        self.hide_gpu()
        out, errors = self.run_program("run", SOURCE / "configs/demo.yaml")
        self.assertEqual(errors, "")
        self.assertRegex(out, r"^warpmark check: \d+ suites, [\d,]+ cases on Warpmark CPU device \(")
        self.assertRegex(out, r"\ndevice: no GPU: cannot open the driver libcuda\.so\.1: .*; "
                              r"using the CPU device\n")
        self.assertRegex(out, r"\n[\d,]+ passed in (\d+ min )?[\d.]+ s\n$")

    def test_reports_of_a_config_lie_beside_it(self):
        self.write_scale()
        self.write("configs/mine.yaml", "warpmark: 1\ncheck:\n  suites: [../suites]\n"
                   "  device: cpu\n  seed: 7\n  journal: ../out/run.jsonl\n"
                   "  junit: ../out/junit.xml\n")
        self.run_program("run", self.folder / "configs/mine.yaml", cwd="/")
        run, case, end = self.journal("out/run.jsonl")
        self.assertEqual((run["seed"], case["case"], end["passed"]), (7, "t.n=100", 1))
        ElementTree.parse(self.folder / "out/junit.xml")

    def test_in_process(self):
        self.write_scale()
        out, errors = self.check("suites", "--in-process")
        self.assertEqual(errors, "")
        self.assertIn("\n1 passed in ", out)


class Mixed(CheckTest):
    def setUp(self):
        super().setUp()
        self.write_scale(axes="{n: [4, 100, 524288]}", launch="{block: 'min(n, 1024)'}",
                         more="limits: {memory_mib: 1}\n",
                         src="{in: 'np.arange(n, dtype=np.float32)'}",
                         kernel_text=KERNEL.replace("f * src[i]", "i < 28 ? f * src[i] : src[i]"))
        self.out, _ = self.check("suites", "--seed", "5", "--journal", "run.jsonl", "--junit",
                                 "junit.xml", code=1)

    def test_console(self):
        head, table, failure, skip, totals = self.out.rstrip("\n").split("\n\n")
        self.assertRegex(head, r"^warpmark check: 1 suite, 3 cases on Warpmark CPU device "
                               r"\(sm_\d+, driver \d+\.\d+, NVRTC \d+\.\d+\), seed 5$")
        self.assertRegex(table, r"\nt +3 +1 +1 +1 +\d+\.\d+ s$")
        self.assertEqual(failure, """\
FAILED t.n=100
  suites/t.yaml:10:18: error: 72 of 100 elements of `out` are wrong; the first is out[28] = 28, \
expected 84 (off by 56, 7.34e+06 ulp, must be equal)
  also out[29] = 29, expected 87 (off by 58, 7.602e+06 ulp, must be equal)
  also out[30] = 30, expected 90 (off by 60, 7.864e+06 ulp, must be equal)
  also out[31] = 31, expected 93 (off by 62, 8.126e+06 ulp, must be equal)
  also out[32] = 32, expected 96 (off by 64, 8.389e+06 ulp, must be equal)
  the worst is out[99] = 99, expected 297 (off by 198, 6.488e+06 ulp, must be equal)
  reproduce: warpmark check suites/t.yaml --case t.n=100 --device cpu --seed 5""")
        self.assertRegex(skip, r"^SKIPPED t\.n=524288: suites/t\.yaml:11:22: .* 4 MiB, .* 1 MiB$")
        self.assertRegex(totals, r"^1 passed, 1 failed, 1 skipped in \d+\.\d+ s$")

    def test_journal(self):
        run, *cases, end = self.journal()
        self.assertEqual((run["type"], run["seed"], run["cases"], run["device"]["kind"],
                          run["device"]["target"]), ("run", 5, 3, "cpu", "sm_90"))
        self.assertEqual([(case["case"], case["verdict"], case["failure"]) for case in cases],
                         [("t.n=4", "passed", "none"), ("t.n=100", "failed", "wrong"),
                          ("t.n=524288", "skipped", "none")])
        self.assertEqual(cases[1]["where"], {"file": "suites/t.yaml", "line": 10, "column": 18})
        (output,) = cases[1]["outputs"]
        self.assertEqual((output["name"], output["elements"], output["wrong"]), ("out", 100, 72))
        self.assertEqual(output["first"], {"kind": "value", "index": 28, "position": [28],
                                           "actual": "28", "expected": "84", "error": "56",
                                           "bound": "0", "ulp": "7340032"})
        self.assertEqual([one["index"] for one in output["next"]], [29, 30, 31, 32])
        self.assertIn("1 MiB", cases[2]["reason"])
        self.assertEqual({key: end[key] for key in ("passed", "failed", "skipped", "interrupted",
                                                    "exit_code", "error")},
                         {"passed": 1, "failed": 1, "skipped": 1, "interrupted": 0,
                          "exit_code": 1, "error": None})

    def test_junit(self):
        root = ElementTree.parse(self.folder / "junit.xml").getroot()
        self.assertEqual((root.get("tests"), root.get("failures")), ("3", "1"))
        cases = {case.get("classname") + "." + case.get("name"): case
                 for case in root.iter("testcase")}
        self.assertEqual(list(cases), ["t.n=4", "t.n=100", "t.n=524288"])
        self.assertEqual(len(cases["t.n=4"]), 0)
        failure = cases["t.n=100"].find("failure")
        self.assertTrue(failure.get("message").startswith("suites/t.yaml:10\n"))
        self.assertIn("out[28] = 28, expected 84", failure.text)
        self.assertIn("1 MiB", cases["t.n=524288"].find("skipped").get("message"))

    def test_the_reproduce_command_reproduces(self):
        command = self.journal()[2]["reproduce"]
        environment = {**self.environment, "PATH": "%s:%s" % (PROGRAM.parent,
                                                             self.environment["PATH"])}
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=environment, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1, done)
        said = done.stdout.decode()
        block = self.out[self.out.index("FAILED"):self.out.index("\n\nSKIPPED")]
        self.assertIn(block, said)
        self.assertIn("\n0 passed, 1 failed in ", said)

    def test_it_is_quoted_for_a_shell(self):
        self.write_scale("odd suites/t.yaml", reference="{out: src}")
        self.check("odd suites", "--journal", "odd.jsonl", code=1)
        words = shlex.split(self.journal("odd.jsonl")[1]["reproduce"])
        self.assertEqual(words, ["warpmark", "check", "odd suites/t.yaml", "--case", "t.n=100",
                                 "--device", "cpu"])
        out, _ = self.run_program(*words[1:], code=1)
        self.assertIn("FAILED t.n=100\n", out)


if __name__ == "__main__":
    unittest.main()
