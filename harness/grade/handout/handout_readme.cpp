#include "grade/handout/handout_readme.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "results/reproduce.hpp"

namespace warpmark {

std::string handout_readme(const Assignment& assignment, bool hidden_points) {
  const bool several = assignment.submission.several();
  std::vector<std::string> words;
  for (const std::string& name : assignment.submission.files()) words.push_back(shell_word(name));
  const std::string file = join(words, " ");
  const std::string names = join(assignment.submission.files(), "`, `");
  std::string text = "# " + assignment.title + "\n\n";
  if (!assignment.about.empty()) text += assignment.about + "\n\n";
  text += fmt::format(
      "1. Install Warpmark, and let `warpmark doctor` say what your machine lacks. No GPU is "
      "needed.\n"
      "2. Write your kernel{2} into `{0}`. {3} parameters stay as they are, and so do all other "
      "files.\n"
      "3. Try it, as often as you like:\n\n"
      "       warpmark try assignment.yaml {1}\n\n"
      "   A failure ends with a line `reproduce: warpmark try …`. That command runs the one case "
      "again, with\n   the same inputs.\n"
      "4. Hand in {4}.\n\n"
      "{5}\n\n"
      "| case | points |\n|---|---|\n",
      names, file, several ? "s" : "", several ? "Their" : "Its",
      several ? fmt::format("`{}`, together in one folder or archive", names)
              : fmt::format("`{}` alone", names),
      assignment.suites.size() > 1 && !assignment.suite_files.empty()
          ? "The suites in `suites/` describe the kernels: their arguments, how they are launched, "
            "and the references\nthat their results are compared with."
          : "The suite in `suites/` describes the kernel: its arguments, how it is launched, and "
            "the reference that\nits results are compared with.");
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
