# `devices` and `partition`: one case on several devices, on the CPU device with several of them.
import json
import unittest

from program import SOURCE, CheckTest

SUITE = """warpmark: 1
kernel: {file: k.cu, entry: %(entry)s}
devices: %(devices)s
arguments:
  x: {inout: "np.arange(%(n)s.) + 1", dtype: float32%(partition)s}
  w: {in: "[2, 3]", dtype: float32}
  y: {out: x.shape, dtype: float32, partition: {axis: 0}}
  length: {scalar: %(n)s // devices}
launch: {block: 64, grid: "ceil_div(x.size, 64)"}
reference: {x: 2 * x, y: 3 * x}
%(more)s"""
KERNELS = """extern "C" __global__ void k(float *x, const float *w, float *y, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length) y[i] = w[1] * x[i], x[i] *= w[0];
}
extern "C" __global__ void over(float *x, const float *w, float *y, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= length) y[i] = w[1] * x[i];
}
"""


class Devices(CheckTest):
    DEVICE = "cpu"

    def suite(self, count=4, **changes):
        values = {"devices": "all", "n": "1200", "partition": ", partition: {axis: 0}", "more": "",
                  "entry": "k"}
        values.update(changes)
        self.environment["WARPMARK_CPU_DEVICES"] = str(count)
        self.write("suites/k.cu", KERNELS)
        self.write("suites/t.yaml", SUITE % values)

    def check(self, *arguments, **options):
        return super().check(*arguments, **{"device": self.DEVICE, **options})

    def test_all_devices_share_an_array(self):
        for count in (1, 2, 3, 4):
            self.suite(count)
            self.assertIn("1 passed", self.check("--checks", "all", "suites")[0])

    def test_a_number_of_devices_may_be_an_axis(self):
        self.suite(2, devices="d", more="axes: {d: [1, 2, 3]}\n")
        out, _ = self.check()
        self.assertIn("2 passed, 1 skipped", out)
        self.assertIn("t.yaml:3:10: runs on 3 devices, and there are 2", out)

    def test_a_part_that_does_not_divide(self):
        self.suite(3, n="1000")
        self.assertIn("3 devices cannot share `x`: its first axis has 1000 elements",
                      self.check(code=1)[0])

    def test_a_wrong_element_is_that_of_the_whole_array(self):
        self.suite(2)
        self.write("suites/k.cu", KERNELS.replace("y[i] = w[1] * x[i],",
                                                  "y[i] = x[i] == 901 ? 7 : w[1] * x[i],"))
        self.assertIn("1 of 1200 elements of `y` is wrong; the first is y[900] = 7",
                      self.check(code=1)[0])

    def test_findings_of_every_device_are_reported(self):
        self.suite(2, entry="over")
        out, _ = self.check("--checks", "all", "suites", code=1)
        self.assertIn("out-of-bounds global", out)

    def test_counters_are_those_of_all_devices(self):
        for count in (1, 4):
            self.suite(count, more="expect: {counters: {launches: '== %d', global_store_bytes: "
                       "'== 9600'}}\n" % count)
            self.check()

    def test_mistakes(self):
        for changes, words in (
                ({"partition": ""}, "`x` is an output of each device, and has no `partition`"),
                ({"partition": ", partition: {axis: 1}"}, "unknown value of `axis` `1`"),
                ({"partition": ", partition: {axis: 0}, pitch: 8"}, "`partition` is for dense arrays"),
                ({"devices": "0"}, "a whole number, 1 or more, is needed"),
                ({"devices": "x.size"}, "`x.size` is not known yet where")):
            self.suite(**changes)
            for code in (2, 1):
                try:
                    out, errors = self.check(code=code)
                except AssertionError:
                    continue
                self.assertIn(words, out + errors)
                break
            else:
                self.fail(changes)

    def test_everything_on_the_devices_is_freed(self):
        self.suite(2)
        report = self.folder / "report.txt"
        self.environment.update(WARPMARK_CPU_REPORT=str(report), WARPMARK_CPU_CHECK="memory,leak")
        for suites in ("suites", *(str(SOURCE / "suites" / name) for name in (
                "textures", "doublify", "course/radix_sort"))):
            report.unlink(missing_ok=True)
            self.check(suites)
            self.assertIn("LEAK SUMMARY: 0 bytes leaked in 0 allocations", report.read_text())

    def test_a_partition_needs_devices(self):
        self.suite()
        text = (self.folder / "suites/t.yaml").read_text().replace("devices: all\n", "")
        self.write("suites/t.yaml", text)
        self.assertIn("`partition` is for several devices", self.check(code=2)[1])

    def test_it_is_in_the_plan(self):
        self.suite()
        plan = json.loads(self.run_program("plan", "suites/t.yaml")[0])
        self.assertEqual(plan["devices"], {"arithmetic": "device.count", "at": "/devices"})
        self.assertEqual([one.get("partition", False) for one in plan["buffers"]],
                         [True, False, True])

    def test_benchmarks_count_all_devices(self):
        self.suite(2)
        out, _ = self.run_program("bench", "suites/t.yaml", "--device", "cpu")
        self.assertIn("1 passed", out)


if __name__ == "__main__":
    unittest.main()
