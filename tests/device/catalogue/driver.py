"""Memory, modules, textures and launches of a driver library, with NumPy arrays for values."""
import ctypes
import os
import tempfile
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p

import numpy as np

from library import DriverError, Library  # noqa: F401 (for users of this file)

POISON = 0xCB  # what memory holds before a kernel writes to it

FORMATS = {
    "uint8": 1,
    "uint16": 2,
    "uint32": 3,
    "int8": 8,
    "int16": 9,
    "int32": 10,
    "float16": 16,
    "float32": 32
}


class ArrayDescriptor(ctypes.Structure):
    _fields_ = [("width", c_size_t), ("height", c_size_t), ("depth", c_size_t), ("format", c_uint),
                ("channels", c_uint), ("flags", c_uint)]


class Copy3D(ctypes.Structure):
    _fields_ = [(side + name, kind) for side in ("src", "dst")
                for name, kind in (("XInBytes", c_size_t), ("Y", c_size_t), ("Z", c_size_t),
                                   ("LOD", c_size_t), ("MemoryType", c_uint), ("Host", c_void_p),
                                   ("Device", c_uint64), ("Array", c_void_p),
                                   ("Reserved", c_void_p), ("Pitch", c_size_t),
                                   ("Height", c_size_t))] + [("WidthInBytes", c_size_t),
                                                             ("Height", c_size_t),
                                                             ("Depth", c_size_t)]


class ResourceDescriptor(ctypes.Structure):
    """The union is an array handle in its first eight bytes, or (address, format, channels, bytes)."""
    _fields_ = [("type", c_uint), ("first", c_uint64), ("format", c_uint), ("channels", c_uint),
                ("bytes", c_size_t), ("rest", c_int * 26), ("flags", c_uint)]


class TextureDescriptor(ctypes.Structure):
    _fields_ = [("address", c_uint * 3), ("filter", c_uint), ("flags", c_uint),
                ("anisotropy", c_uint), ("mipmap", c_uint), ("levels", c_float * 3),
                ("border", c_float * 4), ("reserved", c_int * 12)]


assert (ctypes.sizeof(Copy3D), ctypes.sizeof(ResourceDescriptor),
        ctypes.sizeof(TextureDescriptor)) == (200, 144, 104)


class Device(Library):

    def module(self, ptx):
        return Module(self, ptx)


class Module:

    def __init__(self, device, ptx):
        self.device, self.handle = device, c_void_p()
        text = ctypes.create_string_buffer(ptx.encode(errors="replace"))
        device.call("cuModuleLoadData", byref(self.handle), text)

    def function(self, name):
        function = c_void_p()
        self.device.call("cuModuleGetFunction", byref(function), self.handle, name.encode())
        return function

    def symbol(self, name):
        """A variable of the module, as a buffer of bytes that is not ours to free."""
        address, size = c_uint64(), c_size_t()
        self.device.call("cuModuleGetGlobal_v2", byref(address), byref(size), self.handle,
                         name.encode())
        return Buffer(self.device, np.zeros(size.value, np.uint8), address.value)

    def unload(self):
        self.device.call("cuModuleUnload", self.handle)


class Buffer:
    """Device memory with the shape and dtype of an array."""

    def __init__(self, device, like, address=None):
        self.device, self.shape, self.dtype, self.nbytes = device, like.shape, like.dtype, like.nbytes
        self.owned = address is None
        self.address = address
        if self.owned:
            pointer = c_uint64()
            device.call("cuMemAlloc_v2", byref(pointer), c_size_t(max(self.nbytes, 1)))
            self.address = pointer.value

    def write(self, values):
        values = np.ascontiguousarray(values)
        if values.nbytes:
            self.device.call("cuMemcpyHtoD_v2", c_uint64(self.address),
                             c_void_p(values.ctypes.data), c_size_t(values.nbytes))
        return self

    def poison(self):
        return self.write(np.full(self.nbytes, POISON, np.uint8))

    def read(self, dtype=None):
        values = np.empty(self.nbytes, np.uint8)
        if self.nbytes:
            self.device.call("cuMemcpyDtoH_v2", c_void_p(values.ctypes.data),
                             c_uint64(self.address), c_size_t(self.nbytes))
        return values.view(self.dtype).reshape(self.shape) if dtype is None else values.view(dtype)

    def free(self):
        if self.owned:
            self.device.call("cuMemFree_v2", c_uint64(self.address))


