# Orders of threads: results that are right in the usual one alone, the warning order-by-barrier, and allowed races.
import json
import shutil
import unittest
from pathlib import Path

from program import SOURCE, CheckTest

# A barrier is missing behind the exchange: the sum is right if thread 0 comes first.
SUMS = """extern "C" __global__ void sums(const int *a, int *o) {
  __shared__ int sum;
  if (threadIdx.x == 0) atomicExch(&sum, 0);
  %s
  atomicAdd(&sum, a[blockIdx.x * 64 + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 63) o[blockIdx.x] = atomicAdd(&sum, 0);
}
"""
SUITE = """warpmark: 1
kernel: {file: sums.cu, entry: sums}
arguments: {a: {in: "rng.integers(1, 9, 128)", dtype: int32}, o: {out: 2, dtype: int32}}
launch: {block: 64, grid: 2}
reference: {o: "a.reshape(2, 64).sum(1)"}
"""
# The last block of the programming guide, which reads past the L1 cache and has no fence behind its atomic operation.
LAST = """__device__ int count;
extern "C" __global__ void total(const int *a, int *part, int *o) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = a[blockIdx.x];
    __threadfence();
    last = atomicAdd(&count, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += __ldcg(&part[b]);
    *o = all;
  }
}
"""
LAST_SUITE = """warpmark: 1
kernel: {file: last.cu, entry: total}
arguments: {a: {in: "rng.integers(1, 9, 4)", dtype: int32}, part: {scratch: 4, dtype: int32}, o: {out: 1, dtype: int32}}
launch: {block: 32, grid: 4}
reference: {o: "[a.sum()]"}
"""
STEP = """extern "C" __global__ void total(const int *a, int *o) {
  __shared__ volatile int s[64];
  const int i = threadIdx.x;
  s[i] = a[i]; //
  const int other = s[(i + 8) % 32]; //
  s[i] = a[i] + other; //
  o[i] = s[i];
}
"""
STEP_SUITE = """warpmark: 1
kernel: {file: last.cu, entry: total}
arguments: {a: {in: "rng.integers(1, 9, 32)", dtype: int32}, o: {out: 32, dtype: int32}}
launch: {block: 32}
reference: {o: "a + np.roll(a, -8)"}
"""
RACE = """extern "C" __global__ void mark(int *seen, int *o) {
  if (threadIdx.x < 40) seen[threadIdx.x % 2] = threadIdx.x + 1;
  o[threadIdx.x] = threadIdx.x;
}
"""
RACE_SUITE = """warpmark: 1
kernel: {file: race.cu, entry: mark}
arguments: {seen: {scratch: 2, dtype: int32}, o: {out: 64, dtype: int32}}
launch: {block: 64}
reference: {o: np.arange(64)}
"""


class Schedules(CheckTest):
    def test_a_result_that_only_the_usual_order_has_fails_and_says_which_order_it_was(self):
        self.write("suites/sums.cu", SUMS % "")
        self.write("suites/sums.yaml", SUITE)
        out, _ = self.check(code=1)
        self.assertRegex(out, r"this is in schedule \d+: what the kernel computes depends on which of its threads come first")
        command = next(line for line in out.splitlines() if "reproduce: " in line).split("reproduce: warpmark ")[1]
        self.assertRegex(command, r"--schedule \d+$")
        again, _ = self.run_program(*command.split(), code=1)
        self.assertIn("this is in schedule " + command.split()[-1], again)
        # As often as one likes, and in no other order.
        failure = [text.split("FAILED")[1].split("0 passed")[0] for text in (out, self.check(code=1)[0])]
        self.assertEqual(*failure)
        for usual in (("--schedules", "1"), ("--schedule", "0")):
            self.assertIn("1 passed", self.check(*usual)[0])

    def test_the_journal_has_the_schedule(self):
        self.write("suites/sums.cu", SUMS % "")
        self.write("suites/sums.yaml", SUITE)
        self.check("--journal", "j.jsonl", code=1)
        records = [json.loads(line) for line in (self.folder / "j.jsonl").read_text().splitlines()]
        case = next(one for one in records if one["type"] == "case")
        self.assertGreater(case["schedule"], 0)
        self.assertIn("--schedule %d" % case["schedule"], case["reproduce"])

    def test_a_right_kernel_is_right_in_every_order(self):
        self.write("suites/sums.cu", SUMS % "__syncthreads();")
        self.write("suites/sums.yaml", SUITE)
        self.assertIn("1 passed", self.check("--trials", "5")[0])

    def test_counters_are_those_of_the_usual_order(self):
        self.write("suites/sums.cu", SUMS % "__syncthreads();")
        self.write("suites/sums.yaml", SUITE)
        one, _ = self.check("--counters", "--schedules", "1")
        all_orders, _ = self.check("--counters")
        counts = [[line for line in out.splitlines() if "instructions" in line] for out in (one, all_orders)]
        self.assertTrue(counts[0])
        self.assertEqual(*counts)

    def test_numbers_that_are_none_are_refused(self):
        self.write("suites/sums.yaml", SUITE)
        for option in (("--schedules", "0"), ("--schedules", "x"), ("--schedule", "-1")):
            self.check(*option, code=2)


