"""torch-ngp: encodings and marching of rays."""
import torch
from extension import Extension, gradients, on_device, same

HALVES = ["-U__CUDA_NO_HALF%s__" % what for what in ("_OPERATORS", "_CONVERSIONS", "2_OPERATORS")]
RAYS = Extension("_raymarching", "torch-ngp", "raymarching/src", ["raymarching.cu", "bindings.cpp"], flags=HALVES)
FREQUENCIES = Extension("_freqencoder", "torch-ngp", "freqencoder/src", ["freqencoder.cu", "bindings.cpp"], flags=["-use_fast_math", *HALVES])
HARMONICS = Extension("_sh_encoder", "torch-ngp", "shencoder/src", ["shencoder.cu", "bindings.cpp"], flags=HALVES)


def empty(*shape, dtype=torch.float32):
    return torch.empty(*shape, dtype=dtype, device="cuda")


def zeros(*shape, dtype=torch.float32):
    return torch.zeros(*shape, dtype=dtype).cuda()


@FREQUENCIES.case
def frequencies(made):
    values = torch.rand(70, 3, requires_grad=True)
    scaled = [values.double() * 2 ** i for i in range(4)]
    expected = torch.cat([values.double(), *(part for one in scaled for part in (one.sin(), one.cos()))], 1)
    out = empty(70, 27)
    made.freq_encode_forward(on_device(values.detach()), 70, 3, 4, 27, out)
    same(out, expected.float(), rtol=1e-4, atol=1e-5)
    factor, back = torch.rand(70, 27), empty(70, 3)
    made.freq_encode_backward(on_device(factor), out, 70, 3, 4, 27, back)
    same(back, gradients(expected, values, factor)[0], rtol=1e-3, atol=1e-3)


@HARMONICS.case
def harmonics(made):
    """Spherical harmonics up to degree 3, by their polynomials."""
    at = torch.nn.functional.normalize(torch.randn(90, 3)).requires_grad_()
    x, y, z = at.double().unbind(1)
    expected = torch.stack([0.28209479177387814 + 0 * x, -0.48860251190291987 * y, 0.48860251190291987 * z, -0.48860251190291987 * x,
                            1.0925484305920792 * x * y, -1.0925484305920792 * y * z, 0.94617469575755997 * z ** 2 - 0.31539156525251999,
                            -1.0925484305920792 * x * z, 0.54627421529603959 * (x ** 2 - y ** 2)], 1)
    out, slopes, back = empty(90, 9), empty(90, 27), zeros(90, 3)
    there = on_device(at.detach())
    made.sh_encode_forward(there, out, 90, 3, 3, slopes)
    same(out, expected.float(), rtol=1e-5, atol=1e-6)
    factor = torch.rand(90, 9)
    made.sh_encode_backward(on_device(factor), there, 90, 3, 3, slopes, back)
    same(back, gradients(expected, at, factor)[0], rtol=1e-4, atol=1e-5)


def rays(count):
    """Origins around a cube, and directions to places within it."""
    origins = torch.nn.functional.normalize(torch.randn(count, 3)) * 2.5
    return origins, torch.nn.functional.normalize(torch.rand(count, 3) - 0.5 - origins)


@RAYS.case
def ends_of_rays(made):
    origins, directions = rays(200)
    directions[:50] *= -1  # these miss the cube
    near, far = empty(200), empty(200)
    made.near_far_from_aabb(*on_device(origins, directions, torch.tensor([-1.0, -1, -1, 1, 1, 1])), 200, 0.2, near, far)
    a, b = (-1 - origins) / directions, (1 - origins) / directions
    first, last = torch.minimum(a, b).amax(1), torch.maximum(a, b).amin(1)
    hit, most = first <= last, torch.finfo(torch.float32).max
    same(near, torch.where(hit, first.clamp(min=0.2), most), rtol=1e-5, atol=1e-5)
    same(far, torch.where(hit, last, most), rtol=1e-5, atol=1e-5)


@RAYS.case
def places_on_a_sphere(made):
    origins, directions = torch.rand(100, 3) - 0.5, torch.nn.functional.normalize(torch.randn(100, 3))
    found = empty(100, 2)
    made.sph_from_ray(*on_device(origins, directions), 4.0, 100, found)
    o, d = origins.double(), directions.double()
    b, c = (o * d).sum(1), (o * o).sum(1) - 16
    at = o + (torch.sqrt(b * b - c) - b)[:, None] * d
    angles = torch.atan2(torch.hypot(at[:, 0], at[:, 2]), at[:, 1]) * 2 / torch.pi - 1, torch.atan2(at[:, 2], at[:, 0]) / torch.pi
    same(found, torch.stack(angles, 1).float(), rtol=1e-4, atol=1e-5)


@RAYS.case
def morton_codes(made):
    places = torch.randint(0, 1024, (300, 3), dtype=torch.int32)
    bits = torch.arange(10)
    expected = sum((((places[:, axis:axis + 1] >> bits) & 1) << (3 * bits + axis)).sum(1) for axis in range(3)).int()
    codes, back = empty(300, dtype=torch.int32), empty(300, 3, dtype=torch.int32)
    made.morton3D(on_device(places), 300, codes)
    same(codes, expected)
    made.morton3D_invert(codes, 300, back)
    same(back, places)


@RAYS.case
def bits_of_a_grid(made):
    for dtype in (torch.float32, torch.float16):
        density, found = torch.rand(2, 512).to(dtype), empty(128, dtype=torch.uint8)
        made.packbits(on_device(density), 128, 0.5, found)
        same(found, ((density.view(128, 8) > 0.5).int() << torch.arange(8)).sum(1).to(torch.uint8))