class Image:
    """A CUDA array that holds `values`, shaped (depth or layers, height, width, channels) or less."""

    def __init__(self, device, values, dimensions, layered=False, surface=False, known=None):
        self.device, self.handle = device, c_void_p()
        self.values = np.ascontiguousarray(values)
        channels = self.values.shape[-1]
        extent = list(self.values.shape[:-1][::-1]) + [0, 0]
        flags = (1 if layered else 0) | (2 if surface else 0)
        self.extent = extent[:3] if dimensions == 3 or layered else extent[:dimensions] + [0] * (
            3 - dimensions)
        descriptor = ArrayDescriptor(*self.extent, FORMATS[self.values.dtype.name], channels, flags)
        device.call("cuArray3DCreate_v2", byref(self.handle), byref(descriptor))
        self.row = self.extent[0] * channels * self.values.itemsize
        if known is None:
            self._copy(self.values, True)
        else:
            self._copy_some(known)

    def _copy(self, host, upload):
        copy = Copy3D()
        near, far = ("src", "dst") if upload else ("dst", "src")
        for side, name, value in ((near, "MemoryType",
                                   1), (near, "Host", host.ctypes.data), (near, "Pitch", self.row),
                                  (near, "Height", max(self.extent[1], 1)), (far, "MemoryType", 3),
                                  (far, "Array", self.handle)):
            setattr(copy, side + name, value)
        copy.WidthInBytes, copy.Height, copy.Depth = self.row, max(self.extent[1],
                                                                   1), max(self.extent[2], 1)
        self.device.call("cuMemcpy3D_v2", byref(copy))

    def _copy_some(self, known):
        """Only texels of a plane that `known` says; the others are never written."""
        texel = self.values[0, 0].nbytes
        for at in np.flatnonzero(known):
            copy = Copy3D()
            copy.srcMemoryType, copy.srcHost = 1, self.values.ctypes.data + int(at) * texel
            copy.dstMemoryType, copy.dstArray = 3, self.handle
            copy.dstXInBytes, copy.dstY = int(at) % self.extent[0] * texel, int(at) // self.extent[0]
            copy.WidthInBytes, copy.Height, copy.Depth = texel, 1, 1
            self.device.call("cuMemcpy3D_v2", byref(copy))

    def read(self):
        values = np.empty_like(self.values)
        self._copy(values, False)
        return values

    def texture(self, address="clamp", linear=False, normalized=False, as_integer=False):
        return texture_of(self.device, ResourceDescriptor(0, self.handle.value), address, linear,
                          normalized, as_integer)

    def surface(self):
        surface = c_uint64()
        self.device.call("cuSurfObjectCreate", byref(surface),
                         byref(ResourceDescriptor(0, self.handle.value)))
        return np.uint64(surface.value)

    def free(self):
        self.device.call("cuArrayDestroy", self.handle)


def texture_of(device, resource, address="clamp", linear=False, normalized=False, as_integer=False):
    modes = {"wrap": 0, "clamp": 1, "mirror": 2, "border": 3}
    how = TextureDescriptor()
    how.address[:] = [modes[address]] * 3
    how.filter = int(linear)
    how.flags = (1 if as_integer else 0) | (2 if normalized else 0)
    texture = c_uint64()
    device.call("cuTexObjectCreate", byref(texture), byref(resource), byref(how), None)
    return np.uint64(texture.value)


def linear_texture(device, buffer, channels=1, **how):
    """Over a buffer, as tex1Dfetch reads it."""
    kind = FORMATS[buffer.dtype.name]
    return texture_of(device, ResourceDescriptor(2, buffer.address, kind, channels, buffer.nbytes),
                      **how)


