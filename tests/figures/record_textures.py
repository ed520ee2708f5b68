#!/usr/bin/env python3
"""Records what a device's texture units return, and compares other devices with that.

    tests/figures/record_textures.py record DIRECTORY [--library LIBRARY] [--formats f32,u8] [--kinds random] [--fetches N]
    tests/figures/record_textures.py compare DIRECTORY [--library LIBRARY]
    tests/figures/record_textures.py pack DIRECTORY FILE

`record` and `compare` use the driver API of LIBRARY (libcuda.so.1; the CPU device's is
lib/warpmark/libwarpmark_cpu.so in the build). DIRECTORY gets NumPy archives with, for each configuration
FORMAT.SIZE.KIND.mMODE.nNORMALIZED.lLINEAR (modes 0 wrap, 1 clamp, 2 mirror, 3 border of 0), the arrays
`.t` (texels of one channel), `.p` (two coordinates a fetch; a third is p0·0.7f + p1·0.3f by one fma) and `.o`
(results in binary32). `compare` prints how many results differ in a bit. `pack` selects what
tests/device/machine/texture_recorded_test.cpp reads. Kinds:

    random  texels of any value, coordinates from 2.5 sizes below to 3.5 above 0, every third in 16ths
    delta   one texel of 1 among zeros: the results are weights; coordinates beside it
    wide    real texels of any exponent and fraction: how sums are rounded
    special real texels among which are infinities and NaNs
    far     coordinates of any bits, infinities and NaNs among them
    line    as random, one axis, the mode for that axis only, the others' wrap: is there a row above?
    edge    as random with a border colour of 0.3
"""

import argparse
import ctypes
import json
import os
import sys
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p

import numpy as np

MODES = ("wrap", "clamp", "mirror", "border")
#                   dtype, CUarray_format
FORMATS = {"f32": (np.float32, 0x20), "f16": (np.float16, 0x10), "u8": (np.uint8, 0x01), "s8": (np.int8, 0x08),
           "u16": (np.uint16, 0x02), "s16": (np.int16, 0x09)}
SIZES = ((24,), (7,), (16,), (100,), (1000,), (20000,), (24, 10), (7, 5), (16, 16), (1000, 3), (24, 10, 6), (5, 9, 7))
KINDS = ("random", "delta", "wide", "special", "far", "line", "edge")


class ArrayDescriptor(ctypes.Structure):
    _fields_ = [("extent", c_size_t * 3), ("format", c_uint), ("channels", c_uint), ("flags", c_uint)]


class Side(ctypes.Structure):
    _fields_ = [("x", c_size_t), ("y", c_size_t), ("z", c_size_t), ("level", c_size_t), ("kind", c_uint),
                ("host", c_void_p), ("device", c_uint64), ("array", c_void_p), ("reserved", c_void_p),
                ("pitch", c_size_t), ("height", c_size_t)]


class Copy3D(ctypes.Structure):
    _fields_ = [("source", Side), ("target", Side), ("extent", c_size_t * 3)]


class Resource(ctypes.Structure):
    _fields_ = [("kind", c_uint), ("array", c_void_p), ("rest", c_int * 30), ("flags", c_uint)]


class Sampler(ctypes.Structure):
    _fields_ = [("modes", c_uint * 3), ("filter", c_uint), ("flags", c_uint), ("rest", c_uint * 5),
                ("border", c_float * 4), ("reserved", c_int * 12)]


# The sizes of cuda.h's structs on 64 bits.
assert [ctypes.sizeof(s) for s in (ArrayDescriptor, Copy3D, Resource, Sampler)] == [40, 200, 144, 104]

