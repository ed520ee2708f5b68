"""Makes a library in place of those of NVIDIA that PyTorch's wheel links and nothing of the tests calls.

stand_ins.py SITE CC

SITE is a folder of packages with PyTorch. Its libraries cannot be loaded without cuBLAS, cuDNN, NCCL and others, two gigabytes
that only its own operators on a GPU use. The stand-in has their names, versions and functions, each of which ends the process
with its name, but those of VERSIONS. SITE's own libraries of NVIDIA are left alone.
"""
import pathlib
import re
import subprocess
import sys

# Asked by operators that then take another way.
VERSIONS = {"cudnnGetVersion", "cublasLtGetVersion"}
CODE = """#include <stdio.h>
#include <stdlib.h>
static void stop(const char *name) {
  fprintf(stderr, "%%s was called: ./bootstrap leaves out this library of NVIDIA, install PyTorch by pip to use it\\n", name);
  abort();
}
#define FUNCTION(name) void name(void) { stop(#name); }
#define VERSION(name) size_t name(void) { return 0; }
%s
"""


def printed(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def missing_of(library, present):
    """The library's names of NVIDIA's libraries that are not here."""
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", printed("readelf", "-Wd", library))
    return {one for one in needed if re.match(r"lib(cu|nccl|nvshmem)", one) and one not in present and one != "libcuda.so.1"}


def functions_of(library, missing):
    """(version, name) of the functions that this library wants of missing ones; the version is '' where it names none."""
    versions = {}  # where the version is of a missing library
    for file, names in re.findall(r"Version: 1  File: (\S+)  Cnt: \d+\n((?:.*  Name: .*\n)+)", printed("readelf", "-WV", library)):
        versions.update((name, file) for name in re.findall(r"Name: (\S+)", names))
    stems = tuple(re.match(r"lib([A-Za-z]+)", one).group(1).lower() for one in missing)
    for name, version in re.findall(r"^ +U (\w+)(?:@(\S+))?$", printed("nm", "-D", "--with-symbol-versions", library), re.M):
        if versions.get(version) in missing or (not version and name.lower().startswith(stems)):
            yield version, name


def main(site, compiler):
    folder = site / "torch/lib"
    libraries = [path for path in folder.glob("lib*.so*") if path.is_file()]
    present = {path.name for path in [*site.glob("nvidia/**/lib*.so*"), *libraries]}
    missing = {one: missing_of(one, present) for one in libraries}
    names = sorted(set().union(*missing.values()))
    functions = sorted({pair for one in libraries for pair in functions_of(one, names)})
    code, script = folder / "stand_ins.c", folder / "stand_ins.map"
    code.write_text(CODE % "\n".join("%s(%s)" % ("VERSION" if name in VERSIONS else "FUNCTION", name)
                                     for name in sorted({name for _, name in functions})))
    script.write_text("".join("%s { %s; };\n" % (version, "; ".join(name for of, name in functions if of == version))
                              for version in sorted({version for version, _ in functions} - {""})))
    made = folder / "stand_ins.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-x", "c", code, "-o", made, "-Wl,--version-script=%s" % script], check=True)
    code.unlink()
    script.unlink()
    for name in names:
        (folder / name).symlink_to(made.name)
    print("%d libraries, %d functions" % (len(names), len(functions)))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2])
