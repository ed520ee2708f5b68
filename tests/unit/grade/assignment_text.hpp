// Assignments for tests: a folder with two suites of one kernel, and a small good assignment.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/file.hpp"
#include "grade/assignment/assignment.hpp"

namespace warpmark::testing_assignments {

/// Lines 1 to 8 of every assignment that a test changes.
inline std::string good() {
  return "warpmark: 1\n"                                      // 1
         "assignment: double-it\n"                            // 2
         "suite: scale.yaml\n"                                // 3
         "cases:\n"                                           // 4
         "  - {name: small, points: 5, axes: {n: [1, 7]}}\n"  // 5
         "  - name: large\n"                                  // 6
         "    points: 20\n"                                   // 7
         "    axes: {n: [4097, 2**20]}\n";                    // 8
}

inline std::string kernel() {
  return "extern \"C\" __global__ void scale(float *a, unsigned n, float factor) {\n"
         "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < n) a[i] *= factor;\n"
         "}\n";
}

/// A suite over `values` of n; `more` goes to its end.
inline std::string suite(const std::string& values = "[16, 400]", const std::string& more = "") {
  return "warpmark: 1\n"
         "kernel: {file: scale.cu, entry: scale}\n"
         "axes: {n: " +
         values +
         "}\n"
         "arguments:\n"
         "  a: {inout: rng.standard_normal(n)}\n"
         "  n: {scalar: n}\n"
         "  factor: {scalar: 2}\n"
         "launch: {block: 128, grid: \"ceil_div(n, 128)\"}\n"
         "reference: {a: a * factor}\n" +
         more;
}

/// A folder with scale.yaml, other.yaml, scale.cu, course.h and solutions/good.cu.
class AssignmentFolder {
 public:
  AssignmentFolder() : folder_("warpmark-assignment") {
    write("scale.yaml", suite());
    write("other.yaml", suite("[3, 5]"));
    write("scale.cu", kernel());
    write("course.h", "#define COURSE 1\n");
    write("solutions/good.cu", kernel());
    write("wrong/bad.cu", "__global__ void scale(float *a, unsigned n, float factor) {}\n");
  }

  std::filesystem::path path() const { return folder_.path(); }
  void write(const std::string& name, const std::string& text) const {
    write_file_atomically(path() / name, text);
  }
  std::shared_ptr<const Assignment> parse(const std::string& text) const {
    return parse_assignment(text, path() / "assignment.yaml");
  }
  /// "LINE:COLUMN message | hint" of the error that loading throws, else "no error".
  std::string error_of(const std::string& text) const {
    try {
      (void)parse(text);
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage) return "wrong exit code: " + error.message();
      return std::to_string(error.where().line) + ":" + std::to_string(error.where().column) + " " +
             error.message() + (error.hint().empty() ? "" : " | " + error.hint());
    }
    return "no error";
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace warpmark::testing_assignments
