#include "cli/draft/folder_draft.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/template.hpp"

namespace warpmark {

namespace fs = std::filesystem;

FolderDraft::FolderDraft(const fs::path& folder, const char* hint) {
  folder_ = fs::absolute(folder).lexically_normal();
  // "name/" has an empty last part.
  if (folder_.filename().empty()) folder_ = folder_.parent_path();
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(folder_, ignored))) {
    throw usage_error(fmt::format("there is already {}", display_path(folder_)), {},
                      fmt::format("existing files are not overwritten: {}", hint));
  }
  draft_ = folder_.parent_path() /
           fmt::format(".{}-{}", folder_.filename().string(), static_cast<int>(::getpid()));
}

FolderDraft::~FolderDraft() {
  std::error_code ignored;
  fs::remove_all(draft_, ignored);
}

void FolderDraft::keep() {
  std::error_code code;
  fs::rename(draft_, folder_, code);
  if (code) {
    throw environment_error(
        fmt::format("cannot make {}: {}", display_path(folder_), code.message()));
  }
}

void FolderDraft::make(const std::string& kind, const nlohmann::ordered_json& values, Output& out) {
  const std::string from = "cli/draft/" + kind + "/";
  std::vector<std::string> names;
  for (const std::string& file : embedded_files(from)) {
    fs::path name = fs::path(file).replace_extension();  // without .in
    if (name.stem() == kind)
      name = values.at("name").get<std::string>() + name.extension().string();
    write_file_atomically(draft_ / name, filled_file(from + file, values));
    names.push_back(name.string());
  }
  keep();
  for (const std::string& name : names) out.print("{}/{}\n", display_path(folder_), name);
}

}  // namespace warpmark