STEPS, CELLS = 64, 8


def marched(origins, directions, near, far, most):
    """Points of each ray in a grid that is full: t grows by one step, in single precision."""
    step, found = torch.tensor(2 * 1.7320508075688772 / STEPS), []
    for origin, direction, t, end in zip(origins, directions, near, far):
        points = []
        while t < end and len(points) < most:
            points.append((origin + t * direction).clamp(-1, 1))
            t = t + step
        found.append(points)
    return step, found


def ends(origins, directions):
    a, b = (-1 - origins) / directions, (1 - origins) / directions
    return torch.minimum(a, b).amax(1), torch.maximum(a, b).amin(1)


@RAYS.case
def marching_in_training(made):
    origins, directions = rays(20)
    near, far = ends(origins, directions)
    step, expected = marched(origins, directions, near, far, STEPS)
    count = sum(map(len, expected))
    places, towards, deltas = zeros(count, 3), zeros(count, 3), zeros(count, 2)
    table, counter, grid = empty(20, 3, dtype=torch.int32), zeros(2, dtype=torch.int32), torch.full((CELLS ** 3 // 8,), 255, dtype=torch.uint8)
    made.march_rays_train(*on_device(origins, directions, grid), 1.0, 0.0, STEPS, 20, 1, CELLS, count, *on_device(near, far), places, towards,
                          deltas, table, counter, zeros(20))
    same(counter, torch.tensor([count, 20], dtype=torch.int32))
    for ray, first, length in table.tolist():
        assert length == len(expected[ray])
        same(places[first:first + length], torch.stack(expected[ray]), rtol=1e-5, atol=1e-5)
        same(towards[first:first + length], directions[ray].expand(length, 3))
    same(deltas, step.expand(count, 2), rtol=1e-4, atol=1e-5)


def composed(density, colour, deltas, lengths):
    """For each ray the sum of its weights, its depth and its colour."""
    out, first = [], 0
    for length in lengths:
        here = slice(first, first + length)
        alpha = 1 - torch.exp(-density[here] * deltas[here, 0])
        weight = alpha * torch.cat([torch.ones(1), torch.cumprod(1 - alpha, 0)[:-1]])
        out.append((weight.sum(), (weight * deltas[here, 1].cumsum(0)).sum(), (weight[:, None] * colour[here]).sum(0)))
        first += length
    return [torch.stack(one) for one in zip(*out)]


@RAYS.case
def composing_in_training(made):
    lengths = [3, 7, 1, 5]
    density, colour, deltas = torch.rand(16, requires_grad=True), torch.rand(16, 3, requires_grad=True), torch.rand(16, 2) * 0.5
    expected = composed(density, colour, deltas, lengths)
    table = torch.tensor([(ray, sum(lengths[:ray]), length) for ray, length in enumerate(lengths)], dtype=torch.int32)
    given = on_device(density.detach(), colour.detach(), deltas, table)
    weights, depth, image = empty(4), empty(4), empty(4, 3)
    made.composite_rays_train_forward(*given, 16, 4, -1.0, weights, depth, image)
    same([weights, depth, image], expected, rtol=1e-4, atol=1e-5)
    factors = torch.rand(4), torch.rand(4, 3)
    total = (expected[0] * factors[0]).sum() + (expected[2] * factors[1]).sum()
    back = zeros(16), zeros(16, 3)
    made.composite_rays_train_backward(*on_device(*factors), *given, weights, image, 16, 4, -1.0, *back)
    same(back, torch.autograd.grad(total, (density, colour)), rtol=1e-3, atol=1e-4)


@RAYS.case
def marching_and_composing(made):
    origins, directions = rays(20)
    near, far = ends(origins, directions)
    alive = torch.tensor([3, 17, 0, 8], dtype=torch.int32)
    step, expected = marched(origins[alive.long()], directions[alive.long()], near[alive.long()], far[alive.long()], 4)
    places, towards, deltas = zeros(4, 4, 3), zeros(4, 4, 3), zeros(4, 4, 2)
    grid, at = torch.full((CELLS ** 3 // 8,), 255, dtype=torch.uint8), on_device(near)
    rays_alive = on_device(alive)
    made.march_rays(4, 4, rays_alive, at, *on_device(origins, directions), 1.0, 0.0, STEPS, 1, CELLS, on_device(grid), *on_device(near, far),
                    places, towards, deltas, zeros(20))
    same(places, torch.stack([torch.stack(one) for one in expected]), rtol=1e-5, atol=1e-5)
    same(towards, directions[alive.long()][:, None].expand(4, 4, 3))
    density, colour = torch.rand(4, 4), torch.rand(4, 4, 3)
    weights, depth, image = zeros(20), zeros(20), zeros(20, 3)
    made.composite_rays(4, 4, 1e-4, rays_alive, at, *on_device(density, colour), deltas, weights, depth, image)
    seen = composed(density.flatten(), colour.flatten(0, 1), step.expand(16, 2), [4] * 4)
    same(weights[alive.long().cuda()], seen[0], rtol=1e-4, atol=1e-5)
    same(image[alive.long().cuda()], seen[2], rtol=1e-4, atol=1e-5)
    same(depth[alive.long().cuda()], seen[1] + seen[0] * near[alive.long()], rtol=1e-4, atol=1e-4)
    same(rays_alive, alive)
