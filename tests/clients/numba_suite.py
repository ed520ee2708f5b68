#!/usr/bin/env python3
"""Runs Numba's own CUDA tests on the CPU device: those of Debian's python3-numba (0.56.4).

numba_suite.py LAUNCHER DEPS [--tests NAME]

DEPS is the folder of Debian packages that ./bootstrap made, for NumPy. Numba, llvmlite and what they link come from
Debian, libnvvm and libcudadevrt of CUDA 11.8 from NVIDIA's wheel, into the folder that WARPMARK_NUMBA names, where they
stay. 77: skipped, because the variable is not set or nothing can be fetched.

The device runs without checks, as a GPU does: one of the tests writes past its array.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

SKIP = 77
PACKAGES = ["python3-numba", "python3-llvmlite", "libllvm14", "libtbb12", "libtbbmalloc2", "libtbbbind-2-5", "libhwloc15",
            "libz3-4", "libedit2", "libxml2", "libicu72", "libbsd0", "libtinfo6"]
WHEELS = ["nvidia-cuda-nvcc-cu11==11.8.89"]
# Of tests that can run: what they need is no matter of a device.
CANNOT_RUN = {
    # Registers that a machine code uses, which PTX has not.
    "registers": r"test_linker\.TestLinker\.test_set_registers",
    # Names of bytecode before Python 3.11.
    "bytecode": r"test_debug\.TestDebugOutput\.test_dump_bytecode",
}


def skip(reason):
    print("skipped: " + reason)
    sys.exit(SKIP)


def fetch(folder):
    root = folder / "root"
    if (root / "usr/lib/python3/dist-packages/numba").is_dir() and (folder / "cuda/nvvm").is_dir():
        return root
    (folder / "packages").mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(["apt-get", "-qq", "-o", "APT::Sandbox::User=", "download", *PACKAGES], cwd=folder / "packages",
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for package in sorted((folder / "packages").glob("*.deb")):
            subprocess.run(["dpkg", "-x", package, root], check=True)
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


def environment(folder, root, deps, launcher):
    driver = subprocess.run([launcher, "--print-path"], check=True, capture_output=True, text=True).stdout.strip()
    libraries = folder / "cuda/lib64"
    libraries.mkdir(exist_ok=True)
    for name, target in (("libcudart.so", pathlib.Path(driver) / "libcudart.so.12"),
                         ("libcudadevrt.a", next(iter(sorted(pathlib.Path("/usr/local").glob("cuda*/lib64/libcudadevrt.a"))), None))):
        if target is not None and not (libraries / name).exists():
            (libraries / name).symlink_to(target)
    folders = [folder / "cuda/nvvm/lib64"]
    for place in (root, deps):
        folders += [one for pattern in ("", "/blas", "/lapack")
                    for one in place.glob("usr/lib/*-linux-gnu" + pattern) if one.is_dir()]
    return {**os.environ, "CUDA_HOME": str(folder / "cuda"),
            "PYTHONPATH": os.pathsep.join(str(place / "usr/lib/python3/dist-packages") for place in (root, deps)),
            "LD_LIBRARY_PATH": os.pathsep.join(map(str, folders))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("launcher", type=pathlib.Path)
    parser.add_argument("deps", type=pathlib.Path)
    parser.add_argument("--tests", default="numba.cuda.tests")
    options = parser.parse_args()
    options.launcher, options.deps = options.launcher.resolve(), options.deps.resolve()
    if not os.environ.get("WARPMARK_NUMBA"):
        skip("WARPMARK_NUMBA names no folder for Numba")
    if not (options.deps / "usr/lib/python3/dist-packages/numpy").is_dir():
        skip("./bootstrap has fetched no NumPy of Debian into %s" % options.deps)
    folder = pathlib.Path(os.environ["WARPMARK_NUMBA"]).resolve()
    root = fetch(folder)
    (folder / "run").mkdir(exist_ok=True)
    log = folder / "numba.log"
    with open(log, "w", encoding="utf-8") as output:
        subprocess.run([options.launcher, "--check", "none", "/usr/bin/python3", "-m", "numba.runtests", "-v",
                        options.tests], env=environment(folder, root, options.deps, options.launcher),
                       cwd=folder / "run", stdout=output, stderr=subprocess.STDOUT, check=False)
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
