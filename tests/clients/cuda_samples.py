#!/usr/bin/env python3
"""Builds programs of NVIDIA's cuda-samples and runs them on the CPU device.

cuda_samples.py LAUNCHER CHECKOUT [--driver] [--build FOLDER] [--table FILE] [--only NAME,...] [--jobs N]

CHECKOUT is a checkout of github.com/NVIDIA/cuda-samples; by default that of the environment
variable WARPMARK_CUDA_SAMPLES. Programs of the runtime that need no other library are built, each
unmodified, with `nvcc -cudart shared`; with --driver those of the driver API and of NVRTC. Each
says itself whether it passed.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

SKIP = 77
DEVICE_CODE = ["-gencode", "arch=compute_90,code=compute_90"]
# Libraries that a program's build file asks for and that are no part of CUDA's runtime.
LIBRARIES = re.compile(r"CUDA::(cu(?!dart|da_driver)\w+|np\w+|nv(?!rtc|JitLink)\w+)|find_package\((OpenGL|EGL|GLUT|"
                       r"Vulkan|MPI|FreeImage|glfw3)|D3D|\bNvSci|find_library\((VULKAN|EGL)")
# Programs that use the driver API alone, as those with NVRTC do.
DRIVER = {"matrixMulDrv", "simpleTextureDrv", "vectorAddDrv", "vectorAddMMAP", "deviceQueryDrv",
          "matrixMulDynlinkJIT", "memMapIPCDrv", "threadMigration"}
# Programs that need a system, hardware or a library that is not here.
OTHERS = {"simpleD3D11", "simpleD3D11Texture", "simpleD3D12", "cudaNvSci", "UnifiedMemoryStreams"}
# Smaller problems, where a program has an option for them.
OPTIONS = {
    "FDTD3d": ["--dimx=64", "--dimy=64", "--dimz=64", "--timesteps=5"],
    "SobolQRNG": ["--vectors=10000", "--dimensions=100"],
    "UnifiedMemoryPerf": ["--kernel-iterations=1"],
    "cdpAdvancedQuicksort": ["--size=1000"],
    "eigenvalues": ["--matrix-size=512", "--iters-timing=1"],
    "globalToShmemAsyncCopy": ["--wA=128", "--hA=128", "--wB=128", "--hB=128"],
    "interval": ["--n=1024"],
    "matrixMul": ["--wA=64", "--hA=64", "--wB=64", "--hB=64"],
    "radixSortThrust": ["--n=65536", "--iterations=1"],
    "reductionMultiBlockCG": ["--n=262144"],
    "threadFenceReduction": ["--n=65536"],
    "transpose": ["--dimX=256", "--dimY=256"],
}
# Two devices, where a program is of nothing without them.
TWO_DEVICES = {"simpleP2P", "streamOrderedAllocationP2P", "simpleIPC",
               "streamOrderedAllocationIPC"}
# Kernels that launch kernels, and what else needs relocatable code.
RELOCATABLE = {"cdpAdvancedQuicksort", "cdpBezierTessellation", "cdpQuadtree", "cdpSimplePrint",
               "cdpSimpleQuicksort", "graphConditionalNodes"}
# Words of a program that failed; "failed" also occurs in lines about expected failures.
FAILED = re.compile(r"\bfailed\b|\bFAILURE\b|result = fail|cuda error", re.IGNORECASE)
EXPECTED = re.compile(r"failed as expected|assertion|\b0 failed|failed = 0", re.IGNORECASE)
# Messages of the device about code that it refuses; not every program looks at errors.
REFUSED = re.compile(r"Not implemented on the CPU device|Program hit CUDA_ERROR_(INVALID_IMAGE|"
                     r"NOT_SUPPORTED|NO_BINARY_FOR_GPU|INVALID_PTX)")


def uses_nvrtc(folder):
    return "nvrtc" in (folder / "CMakeLists.txt").read_text().lower()


def programs(checkout, driver):
    """The folders of the programs of the driver API, or of those of the runtime."""
    for makefile in sorted(checkout.glob("Samples/[0-6]_*/*/CMakeLists.txt")):
        folder = makefile.parent
        text = makefile.read_text()
        if folder.name not in OTHERS and not LIBRARIES.search(text) and \
                driver == (folder.name in DRIVER or uses_nvrtc(folder)):
            yield folder


def build(folder, checkout, target):
    """The program, or the end of nvcc's output."""
    sources = [str(path) for path in sorted(folder.rglob("*"))
               if path.suffix in (".cu", ".cpp", ".c")]
    command = ["nvcc", "-std=c++17", "-cudart", "shared", *DEVICE_CODE, "-I",
               str(checkout / "Common"), "-I", str(folder), "-I", str(folder / "inc"), "-w", "-o", str(target), *sources,
               "-Xcompiler", "-fopenmp"]
    if folder.name in RELOCATABLE:
        command += ["-rdc=true", "-lcudadevrt"]
    makefile = (folder / "CMakeLists.txt").read_text()
    if "cuda_driver" in makefile:
        command.append("-lcuda")
    if uses_nvrtc(folder):  # which compiles the kernels when the program runs
        command = [word for word in command if not word.endswith(".cu")] + ["-lnvrtc"]
    if "nvjitlink" in makefile.lower():
        command.append("-lnvJitLink")
    if "helper_multiprocess" in makefile:
        command += [str(checkout / "Common" / "helper_multiprocess.cpp"), "-lrt"]
    # Kernels that a program loads from a file beside it.
    for kind, name, source in re.findall(r'(FATBIN|PTX)_FILE "\$\{\w+\}/([\w.]+)"\)\s+'
                                         r'set\(CUDA_KERNEL_SOURCE "\$\{\w+\}/([\w.]+)"', makefile):
        sources.remove(str(folder / source))
        subprocess.run(["nvcc", "-" + kind.lower(), *DEVICE_CODE, "-I", str(checkout / "Common"),
                        "-o", str(target.parent / name), str(folder / source)], check=False)
        command = [word for word in command if word != str(folder / source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else (done.stderr + done.stdout)[-400:]


def prepare(folder, run_in):
    """The program's data beside it, and the toolkit's headers, as its build file puts them."""
    shutil.copytree(folder, run_in, dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns(*([] if uses_nvrtc(folder) else ["*.cu"]), "*.cpp", "doc"))
    headers = pathlib.Path(shutil.which("nvcc")).resolve().parent.parent / "include"
    for name in re.findall(r"\$\{CUDA_INCLUDE_DIR\}/([\w./]+)", (folder / "CMakeLists.txt").read_text()):
        source, copy = headers / name, run_in / pathlib.Path(name).name
        if source.is_dir():
            shutil.copytree(source, copy, dirs_exist_ok=True)
        elif source.is_file():
            shutil.copy(source, copy)


def verdict(code, output):
    if code == 2 or "waiv" in output.lower():
        return "waived"
    bad = [line for line in output.splitlines()
           if FAILED.search(line) and not EXPECTED.search(line)]
    if code == 0 and not bad and not REFUSED.search(output):
        return "pass"
    return "fail"


def run(folder, target, launcher, timeout):
    options = OPTIONS.get(folder.name, [])
    devices = ["--devices", "2"] if folder.name in TWO_DEVICES else []
    begin = time.monotonic()
    try:
        done = subprocess.run([launcher, *devices, str(target), *options], cwd=target.parent, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              stdin=subprocess.DEVNULL)
        output = done.stdout.decode(errors="replace")
        result = verdict(done.returncode, output)
        if result == "fail" and done.returncode != 0:
            output += f"\nexit code {done.returncode}"
    except subprocess.TimeoutExpired as late:
        output = (late.stdout or b"").decode(errors="replace")
        result = "time"
    (target.parent / "output.txt").write_text(output)
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return result, time.monotonic() - begin, lines[-1] if lines else ""


def one(folder, checkout, launcher, place, timeout):
    run_in = place / folder.name
    run_in.mkdir(parents=True, exist_ok=True)
    target = run_in / ("run_" + folder.name)
    if not target.exists():
        prepare(folder, run_in)
        problem = build(folder, checkout, target)
        if problem is not None:
            return folder.name, "build", 0.0, problem.replace("\n", " ")
    return (folder.name, *run(folder, target, launcher, timeout))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("launcher")
    parser.add_argument("checkout", nargs="?", default=os.environ.get("WARPMARK_CUDA_SAMPLES"))
    parser.add_argument("--build", default="cuda-samples")
    parser.add_argument("--driver", action="store_true")
    parser.add_argument("--table")
    parser.add_argument("--only")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120)
    arguments = parser.parse_args()
    if not arguments.checkout:
        print("skipped: WARPMARK_CUDA_SAMPLES names no checkout of cuda-samples")
        return SKIP
    if shutil.which("nvcc") is None:
        print("skipped: there is no nvcc")
        return SKIP
    checkout = pathlib.Path(arguments.checkout).resolve()
    launcher = os.path.abspath(arguments.launcher)
    place = pathlib.Path(arguments.build).resolve()
    folders = list(programs(checkout, arguments.driver))
    if arguments.only:
        folders = [f for f in folders if f.name in arguments.only.split(",")]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = []
        for row in pool.map(lambda folder: one(folder, checkout, launcher, place,
                                               arguments.timeout), folders):
            rows.append(row)
            print(f"{row[1]:7} {row[2]:6.1f} s  {row[0]}: {row[3][-150:]}", flush=True)
    counts = {}
    for row in rows:
        counts[row[1]] = counts.get(row[1], 0) + 1
    print(", ".join(f"{count} {result}" for result, count in sorted(counts.items())))
    unexpected = [row[0] for row in rows if row[1] in ("fail", "build")]
    if arguments.table:
        with open(arguments.table, "w", encoding="utf-8") as file:
            file.write("| Program | Verdict | Seconds | Its last line |\n|---|---|---|---|\n")
            for name, result, seconds, line in rows:
                file.write(f"| {name} | {result} | {seconds:.1f} | {line[:150]} |\n")
    if unexpected:
        print("unexpected failures:", ", ".join(unexpected))
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
