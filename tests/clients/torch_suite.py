#!/usr/bin/env python3
"""PyTorch and Triton, as pip installs them, on the CPU device: docs/pytorch.md.

torch_suite.py LAUNCHER PACKAGE [TEST...]

PACKAGE is the folder of the Python package warpmark. 77: skipped, because there is no PyTorch (tests/support/languages.py).
Extensions are built by nvcc: where there is none, their tests skip.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from fetched import environment_with, reason, skip

LAUNCHER = PACKAGE = PYTHON = None

TRAIN = """
import copy, torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.pool = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.MaxPool2d(2)
        self.back, self.line, self.embed = nn.ConvTranspose2d(8, 3, 2, stride=2), nn.Linear(128, 32), nn.Embedding(10, 32)
        self.attend, self.layer, self.out = nn.MultiheadAttention(32, 4, batch_first=True), nn.LayerNorm(32), nn.Linear(32, 5)
    def forward(self, x, i):
        h = self.pool(F.relu(self.norm(self.conv(x))))
        r = self.back(h)
        q = torch.cat([F.gelu(self.line(h.flatten(1)))[:, None], self.embed(i)], 1)
        q = self.layer(q + self.attend(q, q, q)[0])
        q = q + F.scaled_dot_product_attention(q[:, None], q[:, None], q[:, None], is_causal=True)[:, 0]
        return self.out(q.mean(1)), r
net = Net()
other = copy.deepcopy(net).cuda()
x, i, y = torch.randn(4, 3, 8, 8), torch.randint(0, 10, (4, 6)), torch.randint(0, 5, (4,))
def train(net, x, i, y):
    optimizer, losses = torch.optim.AdamW(net.parameters(), 1e-2), []
    for _ in range(3):
        optimizer.zero_grad()
        p, r = net(x, i)
        loss = F.cross_entropy(p, y) + r.pow(2).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses
a, b = train(net, x, i, y), train(other, x.cuda(), i.cuda(), y.cuda())
torch.testing.assert_close(a, b)
for p, q in zip(net.parameters(), other.parameters()):
    torch.testing.assert_close(p, q.cpu())
print("equal")
"""
OPERATORS = """
import torch
z = torch.arange(12.0, device="cuda").view(3, 4)
z.t()[1:3] += 1                                    # in place, in a view of another order
assert z.cpu().tolist() == [[0, 2, 3, 3], [4, 6, 7, 7], [8, 10, 11, 11]]
z[z > 5] = 0
assert z.sum().item() == 12 and torch.where(z > 2)[0].cpu().tolist() == [0, 0, 1]
out = torch.empty(0, device="cuda")
torch.add(z, z, out=out)
assert out.shape == (3, 4) and torch.equal(out, 2 * z)
assert z.half().cpu().dtype == torch.float16 and z.t().contiguous().cpu()[1, 0] == 2 and z[1].clone().device.type == "cuda"
torch.manual_seed(3); u = torch.rand(3, device="cuda"); torch.manual_seed(3)
assert torch.equal(u, torch.rand(3, device="cuda")) and not torch.equal(u, torch.rand(3, device="cuda"))
before = torch.random.get_rng_state(); torch.rand(3, device="cuda"); assert torch.equal(before, torch.random.get_rng_state())
with torch.autocast("cuda", dtype=torch.float16):
    assert (z @ z.t()).dtype == torch.float16
stream, event = torch.cuda.Stream(), torch.cuda.Event()
with torch.cuda.stream(stream):
    y = torch.ones(1000, device="cuda", dtype=torch.bfloat16) * 3; event.record()
event.synchronize()
assert y.float().sum().item() == 3000
try:
    torch.nn.GRU(2, 2).cuda()(torch.zeros(1, 1, 2, device="cuda")); print("no error")
except RuntimeError as error:
    print(error)
"""
COMPILED = """
import torch
@torch.compile
def f(x, y): return torch.softmax(torch.sin(x) * y + 1, -1).sum(0)
x, y = torch.randn(16, 100), torch.randn(16, 100)
torch.testing.assert_close(f(x.cuda(), y.cuda()).cpu(), f(x, y))
print("right")
"""
TRITON = """
import torch, triton, triton.language as tl
@triton.jit
def add(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)
@triton.jit
def mm(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)
    p = i[:, None] * N + i[None, :]
    tl.store(c + p, tl.dot(tl.load(a + p), tl.load(b + p)))
x, y, out = torch.rand(1000).cuda(), torch.rand(1000).cuda(), torch.empty(1000, device="cuda")
add[(4,)](x, y, out, 1000, 256)
assert torch.equal(out, x + y)
for dtype in (torch.float16, torch.bfloat16):
    a, b, c = torch.randn(64, 64).to(dtype), torch.randn(64, 64).to(dtype), torch.empty(64, 64, device="cuda")
    mm[(1,)](a.cuda(), b.cuda(), c, 64)
    torch.testing.assert_close(c.cpu(), a.float() @ b.float(), rtol=1e-4, atol=1e-4)
