// Reads a report of a device, and says its places as an explanation does.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grade/feedback/submitted_names.hpp"

namespace warpmark {

/// Reads members of a report, whatever their types are: names and texts in it may be made by the
/// student.
class Report {
 public:
  static constexpr size_t kLongestName = 60, kLongestMessage = 200;

  explicit Report(const nlohmann::ordered_json& json) : json_(json) {}

  std::string text(const char* key, size_t most = kLongestName) const;
  std::optional<int64_t> number(const char* key) const;
  bool flag(const char* key) const;
  Report object(const char* key) const;
  std::vector<Report> objects(const char* key) const;
  std::optional<std::array<int64_t, 3>> triple(const char* key) const;

 private:
  const nlohmann::ordered_json* find(const char* key) const;
  const nlohmann::ordered_json& json_;
};

/// The line of a report, or 0.
int line_number(const Report& report);

/// "3" for (3, 0, 0), as in most kernels of beginners.
std::string index_text(const std::array<int64_t, 3>& at);

/// "line 5", or "line 5 of a.cu" where it is one of several files.
std::string line_in_file(int64_t line, const SubmittedNames& names);

/// "line 5", with the file if it is not the only one; "" if unknown. For code inlined from a header
/// of the course or of CUDA it is the innermost line of the submitted file that called it, which its
/// author can change.
std::string line_text(const Report& report, const SubmittedNames& names);

/// "Line 5" or "The kernel", to begin a sentence.
std::string subject(const Report& report, const SubmittedNames& names);

/// " It was thread 3 of block 0.", " The first to do so was …", or "".
std::string by_thread(const Report& report);

}  // namespace warpmark
