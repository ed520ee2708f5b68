# Reports whether this interpreter can be embedded and has NumPy; ./bootstrap and CMake both ask it.
"""Prints key=value lines. Exits 0 if the interpreter serves, 1 with `lacks` and `reason` if not.

Run it as `PYTHON -I probe_python.py`: the embedded interpreter sees neither the working directory
nor the user's site-packages, so what is installed only there must not count.
"""
import os
import platform
import sys
import sysconfig

OLDEST = (3, 9)
OLDEST_NUMPY = (1, 24)


def shared_library():
    """The shared libpython to link, or None.

    A static one does not serve: NumPy's extension modules need the symbols at run time. The places
    are those of Debian (LIBDIR), of builds from source (LIBDIR, LIBPL) and of relocated builds,
    whose LIBDIR names a folder of the machine that built them.
    """
    folders = [sysconfig.get_config_var("LIBDIR"), os.path.join(sys.base_prefix, "lib"),
               sysconfig.get_config_var("LIBPL")]
    multiarch = sysconfig.get_config_var("MULTIARCH")
    folders += [os.path.join(f, multiarch) for f in folders[:2] if f and multiarch]
    name = sysconfig.get_config_var("LDLIBRARY") or ""
    if not name.endswith((".so", ".dylib")):
        return None
    for folder in folders:
        path = os.path.join(folder, name) if folder else ""
        if path and os.path.exists(path):
            return path
    return None


def numpy_version():
    try:
        import numpy
    except Exception:  # a broken NumPy raises whatever its loader raises
        return None
    return numpy.__version__


def pybind11_folder():
    """The folder of pybind11's CMake package when it is installed in this interpreter."""
    try:
        import pybind11
        return pybind11.get_cmake_dir()
    except Exception:
        return None


def main():
    headers = sysconfig.get_path("include")
    library = shared_library()
    numpy = numpy_version()
    lacks = {}
    if sys.version_info < OLDEST:
        lacks["version"] = "Python %d.%d is older than %d.%d" % (sys.version_info[:2] + OLDEST)
    if not os.path.exists(os.path.join(headers, "Python.h")):
        lacks["headers"] = "no Python.h in %s" % headers
    if library is None:
        lacks["library"] = "no shared libpython"
    if numpy is None:
        lacks["numpy"] = "no NumPy"
    elif tuple(int(p) for p in numpy.split(".")[:2]) < OLDEST_NUMPY:
        lacks["numpy"] = "NumPy %s is older than %d.%d" % ((numpy,) + OLDEST_NUMPY)

    print("executable=%s" % sys.executable)
    print("version=%s" % platform.python_version())
    print("virtual=%s" % ("1" if sys.prefix != sys.base_prefix else "0"))
    print("include=%s" % headers)
    print("library=%s" % (library or ""))
    print("numpy=%s" % (numpy or ""))
    print("pybind11=%s" % (pybind11_folder() or ""))
    print("lacks=%s" % " ".join(lacks))
    print("reason=%s" % ", ".join(lacks.values()))
    return 1 if lacks else 0


sys.exit(main())