PTX = """.version 7.0
.target sm_75
.address_size 64
.visible .entry fetch(.param .u64 texture, .param .u64 points, .param .u64 results, .param .u32 count) {
  .reg .b64 %a<6>; .reg .b32 %i<5>; .reg .f32 %f<9>; .reg .pred %p1;
  ld.param.u64 %a1, [texture]; ld.param.u64 %a2, [points]; ld.param.u64 %a3, [results]; ld.param.u32 %i1, [count];
  mov.u32 %i2, %tid.x; mov.u32 %i3, %ctaid.x; mad.lo.u32 %i2, %i3, 128, %i2;
  setp.ge.u32 %p1, %i2, %i1; @%p1 ret;
  mul.wide.u32 %a4, %i2, 8; add.u64 %a2, %a2, %a4; mul.wide.u32 %a4, %i2, 4; add.u64 %a3, %a3, %a4;
  ld.global.f32 %f1, [%a2]; ld.global.f32 %f2, [%a2+4];
  mul.f32 %f3, %f2, 0f3E99999A; fma.rn.f32 %f3, %f1, 0f3F333333, %f3;
  tex.DIMENSIONSd.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%a1, PLACE];
  st.global.f32 [%a3], %f4; ret;
}
"""
PLACES = {1: "{%f1}", 2: "{%f1, %f2}", 3: "{%f1, %f2, %f3, %f3}"}