def tensor_map(device, buffer, dims, box, swizzle=0, half=False):
    """A tensor map over an array of float32 or float16, of which boxes are copied; the innermost dimension comes first."""
    memory = np.zeros(192, np.uint8)
    start = -memory.ctypes.data % 64
    strides = [(2 if half else 4) * int(np.prod(dims[:d])) for d in range(1, len(dims))] or [0]
    rank, wide, narrow = len(dims), c_uint64 * len(dims), c_uint * len(dims)
    device.call("cuTensorMapEncodeTiled", c_void_p(memory.ctypes.data + start), c_uint(6 if half else 7), c_uint(rank),
                c_void_p(buffer.address), wide(*dims), (c_uint64 * len(strides))(*strides), narrow(*box),
                narrow(*[1] * rank), c_uint(0), c_uint(swizzle), c_uint(0), c_uint(0))
    return memory[start:start + 128].copy()


class Multicast:
    """2 MiB of this device's memory: `addresses` has that in a multicast object of one device, and its own."""

    def __init__(self, device):
        self.device, self.unit, self.addresses = device, c_size_t(2 << 20), []
        self.object, self.memory = c_uint64(), c_uint64()
        device.call("cuMulticastCreate", byref(self.object), (c_uint64 * 4)(1, self.unit.value, 0, 0))
        device.call("cuMulticastAddDevice", self.object, c_int(0))
        device.call("cuMemCreate", byref(self.memory), self.unit, (c_int * 8)(1, 0, 1, 0), c_uint64(0))
        device.call("cuMulticastBindMem", self.object, c_size_t(0), self.memory, c_size_t(0), self.unit, c_uint64(0))
        for handle in (self.object, self.memory):
            address = c_uint64()
            device.call("cuMemAddressReserve", byref(address), self.unit, c_size_t(0), c_uint64(0), c_uint64(0))
            device.call("cuMemMap", address, self.unit, c_size_t(0), handle, c_uint64(0))
            device.call("cuMemSetAccess", address, self.unit, (c_int * 3)(1, 0, 3), c_size_t(1))
            self.addresses.append(np.uint64(address.value))

    def free(self):
        for address in self.addresses:
            self.device.call("cuMemUnmap", c_uint64(int(address)), self.unit)
            self.device.call("cuMemAddressFree", c_uint64(int(address)), self.unit)
        self.device.call("cuMulticastUnbind", self.object, c_int(0), c_size_t(0), self.unit)
        for handle in (self.object, self.memory):
            self.device.call("cuMemRelease", handle)


def launch(device, function, grid, block, arguments, shared=0, cooperative=False):
    """Starts a kernel. Arguments are buffers, NumPy scalars, and arrays (structs by value, as bytes)."""
    as_three = lambda size: [
        c_uint(int(n)) for n in (tuple(size) if hasattr(size, "__len__") else (size, )) + (1, 1)
    ][:3]
    values = [np.asarray(np.uint64(a.address) if isinstance(a, Buffer) else a) for a in arguments]
    values = [np.ascontiguousarray(v) for v in values]
    pointers = (c_void_p * (len(values) + 1))(*[v.ctypes.data for v in values])
    common = [function, *as_three(grid), *as_three(block), c_uint(shared), c_void_p(), pointers]
    if cooperative:
        device.call("cuLaunchCooperativeKernel", *common)
    else:
        device.call("cuLaunchKernel", *common, c_void_p())


class Captured:
    """Captures what the process and the library write to standard output meanwhile: a kernel's printf."""

    def __enter__(self):
        self.libc = ctypes.CDLL(None)
        self.libc.fflush(None)
        self.kept, self.file = os.dup(1), tempfile.TemporaryFile()
        os.dup2(self.file.fileno(), 1)
        return self

    def __exit__(self, *_):
        self.libc.fflush(None)
        os.dup2(self.kept, 1)
        os.close(self.kept)
        self.file.seek(0)
        self.text = self.file.read()
        self.file.close()
