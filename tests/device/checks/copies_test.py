#!/usr/bin/env python3
"""Copies and fills by the driver API: bytes without a value stay so wherever they are copied, and all others have one.

    copies_test.py LIBRARY

Each case copies or fills memory of which some bytes have values, and does the same with NumPy to know which have some then.
A kernel that looks at one byte finds out. Exit status 77: there is no NumPy.
"""
import ctypes
import json
import os
import sys
from ctypes import byref, c_int, c_size_t, c_ubyte, c_uint, c_uint64, c_ushort, c_void_p

from checked import checked_device  # before the catalogue's modules: it finds them, and NumPy
import driver
import numpy as np
from extension import reports_of

BYTES = 192
HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4
LOOK = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry look(.param .u64 at, .param .u64 out) {
  .reg .b16 %h; .reg .b64 %rd<3>; .reg .pred %p;
  ld.param.u64 %rd1, [at];
  ld.param.u64 %rd2, [out];
  ld.global.u8 %h, [%rd1];
  setp.eq.u16 %p, %h, 77;
  @%p bra found;
  ret;
found:
  st.global.u8 [%rd2], 1;
  ret;
}
"""


class Memory:
    """Device memory, and what must be known of its bytes."""

    def __init__(self, test, defined=None, size=BYTES):
        self.test = test
        self.buffer = driver.Buffer(test.device, np.zeros(size, np.uint8))
        self.address = self.buffer.address
        self.known = np.zeros(size, bool)
        if defined is not None:
            self.buffer.write(np.arange(size, dtype=np.uint8))
            self.known[:] = defined
            for at in np.flatnonzero(~self.known):
                test.extension.forget(None, self.address + int(at), 1)


class Test:
    """The device, with two contexts: the second is a peer's."""

    def __init__(self, library):
        self.device, self.extension = checked_device(library, checks=["memory", "init"])
        self.look = self.device.module(LOOK).function("look")
        self.out = driver.Buffer(self.device, np.zeros(1, np.uint8))
        self.launches = self.failures = 0
        # Every third byte, and a run of them that is no multiple of 8 from an odd place on.
        self.some = np.arange(BYTES) % 3 != 0
        self.some[45:90] = False

    def call(self, *arguments):
        self.device.call(*arguments)

    def undefined(self, memory):
        first = self.launches
        reports_of(self.extension)
        for at in range(len(memory.known)):
            driver.launch(self.device, self.look, 1, 1, [np.uint64(memory.address + at), self.out])
        self.launches += len(memory.known)
        found = np.zeros(len(memory.known), bool)
        for report in reports_of(self.extension):
            assert report["kind"] == "uninitialised", report
            found[report["launch"] - first - 1] = True
        return found

    def expect(self, name, memory):
        wrong = np.flatnonzero(self.undefined(memory) == memory.known)
        if len(wrong):
            self.failures += 1
            print("%s: of the bytes %s one has a value that must have none, or the other way round" % (name, wrong.tolist()))

    # --- what is copied, on the device and with NumPy

    def linear(self, name, *extra, to=0, start=0, size=BYTES, one=False):
        """A copy from a memory to another, or within one."""
        a = Memory(self, self.some)
        b = a if one else Memory(self)
        self.call(name, c_uint64(b.address + to), c_uint64(a.address + start), c_size_t(size), *extra)
        b.known[to:to + size] = a.known[start:start + size].copy()
        self.expect("%s(%d, %d, %d)" % (name, to, start, size), b)

    def box(self, name, make=driver.Copy3D):
        """12 × 3 × 2 bytes from slices of 4 rows of 20 bytes to slices of 5 rows of 16."""
        a, b = Memory(self, self.some), Memory(self)
        copy = make()
        for key, value in (("srcMemoryType", DEVICE), ("srcDevice", a.address), ("srcPitch", 20), ("srcXInBytes", 5), ("srcY", 1),
                           ("srcHeight", 4), ("dstMemoryType", DEVICE), ("dstDevice", b.address), ("dstPitch", 16),
                           ("dstXInBytes", 2), ("dstY", 1), ("dstHeight", 5), ("WidthInBytes", 12), ("Height", 3), ("Depth", 2)):
            setattr(copy, key, value)
        self.call(name, byref(copy), *([] if name.endswith("v2") and "Async" not in name else [c_void_p()]))
        from_rows = a.known[:160].reshape(2, 4, 20)
        b.known[:160].reshape(2, 5, 16)[:, 1:4, 2:14] = from_rows[:, 1:4, 5:17]
        self.expect(name, b)

    def arrays(self):
        """Through an array: what was never written to it has no value, either."""
        array = c_void_p()
        self.call("cuArray3DCreate_v2", byref(array), byref(driver.ArrayDescriptor(BYTES, 0, 0, 1, 1, 0)))
        a, b = Memory(self, self.some), Memory(self)
        self.call("cuMemcpyDtoA_v2", array, c_size_t(0), c_uint64(a.address), c_size_t(100))
        self.call("cuMemcpyAtoD_v2", c_uint64(b.address), array, c_size_t(0), c_size_t(BYTES))
        b.known[:100] = a.known[:100]
        self.expect("cuMemcpyDtoA, cuMemcpyAtoD", b)
        host = np.zeros(BYTES, np.uint8)
        self.call("cuMemcpyHtoA_v2", array, c_size_t(150), c_void_p(host.ctypes.data), c_size_t(42))
        self.call("cuMemcpyAtoD_v2", c_uint64(b.address), array, c_size_t(0), c_size_t(BYTES))
        b.known[150:] = True
        self.expect("cuMemcpyHtoA", b)
        copy = driver.Copy3D()
        for key, value in (("srcMemoryType", ARRAY), ("srcArray", array.value), ("srcXInBytes", 3), ("dstMemoryType", DEVICE),
                           ("dstDevice", b.address), ("WidthInBytes", 61), ("Height", 1), ("Depth", 1)):
            setattr(copy, key, value)
        self.call("cuMemcpy3D_v2", byref(copy))
        b.known[:61] = a.known[3:64]
        self.expect("cuMemcpy3D of an array", b)
        self.call("cuArrayDestroy", array)

    def graph(self):
        """Captured, and replayed when other bytes of the source have values."""
        stream, graph, executable = c_void_p(), c_void_p(), c_void_p()
        a, b = Memory(self, self.some), Memory(self)
        self.call("cuStreamCreate", byref(stream), c_uint(1))
        self.call("cuStreamBeginCapture_v2", stream, c_int(0))
        self.call("cuMemcpyDtoDAsync_v2", c_uint64(b.address), c_uint64(a.address), c_size_t(BYTES), stream)
        self.call("cuMemsetD8Async", c_uint64(b.address + 7), c_ubyte(1), c_size_t(9), stream)
        self.call("cuStreamEndCapture", stream, byref(graph))
        self.call("cuGraphInstantiateWithFlags", byref(executable), graph, c_uint64(0))
        self.expect("a graph before its launch", b)
        for start in (0, 90):
            self.extension.forget(None, a.address + start, 5)
            a.known[start:start + 5] = False
            self.call("cuGraphLaunch", executable, stream)
            b.known[:] = a.known
            b.known[7:16] = True
            self.expect("a graph's launch", b)
        self.call("cuGraphExecDestroy", executable)
        self.call("cuGraphDestroy", graph)
        self.call("cuStreamDestroy_v2", stream)

    def fills(self):
        for bits, kind in ((8, c_ubyte), (16, c_ushort), (32, c_uint)):
            size = bits // 8
            memory = Memory(self)
            self.call("cuMemsetD%d_v2" % bits, c_uint64(memory.address + 4 * size), kind(1), c_size_t(5))
            memory.known[4 * size:9 * size] = True
            self.expect("cuMemsetD%d" % bits, memory)
            memory = Memory(self)  # rows of 3 elements, 12 elements apart
            self.call("cuMemsetD2D%d_v2" % bits, c_uint64(memory.address), c_size_t(12 * size), kind(1), c_size_t(3), c_size_t(4))
            memory.known[:48 * size].reshape(4, 12 * size)[:, :3 * size] = True
            self.expect("cuMemsetD2D%d" % bits, memory)

    def host(self):
        """Reads by the host give no byte a value; writes by the host do."""
        memory = Memory(self, self.some)
        memory.buffer.read()
        self.expect("cuMemcpyDtoH", memory)
        values = np.zeros(7, np.uint8)
        self.call("cuMemcpyHtoD_v2", c_uint64(memory.address + 44), c_void_p(values.ctypes.data), c_size_t(7))
        memory.known[44:51] = True
        self.expect("cuMemcpyHtoD", memory)
        self.call("cuStreamWriteValue32_v2", c_void_p(), c_uint64(memory.address + 60), c_uint(3), c_uint(0))
        memory.known[60:64] = True
        self.expect("cuStreamWriteValue32", memory)

    def peers(self):
        """To another device and back: both follow their bytes."""
        other, near = c_void_p(), self.device.context
        self.call("cuDevicePrimaryCtxRetain", byref(other), c_int(1))
        self.call("cuCtxSetCurrent", other)
        self.extension.configure(None, json.dumps({"checks": ["memory", "init"]}).encode())
        far = c_uint64()
        self.call("cuMemAlloc_v2", byref(far), c_size_t(BYTES))
        self.device.enter()
        a, b = Memory(self, self.some), Memory(self)
        self.call("cuMemcpyPeer", far, other, c_uint64(a.address), near, c_size_t(BYTES))
        self.call("cuMemcpyPeerAsync", c_uint64(b.address), near, far, other, c_size_t(BYTES), c_void_p())
        b.known[:] = a.known
        self.expect("cuMemcpyPeer there and back", b)


