#include "grade/handout/wheel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

constexpr const char* kReleaseHint =
    "a release has one for each Python, and their hashes in SHA256SUMS";
constexpr std::string_view kHashMark = "#sha256=";
constexpr size_t kHashLength = 64;

bool is_hash(const std::string& text) {
  return text.size() == kHashLength && std::ranges::all_of(text, [](unsigned char one) {
           return std::isdigit(one) != 0 || (one >= 'a' && one <= 'f');
         });
}

// The least minor version of glibc that a platform tag promises to run with; -1 for other platforms.
int least_glibc(const std::string& platform) {
  int least = -1;
  for (const std::string& tag : split(platform, '.')) {
    std::smatch match;
    static const std::regex kNewTag("manylinux_2_([0-9]{1,3})_x86_64");
    if (!std::regex_match(tag, match, kNewTag)) continue;
    const int minor = std::stoi(match[1]);
    if (least < 0 || minor < least) least = minor;
  }
  return least;
}

Wheel wheel_of_name(const std::string& name) {
  // PEP 427; `cp312-cp312t` is of a Python without the lock, for which there is none.
  static const std::regex kName(
      "warpmark-[^-]+(-[0-9][^-]*)?-cp3([0-9]{1,2})-cp3([0-9]{1,2})-([a-z0-9_.]+)\\.whl");
  std::smatch match;
  if (!std::regex_match(name, match, kName) || match[2] != match[3]) {
    throw usage_error(fmt::format("`{}` is not the name of a wheel of Warpmark", printable(name)),
                      {}, kReleaseHint);
  }
  Wheel wheel;
  wheel.name = name;
  wheel.python = "3." + match[2].str();
  wheel.platform = match[4];
  if (least_glibc(wheel.platform) < 0) {
    const bool own = wheel.platform.starts_with("linux_");
    throw usage_error(
        fmt::format("{} is for {}, {}", name, wheel.platform,
                    own ? "which means the machine that made it" : "and not for x86-64 Linux"),
        {}, std::string("take one for manylinux_…_x86_64: ") + kReleaseHint);
  }
  return wheel;
}

Wheel wheel_of_address(const std::string& text) {
  const size_t mark = text.find(kHashMark);
  const std::string address = text.substr(0, mark);
  Wheel wheel = wheel_of_name(address.substr(address.rfind('/') + 1));
  wheel.sha256 = mark == std::string::npos ? "" : text.substr(mark + kHashMark.size());
  if (!is_hash(wheel.sha256)) {
    throw usage_error(
        fmt::format("the address of {} has no hash, by which pip could tell it from another file",
                    wheel.name),
        {}, "add #sha256= and the hash, of 64 digits, that SHA256SUMS of the release has");
  }
  wheel.address = text;
  return wheel;
}

Wheel wheel_of_file(const fs::path& file) {
  Wheel wheel = wheel_of_name(file.filename().string());
  const std::string bytes = read_file(file);
  if (!bytes.starts_with("PK")) {
    throw usage_error(fmt::format("{} is no wheel: it is not a zip archive", display_path(file)),
                      {}, "fetch it again");
  }
  wheel.file = file;
  wheel.sha256 = sha256_hex(bytes);
  return wheel;
}

}  // namespace

Wheel read_wheel(const std::string& text) {
  if (text.starts_with("https://")) return wheel_of_address(text);
  if (text.find("://") != std::string::npos) {
    throw usage_error(
        fmt::format("`{}` is neither a file nor an address with https://", printable(text)), {},
        kReleaseHint);
  }
  return wheel_of_file(text);
}

void require_fits(const Wheel& wheel, const WheelTarget& target) {
  if (wheel.python != target.python) {
    std::string tag = target.python;
    std::erase(tag, '.');
    throw usage_error(fmt::format("{} is for Python {}, and {} is to have Python {}", wheel.name,
                                  wheel.python, target.name, target.python),
                      {},
                      fmt::format("take the wheel with cp{}, or --python {}", tag, wheel.python));
  }
  if (const int least = least_glibc(wheel.platform); least > target.glibc) {
    throw usage_error(fmt::format("{} needs glibc 2.{}, and {} has 2.{}", wheel.name, least,
                                  target.name, target.glibc),
                      {}, kReleaseHint);
  }
}

std::string pip_argument(const Wheel& wheel, const std::string& folder) {
  if (!wheel.address.empty()) return wheel.address;
  return fmt::format("file://{}/{}{}{}", folder, wheel.name, kHashMark, wheel.sha256);
}

}  // namespace warpmark
