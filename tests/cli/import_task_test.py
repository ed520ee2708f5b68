# examples/judge/import_task.py: problems of KernelBench and reference-kernels as tasks, with PyTorch where it is installed.
import json
import subprocess
import unittest

from languages import environment_with, reason
from program import SOURCE, CheckTest

IMPORTER = SOURCE / "examples/judge/import_task.py"
PROBLEM = '''import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features, slope):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(features))
        self.slope = slope

    def forward(self, x):
        return torch.nn.functional.leaky_relu(x * self.scale, self.slope)


batch = 64 * 64
features = 2048


def get_inputs():
    return [torch.randn(batch, features)]


def get_init_inputs():
    return [features, 0.25]
'''
RIGHT = """  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 64 * 64) {
    float v = x0[i] * scale[i % 64];
    out[i] = v < 0 ? 0.25f * v : v;
  }
"""
TASK = """tests:
  - {size: 200, seed: 1}
  - {size: 100, seed: 2}
"""
REFERENCE = '''import torch
from utils import doubled


def generate_input(size, seed):
    gen = torch.Generator(device="cuda").manual_seed(seed)
    return torch.randn(size, device="cuda", generator=gen), torch.empty(size, device="cuda")


def ref_kernel(data):
    x, y = data
    y.copy_(doubled(x))
    return y
'''


@unittest.skipIf(environment_with("torch") is None, reason("torch"))
class Importer(CheckTest):
    def setUp(self):
        super().setUp()
        venv = environment_with("torch")
        self.environment["VIRTUAL_ENV"] = venv
        self.python = venv + "/bin/python3"

    def take(self, *words, code=0):
        done = subprocess.run([self.python, IMPORTER, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def verdict(self, task, name, body, code=1):
        template = (self.folder / task / (name + ".cu")).read_text()
        self.write("c.cu", template.replace("{\n}", "{\n" + body + "}"))
        out, _ = self.run_program("judge", "%s/%s.yaml" % (task, name), "c.cu", "--json", "--no-sandbox", "--speed", "none", code=code)
        return json.loads(out)["judgement"]["verdict"]

    def test_a_problem_of_kernelbench(self):
        self.write("7_Leaky-ReLU.py", PROBLEM)
        out = self.take("7_Leaky-ReLU.py", "task", "--elements", "10000")
        self.assertIn("task/problem_7_leaky_relu.yaml: 8256 elements", out)
        self.assertIn("batch = 64, features = 64", out)
        self.assertIn("//   x0: [64, 64]", (self.folder / "task/problem_7_leaky_relu.cu").read_text())
        self.assertIn('scale: {in: {torch: "problem_7_leaky_relu_task.py:weight_scale"}, dtype: float32}', (self.folder / "task/problem_7_leaky_relu.yaml").read_text())
        name = "problem_7_leaky_relu"
        self.assertEqual(self.verdict("task", name, RIGHT, code=0), "right")
        self.assertEqual(self.verdict("task", name, RIGHT.replace("0.25f", "0.2f")), "wrong")
        self.assertEqual(self.verdict("task", name, RIGHT.replace("out[i]", "out[i + (i == 4095)]")), "unclean")
        self.assertEqual(self.verdict("task", name, RIGHT.replace("out[i] =", "out[i] = 0 *")), "wrong")
        self.run_program("lint", "task/%s.yaml" % name)

    def test_a_task_of_reference_kernels(self):
        if subprocess.run([self.python, "-c", "import yaml"], capture_output=True, check=False).returncode:
            self.skipTest("there is no PyYAML")
        self.write("problems/utils.py", "def doubled(x):\n    return 2 * x\n")
        self.write("problems/twice_py/task.yml", TASK)
        self.write("problems/twice_py/reference.py", REFERENCE)
        self.assertIn("size = 100", self.take("problems/twice_py", "task"))
        right = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < 100) out[i] = 2 * x0[i];\n"
        self.assertEqual(self.verdict("task", "twice_py", right, code=0), "right")
        self.assertEqual(self.verdict("task", "twice_py", right.replace("2 *", "3 *")), "wrong")

    def test_what_cannot_be_taken(self):
        for old, new, said in (("return torch.nn", "return x, torch.nn", "returns tuple"), ("get_init_inputs", "init", "no `get_init_inputs`"),
                               ("torch.randn(batch, features)", "'text'", "neither a tensor nor a number"), ("import torch\n", "import nowhere\n", "nowhere"),
                               ("(x * self.scale", "(0 * x * self.scale", "a kernel that reads none would pass"),
                               ("return torch.nn.functional.leaky_relu(x * self.scale, self.slope)", "return (x - x.mean(1, keepdim=True)).mean(1)", "nothing but rounding"),
                               ("batch = 64 * 64", "batch = features = 1 if 1 else 2", "no sizes of at most 10 elements")):
            self.write("p.py", PROBLEM.replace(old, new))
            out = self.take("p.py", "task", "--elements", "10" if "10" in said else "1000", code=1)
            self.assertIn("not taken", out)
            self.assertIn(said, out)
        self.assertFalse((self.folder / "task").exists())


if __name__ == "__main__":
    unittest.main()
