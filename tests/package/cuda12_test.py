"""NVRTC from NVIDIA's wheels for CUDA 12, as pip installs them: headers, options, and our own headers.

Fetches the wheels that ./bootstrap pins, 180 MB. Exit 77 where they cannot be had.
Usage: cuda12_test.py SOURCE_FOLDER PROGRAM TEST_COMPILER
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE, PROGRAM, TEST_COMPILER = (pathlib.Path(one).resolve() for one in sys.argv[1:])
SITES = {}

KERNEL = """#include <cooperative_groups.h>
#include <cstdint>
#if __CUDACC_VER_MINOR__ >= 8  // that of 12.4 is for nvcc alone
#include <cub/block/block_reduce.cuh>
#endif
#include <cuda/std/type_traits>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <curand_kernel.h>
#include <math.h>
#include <mma.h>
#include <stdio.h>
__global__ void sum(const float *x, float *y) {
  static_assert(cuda::std::is_same<std::int32_t, int>::value, "");
  float total = __half2float(__float2half(x[threadIdx.x]));
#if __CUDACC_VER_MINOR__ >= 8
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ Reduce::TempStorage storage;
  total = Reduce(storage).Sum(total);
#else
  __shared__ float all;
  all = 0;
  __syncthreads();
  atomicAdd(&all, total);
  __syncthreads();
  total = all;
#endif
  if (cooperative_groups::this_thread_block().thread_rank() == 0) *y = total;
}
"""
SUITE = """warpmark: 1
kernel: {file: k.cu, entry: sum, options: [%s]}
arguments:
  x: {in: "np.arange(128)"}
  y: {out: 1}
launch: {block: 128}
reference: {y: np.sum(x)}
"""


def fetch(version, folder):
    """Unpacks the pinned wheels as pip would install them."""
    # cuRAND's headers are pinned nowhere: only its version must fit.
    curand = "nvidia-curand-cu12==%s.*" % {"12.4": "10.3.5", "12.8": "10.3.9"}[version]
    for more in (["--require-hashes", "-r", SOURCE / "bootstrap.d" / ("cuda-%s.txt" % version)], [curand]):
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                        "--only-binary=:all:", "--dest", folder / "wheels", *more], check=True, timeout=900)
    for wheel in (folder / "wheels").glob("*.whl"):
        zipfile.ZipFile(wheel).extractall(folder / "site")
        wheel.unlink()
    return folder / "site/nvidia"


class Cuda12Wheels(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_with(self, site, *command, **variables):
        environment = {**os.environ, "WARPMARK_CUDA_HOME": str(site),
                       "WARPMARK_CACHE_DIR": str(self.folder / "cache"), **variables}
        environment.pop("WARPMARK_NVRTC", None)
        done = subprocess.run([str(one) for one in command], cwd=self.folder, env=environment, text=True, timeout=1800,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def test_all_headers_of_the_wheels_are_found(self):
        for version, site in SITES.items():
            out = self.run_with(site, PROGRAM, "doctor")[1]
            self.assertIn("NVRTC      %s at %s/cuda_nvrtc/lib/libnvrtc.so.12" % (version, site), out)
            headers = next(line for line in out.splitlines() if "headers in" in line)
            self.assertEqual(re.findall(r"nvidia/(\w+)/include", headers),
                             ["cuda_runtime", "cuda_nvcc", "cuda_cccl", "curand"])

    def test_a_kernel_with_them_compiles_without_a_word(self):
        (self.folder / "k.cu").write_text(KERNEL)
        # NVRTC 12 refuses each of them if it is given twice.
        for options in ("-std=c++20", "-default-device, -lineinfo", "--std=c++17, --device-int128, --generate-line-info"):
            (self.folder / "k.yaml").write_text(SUITE % options)
            for version, site in SITES.items():
                code, out = self.run_with(site, PROGRAM, "check", "k.yaml", "--device", "cpu")
                self.assertEqual(code, 0, out)
                self.assertNotIn("warning", out)
                self.assertNotIn("note", out, version)

    def test_our_headers_give_no_warnings(self):
        for site in SITES.values():
            code, out = self.run_with(site, TEST_COMPILER, "--gtest_filter=*Shim*", WARPMARK_TEST_ALL="1")
            self.assertEqual(code, 0, out[-4000:])
            self.assertNotIn("SKIPPED", out)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as root:
        for name in ("12.4", "12.8"):
            (pathlib.Path(root) / name).mkdir()
            try:
                SITES[name] = fetch(name, pathlib.Path(root) / name)
            except (subprocess.SubprocessError, OSError) as error:
                print("skipped: the wheels of CUDA %s cannot be had: %s" % (name, error))
                sys.exit(77)
        unittest.main(argv=sys.argv[:1])
