// `warpmark new course`: a small course to go on from, with one assignment that works.
#include <fmt/format.h>

#include <memory>

#include "base/file.hpp"
#include "base/places.hpp"
#include "base/schemas.hpp"
#include "cli/draft/folder_draft.hpp"
#include "cli/new_kinds.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCourseSuite = R"text(warpmark: 1
about: Multiplies an array of any length by a factor, in place.
kernel: {file: solutions/plain.cu, entry: double_array}
axes:
  n: [1, 128, 400]
  factor: [2, -1.5]
arguments:
  d_a: {inout: rng.standard_normal(n)}
  n: {scalar: n}
  factor: {scalar: factor, dtype: float32}
launch: {block: 128, grid: "ceil_div(n, 128)"
}
reference:
  d_a: d_a * factor
tolerance: exact                     # one multiplication, rounded once
)text";

constexpr const char* kAssignment = R"text(warpmark: 1
assignment: doublify
title: Double every element
about: A first kernel. Each thread multiplies one element of an array by a factor, in place.
suite: suite.yaml
points: 10
submission: {file: double_array.cu}
template: double_array.cu            # what students start from
cases:
  - {name: one block, points: 3, axes: {n: [128], factor: [2]}}
  - {name: several blocks, points: 2, axes: {n: [256, 1024], factor: [2]}}
  - name: any size
    points: 3
    axes: {n: [1, 3, 400], factor: [-1.5]}
    hint: The last block is often only partly used, and the factor is a parameter.
  - name: hidden sizes
    points: 2
    axes: {n: [31, 129, 100003], factor: [3]}
    visibility: hidden
    hint: Which threads have no element?
ptx: {forbid: [vprintf, malloc, writable_globals, entries], flag: ["%clock64", "%globaltimer"]}
limits: {instructions: 100000000, timeout_s: 10}
self_test:
  must_pass: [solutions/plain.cu, solutions/grid_stride.cu]
  must_fail:
    - {file: double_array.cu, case: one block, word: wrong}
    - {file: wrong/no_bounds.cu, case: any size, word: memory error}
    - {file: wrong/no_block_index.cu, case: several blocks, word: wrong}
    - {file: wrong/fixed_factor.cu, case: any size, word: wrong}
)text";

// The kernel with a body.
std::string kernel(const std::string& body) {
  return "extern \"C\" __global__ void double_array(float *d_a, unsigned n, float factor) {\n" +
         body + "}\n";
}

constexpr const char* kCourseReadme = R"text(# Course

`doublify/` is an assignment over the suite `doublify/suite.yaml`. Students see none of this folder: they get what `handout`
writes. `warpmark new assignment NAME --from SUITE` adds another assignment; several `--from` make one of several kernels, each in a
separate file.

Once: make a secret, from which the inputs of grading are derived, and keep it.

    head -c 32 /dev/urandom | base64 > secret; chmod 600 secret

For each assignment:

1. **Lint**: does a kernel that computes nothing get points, and do the solutions pass?

       warpmark grade --lint doublify/assignment.yaml

2. **Hand out**: write the folder that students get.

       warpmark handout doublify/assignment.yaml -o hand-outs/doublify

3. **Grade** what they handed in: a file `NAME.cu` or a folder for each student.

       warpmark grade doublify/assignment.yaml handed-in/doublify -o grades/doublify --secret secret

4. **Feedback**: each folder in `students` is for that student alone; `grades.csv` and `staff` are not for students.

       cp -r grades/doublify/students feedback

5. **Regrade**: after a change of the assignment, grade what was graded before, with the same secret.

       warpmark grade doublify/assignment.yaml handed-in/doublify -o grades/doublify --secret secret --regrade
)text";

constexpr const char* kIgnored =
    R"text(# What nobody but the course's staff may have, and what can be made again.
/secret
/handed-in/
/grades/
/feedback/
/hand-outs/
)text";

struct CourseFile {
  std::string name, text;
};

std::vector<CourseFile> course_files(const fs::path& folder) {
  const fs::path schemas = own_places().schemas;
  const fs::path assignment = folder / "doublify";
  const std::string index = "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n";
  return {
      {".gitignore", kIgnored},
      {"README.md", kCourseReadme},
      {"doublify/assignment.yaml", schema_line(schemas, "assignment", assignment) + kAssignment},
      {"doublify/double_array.cu", kernel("  // TODO: multiply each of the n elements of d_a by "
                                          "factor\n")},
      {"doublify/solutions/grid_stride.cu",
       kernel("  unsigned stride = gridDim.x * blockDim.x;\n" + index +
              "  for (; i < n; i += stride) d_a[i] *= factor;\n")},
      {"doublify/solutions/plain.cu", kernel(index + "  if (i < n) d_a[i] *= factor;\n")},
      {"doublify/suite.yaml", schema_line(schemas, "suite", assignment) + kCourseSuite},
      {"doublify/wrong/fixed_factor.cu", kernel(index + "  if (i < n) d_a[i] *= 2;\n")},
      {"doublify/wrong/no_block_index.cu",
       kernel("  unsigned i = threadIdx.x;\n  if (i < n && blockIdx.x == 0) d_a[i] *= factor;\n")},
      {"doublify/wrong/no_bounds.cu", kernel(index + "  d_a[i] *= factor;\n")},
  };
}

ExitCode make_course(const fs::path& folder, Output& out) {
  FolderDraft draft(folder);
  const std::vector<CourseFile> files = course_files(draft.folder());
  for (const CourseFile& file : files) write_file_atomically(draft.path() / file.name, file.text);
  draft.keep();
  const std::string shown = display_path(draft.folder());
  for (const CourseFile& file : files) out.print("{}/{}\n", shown, file.name);
  out.print("next: read {}/README.md\n", shown);
  return ExitCode::success;
}

}  // namespace

Command new_course_command(const ArgumentParser& kinds) {
  const auto folder = std::make_shared<fs::path>();
  const ArgumentParser course = kinds.add_subcommand(
      "course", "Write a folder with an assignment that works, and the commands of a term");
  course.add_option("DIR", *folder, "The folder to write, which is not there yet")
      .required()
      .value_name("");
  return {course, [folder](Output& out) { return make_course(*folder, out); }};
}

}  // namespace warpmark