class Device:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.call("cuInit", c_uint(0))
        device, self.context, name = c_int(), c_void_p(), ctypes.create_string_buffer(256)
        self.call("cuDeviceGet", byref(device), c_int(0))
        self.call("cuDevicePrimaryCtxRetain", byref(self.context), device)
        self.call("cuCtxSetCurrent", self.context)
        self.call("cuDeviceGetName", name, c_int(256), device)
        self.name = name.value.decode()
        self.kernels = {}
        for dimensions, at in PLACES.items():
            module, self.kernels[dimensions] = c_void_p(), c_void_p()
            text = PTX.replace("DIMENSIONS", str(dimensions)).replace("PLACE", at)
            self.call("cuModuleLoadData", byref(module), ctypes.create_string_buffer(text.encode()))
            self.call("cuModuleGetFunction", byref(self.kernels[dimensions]), module, b"fetch")

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            sys.exit(f"{name} gave CUresult {code}")

    def fetch(self, texels, points, kind, code, mode, normalized, linear):
        """The first channel of a fetch at each point from an array with these texels."""
        extent = list(texels.shape[::-1]) + [0] * (3 - texels.ndim)
        array, texture = c_void_p(), c_uint64()
        self.call("cuArray3DCreate_v2", byref(array), byref(ArrayDescriptor((c_size_t * 3)(*extent), code, 1, 0)))
        row = extent[0] * texels.itemsize
        copy = Copy3D(extent=(row, max(extent[1], 1), max(extent[2], 1)))
        copy.source.kind, copy.source.host = 1, texels.ctypes.data
        copy.source.pitch, copy.source.height = row, max(extent[1], 1)
        copy.target.kind, copy.target.array = 3, array.value
        self.call("cuMemcpy3D_v2", byref(copy))
        sampler = Sampler(filter=int(linear), flags=2 * int(normalized))
        sampler.modes[:] = [mode, 0, 0] if kind == "line" else [mode] * 3
        sampler.border[:] = [0.3 if kind == "edge" else 0.0] * 4
        self.call("cuTexObjectCreate", byref(texture), byref(Resource(kind=0, array=array)), byref(sampler), None)
        results = np.full(len(points), np.nan, np.float32)
        buffers = []
        for host in (points, results):
            buffers.append(c_uint64())
            self.call("cuMemAlloc_v2", byref(buffers[-1]), c_size_t(host.nbytes))
            self.call("cuMemcpyHtoD_v2", buffers[-1], c_void_p(host.ctypes.data), c_size_t(host.nbytes))
        values = (texture, *buffers, c_uint(len(points)))
        addresses = (c_void_p * 4)(*[ctypes.addressof(value) for value in values])
        sizes = [c_uint(n) for n in ((len(points) + 127) // 128, 1, 1, 128, 1, 1, 0)]
        self.call("cuLaunchKernel", self.kernels[texels.ndim], *sizes, c_void_p(), addresses, c_void_p())
        self.call("cuMemcpyDtoH_v2", c_void_p(results.ctypes.data), buffers[1], c_size_t(results.nbytes))
        for buffer in buffers:
            self.call("cuMemFree_v2", buffer)
        self.call("cuTexObjectDestroy", texture)
        self.call("cuArrayDestroy", array)
        return results


def any_floats(random, count, dtype):
    """Finite values of any bits."""
    unsigned = np.uint32 if dtype == np.float32 else np.uint16
    values = random.integers(0, np.iinfo(unsigned).max, count, unsigned, True).view(dtype)
    return np.where(np.isfinite(values), values, dtype(1))


def texels_of(random, name, size, kind):
    dtype, shape = FORMATS[name][0], size[::-1]
    real, count = np.issubdtype(dtype, np.floating), int(np.prod(size))
    if kind == "delta":
        texels = np.zeros(shape, dtype)
        texels[tuple(n // 2 for n in shape)] = 1 if real else np.iinfo(dtype).max
    elif not real:
        texels = random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, count, dtype, True).reshape(shape)
    elif kind in ("wide", "special"):
        # Neighbours whose exponents lie some binades apart, so that roundings show.
        scales = np.ldexp(1.0, random.integers(-12, 3, count))
        texels = (random.uniform(-1, 1, count) * scales).astype(dtype)
        texels[::17] = any_floats(random, len(texels[::17]), dtype)
        if kind == "special":
            texels[1::5] = random.choice(np.array([np.nan, np.inf, -np.inf, -0.0], dtype), len(texels[1::5]))
        texels = texels.reshape(shape)
    else:
        texels = random.integers(-1000 if dtype == np.float32 else -100, 1000 if dtype == np.float32 else 100,
                                 count).astype(dtype).reshape(shape)
    return np.ascontiguousarray(texels)


def points_of(random, size, kind, normalized, count):
    scale = np.array([1, 1] if normalized else (tuple(size) + (1,))[:2], np.float64)
    points = random.uniform(-2.5, 3.5, (count, 2))
    if kind == "delta":
        points[:, 0], points[:, 1] = np.linspace(0.2, 0.8, count), 0.4 + random.integers(0, 80, count) / 400
    points *= scale
    if kind == "far":
        points = any_floats(random, 2 * count, np.float32).reshape(count, 2).astype(np.float64)
        points[::8, 0] = random.choice([np.nan, np.inf, -np.inf, -0.0, 1e-30, -1e-30, 2.0**23 + 1], len(points[::8]))
    elif kind != "delta":
        points[::3] = np.floor(points[::3] * 16) / 16
    return points.astype(np.float32)


def record(device, arguments):
    os.makedirs(arguments.directory, exist_ok=True)
    for name in arguments.formats.split(","):
        code, real = FORMATS[name][1], name.startswith("f")
        archives = {}
        for size in SIZES:
            for kind in arguments.kinds.split(","):
                if (kind in ("wide", "special") and not real) or (kind == "line" and len(size) > 1):
                    continue
                random = np.random.default_rng([len(size), *size, KINDS.index(kind), list(FORMATS).index(name)])
                texels = texels_of(random, name, size, kind)
                label = f"{name}.{'x'.join(map(str, size))}.{kind}"
                for mode in range(4):
                    for normalized in (0, 1):
                        if not normalized and mode in (0, 2):
                            continue  # these modes exist for normalized coordinates only
                        for linear in (0, 1):
                            points = points_of(random, size, kind, normalized, arguments.fetches)
                            results = device.fetch(texels, points, kind, code, mode, normalized, linear)
                            key = f"{label}.m{mode}.n{normalized}.l{linear}"
                            archives.setdefault(len(size), {}).update(
                                {key + ".t": texels, key + ".p": points, key + ".o": results})
        for dimensions, arrays in archives.items():
            np.savez_compressed(os.path.join(arguments.directory, f"tex_{name}_{dimensions}.npz"), **arrays)
    print(f"recorded on {device.name}")


def recorded(directory):
    """(key, format, kind, mode, normalized, linear, texels, points, results) of each configuration."""
    for file in sorted(os.listdir(directory)):
        if not file.endswith(".npz"):
            continue
        with np.load(os.path.join(directory, file)) as archive:
            for key in sorted(k[:-2] for k in archive.files if k.endswith(".o")):
                name, _, kind, mode, normalized, linear = key.split(".")
                yield (key, name, kind, int(mode[1]), int(normalized[1]), int(linear[1]),
                       *(np.ascontiguousarray(archive[key + part]) for part in (".t", ".p", ".o")))


def compare(device, arguments):
    """Results of one bit pattern are equal, and all NaNs are."""
    counts = {}
    for key, name, kind, mode, normalized, linear, texels, points, results in recorded(arguments.directory):
        ours = device.fetch(texels, points, kind, FORMATS[name][1], mode, normalized, linear)
        differing = (ours.view(np.uint32) != results.view(np.uint32)) & ~(np.isnan(ours) & np.isnan(results))
        row = counts.setdefault((name, texels.ndim, kind, MODES[mode], normalized, linear), [0, 0])
        row[0] += int(differing.sum())
        row[1] += len(results)
    print("| format | axes | texels | mode | coordinates | filter | differing | of |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for (name, axes, kind, mode, normalized, linear), (differing, of) in sorted(counts.items()):
        print(f"| {name} | {axes} | {kind} | {mode} | {'normalized' if normalized else 'texels'} | "
              f"{'linear' if linear else 'point'} | {differing} | {of} |")
    total = [sum(row[i] for row in counts.values()) for i in (0, 1)]
    print(f"\n{device.name}: {total[0]} of {total[1]} results differ")
    return 1 if total[0] else 0


def selected(points, size, normalized, linear, count):
    """Indices of a fifth of `count` plain points and of those where a rounding of the position is closest."""
    at = points[:, :len(size)].astype(np.float64) * (np.array(size[:2]) if normalized else 1)
    if linear:
        distances = np.abs(np.mod(at * 256, 1) - 0.5)
    else:
        distances = np.abs(at - np.rint(at))
    plain = np.arange(count // 5)
    closest = np.argsort(distances.min(axis=1), kind="stable")
    return np.concatenate([plain, closest[closest >= len(plain)][:count - len(plain)]])


def pack(arguments):
    """A line of JSON, then the texels and, for each configuration, the coordinates and results, little-endian."""
    textures, fetches, texel_bytes, words = [], [], [], []
    for key, name, kind, mode, normalized, linear, texels, points, results in recorded(arguments.file_from):
        size = list(texels.shape[::-1])
        if kind != "random" or size in ([16], [16, 16]):
            continue  # these add nothing that the others lack
        texture = {"format": name, "size": size}
        if texture not in textures:
            textures.append(texture)
            texel_bytes.append(texels.tobytes())
        count = (25 if linear else 10) * (2 if len(size) == 3 else 1)
        chosen = selected(points, size, normalized, linear, count)
        dimensions = min(len(size), 2)
        fetches.append([textures.index(texture), mode, normalized, linear, len(chosen)])
        words += [np.column_stack([points[chosen, :dimensions], results[chosen]]).astype("<f4").tobytes()]
    with open(arguments.file, "wb") as file:
        file.write(json.dumps({"textures": textures, "fetches": fetches}, separators=(",", ":")).encode() + b"\n")
        file.write(b"".join(texel_bytes + words))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("record", "compare"):
        command = commands.add_parser(name)
        command.add_argument("directory")
        command.add_argument("--library", default="libcuda.so.1")
        if name == "record":
            command.add_argument("--formats", default=",".join(FORMATS))
            command.add_argument("--kinds", default=",".join(KINDS))
            command.add_argument("--fetches", type=int, default=3000, help="of each configuration")
    command = commands.add_parser("pack")
    command.add_argument("file_from", metavar="directory")
    command.add_argument("file")
    arguments = parser.parse_args()
    if arguments.command == "pack":
        return pack(arguments)
    device = Device(arguments.library)
    return (record if arguments.command == "record" else compare)(device, arguments)


if __name__ == "__main__":
    sys.exit(main())
