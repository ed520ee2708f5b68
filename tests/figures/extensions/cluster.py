"""pytorch_cluster, which has implementations for the CPU beside its kernels."""
import torch
from extension import Extension, on_device, same

KNN, FPS = (Extension("_%s_cuda" % name, "pytorch_cluster", "csrc", [name + ".cpp", "cpu/%s_cpu.cpp" % name, "cuda/%s_cuda.cu" % name], include=["."],
                      flags=["--expt-relaxed-constexpr"], macros=["-DWITH_CUDA", "-DWITH_PYTHON"], registers=True) for name in ("knn", "fps"))


@KNN.case
def neighbours(ops):
    x, y, ends = torch.rand(60, 3), torch.rand(25, 3), (torch.tensor([0, 35, 60]), torch.tensor([0, 12, 25]))
    found = ops.torch_cluster.knn(*on_device(x, y, *ends), 4, False, 1)
    same(found, ops.torch_cluster.knn(x, y, *ends, 4, False, 1))
    by_angle = ops.torch_cluster.knn(*on_device(x, y, *ends), 4, True, 1)
    likeness = torch.nn.functional.normalize(y) @ torch.nn.functional.normalize(x).T
    likeness[:12, 35:] = likeness[12:, :35] = -1
    same(by_angle[1].view(25, 4), likeness.topk(4).indices)


@FPS.case
def farthest_points(ops):
    points, ends, ratio = torch.rand(300, 3), torch.tensor([0, 120, 300]), torch.tensor(0.1)
    same(ops.torch_cluster.fps(*on_device(points, ends, ratio), False), ops.torch_cluster.fps(points, ends, ratio, False))
