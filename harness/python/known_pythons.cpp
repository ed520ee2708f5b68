#include "python/known_pythons.hpp"

#include "base/file_facts.hpp"
#include "base/kept_answer.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

constexpr const char* kKept = "pythons";

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
  const auto answer = facts.empty() ? std::nullopt : kept_answer(kKept, facts);
  if (!answer) return std::nullopt;
  const std::vector<std::string> lines = split(*answer, '\n');
  if (lines.size() != 3 || lines[0].empty() || lines[1].empty()) return std::nullopt;
  return PythonIdentity{lines[0], lines[1], lines[2]};
}

void keep_python(const std::string& facts, const PythonIdentity& identity) noexcept {
  if (facts.empty()) return;
  keep_answer(kKept, facts,
              identity.executable.string() + "\n" + identity.version + "\n" +
                  identity.base_prefix.string());
}

}  // namespace warpmark
