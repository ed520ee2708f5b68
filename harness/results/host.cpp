#include "results/host.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "base/text.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

// The first "model name" of proc(5)'s cpuinfo; not every architecture has one.
std::string processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const size_t colon = line.find(':');
    if (line.starts_with("model name") && colon != std::string::npos) {
      return printable(trim(std::string_view(line).substr(colon + 1)));
    }
  }
  return "";
}

std::vector<std::string> git(const fs::path& folder, std::vector<std::string> words) {
  // Without optional locks it writes nothing: a benchmark must not disturb another git at work.
  words.insert(words.begin(), {"git", "--no-optional-locks", "-C", folder.string()});
  return words;
}

}  // namespace

Host this_host() {
  Host host;
  utsname names{};
  if (::uname(&names) == 0) {
    host.system = printable(fmt::format("{} {}", names.sysname, names.release));
    host.processor = printable(names.machine);
  }
  if (std::string name = processor_name(); !name.empty()) host.processor = std::move(name);
  host.processors = std::max(0L, ::sysconf(_SC_NPROCESSORS_ONLN));
  host.memory_bytes =
      std::max(0L, ::sysconf(_SC_PHYS_PAGES)) * std::max(0L, ::sysconf(_SC_PAGESIZE));
  return host;
}

GitQuery::GitQuery(const fs::path& folder)
    : commit_(git(folder, {"rev-parse", "--verify", "HEAD"})),
      changes_(git(folder, {"status", "--porcelain", "--untracked-files=no"})) {}

std::optional<GitState> GitQuery::answer() {
  const auto commit = commit_.output();
  const auto changes = changes_.output();
  if (!commit || commit->code != 0) return std::nullopt;
  GitState state;
  state.commit = std::string(trim(commit->text));
  const bool is_hash = state.commit.size() >= 40 &&
                       state.commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_hash) return std::nullopt;
  state.dirty = !changes || changes->code != 0 || !trim(changes->text).empty();
  return state;
}

}  // namespace warpmark
