// A small assignment over a suite in a temporary folder, and submissions to grade on it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/sha256.hpp"
#include "grade/grader/grader.hpp"
#include "unit/runtime/session_fixture.hpp"

namespace warpmark {

// Four kernels' worth of mistakes fit into these lines: a bound, a barrier, a factor.
inline const std::string kGood =
    "extern \"C\" __global__ void scale(float *out, const float *src, float f, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = f * src[i];\n"
    "}\n";

// The kernel with another body.
inline std::string scale(const std::string& body) {
  return "extern \"C\" __global__ void scale(float *out, const float *src, float f, int n) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
         body + "\n}\n";
}

inline constexpr const char* kGradedSuite =
    "warpmark: 1\n"
    "kernel: {file: scale.cu, entry: scale}\n"
    "axes: {n: [32, 100, 257]}\n"
    "arguments:\n"
    "  out: {out: n}\n"
    "  src: {in: rng.standard_normal(n)}\n"
    "  f: {scalar: 3}\n"
    "  n: {scalar: n}\n"
    "launch: {block: 64, grid: 'ceil_div(n, 64)'}\n"
    "reference: {out: f * src}\n";

class GradeTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    grading_.device = "cpu";
    grading_.no_sandbox = true;
    grading_.secret = Secret("0123456789abcdef");
  }

  // Two cases: "small", visible, of n=32 (2 points), and "odd", hidden, of n=100 and 257, each its
  // share of 4 points.
  std::shared_ptr<Assignment> assign(const std::string& yaml = kGradedSuite,
                                     const std::string& own = kGood) {
    write_file_atomically(folder_.path() / "suites/scale.cu", own);
    const auto file = folder_.path() / "suites/scale.yaml";
    write_file_atomically(file, yaml);
    auto assignment = std::make_shared<Assignment>();
    assignment->id = "hw1";
    assignment->title = "Scaling";
    assignment->file = folder_.path() / "hw1.yaml";
    assignment->folder = folder_.path();
    assignment->suites = {load_suite(file)};
    assignment->submission.file = "scale.cu";
    assignment->submission.toolkit_headers = default_toolkit_headers();
    assignment->sha256 = sha256_hex(yaml);
    const std::vector<Case> all = cases(assignment->suites.front());
    AssignmentCase small;
    small.name = "small";
    small.points = 2;
    small.items = {all.at(0)};
    AssignmentCase odd;
    odd.name = "odd";
    odd.points = 4;
    odd.visibility = Visibility::hidden;
    odd.credit = Credit::each;
    odd.hint = "n need not be a multiple of the block.";
    odd.items = {all.at(1), all.at(2)};
    assignment->cases = {small, odd};
    return assignment;
  }

  static Submission submission(const std::string& text, const std::string& student = "ada") {
    Submission one;
    one.student = student;
    one.path = "scale.cu";
    one.file = "scale.cu";
    one.text = text;
    one.sha256 = sha256_hex(text);
    return one;
  }

  GradeResult grade(const std::string& text, const std::shared_ptr<const Assignment>& assignment) {
    return SubmissionGrader(python(), assignment, grading_).grade(submission(text));
  }
  GradeResult grade(const std::string& text) { return grade(text, assign()); }

  GraderOptions grading_;
};

}  // namespace warpmark
