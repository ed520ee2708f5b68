#include "grade/handout_readme.hpp"

#include <fmt/format.h>

#include "results/reproduce.hpp"

namespace warpmark {

std::string handout_readme(const Assignment& assignment, bool hidden_points) {
  const std::string file = shell_word(assignment.submission.file);
  std::string text = "# " + assignment.title + "\n\n";
  if (!assignment.about.empty()) text += assignment.about + "\n\n";
  text += fmt::format(
      "1. Install Warpmark, and let `warpmark doctor` say what your machine lacks. No GPU is "
      "needed.\n"
      "2. Write your kernel into `{0}`. Its parameters stay as they are, and so do all other "
      "files.\n"
      "3. Try it, as often as you like:\n\n"
      "       warpmark try assignment.yaml {1}\n\n"
      "   A failure ends with a line `reproduce: warpmark try …`. That command runs the one case "
      "again, with\n   the same inputs.\n"
      "4. Hand in `{0}` alone.\n\n"
      "The suite in `suites/` describes the kernel: its arguments, how it is launched, and the "
      "reference that\nits results are compared with.\n\n"
      "| case | points |\n|---|---|\n",
      assignment.submission.file, file);
  double hidden = 0;
  for (const AssignmentCase& one : assignment.cases) {
    if (one.visibility == Visibility::hidden) {
      hidden += one.points;
      continue;
    }
    std::string name = one.name;
    for (size_t at = name.find('|'); at != std::string::npos; at = name.find('|', at + 2)) {
      name.insert(at, "\\");
    }
    text += fmt::format("| {} | {} |\n", name, points_text(one.points));
  }
  if (hidden_points && hidden > 0) {
    text += fmt::format("\nFurther cases, which are graded but not handed out, give {} points.\n",
                        points_text(hidden));
  }
  return text;
}

}  // namespace warpmark