class Order(CheckTest):
    def setUp(self):
        super().setUp()
        self.write("suites/last.cu", LAST)

    def test_the_warning_fails_a_run_that_says_so(self):
        self.write("suites/last.yaml", LAST_SUITE)
        self.assertIn("1 passed", self.check()[0])
        out, _ = self.check("--fail-on", "order-by-barrier", code=1)
        self.assertIn("exit code 1: 1 case with a warning that --fail-on has: order-by-barrier", out)

    def test_volatile_code_that_wants_lanes_in_step_is_a_warning_of_its_own(self):
        self.write("suites/last.yaml", STEP_SUITE)
        self.write("suites/last.cu", STEP)
        out, _ = self.check()
        self.assertIn("warp-synchronous code: read after write", out)
        self.assertIn("use __syncwarp() between them", out)
        self.assertIn("1 passed", out)
        self.check("--fail-on", "order-by-barrier")
        self.check("--fail-on", "order-by-barrier,warp-synchronous", code=1)
        self.write("suites/last.cu", STEP.replace("; //", "; __syncwarp(); //"))
        self.assertNotIn("warp-synchronous", self.check()[0])
        self.write("suites/last.cu", STEP)
        self.write("suites/last.yaml", STEP_SUITE + "allow: {race: warp-synchronous, reason: it is of 2008}\n")
        self.check("--fail-on", "notices")

    def test_values_that_the_order_of_threads_decides_are_a_warning_of_its_own(self):
        self.write("suites/last.cu", (SUMS % "").replace("sums(", "total("))
        suite = SUITE.replace("sums.cu", "last.cu").replace("entry: sums", "entry: total")
        self.write("suites/last.yaml", suite)
        out, _ = self.check("--schedules", "1")
        self.assertIn("order of threads decides: write after write of 4 bytes of shared memory at offset 0 of sum", out)
        self.assertIn("at last.cu:5; the other access is by thread (0,0,0) of block", out)
        self.assertIn("1 passed", out)
        self.check("--schedules", "1", "--fail-on", "order-decides", code=1)
        self.write("suites/last.yaml", suite + "allow: {race: order-decides, reason: thread 0 is the first on all GPUs}\n")
        self.check("--schedules", "1", "--fail-on", "order-decides,notices")
        self.write("suites/last.cu", (SUMS % "__syncthreads();").replace("sums(", "total("))
        self.write("suites/last.yaml", suite)
        self.assertNotIn("order of threads decides", self.check("--fail-on", "order-decides")[0])

    def test_a_suite_may_allow_it(self):
        self.write("suites/last.yaml", LAST_SUITE + "allow: {race: order-by-barrier, reason: as the programming guide has it}\n")
        out, _ = self.check("--fail-on", "order-by-barrier,notices")
        self.assertIn("1 passed", out)

    def test_a_suite_may_allow_races_on_an_argument(self):
        self.write("suites/last.cu", RACE)  # stands in no suite
        self.write("suites/race.cu", RACE)
        self.write("suites/race.yaml", RACE_SUITE)
        self.assertIn("race: write after write", self.check(code=1)[0])
        self.write("suites/race.yaml", RACE_SUITE + "allow:\n  - {race: seen, reason: any of them will do}\n")
        self.check()
        self.write("suites/race.yaml", RACE_SUITE + "allow: {race: o, reason: not that one}\n")
        self.check(code=1)

    def test_mistakes_in_it_are_refused(self):
        self.write("suites/race.cu", RACE)
        for rule, text in (("{race: sen, reason: x}", "unknown race or argument `sen`"), ("{race: seen}", "`allow` needs `reason`"),
                           ("{races: seen, reason: x}", "races")):
            self.write("suites/race.yaml", RACE_SUITE + "allow: %s\n" % rule)
            self.assertIn(text, "".join(self.check(code=2)))


class Grades(CheckTest):
    """Submissions to a bundled assignment without a barrier: ten students, with ten seeds, get no full points."""
    KERNELS = {
        "exchange": """  if (t == 0) atomicExch(&acc, 0.f);
  __syncwarp();
  atomicAdd(&acc, i < n ? x[i] : 0.f);
  __syncwarp();
  if (t == 127) sums[blockIdx.x] = atomicAdd(&acc, 0.f);""",
        "read": """  if (t == 0) acc = 0;
  __syncthreads();
  atomicAdd(&acc, i < n ? x[i] : 0.f);
  if (t == 127) sums[blockIdx.x] = atomicAdd(&acc, 0.f);""",
        "clear": """  if (t == 0) atomicExch(&acc, 0.f);
  atomicAdd(&acc, i < n ? x[i] : 0.f);
  __syncthreads();
  if (t == 127) sums[blockIdx.x] = acc;"""}

    def test_nobody_gets_full_points_without_a_barrier(self):
        shutil.copytree(Path(SOURCE) / "courses" / "first" / "reduction", self.folder / "reduction")
        self.write("secret", "0123456789abcdef\n").chmod(0o600)
        for name, body in self.KERNELS.items():
            for student in range(10):
                self.write("class/%s%d/block_sums.cu" % (name, student), 'extern "C" __global__ void block_sums(const float *x, float *sums, int n) {\n'
                           "  __shared__ float acc;\n  int t = threadIdx.x, i = blockIdx.x * 128 + t;\n" + body + "\n}\n")
        self.run_program("grade", "reduction/assignment.yaml", "class", "-o", "out", "--secret", "secret", "--device", "cpu",
                         "--no-sandbox")
        for name in self.KERNELS:
            for student in range(10):
                result = json.loads((self.folder / "out" / "staff" / (name + str(student)) / "result.json").read_text())
                self.assertLess(result["points"], 10, name)


if __name__ == "__main__":
    unittest.main()
