# Loads the NVRTC of a folder as the program does and prints its version, such as 13.0.
"""Usage: nvrtc_version.py FOLDER. Exits 1 with the loader's words if the library does not load."""
import ctypes
import glob
import os
import sys


def main(folder):
    # The builtins first: a wheel's NVRTC does not find them by itself.
    for path in sorted(glob.glob(os.path.join(folder, "libnvrtc-builtins.so.*"))):
        ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
    paths = sorted(glob.glob(os.path.join(folder, "libnvrtc.so.*")))
    if not paths:
        raise OSError("no libnvrtc.so.* in %s" % folder)
    nvrtc = ctypes.CDLL(paths[-1])
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    print("%d.%d" % (major.value, minor.value))


try:
    main(sys.argv[1])
except OSError as error:
    print(error, file=sys.stderr)
    sys.exit(1)