def main():
    os.environ["WARPMARK_CPU_DEVICES"] = "2"
    test = Test(sys.argv[1])
    test.linear("cuMemcpyDtoD_v2")
    test.linear("cuMemcpyDtoD_v2", to=1, start=4, size=BYTES - 5)  # bits of which no eight lie in one byte
    test.linear("cuMemcpyDtoD_v2", to=8, start=64, size=1)
    test.linear("cuMemcpyDtoD_v2", to=BYTES - 1, start=BYTES - 1, size=1)
    test.linear("cuMemcpyDtoD_v2", to=3, start=11, size=150, one=True)
    test.linear("cuMemcpyDtoD_v2", to=11, start=3, size=150, one=True)
    test.linear("cuMemcpyDtoD_v2", to=64, start=0, size=128, one=True)
    test.linear("cuMemcpyDtoDAsync_v2", c_void_p(), to=5, size=100)
    test.linear("cuMemcpy", start=17, size=100)
    test.linear("cuMemcpyAsync", c_void_p(), size=99)
    test.box("cuMemcpy3D_v2")
    test.box("cuMemcpy3DAsync_v2")
    test.arrays()
    test.graph()
    test.fills()
    test.host()
    test.peers()
    print("%d launches, %d cases not as they must be" % (test.launches, test.failures))
    sys.exit(1 if test.failures else 0)


if __name__ == "__main__":
    main()
