"""`warpmark new`: an assignment that works at once, and what it refuses."""
import os
import re
import shutil
import subprocess
import unittest

import program

SUITE = program.SOURCE / "suites/doublify/double_array.yaml"


class RefusedTest(program.ProgramTest):
    def new(self, *arguments):
        return self.refused("new", "assignment", *arguments)

    def test_what_it_is_called(self):
        self.assertIn("error: NAME is required", self.new())
        self.assertIn("--from", self.new("hw1"))
        for name in ("a b", "-", "hw1;", "ä"):
            self.assertIn("is no name of an assignment", self.new("--from", SUITE, "--", name))

    def test_nothing_is_written_over(self):
        self.write("hw1/mine.txt", "mine")
        (self.folder / "link").symlink_to("nowhere")
        for name in ("hw1", "hw1/", "link"):
            self.assertIn("error: there is already", self.new(name, "--from", SUITE))
        self.assertEqual([path.name for path in (self.folder / "hw1").iterdir()], ["mine.txt"])

    def test_suites_that_cannot_be_graded(self):
        suites = program.SOURCE / "suites"
        self.assertIn("its kernel is made by the plugin `reduction`",
                      self.new("hw1", "--from", suites / "reductions/sum.yaml"))
        self.assertIn("expects a fault, a report or a compile error",
                      self.new("hw1", "--from", suites / "multiply_them/too_many_threads.yaml"))
        self.assertIn("is a folder", self.new("hw1", "--from", suites))
        self.assertIn("there is no file", self.new("hw1", "--from", "nothing.yaml"))
        self.write("bad.yaml", "warpmark: 1\nkernal: 3\n")
        self.assertIn("bad.yaml:2:1: error: unknown key", self.new("hw1", "--from", "bad.yaml"))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["bad.yaml"])


class PluginTest(program.ProgramTest):
    def new(self, *arguments):
        return self.refused("new", "plugin", *arguments)

    def test_what_it_is_called(self):
        for name in ("a b", "2x", "x.y", "_", "ä", ""):
            self.assertIn("is no name of a plugin", self.new(name))
        self.assertIn("Warpmark's own", self.new("reduction"))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_nothing_is_written_over(self):
        self.write("mine/file", "")
        self.assertIn("there is already mine", self.new("mine"))
        self.assertIn("there is already mine", self.new("other", "-o", "mine/"))

    def test_it_compiles(self):
        out, _ = self.run_program("new", "plugin", "my_scan", "-o", "deep/folder")
        self.assertIn("deep/folder/my_scan.cpp\n", out)
        self.assertEqual([path.name for path in (self.folder / "deep").iterdir()], ["folder"])
        text = (self.folder / "deep/folder/my_scan.cpp").read_text()
        self.assertIn("struct MyScan {", text)
        self.assertIn("WARPMARK_PLUGIN(my_scan, MyScan);", text)
        subprocess.run(
            [os.environ["WARPMARK_TEST_CXX"], "-std=c++17", "-Wall", "-Wextra", "-Werror", "-shared",
             "-fPIC", "-I%s" % (program.SOURCE / "harness/include"),
             *("-I" + folder for folder in os.environ["WARPMARK_TEST_JSON"].split(":") if folder),
             "deep/folder/my_scan.cpp", "-o", "deep/folder/warpmark-plugin-my_scan.so"],
            check=True, cwd=self.folder)
        suite = "deep/folder/my_scan.yaml"
        self.assertIn('"integer"', self.run_program("plan", suite, "--case", "my_scan.n=1000")[0])
        text = (self.folder / suite).read_text()
        self.write(suite, text.replace("times: 2", "time: 2"))
        self.assertIn("my_scan.yaml:5:3: error: `kernel` needs `times`",
                      self.refused("plan", suite, "--case", "my_scan.n=1000"))


