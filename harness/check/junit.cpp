#include "check/junit.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

JunitFile::JunitFile(fs::path target)
    : target_(std::move(target)), draft_(::memfd_create("warpmark-junit", MFD_CLOEXEC)) {
  if (!draft_) {
    throw environment_error(fmt::format("cannot make a draft of {} in memory: {}",
                                        display_path(target_), std::strerror(errno)));
  }
  require_writable(target_);
}

fs::path JunitFile::draft() const {
  return fmt::format("/proc/self/fd/{}", draft_.get());
}

void JunitFile::publish() const {
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
  write_file_atomically(target_, xml);
}

}  // namespace warpmark
