"""Extensions of one library each."""
import torch
from extension import Extension, gradients, on_device, same

MULADD = Extension("extension_cpp", "extension-cpp", "extension_cpp/csrc", ["muladd.cpp", "cuda/muladd.cu"], registers=True)
CHAMFER = Extension("chamfer_3D", "ChamferDistancePytorch", "chamfer3D", ["chamfer_cuda.cpp", "chamfer3D.cu"])
UPFIRDN = Extension("upfirdn2d", "stylegan2-pytorch", "op", ["upfirdn2d.cpp", "upfirdn2d_kernel.cu"])
FUSED = Extension("fused", "stylegan2-pytorch", "op", ["fused_bias_act.cpp", "fused_bias_act_kernel.cu"])
# Images alone: the file for volumes has a variable of the same name.
SSIM = Extension("fused_ssim_cuda", "fused-ssim", "", ["ext.cpp", "ssim.cu"], flags=["--use_fast_math"])


@MULADD.case
def products_and_sums(ops):
    a, b = torch.rand(1000), torch.rand(1000)
    x, y, out = on_device(a, b, torch.zeros(1000))
    same(ops.extension_cpp.mymuladd(x, y, 3.0), a * b + 3)
    same(ops.extension_cpp.mymul(x, y), a * b)
    ops.extension_cpp.myadd_out(x, y, out)
    same(out, a + b)


@CHAMFER.case
def nearest_points(made):
    a, b = torch.rand(2, 40, 3, requires_grad=True), torch.rand(2, 35, 3, requires_grad=True)
    distances = ((a[:, :, None] - b[:, None]) ** 2).sum(-1)
    nearest = distances.min(2), distances.min(1)
    squared = [torch.zeros(2, count).cuda() for count in (40, 35)]
    index = [torch.zeros(2, count, dtype=torch.int32).cuda() for count in (40, 35)]
    x, y = on_device(a.detach(), b.detach())
    assert made.forward(x, y, *squared, *index) == 1
    same(squared, [one.values for one in nearest])
    same(index, [one.indices.int() for one in nearest])
    factors = torch.rand(2, 40), torch.rand(2, 35)
    sums = torch.zeros(2, 40, 3).cuda(), torch.zeros(2, 35, 3).cuda()
    assert made.backward(x, y, *sums, *on_device(*factors), *index) == 1
    total = sum((one.values * factor).sum() for one, factor in zip(nearest, factors))
    same(sums, torch.autograd.grad(total, (a, b)))


def resampled(values, kernel, up, down, pad):
    """The definition: zeros between the values, a margin, a convolution, and each `down`th result."""
    count, rows, columns = values.shape[0], values.shape[1], values.shape[2]
    wide = torch.zeros(count, rows * up[1], columns * up[0])
    wide[:, ::up[1], ::up[0]] = values
    wide = torch.nn.functional.pad(wide, pad)
    return torch.nn.functional.conv2d(wide[:, None], kernel.flip(0, 1)[None, None])[:, 0, ::down[1], ::down[0]]


@UPFIRDN.case
def resampling(made):
    for size, up, down, pad in ((4, (1, 1), (1, 1), (2, 1, 2, 1)), (4, (2, 2), (1, 1), (2, 1, 2, 1)), (4, (1, 1), (2, 2), (1, 1, 1, 1)),
                                (3, (3, 2), (2, 1), (2, 2, 1, 1))):
        values, kernel = torch.rand(6, 19, 23), torch.rand(size, size)
        found = made.upfirdn2d(on_device(values[..., None]), on_device(kernel), *up, *down, *pad)
        same(found.reshape(resampled(values, kernel, up, down, pad).shape), resampled(values, kernel, up, down, pad), rtol=1e-5, atol=1e-5)


@FUSED.case
def bias_and_activation(made):
    for dtype in (torch.float32, torch.float16):
        values, bias = torch.randn(3, 7, 10).to(dtype), torch.randn(7).to(dtype)
        found = made.fused_bias_act(*on_device(values, bias), torch.empty(0, dtype=dtype, device="cuda"), 3, 0, 0.2, 2.0)
        expected = torch.nn.functional.leaky_relu((values + bias[None, :, None]).float(), 0.2) * 2
        same(found.float(), expected, rtol=2e-3, atol=2e-3)
        back = made.fused_bias_act(*on_device(values, bias[:0]), found, 3, 1, 0.2, 2.0)
        same(back.float(), values.float() * torch.where(expected > 0, 2.0, 0.4), rtol=2e-3, atol=2e-3)


def similarity(a, b):
    """The index of structural similarity, with windows of 11 x 11 elements."""
    along = torch.exp(-(torch.arange(11.0) - 5) ** 2 / (2 * 1.5 ** 2)).double()
    window = torch.outer(along, along) / along.sum() ** 2

    def blurred(image):
        return torch.nn.functional.conv2d(image, window.expand(image.shape[1], 1, 11, 11), padding=5, groups=image.shape[1])

    a, b = a.double(), b.double()
    mean_a, mean_b = blurred(a), blurred(b)
    c1, c2 = 0.01 ** 2, 0.03 ** 2
    both = blurred(a * b) - mean_a * mean_b
    spread = blurred(a * a) - mean_a ** 2 + blurred(b * b) - mean_b ** 2
    return (2 * mean_a * mean_b + c1) * (2 * both + c2) / ((mean_a ** 2 + mean_b ** 2 + c1) * (spread + c2))


@SSIM.case
def similarity_of_images(made):
    a, b, factor = torch.rand(2, 3, 20, 37, requires_grad=True), torch.rand(2, 3, 20, 37), torch.rand(2, 3, 20, 37)
    constants, x, y = (0.01 ** 2, 0.03 ** 2), *on_device(a.detach(), b)
    found, *parts = made.fusedssim(*constants, x, y, True)
    expected = similarity(a, b)
    same(found, expected.float(), rtol=1e-3, atol=1e-3)
    back = made.fusedssim_backward(*constants, x, y, on_device(factor), *parts)
    same(back, gradients(expected, a, factor)[0].float(), rtol=5e-3, atol=5e-3)
