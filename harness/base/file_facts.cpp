#include "base/file_facts.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

namespace warpmark {

std::string file_facts(const std::filesystem::path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return "";
  const auto ns = [](const timespec& time) {
    return fmt::format("{}.{:09}", time.tv_sec, time.tv_nsec);
  };
  return fmt::format("{} {} {} {} {}:{}", path.string(), facts.st_size, ns(facts.st_mtim),
                     ns(facts.st_ctim), facts.st_dev, facts.st_ino);
}

}  // namespace warpmark
