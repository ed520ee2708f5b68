#include "grade/feedback/device_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace warpmark {

using Json = nlohmann::ordered_json;

const Json* Report::find(const char* key) const {
  if (!json_.is_object()) return nullptr;
  const auto found = json_.find(key);
  return found == json_.end() ? nullptr : &*found;
}

std::string Report::text(const char* key, size_t most) const {
  const Json* found = find(key);
  if (found == nullptr || !found->is_string()) return "";
  std::string value = printable(found->get<std::string>());
  if (value.size() > most) value = printable(value.substr(0, most)) + "…";
  return value;
}

std::optional<int64_t> Report::number(const char* key) const {
  const Json* found = find(key);
  if (found == nullptr || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}

bool Report::flag(const char* key) const {
  const Json* found = find(key);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

Report Report::object(const char* key) const {
  static const Json nothing;
  const Json* found = find(key);
  return Report(found != nullptr ? *found : nothing);
}

std::vector<Report> Report::objects(const char* key) const {
  std::vector<Report> all;
  const Json* found = find(key);
  if (found == nullptr || !found->is_array()) return all;
  for (const Json& one : *found) all.emplace_back(one);
  return all;
}

std::optional<std::array<int64_t, 3>> Report::triple(const char* key) const {
  const Json* found = find(key);
  if (found == nullptr || !found->is_array() || found->size() != 3) return std::nullopt;
  std::array<int64_t, 3> out{};
  for (size_t i = 0; i < 3; ++i) {
    if (!(*found)[i].is_number_integer()) return std::nullopt;
    out.at(i) = (*found)[i].get<int64_t>();
  }
  return out;
}

int line_number(const Report& report) {
  return static_cast<int>(std::clamp<int64_t>(report.number("line").value_or(0), 0, INT32_MAX));
}

std::string index_text(const std::array<int64_t, 3>& at) {
  if (at[1] == 0 && at[2] == 0) return std::to_string(at[0]);
  return fmt::format("({}, {}, {})", at[0], at[1], at[2]);
}

namespace {

std::string thread_text(const Report& report) {
  const auto thread = report.triple("thread");
  const auto block = report.triple("block");
  if (!thread || !block) return "";
  return fmt::format("thread {} of block {}", index_text(*thread), index_text(*block));
}

bool is_file(const std::string& name, const std::string& file) {
  return name == file || name.ends_with("/" + file);
}

// True if a report, or a frame that it was inlined through, names a line of the submitted file.
bool is_submitted(const Report& frame, const SubmittedNames& names) {
  const std::string name = frame.text("file");
  return name.empty() || names.file.empty() || is_file(name, names.file);
}

}  // namespace

std::string line_in_file(int64_t line, const SubmittedNames& names) {
  return names.several ? fmt::format("line {} of {}", line, printable(names.file))
                       : fmt::format("line {}", line);
}

std::string line_text(const Report& report, const SubmittedNames& names) {
  const auto line = report.number("line");
  if (!line || *line < 1) return "";
  if (is_submitted(report, names)) return line_in_file(*line, names);
  const std::string file = report.text("file");
  for (const std::string& header : names.headers) {
    if (is_file(file, header)) return fmt::format("line {} of {}", *line, printable(header));
  }
  for (const Report& call : report.objects("inlined_at")) {
    const auto caller = call.number("line");
    if (!call.text("file").empty() && is_submitted(call, names) && caller && *caller > 0) {
      return line_in_file(*caller, names);
    }
  }
  return fmt::format("line {} of {}", *line, file);
}

std::string subject(const Report& report, const SubmittedNames& names) {
  std::string line = line_text(report, names);
  if (line.empty()) return "The kernel";
  line[0] = 'L';
  return line;
}

std::string by_thread(const Report& report) {
  const std::string thread = thread_text(report);
  if (thread.empty()) return "";
  // A report of a submission may say any number.
  const int64_t count = report.number("count").value_or(1);
  if (count <= 1) return fmt::format(" It was {}.", thread);
  const int64_t more = count - 1;
  return fmt::format(" The first to do so was {}, and {} more access{} did the same.", thread, more,
                     more == 1 ? "" : "es");
}

}  // namespace warpmark