class NewTest(program.CheckTest):
    def new(self, name, suite):
        out, errors = self.run_program("new", "assignment", name, "--from", suite)
        self.assertEqual(errors, "")
        folder = self.folder / name
        files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        self.assertEqual([line for line in out.splitlines() if line.startswith(name)],
                         [name + "/" + file for file in files])
        self.assertEqual([path for path in self.folder.glob(".*hw*")], [])
        return folder, files

    def test_everything_works_at_once(self):
        folder, files = self.new("hw1", SUITE)
        self.assertEqual(files, ["assignment.yaml", "double_array.cu",
                                 "solutions/double_array.cu", "wrong/first_block.cu",
                                 "wrong/lost_thread.cu"])
        self.assertEqual((folder / files[2]).read_text(),
                         SUITE.with_name("double_array.cu").read_text())
        template = (folder / files[1]).read_text()
        self.assertIn("void double_array(float *d_a, unsigned n, float factor) {\n  // TODO: ",
                      template)
        # The solution is not handed out, nor a kernel like it.
        self.assertNotIn("*=", template)
        self.assertNotIn("double_array_out", template)
        out, errors = self.run_program("grade", "--lint", "hw1/assignment.yaml",
                                       "--device", "cpu")
        self.assertIn("100 points", out, errors)
        # The suite has one factor, which the assignment has to say.
        self.assertIn("fixed: [factor]\n", (folder / "assignment.yaml").read_text())
        self.assertNotIn("note: ", out)

    def test_the_example_of_the_format(self):
        page = (program.SOURCE / "docs/assignment-format.md").read_text()
        self.write("courses/hw1/assignment.yaml",
                   re.search(r"^```yaml\n(.*?)^```$", page, re.M | re.S).group(1))
        shutil.copytree(SUITE.parent, self.folder / "suites/doublify")
        right = SUITE.with_name("double_array.cu").read_text()
        self.write("courses/hw1/course.h", "")
        self.write("courses/hw1/solutions/simple.cu", right)
        self.write("courses/hw1/wrong/off_by_one.cu", right.replace("idx < n", "idx <= n"))
        self.write("courses/hw1/double_array.cu", right.replace("*= factor", "*= 1"))
        out, errors = self.run_program("grade", "--lint", "courses/hw1/assignment.yaml",
                                       "--device", "cpu")
        self.assertIn("double-it: 100 points in 2 cases, 6 items", out, errors)

    def test_it_passes_its_own_lint(self):
        suites = ["suites/doublify/double_array_new.yaml", "suites/multiply_them/grid.yaml",
                  "courses/first/doublify/suite.yaml", "courses/first/linear_combination/suite.yaml",
                  "courses/first/reduction/suite.yaml", "suites/course/matmul/tiled.yaml"]
        for number, suite in enumerate(suites):
            with self.subTest(suite=suite):
                name = "hw%d" % number
                self.new(name, program.SOURCE / suite)
                out, errors = self.run_program("grade", "--lint", name + "/assignment.yaml",
                                               "--device", "cpu")
                self.assertIn("100 points", out, errors)
                self.run_program("handout", name + "/assignment.yaml", "-o", "given/" + name)

    def test_headers_of_the_suite(self):
        self.write("suites/lib/course.h", '#include "more.h"\n')
        self.write("suites/lib/more.h", "#define PLUS + 0\n")
        self.write("suites/lib/deep/x.h", "")
        self.write_scale(kernel="{file: k.cu, entry: k, include: [lib]}", axes="{n: [7, 40]}",
                         kernel_text="#include <course.h>\n#include <math.h>\n" +
                         program.KERNEL.replace("src[i]", "src[i] PLUS"))
        folder, _ = self.new("hw1", "suites/t.yaml")
        self.assertIn('headers: ["../suites/lib/course.h", "../suites/lib/more.h"]',
                      (folder / "assignment.yaml").read_text())
        self.run_program("grade", "--lint", "hw1/assignment.yaml", "--device", "cpu")
        self.write("suites/k.cu", "#include <deep/x.h>\n" + program.KERNEL)
        _, errors = self.run_program("new", "assignment", "hw2", "--from", "suites/t.yaml")
        self.assertIn('write `#include "x.h"` for `deep/x.h`', errors)

    def test_a_folder_of_the_suite_may_be_elsewhere(self):
        self.write_scale()
        folder, files = self.new("courses/hw-2", "suites/t.yaml")
        text = (folder / "assignment.yaml").read_text()
        self.assertIn('suite: "../../suites/t.yaml"', text)
        self.assertEqual(text.split("\n")[0],
                         self.run_program("schema", "assignment", "--line")[0].rstrip("\n"))
        # One size only: it cannot be split.
        self.assertIn("- {name: all, points: 100}", text)
        self.assertIn("wrong/first_block.cu", files)

    def test_a_mistake_that_is_none_here_is_left_out(self):
        # One block does it all.
        self.write_scale(axes="{n: [8, 32]}")
        _, files = self.new("hw1", "suites/t.yaml")
        self.assertNotIn("wrong/first_block.cu", files)
        self.assertIn("wrong/lost_thread.cu", files)

    def test_an_easy_size_stays_with_the_others(self):
        # The first of one element is a copy: alone it would be for free.
        self.write_scale(axes="{n: [1, 40]}", out="{out: 1}", reference="{out: 'src[n - 1]'}",
                         kernel_text=program.KERNEL.replace("if (i < n) out[i] = f * src[i];",
                                                            "if (i == 0) out[0] = src[n - 1];"))
        folder, _ = self.new("hw1", "suites/t.yaml")
        self.assertIn("- {name: all, points: 100}", (folder / "assignment.yaml").read_text())

    def test_what_a_template_lacks_is_reported(self):
        # The type is declared outside the kernel, and might be a part of the solution.
        self.write_scale(kernel_text="typedef int Count;\n" +
                         program.KERNEL.replace("int n)", "Count n)"))
        out, errors = self.run_program("new", "assignment", "hw1", "--from", "suites/t.yaml")
        self.assertIn("next: ", out)
        self.assertRegex(errors, r"warning: k.cu needs your hand: .*")

    def test_a_suite_whose_kernel_is_no_solution(self):
        self.write_scale(kernel_text=program.KERNEL.replace("f *", "1 +"))
        _, errors = self.run_program("new", "assignment", "hw1", "--from", "suites/t.yaml")
        self.assertEqual(errors, "warning: the suite's own kernel does not pass: put a solution "
                                 "into solutions/k.cu\n")

    def test_without_a_compiler_nothing_is_tried(self):
        self.environment["WARPMARK_NVRTC"] = os.devnull
        out, errors = self.run_program("new", "assignment", "hw1", "--from", SUITE)
        self.assertIn("warning: nothing was tried, and there is no wrong solution: ", errors)
        self.assertNotIn("wrong/", out)
        self.assertTrue((self.folder / "hw1/assignment.yaml").is_file())

    def test_a_folder_that_cannot_be_made_leaves_nothing(self):
        self.write("file", "")
        self.assertRegex(self.refused("new", "assignment", "file/hw1", "--from", SUITE, code=3),
                         re.compile("error: .*file"))
        self.assertEqual((self.folder / "file").read_text(), "")


