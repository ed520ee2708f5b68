"""A CUDA driver library by ctypes, without anything from outside the standard library."""
import ctypes
import os
from ctypes import byref, c_char_p, c_int, c_uint, c_void_p


class DriverError(Exception):
    """A driver call that failed: `code` is its CUresult, `name` the code's name."""

    def __init__(self, call, code, name):
        super().__init__(call, code, name)  # what another process makes it anew from
        self.call, self.code, self.name = call, code, name

    def __str__(self):
        return "%s gave %s (%d)" % (self.call, self.name, self.code)


class Library:
    """The system's libcuda.so.1 or the CPU device's, with its first device's primary context current."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
        self.call("cuInit", c_uint(0))
        self.ordinal, self.context = c_int(), c_void_p()
        self.call("cuDeviceGet", byref(self.ordinal), c_int(0))
        self.call("cuDevicePrimaryCtxRetain", byref(self.context), self.ordinal)
        self.enter()
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, c_int(256), self.ordinal)
        self.name = name.value.decode()

    def call(self, function, *arguments):
        code = getattr(self.library, function)(*arguments)
        if code:
            name = c_char_p()
            self.library.cuGetErrorName(code, byref(name))
            raise DriverError(function, code, (name.value or b"?").decode())

    def enter(self):
        """Makes the context current; a thread may hold one of each library."""
        self.call("cuCtxSetCurrent", self.context)

    def synchronize(self):
        self.call("cuCtxSynchronize")

    def attribute(self, which):
        value = c_int()
        self.call("cuDeviceGetAttribute", byref(value), c_int(which), self.ordinal)
        return value.value

    def driver_version(self):
        value = c_int()
        self.call("cuDriverGetVersion", byref(value))
        return value.value
