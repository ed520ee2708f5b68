#include "report/grade/receipt.hpp"

#include <fmt/format.h>

#include <set>

#include "base/text.hpp"
#include "report/grade/grade_text.hpp"
#include "report/page/text_line.hpp"
#include "results/reproduce.hpp"

namespace warpmark {

std::vector<ReceiptLine> receipt(const StudentView& view) {
  const GradeResult& result = view.result();
  std::vector<ReceiptLine> lines;
  if (!has_points(result)) return lines;
  const GradeContext& context = result.context;
  std::string assignment = result.assignment;
  if (!context.assignment_version.empty()) assignment += ", version " + context.assignment_version;
  for (ReceiptLine line : {ReceiptLine{"student", result.student},
                           {"file", result.file},
                           {"SHA-256", result.submission_sha256},
                           {"handed in", result.handed_in},
                           {"graded", context.date},
                           {"points", total_text(result)},
                           {"assignment", assignment},
                           {"Warpmark", context.warpmark},
                           {"NVRTC", context.nvrtc_version},
                           {"device", context.device}}) {
    line.value = in_one_line(line.value);
    const bool hash = line.name == "SHA-256";
    if (!line.value.empty()) lines.push_back(std::move(line));
    if (!hash) continue;
    for (const GradedFile& file : result.files) {
      if (file.sha256.empty()) continue;
      lines.push_back({"SHA-256 of", in_one_line(file.name + ": " + file.sha256)});
    }
  }
  return lines;
}

std::string receipt_check(const StudentView& view) {
  if (view.result().submission_sha256.empty() || !has_points(view.result())) return "";
  if (!view.result().files.empty()) {
    std::set<std::string> names;
    for (const GradedFile& file : view.result().files) {
      if (!file.sha256.empty()) names.insert(shell_word(in_one_line(file.name)));
    }
    return fmt::format(
        "The SHA-256 is that of the list which `sha256sum` prints of the files as they were handed "
        "in: `sha256sum {} | sha256sum` prints the same for the same files.",
        join({names.begin(), names.end()}, " "));
  }
  return "The SHA-256 is that of the file as it was handed in: `sha256sum` (Windows: `certutil "
         "-hashfile FILE SHA256`) prints the same for the same file.";
}

std::string receipt_text(const StudentView& view) {
  std::vector<std::string> lines;
  for (const ReceiptLine& line : receipt(view)) lines.push_back(line.name + ": " + line.value);
  const std::string check = receipt_check(view);
  if (!check.empty()) lines.push_back(check);
  return join(lines, "\n");
}

}  // namespace warpmark
