# `warpmark examples`: what is listed, what a copy brings along, and that nothing is overwritten.
import json
import shutil
import unittest

from program import PROGRAM, SOURCE, CheckTest
from schema_test import named_schema


class Examples(CheckTest):
    def listed(self):
        out, errors = self.run_program("examples")
        self.assertEqual(errors, "")
        return dict((line.split(None, 1) + [""])[:2] for line in out.splitlines())

    def copied(self, name, *more):
        out, errors = self.run_program("examples", name, *more)
        self.assertEqual(errors, "")
        places = out.splitlines()
        for place in places:
            self.assertTrue((self.folder / place).is_file(), place)
        return places

    def test_each_has_a_line(self):
        listed = self.listed()
        for name, about in listed.items():
            self.assertTrue((SOURCE / name).exists(), name)
            self.assertRegex(about, r"\w+.*\w", name)
        # Each file that we ship for it belongs to one, but for what explains the others.
        for kind in ("suites", "courses", "configs", "examples"):
            for file in (SOURCE / kind).rglob("*"):
                place = file.relative_to(SOURCE).as_posix()
                if file.is_file() and file.name != "README.md" and "__pycache__" not in place:
                    owners = [name for name in listed if (place + "/").startswith(name + "/")]
                    self.assertEqual(len(owners), 1, (place, owners))
        self.assertTrue(listed["courses/first/doublify"].startswith("A first kernel. "), listed)
        self.assertEqual(listed["suites/vec_elm_mul"].count("suites:"), 0)
        self.assertTrue(listed["suites/scan"].startswith("7 suites: exclusive, inclusive, "), listed["suites/scan"])
        self.assertEqual(listed["examples/ci/github.yml"],
                         "Checks CUDA kernels on each push and pull request, on a runner without a GPU.")

    def test_a_folder_of_suites(self):
        places = self.copied("suites/multiply_them/")
        self.assertIn("multiply_them/suite.yaml", places)
        self.assertIn("passed", self.check("multiply_them/grid.yaml")[0])
        self.assertEqual(named_schema(self.folder / places[-1]), (SOURCE / "schema/suite.json").resolve())

    def test_a_suite_brings_its_kernel(self):
        self.assertEqual(self.copied("suites/doublify/double_array.yaml", "-o", "mine"),
                         ["mine/double_array.cu", "mine/double_array.yaml"])
        self.assertIn("3 passed", self.check("mine")[0])
        self.assertEqual(self.copied("suites/random/bits.yaml"), ["bits.yaml", "philox.cuh", "philox.py", "random.cu"])

    def test_a_kernel_of_triton_brings_its_python(self):
        self.assertEqual(self.copied("examples/triton/vector_add.yaml"), ["vector_add.py", "vector_add.yaml"])
        self.assertEqual(self.copied("examples/triton/layer_norm.yaml", "-o", "norm"),
                         ["norm/layer_norm.py", "norm/layer_norm.yaml", "norm/references.py"])

    def test_a_course_brings_a_suite_that_lies_elsewhere(self):
        self.assertIn("doublify/solutions/plain.cu", self.copied("courses/first/doublify"))
        places = self.copied("courses/first/multiply_them", "-o", "hw")
        self.assertIn("hw/courses/first/multiply_them/assignment.yaml", places)
        self.assertIn("hw/suites/multiply_them/multiply_them.cu", places)
        self.run_program("grade", "--lint", "hw/courses/first/multiply_them/assignment.yaml", "--device", "cpu")

    def test_a_run_configuration_brings_its_suites(self):
        self.assertIn("suites/doublify/doublify.cu", self.copied("configs/demo.yaml"))
        self.assertIn("1 passed", self.run_program("run", "configs/demo.yaml", "--case", "doublify/double_array.n=400")[0])
        places = self.copied("configs/regression.yaml", "-o", "all")
        self.assertIn("all/results/cpu/regression.baseline", places)
        self.start("run", "all/configs/regression.yaml", "--case", "doublify/double_array.n=10007")
        self.assertTrue((self.folder / "all/build/reports/regression.jsonl").is_file())

    def test_a_ci_file_alone(self):
        self.assertEqual(self.copied("examples/ci/github.yml", "-o", ".github/workflows"),
                         [".github/workflows/github.yml"])
        self.assertEqual((self.folder / ".github/workflows/github.yml").read_text(),
                         (SOURCE / "examples/ci/github.yml").read_text())
        self.copied("examples/mpi/check.sh")
        self.assertIn("ci/README.md", self.copied("examples/ci"))

    def test_what_is_there_stays(self):
        mine = self.write("doublify/doublify.cu", "mine")
        errors = self.refused("examples", "suites/doublify")
        self.assertIn("there is already doublify/doublify.cu", errors)
        self.assertIn("-o DIR", errors)
        self.assertEqual(mine.read_text(), "mine")
        self.assertEqual([path.name for path in (self.folder / "doublify").iterdir()], ["doublify.cu"])
        (self.folder / "check.sh").symlink_to("nowhere")
        self.assertIn("there is already check.sh", self.refused("examples", "examples/mpi/check.sh"))

    def test_names(self):
        self.assertIn("did you mean `examples/ci/github.yml`?", self.refused("examples", "github.yml"))
        self.assertIn("did you mean `suites/doublify`?", self.refused("examples", "suites/doublfy"))
        for name in ("suites", "../suites/doublify", "/etc/passwd", "suites/../../schema", "schema/suite.json", "x"):
            self.assertIn("there is no example `%s`" % name, self.refused("examples", name))
        out, _ = self.run_program("examples", "suites/doublify", "--path")
        self.assertTrue(out.endswith("/suites/doublify\n"), out)
        out, _ = self.run_program("complete", "warpmark examples suites/doub")
        self.assertEqual(out, "suites/doublify\n")

    def test_a_program_without_its_folder(self):
        program = self.lonely_program()
        self.assertIn("there are no examples in ", self.refused("examples", program=program, code=3))
        self.assertIn("there is no example `x`", self.refused("examples", "x", program=program))

    def test_a_moved_program_finds_its_own_and_doctor_says_where(self):
        prefix = self.folder / "a place" / "prefix"
        for kind in ("suites", "schema"):
            shutil.copytree(SOURCE / kind, prefix / "share/warpmark" / kind)
        (prefix / "bin").mkdir()
        shutil.copy(PROGRAM, prefix / "bin/warpmark")
        out, _ = self.run_program("examples", "suites/doublify", program=prefix / "bin/warpmark")
        self.assertIn("doublify/suite.yaml\n", out)
        line = (self.folder / "doublify/suite.yaml").read_text().splitlines()[0]
        self.assertIn((prefix / "share/warpmark/schema/suite.json").resolve().as_uri(), line)
        out, _ = self.run_program("doctor", "--json", program=prefix / "bin/warpmark", code=3)  # no plugin
        row = next(row for row in json.loads(out)["found"] if row["what"] == "examples")
        self.assertTrue(row["ok"])
        self.assertTrue(row["text"].startswith("%s: " % (prefix / "share/warpmark").resolve()), row)


if __name__ == "__main__":
    unittest.main()
