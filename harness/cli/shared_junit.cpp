#include "cli/shared_junit.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "report/xml.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSuiteTag = "<testsuite name=\"";
constexpr std::string_view kClassAttribute = " classname=\"";

// The value of an attribute, as it is written; "" without it.
std::string_view attribute(std::string_view head, std::string_view name) {
  const std::string opening = fmt::format(" {}=\"", name);
  const size_t at = head.find(opening);
  if (at == std::string_view::npos) return {};
  const size_t begin = at + opening.size();
  return head.substr(begin, head.find('"', begin) - begin);
}

template <typename Number>
Number number(std::string_view head, std::string_view name) {
  const std::string_view text = attribute(head, name);
  Number value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<std::string> suite_names(const std::string& suites) {
  std::vector<std::string> names;
  for (size_t at = 0; (at = suites.find(kSuiteTag, at)) != std::string::npos;) {
    at += kSuiteTag.size();
    names.push_back(suites.substr(at, suites.find('"', at) - at));
  }
  return names;
}

// Puts `prefix` in front of the suites that are shared, and of the classes of their tests.
std::string with_prefix(const std::string& suites, const std::set<std::string>& shared,
                        const std::string& prefix) {
  std::string out;
  size_t done = 0;
  for (size_t at = 0; (at = suites.find('"', at)) != std::string::npos; ++at) {
    const std::string_view before = std::string_view(suites).substr(0, at + 1);
    if (!before.ends_with(kSuiteTag) && !before.ends_with(kClassAttribute)) continue;
    const std::string name = suites.substr(at + 1, suites.find('"', at + 1) - at - 1);
    if (shared.count(name) == 0) continue;
    out += suites.substr(done, at + 1 - done) + prefix;
    done = at + 1;
  }
  return out + suites.substr(done);
}

}  // namespace

SharedJunit::SharedJunit(fs::path target, fs::path draft)
    : target_(std::move(target)), draft_(std::move(draft)) {
  require_writable(target_);
}

void SharedJunit::add(const std::string& job, ExitCode code) {
  std::error_code ignored;
  const std::string xml = fs::exists(draft_, ignored) ? read_file(draft_) : "";
  fs::remove(draft_, ignored);
  const size_t head = xml.find("<testsuites");
  const size_t body = xml.find('>', head == std::string::npos ? 0 : head);
  const size_t end = xml.rfind("</testsuites>");
  if (head != std::string::npos && body != std::string::npos && end != std::string::npos) {
    parts_.push_back({job, xml.substr(head, body - head),
                      std::string(trim(xml.substr(body + 1, end - body - 1)))});
    return;
  }
  if (code == ExitCode::skipped) {
    add_left_out(job, "skipped");
    return;
  }
  const bool empty = !xml.empty();  // only `<testsuites/>`
  if (empty && code == ExitCode::success) return;
  const std::string message =
      fmt::format("the job ended with exit code {} and left no report", static_cast<int>(code));
  parts_.push_back(
      {job, R"( tests="1" errors="1")",
       fmt::format("  <testsuite name=\"warpmark\" tests=\"1\" failures=\"0\" disabled=\"0\" "
                   "skipped=\"0\" errors=\"1\" time=\"0.\">\n"
                   "    <testcase name=\"{0}\" status=\"run\" result=\"completed\" time=\"0.\" "
                   "classname=\"warpmark\">\n      <error message=\"{1}\" type=\"\"/>\n"
                   "    </testcase>\n  </testsuite>",
                   xml_attribute(job), xml_attribute(message))});
}

void SharedJunit::add_left_out(const std::string& job, const std::string& why) {
  parts_.push_back(
      {job, R"( tests="1" skipped="1")",
       fmt::format("  <testsuite name=\"warpmark\" tests=\"1\" failures=\"0\" disabled=\"0\" "
                   "skipped=\"1\" errors=\"0\" time=\"0.\">\n"
                   "    <testcase name=\"{0}\" status=\"run\" result=\"skipped\" time=\"0.\" "
                   "classname=\"warpmark\">\n      <skipped message=\"{1}\"/>\n"
                   "    </testcase>\n  </testsuite>",
                   xml_attribute(job), xml_attribute(why))});
}

void SharedJunit::write() const {
  std::map<std::string, std::set<size_t>> owners;
  for (size_t i = 0; i < parts_.size(); ++i) {
    for (const std::string& name : suite_names(parts_[i].suites)) owners[name].insert(i);
  }
  std::set<std::string> shared;
  for (const auto& [name, jobs] : owners) {
    if (jobs.size() > 1) shared.insert(name);
  }
  std::map<std::string, size_t> sums;
  double seconds = 0;
  std::string suites;
  for (const Part& part : parts_) {
    for (const char* name : {"tests", "failures", "disabled", "errors"}) {
      sums[name] += number<size_t>(part.head, name);
    }
    seconds += number<double>(part.head, "time");
    suites += with_prefix(part.suites, shared, xml_attribute(part.job) + "/") + "\n";
  }
  write_file_atomically(
      target_, fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                           "<testsuites tests=\"{}\" failures=\"{}\" disabled=\"{}\" errors=\"{}\" "
                           "time=\"{:.3f}\" name=\"AllTests\">\n{}</testsuites>\n",
                           sums["tests"], sums["failures"], sums["disabled"], sums["errors"],
                           seconds, suites));
}

}  // namespace warpmark
