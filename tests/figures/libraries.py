#!/usr/bin/env python3
"""Builds programs and kernels of public libraries and runs them on the CPU device with all checks.

    libraries.py [FOLDER] [--work FOLDER] [--jobs N] [--only TEXT] [--build build] [--seconds N] [--compile-only]

FOLDER has the repositories: cutlass, ThunderKittens, DeepGEMM, flash-attention, flashinfer. What one that is not there has is left
out. Programs of CUTLASS run as they are; kernels of the others are launched by the programs in libraries/, which include their
unmodified headers and compare with the definition in double precision. Each is compiled by nvcc to PTX for sm_90a, is linked
with the shared runtime library, and runs under `warpmark-cpu --check all` with a small problem. Objects are kept in the folder
--work, and are not made again. Prints a table in Markdown of those that were reported: whether the program's own comparison passed
("ended" programs have none), what was reported, and the seconds that it took; and a list of the others. Without FOLDER it is that of
WARPMARK_LIBRARIES. Exit status: 0; 1 a program did not compile or pass; 77 there is no nvcc, or no folder.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TUTORIAL = "examples/cute/tutorial/"
GEMM = "--m=256 --n=256 --k=128 --iterations=0"
# The source below CUTLASS, and the arguments. The tutorials compare nothing.
PROGRAMS = [
    (TUTORIAL + "sgemm_1.cu", "128 128 64 N T"),
    (TUTORIAL + "sgemm_2.cu", "128 128 64 N T"),
    (TUTORIAL + "sgemm_sm70.cu", "128 128 64 N T"),
    (TUTORIAL + "sgemm_sm80.cu", "128 128 64 T N"),
    (TUTORIAL + "tiled_copy.cu", ""),
    (TUTORIAL + "tiled_copy_if.cu", ""),
    (TUTORIAL + "hopper/wgmma_sm90.cu", "256 256 256"),
    (TUTORIAL + "hopper/wgmma_tma_sm90.cu", "256 256 256"),
    ("examples/00_basic_gemm/basic_gemm.cu", "64 64 64"),
    ("examples/01_cutlass_utilities/cutlass_utilities.cu", ""),
    ("examples/02_dump_reg_shmem/dump_reg_shmem.cu", ""),
    ("examples/04_tile_iterator/tile_iterator.cu", ""),
    ("examples/05_batched_gemm/batched_gemm.cu", ""),
    ("examples/14_ampere_tf32_tensorop_gemm/ampere_tf32_tensorop_gemm.cu", "--m=128 --n=128 --k=64 --iterations=1"),
    ("examples/15_ampere_sparse_tensorop_gemm/ampere_sparse_tensorop_gemm.cu", ""),
    ("examples/20_simt_canonical/simt_canonical.cu", ""),
    ("examples/23_ampere_gemm_operand_reduction_fusion/ampere_gemm_operand_reduction_fusion.cu",
     "--m=128 --n=128 --k=64 --iterations=1"),
    ("examples/24_gemm_grouped/gemm_grouped.cu", "--groups=2 --iterations=1 --m=128 --n=128 --k=64"),
    ("examples/25_ampere_fprop_mainloop_fusion/ampere_fprop_mainloop_fusion.cu",
     "--n=1 --h=8 --w=8 --c=32 --k=64 --r=3 --s=3 --iterations=1"),
    ("examples/27_ampere_3xtf32_fast_accurate_tensorop_gemm/27_ampere_3xtf32_fast_accurate_tensorop_gemm.cu",
     "--m=128 --n=128 --k=64 --iterations=1"),
    ("examples/35_gemm_softmax/gemm_softmax.cu", "--m=128 --n=128 --k=64 --batch_count=1 --iterations=1"),
    ("examples/36_gather_scatter_fusion/gather_scatter_fusion.cu", "--m=128 --n=128 --k=64 --index_size=64 --iterations=1"),
    ("examples/47_ampere_gemm_universal_streamk/ampere_gemm_universal_streamk.cu", "--m=128 --n=128 --k=64 --iterations=1"),
    ("examples/48_hopper_warp_specialized_gemm/48_hopper_warp_specialized_gemm.cu", GEMM),
    ("examples/50_hopper_gemm_with_epilogue_swizzle/50_hopper_gemm_with_epilogue_swizzle.cu", "--m=256 --n=256 --k=128 --l=1"),
    ("examples/52_hopper_gather_scatter_fusion/52_hopper_gather_scatter_fusion.cu",
     "--m=256 --n=256 --k=128 --batch_size=1 --index_size=128 --iterations=1"),
    ("examples/54_hopper_fp8_warp_specialized_gemm/54_hopper_fp8_warp_specialized_gemm.cu", GEMM),
    ("examples/56_hopper_ptr_array_batched_gemm/56_hopper_ptr_array_batched_gemm.cu", GEMM + " --l=2"),
    ("examples/57_hopper_grouped_gemm/57_hopper_grouped_gemm.cu", GEMM + " --groups=2"),
    ("examples/61_hopper_gemm_with_topk_and_softmax/61_hopper_gemm_with_topk_and_softmax.cu",
     "--m=128 --n=8 --k=64 --l=1 --iterations=0"),
    ("examples/62_hopper_sparse_gemm/62_hopper_sparse_gemm.cu", GEMM + " --l=1 --warmup=0"),
    ("examples/63_hopper_gemm_with_weight_prefetch/63_hopper_gemm_with_weight_prefetch.cu", GEMM),
    ("examples/67_hopper_fp8_warp_specialized_gemm_with_blockwise_scaling/"
     "67_hopper_fp8_warp_specialized_gemm_with_blockwise_scaling.cu", GEMM),
]
HOPPER = "kernels/gemm/educational_h100/"
# The name in the table, the repository, the kernel's file if the program has it as a macro, the program in libraries/, macros.
KERNELS = [
    *((f"tk_level_{n:02}", "ThunderKittens", HOPPER + f"level_{n:02}.cu", "tk_gemm.cu", {"RUN": "run_benchmark"}) for n in range(1, 9)),
    ("tk_bf16_gemm", "ThunderKittens", "kernels/gemm/bf16_h100/bf16_h100_gemm.cu", "tk_gemm.cu",
     {"RUN": "run_benchmark<matmul_template<2\\,4\\,8>>"}),
    ("tk_fp8_gemm", "ThunderKittens", "kernels/gemm/fp8_h100/fp8_h100_gemm.cu", "tk_gemm.cu",
     {"RUN": "run_benchmark<matmul_template<8>>"}),
    *((name, "ThunderKittens", "kernels/attention/mha_h100/mha_h100.cu", "tk_attention.cu", {"HEAD": head, "CAUSAL": causal})
      for name, head, causal in (("tk_attention_64_causal", 64, "true"), ("tk_attention_128", 128, "false"))),
    ("tk_layernorm", "ThunderKittens", "kernels/layernorm/layernorm.cu", "tk_layernorm.cu", {}),
    *((name, "DeepGEMM", "sm90_bf16_gemm.cuh", "deep_gemm_bf16.cu", {"CLUSTER": blocks})
      for name, blocks in (("deep_gemm_bf16", 1), ("deep_gemm_bf16_cluster", 2))),
    *((f"deep_gemm_{name}", "DeepGEMM", "", f"deep_gemm_{name}.cu", {})
      for name in ("fp8_1d2d", "fp8_1d1d", "bmk_bnk_mn", "clean_logits")),
    *((name, "flash-attention", "", "flash_attention.cu", {"HEAD": head, "CAUSAL": causal, "CLUSTER": blocks})
      for name, head, causal, blocks in (("flash_attention_3_64_causal", 64, "true", 1), ("flash_attention_3_128", 128, "false", 2))),
    *((f"flashinfer_{name}", "flashinfer", "", f"flashinfer_{name}.cu", {}) for name in ("norm", "sampling")),
]
CUTLASS_INCLUDE = ["../cutlass/include", "../cutlass/tools/util/include"]
INCLUDE = {  # of a repository, below it
    "cutlass": ["include", "tools/util/include", "examples/common"],
    "ThunderKittens": ["", "include", "prototype"],
    "DeepGEMM": ["deep_gemm/include", *CUTLASS_INCLUDE],
    "flash-attention": ["hopper", *CUTLASS_INCLUDE],
    "flashinfer": ["include", *CUTLASS_INCLUDE],
}
MACROS = {"ThunderKittens": ["-DKITTENS_HOPPER", "-DKITTENS_SM90", "-DNDEBUG"], "flash-attention": ["-DNDEBUG"]}
NVCC = ("-O1 -w -lineinfo -gencode arch=compute_90a,code=compute_90a --expt-relaxed-constexpr "
        "--expt-extended-lambda -Xcompiler -fno-strict-aliasing").split()


class Program:

    def __init__(self, root, name, repository, kernel, work, launched_by="", macros=None, arguments=""):
        folder = os.path.join(root, repository)
        self.name, self.repository, self.arguments = name, repository, arguments.split()
        self.object, self.path = (os.path.join(work, name + end) for end in (".o", ""))
        self.source = os.path.join(HERE, "libraries", launched_by) if launched_by else os.path.join(folder, kernel)
        folders = [*INCLUDE[repository], *([] if launched_by else [os.path.dirname(kernel)])]
        self.options = [part for one in folders for part in ("-I", os.path.normpath(os.path.join(folder, one)))] + MACROS.get(repository, [])
        self.options += ["-std=c++17" if repository == "cutlass" else "-std=c++20"]
        self.options += [f"-D{key}={value}" for key, value in {"SOURCE": f'"{kernel}"', **(macros or {})}.items()]

    def compile(self):
        """None, or the first error."""
        if os.path.exists(self.object):
            return None
        command = ["nvcc", *NVCC, *self.options, "-x", "cu", "-c", self.source, "-o", self.object]
        done = subprocess.run(command, capture_output=True, text=True)
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        return None if done.returncode == 0 else (errors or [done.stderr.strip() or "?"])[0]

    def link(self):
        command = ["nvcc", "-cudart", "shared", "-gencode", "arch=compute_90a,code=compute_90a", self.object, "-o", self.path,
                   "-lcuda", "-lnvrtc"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            done = subprocess.run(command[:-1], capture_output=True, text=True)
        return None if done.returncode == 0 else done.stderr.strip().splitlines()[0]

    def run(self, launcher, seconds):
        """Its verdict, reports by kind, and seconds."""
        with tempfile.TemporaryDirectory() as folder:
            report, begun = os.path.join(folder, "reports.jsonl"), time.monotonic()
            command = [launcher, "--check", "all", "--report", report, "--error-exitcode", "0", self.path, *self.arguments]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, errors="replace", cwd=folder)
                text, code = done.stdout + done.stderr, done.returncode
            except subprocess.TimeoutExpired:
                text, code = "", None
            kinds = collections.Counter()
            if os.path.exists(report):
                with open(report) as file:
                    kinds.update(json.loads(line).get("kind", "?") for line in file if line.startswith("{"))
        good = re.search(r"Passed|PASSED|Success|passed|Error count: 0", text)
        bad = re.search(r"Failed|FAILED|Error count: [1-9]|Incorrect|does not match|Got .*[Ee]rror|Invalid arguments", text)
        verdict = "no end in time" if code is None else "failed" if code or bad else "passed" if good else "ended"
        return verdict, kinds, time.monotonic() - begun, text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=os.environ.get("WARPMARK_LIBRARIES"))
    parser.add_argument("--work", default="build/libraries")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--build", default="build")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--compile-only", action="store_true")
    options = parser.parse_args()
    if shutil.which("nvcc") is None or options.folder is None:
        print("there is no nvcc" if options.folder else "no folder is given, and WARPMARK_LIBRARIES names none")
        return 77
    os.makedirs(options.work, exist_ok=True)
    root, work = os.path.abspath(options.folder), os.path.abspath(options.work)
    programs = [Program(root, os.path.splitext(os.path.basename(source))[0], "cutlass", source, work, arguments=arguments)
                for source, arguments in PROGRAMS]
    programs += [Program(root, name, repository, kernel, work, by, macros) for name, repository, kernel, by, macros in KERNELS]
    missing = {name for name in INCLUDE if not os.path.isdir(os.path.join(root, name))}
    programs = [one for one in programs if one.repository not in missing and re.search(options.only, one.name)]
    for name in sorted(missing):
        print(f"{name} is not in {options.folder}", file=sys.stderr)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        errors = dict(zip(programs, pool.map(Program.compile, programs)))
    launcher, failed = os.path.abspath(os.path.join(options.build, "bin", "warpmark-cpu")), 0
    silent = {"passed": [], "ended": []}
    print("| program | verdict | reports | seconds |\n|---|---|---|---|")
    for program in programs:
        error = errors[program] or (None if options.compile_only else program.link())
        if error or options.compile_only:
            failed += bool(error)
            print(f"| {program.name} | {'does not build: ' + error if error else 'compiles'} | | |", flush=True)
            continue
        verdict, kinds, seconds, text = program.run(launcher, options.seconds)
        failed += verdict not in silent
        with open(program.path + ".txt", "w") as file:
            file.write(text)
        if verdict in silent and not kinds:
            silent[verdict].append(program.name)
            continue
        listed = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        print(f"| {program.name} | {verdict} | {listed} | {seconds:.1f} |", flush=True)
    for verdict, names in silent.items():
        print(f"\nWithout a report {verdict}: {', '.join(names)}")
    print(f"\n{len(programs)} programs, {failed} that did not build or pass")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
