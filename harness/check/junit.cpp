#include "check/junit.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

JunitFile::JunitFile(fs::path target) : target_(std::move(target)) {
  std::error_code code;
  const fs::path folder = fs::absolute(target_, code).parent_path();
  fs::create_directories(folder, code);
  // Better now than after an hour of cases.
  if (fs::is_directory(target_, code)) {
    throw environment_error(fmt::format("cannot write {}: it is a folder", display_path(target_)));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw environment_error(
        fmt::format("cannot write {}: {}", display_path(target_), std::strerror(errno)));
  }
}

void JunitFile::publish() const {
  const std::string xml = fs::exists(draft()) ? read_file(draft()) : std::string();
  if (!trim(xml).ends_with("</testsuites>")) {
    throw environment_error(
        fmt::format("the JUnit report for {} came out incomplete", display_path(target_)),
        fmt::format("is there room in {}?", folder_.path().parent_path().string()));
  }
  write_file_atomically(target_, xml);
}

}  // namespace warpmark
