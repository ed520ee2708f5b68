# Shared by the tests of assignments with several files: two suites, and an assignment over both.
import hashlib
import json

from assignment import KERNEL, SUITE, GradeTest
from program import SOURCE

SHIFT = """extern "C" __global__ void shift(float *out, const float *src, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = src[i] + by;
}
"""
SHIFT_SUITE = SUITE.replace("scale", "shift").replace("f: {scalar: 3,", "by: {scalar: 2,").replace(
    "f * src", "src + by")
WRONG_SHIFT = SHIFT.replace("+ by", "- by")
CASES = """
cases:
  - {name: scaled, suite: suites/scale.yaml, points: 2, axes: {n: [32]}}
  - {name: scaled odd, suite: suites/scale.yaml, points: 2, axes: {n: [100]}, visibility: hidden, hint: any n}
  - {name: shifted, suite: suites/shift.yaml, points: 3, axes: {n: [32]}}
  - {name: shifted odd, suite: suites/shift.yaml, points: 3, axes: {n: [257]}, visibility: hidden, hint: any n}
fixed: [f, by]
"""
TWO = """warpmark: 1
assignment: hw2
title: Two kernels
suites:
  - {suite: suites/scale.yaml, file: scale.cu}
  - {suite: suites/shift.yaml, file: shift.cu}
points: 10
""" + CASES
ONE = TWO.replace("{suite: suites/scale.yaml, file: scale.cu}", "suites/scale.yaml").replace(
    "{suite: suites/shift.yaml, file: shift.cu}", "suites/shift.yaml").replace(
    "points: 10\n", "points: 10\nsubmission: {file: both.cu}\n", 1)
UTIL = "#pragma once\n__device__ inline int index_of_thread() {\n  return blockIdx.x * blockDim.x + threadIdx.x;\n}\n"
WITH_UTIL = '#include "util.cuh"\n' + KERNEL.replace("blockIdx.x * blockDim.x + threadIdx.x", "index_of_thread()")


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def sha256_of_all(files):
    """Returns the digest as `sha256sum FILES | sha256sum` prints it."""
    return sha256("".join("%s  %s\n" % (sha256(text), name) for name, text in sorted(files.items())))


class SeveralTest(GradeTest):
    def setUp(self):
        super().setUp()
        self.write("suites/shift.yaml", SHIFT_SUITE)
        self.write("suites/shift.cu", SHIFT)
        self.write("hw2.yaml", TWO)
        self.write("one.yaml", ONE)

    def hand_in(self, student, files):
        for name, text in files.items():
            self.write("class/%s/%s" % (student, name), text)

    def arguments(self, *more, out="out", paths=("class",), assignment="hw2.yaml"):
        return ["grade", assignment, *paths, "-o", out, "--secret", "secret", "--device", "cpu",
                "--no-sandbox", *more]

    def grade(self, *more, code=0, out="out", paths=("class",), assignment="hw2.yaml"):
        return self.run_program(*self.arguments(*more, out=out, paths=paths, assignment=assignment),
                                code=code)

    def check_schema(self, student):
        try:
            import jsonschema
        except ImportError:
            return
        schema = json.loads((SOURCE / "schema/grade.json").read_text())
        jsonschema.validate(self.result(student), schema)
        jsonschema.validate(json.loads((self.folder / "out/students" / student / "student.json").read_text()), schema)

    def check_assignment_schema(self, text, fits):
        try:
            import jsonschema
            import yaml
        except ImportError:
            return
        schema = json.loads((SOURCE / "schema/assignment.json").read_text())
        self.assertEqual(jsonschema.Draft7Validator(schema).is_valid(yaml.safe_load(text)), fits, text)

    def points(self, student, out="out"):
        return [case["points"] for case in self.result(student, out)["cases"]]
