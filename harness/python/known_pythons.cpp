#include "python/known_pythons.hpp"

#include <exception>

#include "base/file.hpp"
#include "base/file_facts.hpp"
#include "base/places.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

fs::path place_of(const std::string& facts) {
  const fs::path folder = cache_folder();
  return folder.empty() ? folder : folder / "pythons" / sha256_hex(facts).substr(0, 32);
}

}  // namespace

std::string python_facts(const fs::path& executable) {
  if (!executable.has_parent_path()) return "";
  std::error_code failed;
  const fs::path whole = fs::absolute(executable, failed);
  const std::string own = failed ? "" : file_facts(whole);
  if (own.empty()) return "";
  // Beside the interpreter, or in the folder above.
  std::string venv = file_facts(whole.parent_path() / "pyvenv.cfg");
  if (venv.empty()) venv = file_facts(whole.parent_path().parent_path() / "pyvenv.cfg");
  return "warpmark python 1\n" + own + "\n" + venv + "\n";
}

std::optional<PythonIdentity> known_python(const std::string& facts) {
  const fs::path place = facts.empty() ? fs::path() : place_of(facts);
  if (place.empty()) return std::nullopt;
  try {
    constexpr size_t kMost = size_t{1} << 16;
    const std::string text = read_file(place, kMost);
    if (!text.starts_with(facts)) return std::nullopt;
    const std::vector<std::string> lines = split(text.substr(facts.size()), '\n');
    constexpr size_t kLines = 4;  // the last is empty: a file that was cut has fewer
    if (lines.size() != kLines || lines[0].empty() || lines[1].empty()) return std::nullopt;
    return PythonIdentity{lines[0], lines[1], lines[2]};
  } catch (const std::exception&) {  // there is no such file
    return std::nullopt;
  }
}

void keep_python(const std::string& facts, const PythonIdentity& identity) noexcept {
  try {
    const fs::path place = facts.empty() ? fs::path() : place_of(facts);
    // Kernels make the folder: a command that only looks, such as `doctor`, makes nothing.
    if (place.empty() || !fs::is_directory(cache_folder())) return;
    fs::create_directory(place.parent_path());
    write_file_atomically(place, facts + identity.executable.string() + "\n" + identity.version +
                                     "\n" + identity.base_prefix.string() + "\n");
  } catch (const std::exception&) {  // the next process asks again
  }
}

}  // namespace warpmark
