#include "report/receipt.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "report/grade_text.hpp"
#include "report/text_line.hpp"

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
    if (!line.value.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::string receipt_check(const StudentView& view) {
  if (view.result().submission_sha256.empty() || !has_points(view.result())) return "";
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