print("right")
"""
EXTENSION = '''
import torch
from torch.utils.cpp_extension import load_inline
SOURCE = r"""
__global__ void scale(float *y, const float *x, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n + WRONG) y[i] = f * x[i];
}
template <int WRONG> torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  int n = x.numel();
  scale<WRONG><<<(n + 255) / 256, 256>>>(y.data_ptr<float>(), x.data_ptr<float>(), 2.f, n);
  return y;
}
torch::Tensor twice(torch::Tensor x) { return run<0>(x); }
torch::Tensor beyond(torch::Tensor x) { return run<1>(x); }
""".replace("__global__", "template <int WRONG> __global__")
mine = load_inline("mine", cpp_sources="torch::Tensor twice(torch::Tensor x); torch::Tensor beyond(torch::Tensor x);",
                   cuda_sources=SOURCE, functions=["twice", "beyond"])
def test_right():
    x = torch.randn(1000, device="cuda")
    torch.testing.assert_close(mine.twice(x), 2 * x)
def test_beyond():
    mine.beyond(torch.randn(1000, device="cuda"))
'''


class Torch(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="warpmark-torch-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("WARPMARK_CPU", "TRITON", "TORCH", "PYTHON"))}
        self.environment = {**kept, "HOME": holder.name, "TRITON_CACHE_DIR": holder.name + "/triton", "TORCH_EXTENSIONS_DIR": holder.name + "/built",
                            "PATH": "%s:%s" % (PYTHON.parent, os.environ["PATH"]), "TORCHINDUCTOR_CACHE_DIR": holder.name + "/inductor", "MAX_JOBS": "2"}

    def run_python(self, text, *words, code=0, **environment):
        self.folder.joinpath("test_it.py").write_text(text)
        done = subprocess.run([*(words or (LAUNCHER, "--check", "all", PYTHON, "test_it.py"))], cwd=self.folder, check=False,
                              capture_output=True, text=True, env={**self.environment, **environment})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def test_a_network_learns_as_on_the_cpu(self):
        out, errors = self.run_python(TRAIN)
        self.assertEqual(out, "equal\n")
        self.assertEqual(errors.count("PyTorch's CPU operators compute them"), 1)
        self.assertRegex(errors, r"computed by PyTorch's CPU operators: .*addmm \(\d+\)")
        self.assertIn("ERROR SUMMARY: 0 errors", errors)

    def test_operators_and_views(self):
        self.assertIn("PyTorch has no CPU operator for it", self.run_python(OPERATORS)[0])

    def test_operators_can_be_refused(self):
        _, errors = self.run_python("import torch\ntorch.ones(3, device='cuda').add_(1)\n", code=1, WARPMARK_CPU_TORCH="none")
        self.assertRegex(errors, r"at::native::.* of libtorch_cuda.so: this operator of PyTorch is machine code of GPUs alone")

    def test_compiled_functions(self):
        self.assertEqual(self.run_python(COMPILED)[0], "right\n")

    def test_triton(self):
        self.assertEqual(self.run_python(TRITON)[0], "right\n")
        wrong = TRITON.replace("m = i < n\n", "m = i <= n\n").split("assert torch.equal")[0]
        _, errors = self.run_python(wrong, code=1)
        self.assertRegex(errors, r"Invalid __global__ (read|write)[^=]*=+ +at add\+0x\w+ in \S*test_it.py:7")

    def test_an_extension_under_pytest(self):
        if shutil.which("nvcc") is None:
            self.skipTest("there is no nvcc")
        # The package without its compiled module, which may be of another Python.
        shutil.copytree(PACKAGE, self.folder / "python/warpmark", ignore=shutil.ignore_patterns("_core*"))
        os.symlink(LAUNCHER.parent, self.folder / "bin")
        out, _ = self.run_python(EXTENSION, PYTHON, "-m", "pytest", "-p", "warpmark.pytest_plugin", "-v", "--warpmark-cpu", "test_it.py", code=1,
                                 PYTHONPATH=str(self.folder / "python"))
        self.assertEqual(dict(re.findall(r"^test_it.py::(\w+) ([A-Z]+)", out, re.M)), {"test_right": "PASSED", "test_beyond": "FAILED"})
        self.assertIn("out-of-bounds global write of 4 bytes, 1 byte after the nearest allocation of 4000 bytes", out)


if __name__ == "__main__":
    LAUNCHER, PACKAGE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    PYTHON = pathlib.Path(environment_with("torch") or skip(reason("torch"))) / "bin/python3"
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
