#!/usr/bin/env python3
"""Runs Numba's own CUDA tests on the CPU device: those of Debian's python3-numba (0.56.4).

numba_suite.py LAUNCHER DEPS [--tests NAME]

DEPS is the folder of Debian packages that ./bootstrap made, for NumPy. Numba, llvmlite and what they link come from
Debian, libnvvm and libcudadevrt of CUDA 11.8 from NVIDIA's wheel, into the folder that WARPMARK_NUMBA names, where they
stay. 77: skipped, because the variable is not set or nothing can be fetched.

The device runs without checks, as a GPU does: one of the tests writes past its array.
"""
import argparse
import pathlib
import re
import subprocess
import sys

from fetched import client_packages, environment, fetch_debs, folder_of, library_folders, skip

PACKAGES = ["python3-numba", "python3-llvmlite", "libllvm14", "libtbb12", "libtbbmalloc2", "libtbbbind-2-5", "libhwloc15",
            "libz3-4", "libedit2", "libxml2", "libicu72", "libbsd0", "libtinfo6"]
WHEELS = ["nvidia-cuda-nvcc-cu11==11.8.89"]
# Tests that cannot run here, for reasons that have nothing to do with the device.
CANNOT_RUN = {
    # Registers that a machine code uses, which PTX has not.
    "registers": r"test_linker\.TestLinker\.test_set_registers",
    # Names of bytecode before Python 3.11.
    "bytecode": r"test_debug\.TestDebugOutput\.test_dump_bytecode",
}


def fetch(folder):
    root = folder / "root"
    if (root / "usr/lib/python3/dist-packages/numba").is_dir() and (folder / "cuda/nvvm").is_dir():
        return root
    try:
        fetch_debs(folder, PACKAGES)
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder / "wheels", *WHEELS],
                       check=True)
        for wheel in sorted((folder / "wheels").glob("*.whl")):
            subprocess.run([sys.executable, "-m", "zipfile", "-e", wheel, folder / "wheel"], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        skip("Numba cannot be fetched: %s" % error)
    (folder / "cuda").mkdir(exist_ok=True)
    link = folder / "cuda/nvvm"
    if not link.exists():
        link.symlink_to(folder / "wheel/nvidia/cuda_nvcc/nvvm")
    return root


def toolkit(folder, launcher):
    """The folder as Numba expects a toolkit, with the device's runtime."""
    driver = subprocess.run([launcher, "--print-path"], check=True, capture_output=True, text=True).stdout.strip()
    libraries = folder / "cuda/lib64"
    libraries.mkdir(exist_ok=True)
    for name, target in (("libcudart.so", pathlib.Path(driver) / "libcudart.so.12"),
                         ("libcudadevrt.a", next(iter(sorted(pathlib.Path("/usr/local").glob("cuda*/lib64/libcudadevrt.a"))), None))):
        if target is not None and not (libraries / name).exists():
            (libraries / name).symlink_to(target)
    return folder / "cuda"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("launcher", type=pathlib.Path)
    parser.add_argument("deps", type=pathlib.Path)
    parser.add_argument("--tests", default="numba.cuda.tests")
    options = parser.parse_args()
    options.launcher, options.deps = options.launcher.resolve(), options.deps.resolve()
    folder = folder_of("WARPMARK_NUMBA")
    packages = client_packages(options.deps)
    root = fetch(folder)
    cuda = toolkit(folder, options.launcher)
    (folder / "run").mkdir(exist_ok=True)
    log = folder / "numba.log"
    with open(log, "w", encoding="utf-8") as output:
        subprocess.run([options.launcher, "--check", "none", "/usr/bin/python3", "-m", "numba.runtests", "-v",
                        options.tests], cwd=folder / "run",
                       env=environment([root / "usr/lib/python3/dist-packages", packages],
                                       [cuda / "nvvm/lib64", *library_folders([root, options.deps])], CUDA_HOME=str(cuda)),
                        stdout=output, stderr=subprocess.STDOUT, check=False)
    text = log.read_text(encoding="utf-8", errors="replace")
    ran = re.search(r"^Ran (\d+) tests", text, re.MULTILINE)
    if not ran:
        print("the tests did not end; see %s" % log)
        sys.exit(1)
    failed = sorted(set(re.findall(r"^(?:ERROR|FAIL): \w+ \(([\w.]+)\)", text, re.MULTILINE)))
    skipped = len(set(re.findall(r"\(([\w.]+)\).* \.\.\. skipped", text)))
    expected = [name for name in failed if any(re.search(pattern, name) for pattern in CANNOT_RUN.values())]
    wrong = [name for name in failed if name not in expected]
    able = int(ran[1]) - skipped - len(expected)
    print("%d of %d tests that can run pass (%.1f %%); %d of %d cannot run, %d skip themselves" %
          (able - len(wrong), able, 100 * (able - len(wrong)) / max(able, 1), len(expected), int(ran[1]), skipped))
    for name in wrong:
        print("FAILED " + name)
    sys.exit(0 if able - len(wrong) >= 0.99 * able else 1)


if __name__ == "__main__":
    main()