class CourseTest(program.CheckTest):
    def test_the_commands_of_a_term(self):
        out, errors = self.run_program("new", "course", "gpu course/2027")
        self.assertEqual(errors, "")
        folder = self.folder / "gpu course/2027"
        files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        self.assertEqual(out.splitlines(), ["gpu course/2027/" + file for file in files] +
                         ["next: read gpu course/2027/README.md"])
        self.write("gpu course/2027/secret", "0123456789abcdef\n").chmod(0o600)
        right = (folder / "doublify/solutions/plain.cu").read_text()
        self.write("gpu course/2027/handed-in/doublify/ada.cu", right)
        self.write("gpu course/2027/handed-in/doublify/bob.cu", right.replace("*=", "+="))
        readme = (folder / "README.md").read_text()
        commands = [line.strip() for line in readme.splitlines()
                    if line.startswith("       ")]
        self.assertEqual(len(commands), 5)
        for command in commands:
            words = command.split()
            if words[0] != "warpmark":
                subprocess.run(words, cwd=folder, check=True)
                continue
            device = ["--device", "cpu", *(["--no-sandbox"] if "--secret" in words else [])]
            self.run_program(*words[1:], *device, cwd=folder)
        self.assertTrue((folder / "feedback/bob/report.html").is_file())
        ignored = (folder / ".gitignore").read_text()
        for name in ("/secret", "/grades/", "/handed-in/"):
            self.assertIn(name + "\n", ignored)
        self.assertIn("there is already", self.refused("new", "course", "gpu course/2027"))


if __name__ == "__main__":
    unittest.main()
