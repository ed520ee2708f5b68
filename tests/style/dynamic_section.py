# Checks that no binary that we build is linked with CUDA's libraries or with NumPy.
"""Usage: dynamic_section.py BUILD_DIR. Reads NEEDED of every ELF file that the build made.

The driver and NVRTC are opened with dlopen, so that the program starts on a machine without them
and says so itself; cudart is not used at all; NumPy is reached through Python only, so that one
build serves every NumPy.
"""
import pathlib
import re
import subprocess
import sys

FORBIDDEN = re.compile(r"^lib(cudart|cuda|nvcuda|nvrtc|nvrtc-builtins|cublas|nvidia-.*)\.so"
                       r"|numpy|_multiarray_umath")
PLACES = ("bin", "lib/warpmark", "tests")


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def binaries(build):
    for place in PLACES:
        for path in sorted((build / place).rglob("*")):
            # Objects and archives of CMake's own folders are not what is run. A client plays a
            # program of others, which is linked with a driver.
            if path.name.startswith("client_"):
                continue
            if path.is_file() and "CMakeFiles" not in path.parts and is_elf(path):
                yield path


def needed(path):
    output = subprocess.run(["readelf", "--dynamic", "--wide", str(path)], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output)


def main(build):
    count, failures = 0, 0
    for path in binaries(build):
        count += 1
        for library in needed(path):
            if FORBIDDEN.search(library):
                failures += 1
                print("%s: error: is linked with %s, which must be opened at run time or not at all"
                      % (path, library))
    if count == 0:
        print("error: no binary in %s" % ", ".join(str(build / place) for place in PLACES))
        return 1
    print("%d binaries read, %d faults" % (count, failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
