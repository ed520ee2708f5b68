#include "check/junit.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"
#include "report/xml.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// Adds one to a number among the attributes of the element at `element`.
void count_up(std::string& xml, size_t element, const std::string& attribute) {
  const std::string opening = " " + attribute + "=\"";
  const size_t at = xml.find(opening, element);
  if (at == std::string::npos || at > xml.find('>', element)) return;
  const size_t begin = at + opening.size(), end = xml.find('"', begin);
  size_t count = 0;
  const auto [stopped, code] = std::from_chars(xml.data() + begin, xml.data() + end, count);
  if (code == std::errc{}) xml.replace(begin, end - begin, std::to_string(count + 1));
}

}  // namespace

JunitFile::JunitFile(fs::path target, std::string comment)
    : target_(std::move(target)),
      comment_(std::move(comment)),
      draft_(::memfd_create("warpmark-junit", MFD_CLOEXEC)) {
  if (!draft_) {
    throw environment_error(fmt::format("cannot make a draft of {} in memory: {}",
                                        display_path(target_), std::strerror(errno)));
  }
  require_writable(target_);
  // A device or a pipe is written to; a file is replaced in its folder.
  std::error_code code;
  special_ = fs::exists(target_, code) && !fs::is_regular_file(target_, code);
}

fs::path JunitFile::draft() const {
  return fmt::format("/proc/self/fd/{}", draft_.get());
}

void JunitFile::publish() const {
  write_file_atomically(target_, draft_text());
}

void JunitFile::publish_with(const std::string& error) const {
  if (!special_) write_file_atomically(target_, with_run_error(draft_text(), error));
}

std::string JunitFile::draft_text() const {
  std::string xml;
  try {
    xml = read_file(draft());
  } catch (const Error& error) {  // no file that a person named
    throw environment_error(error.message(), "Warpmark needs /proc");
  }
  if (!trim(xml).ends_with("</testsuites>")) {
    throw environment_error(
        fmt::format("the JUnit report for {} came out incomplete", display_path(target_)),
        "is memory short?");
  }
  if (!comment_.empty()) xml.insert(xml.find('\n') + 1, comment_ + "\n");
  return xml;
}

std::string with_run_error(std::string xml, const std::string& error) {
  const size_t end = xml.rfind("</testsuites>");
  const size_t head = xml.find("<testsuites ");
  if (end == std::string::npos || head == std::string::npos) return xml;
  xml.insert(end, fmt::format("  <testsuite name=\"warpmark\" tests=\"1\" failures=\"0\" "
                              "disabled=\"0\" skipped=\"0\" errors=\"1\" time=\"0.\">\n"
                              "    <testcase name=\"run\" status=\"run\" result=\"completed\" "
                              "time=\"0.\" classname=\"warpmark\">\n"
                              "      <error message=\"{}\" type=\"\"/>\n"
                              "    </testcase>\n  </testsuite>\n",
                              xml_attribute(error)));
  count_up(xml, head, "tests");
  count_up(xml, head, "errors");
  return xml;
}

}  // namespace warpmark
