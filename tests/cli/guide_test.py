"""The pages of docs/guide, and docs/grading.md, are followed to the letter; recipes_test.py follows the recipes."""
import re
import unittest

import program
from followed import FollowTest


class GuideTest(FollowTest):
    def test_write_a_suite(self):
        self.assertGreaterEqual(self.follow("write-a-suite.md"), 3)

    def test_read_a_failure(self):
        self.assertGreaterEqual(self.follow("read-a-failure.md"), 5)

    def test_ask_for_coalesced_access(self):
        self.assertGreaterEqual(self.follow("ask-for-coalesced-access.md"), 2)

    def test_read_a_benchmark(self):
        self.assertGreaterEqual(self.follow("read-a-benchmark.md"), 4)

    def test_tune_a_kernel(self):
        self.assertGreaterEqual(self.follow("tune-a-kernel.md"), 2)

    def test_first_kernel(self):
        self.write("secret", "0123456789abcdef").chmod(0o600)
        self.write("warpmark-0.1.0-cp312-cp312-manylinux_2_31_x86_64.whl", "PK of a wheel")
        self.assertGreaterEqual(self.follow("first-kernel.md"), 7)

    def test_course_kernels(self):
        (self.folder / "suites").symlink_to(program.SOURCE / "suites")
        self.assertGreaterEqual(self.follow("course-kernels.md"), 2)

    def test_pycuda(self):
        self.assertGreaterEqual(self.follow("pycuda.md"), 1)

    def test_grade_a_class(self):
        self.write("warpmark-0.1.0-cp312-cp312-manylinux_2_31_x86_64.whl", "PK of a wheel")
        self.assertGreaterEqual(self.follow("../grading.md"), 4)

    def test_every_page_is_followed(self):
        pages = sorted(path.name for path in (program.SOURCE / "docs/guide").glob("*.md"))
        tests = [program.HERE / "guide_test.py", program.HERE / "recipes_test.py"]
        followed = re.findall(r'self\.follow\("([\w.-]+)"\)', "".join(path.read_text() for path in tests))
        self.assertEqual(pages, sorted(followed))


if __name__ == "__main__":
    unittest.main()
