# Reports which CUDA version the GPU driver serves and the oldest GPU's compute capability.
"""Prints `driver=12.4`, `name=...`, `gpus=N` and `oldest=8.6`, as far as they exist."""
import ctypes

CC_MAJOR, CC_MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR of cuda.h


def main():
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return
    number = ctypes.c_int()
    if cuda.cuDriverGetVersion(ctypes.byref(number)) == 0:
        print("driver=%d.%d" % (number.value // 1000, number.value % 1000 // 10))
    if cuda.cuInit(0) != 0 or cuda.cuDeviceGetCount(ctypes.byref(number)) != 0:
        return
    count = number.value
    capabilities = []
    for index in range(count):
        device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        if cuda.cuDeviceGet(ctypes.byref(device), index) != 0:
            continue
        cuda.cuDeviceGetAttribute(ctypes.byref(major), CC_MAJOR, device)
        cuda.cuDeviceGetAttribute(ctypes.byref(minor), CC_MINOR, device)
        capabilities.append((major.value, minor.value))
        if index == 0:
            name = ctypes.create_string_buffer(256)
            cuda.cuDeviceGetName(name, len(name), device)
            print("name=%s" % name.value.decode(errors="replace"))
    print("gpus=%d" % count)
    if capabilities:
        print("oldest=%d.%d" % min(capabilities))


main()
