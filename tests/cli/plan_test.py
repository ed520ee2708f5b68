# `warpmark plan`: the plans of the cases that are asked for, and of no others.
import json
import unittest

from program import DEMO, SOURCE, ProgramTest


def documents(text):
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(text):
        plan, at = decoder.raw_decode(text, at)
        found.append(plan)
        while at < len(text) and text[at].isspace():
            at += 1
    return found


class Plan(ProgramTest):
    def plans(self, *arguments):
        out, errors = self.run_program("plan", *arguments)
        self.assertEqual(errors, "")
        return documents(out)

    def test_one_for_each_case_in_order(self):
        ids = [plan["case"] for plan in self.plans(DEMO / "demo" / "suite.yaml")]
        self.assertEqual(ids, ["demo.shift=~1,n=4", "demo.shift=~1,n=100", "demo.shift=0.5,n=4",
                               "demo.shift=0.5,n=100"])

    def test_is_what_the_golden_files_of_shipped_suites_say(self):
        golden = json.loads((SOURCE / "tests/plan/multiply_them.json").read_text())
        self.assertEqual(self.plans("--case", "multiply_them.default", SOURCE / "suites"), golden)

    def test_the_architecture_is_the_suites_for_every_plugin(self):
        source = "kernel: {source: 'extern \"C\" __global__ void k(float *y) {}', entry: k, arch: sm_90a}\nlaunch: {block: 1}\n"
        elementwise = "plugin: elementwise\nkernel: {parameters: float *y, operation: 'y[i] = 1', arch: sm_90a}\n"
        for text in (source, elementwise):
            self.write("suites/t.yaml", "warpmark: 1\n%sarguments: {y: {out: 4}}\nreference: {y: 1}\n" % text)
            plan, = self.plans("suites")
            self.assertEqual(plan["arch"], "sm_90a")
        self.assertNotIn("arch", self.plans("--case", "multiply_them.default", SOURCE / "suites")[0])

    def test_case_takes_ids_literally(self):
        plans = self.plans(DEMO, "--case", "demo.shift=0.5,n=4", "--case=demo/single.default")
        self.assertEqual([plan["case"] for plan in plans],
                         ["demo/single.default", "demo.shift=0.5,n=4"])
        for pattern in ("demo", "demo.*", "*", "demo.shift=0.5"):
            self.assertIn("no case is called `%s`" % pattern,
                          self.refused("plan", DEMO, "--case", pattern))

    def test_an_unknown_case_beside_a_known_one_is_an_error(self):
        errors = self.refused("plan", DEMO, "--case", "demo/single.default", "--case",
                              "demo.shift=0.5,n=40")
        self.assertIn("no case is called `demo.shift=0.5,n=40`", errors)
        self.assertIn("hint: did you mean `demo.shift=0.5,n=4`?", errors)

    def test_paths_after_a_case_are_paths(self):
        self.assertEqual(len(self.plans("--case", "demo/single.default", DEMO)), 1)

    def test_needs_neither_python_nor_nvrtc_nor_a_device(self):
        self.hide_gpu()
        self.environment.update(WARPMARK_PYTHON="/nowhere", WARPMARK_NVRTC="/nowhere")
        self.assertEqual(len(self.plans(DEMO)), 5)

    def test_a_missing_plugin_is_reported_at_its_line(self):
        text = self.write_suite("a.yaml").read_text()
        self.write("a.yaml", text + "plugin: sourcee\n")
        errors = self.refused("plan", "a.yaml")
        self.assertRegex(errors, r"^a\.yaml:11:9: error: there is no plugin `sourcee`")
        self.assertIn("did you mean `source`?", errors)

    def test_a_skipped_case_need_not_have_a_plan(self):
        text = self.write_suite("a.yaml", axis="[-1, 4]").read_text()
        self.write("a.yaml", text + "skip: {when: n < 0, reason: no such length}\n")
        out, errors = self.run_program("plan", "a.yaml")
        self.assertEqual([plan["case"] for plan in documents(out)], ["a.n=4"])
        self.assertRegex(errors, r"^note: a\.n=~1 is skipped \(no such length\) and has no plan: ")


if __name__ == "__main__":
    unittest.main()
