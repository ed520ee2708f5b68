#include "cli/request/rivals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/spawn.hpp"
#include "base/text.hpp"
#include "cli/request/suites.hpp"
#include "suite/axis_override.hpp"
#include "suite/companions.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

// The output of git in a folder, or nothing if it fails. Without optional locks it writes nothing.
std::optional<std::string> git(const fs::path& folder, std::vector<std::string> words) {
  words.insert(words.begin(), {"git", "--no-optional-locks", "-C",
                               folder.empty() ? std::string(".") : folder.string()});
  const auto output = output_of(std::move(words));
  if (!output || output->code != 0) return std::nullopt;
  return std::string(trim(output->text));
}

// The folders that a suite takes files of, its own first, as git names them from the top.
std::vector<std::string> folders_of(const Suite& suite, const fs::path& prefix) {
  std::vector<std::string> folders;
  const auto add = [&](const fs::path& folder) {
    std::string name = (prefix / folder).lexically_normal().generic_string();
    while (name.ends_with('/')) name.pop_back();
    if (name.empty()) name = ".";
    if (!name.starts_with("..")) folders.push_back(std::move(name));
  };
  add(".");
  for (const Located& one : suite.kernel.include) add(one.text);
  if (suite.kernel.file) add(fs::path(suite.kernel.file->text).parent_path());
  for (const Located& one : suite.kernel.link) add(fs::path(one.text).parent_path());
  return folders;
}

std::vector<std::string> axis_names(const std::vector<PointValue>& point) {
  std::vector<std::string> names;
  for (const PointValue& value : point) names.push_back(value.name);
  return names;
}

}  // namespace

Rivals::Rivals(std::string against, const std::vector<Axis>& axes)
    : against_(std::move(against)), axes_(axes) {
  std::error_code ignored;
  const fs::path path = against_;
  if (against_ == "baseline") {
    kind_ = Kind::baseline;
  } else if (fs::exists(path, ignored)) {
    const bool is_suite =
        fs::is_directory(path) || path.extension() == ".yaml" || path.extension() == ".yml";
    kind_ = is_suite ? Kind::suites : Kind::file;
  } else {
    kind_ = Kind::revision;
    folder_.emplace("warpmark-against");
  }
}

Rivals::Found Rivals::find(const Case& which) {
  const SuitePointer suite = suite_for(*which.suite);
  if (!suite) return {nullptr, fmt::format("{} has no such suite", against_)};
  Rival rival{kind_ == Kind::baseline ? "its baseline" : against_, which, nullptr};
  if (kind_ == Kind::baseline) {
    const std::optional<Case> baseline = baseline_case(which);
    if (!baseline) return {nullptr, "its suite has no baseline"};
    rival.which = *baseline;
  } else if (!std::ranges::equal(axis_names(which.point), suite->axes, {}, {}, &Axis::name)) {
    return {nullptr, fmt::format("{} has other axes", against_)};
  } else {
    rival.which = case_at(suite, which.point, which.contents);
  }
  if (rival.which.skip)
    return {nullptr, fmt::format("{} skips it: {}", against_, *rival.which.skip)};
  try {
    rival.planned = std::make_shared<const PlannedCase>(make_plan(rival.which, plugins_));
  } catch (const Error& error) {
    if (error.code() == ExitCode::internal) throw;
    return {nullptr, fmt::format("{}: {}", against_, error.message())};
  }
  return {std::make_shared<const Rival>(std::move(rival)), ""};
}

// The other suite under the name of the own, by which inputs are made.
Rivals::SuitePointer Rivals::suite_for(const Suite& own) {
  const auto [found, is_new] = suites_.try_emplace(own.file, nullptr);
  if (!is_new) return found->second;
  const SuitePointer other = kind_ == Kind::baseline ? std::make_shared<const Suite>(own)
                             : kind_ == Kind::file   ? with_file(own)
                             : kind_ == Kind::suites ? other_suite(own)
                                                     : of_revision(own);
  if (!other) return nullptr;
  auto named = std::make_shared<Suite>(*with_axes(other, axes_));
  named->name = own.name;
  return found->second = std::move(named);
}

Rivals::SuitePointer Rivals::with_file(const Suite& own) const {
  auto suite = std::make_shared<Suite>(own);
  Kernel& kernel = suite->kernel;
  std::optional<Located>& place = kernel.image ? kernel.image : kernel.file;
  if (!place && !kernel.source) {
    throw usage_error(fmt::format("--against {}: {} names no kernel file that it could replace",
                                  against_, own.name),
                      own.where);
  }
  const Position where = place ? place->where : kernel.source->where;
  const fs::path folder = whole_path(own.folder);
  place = Located{whole_path(against_).lexically_relative(folder).generic_string(), where};
  kernel.source.reset();
  return suite;
}

Rivals::SuitePointer Rivals::other_suite(const Suite& own) {
  const std::vector<fs::path> files = suite_files({against_}).files;
  SuitePointer only;
  for (const fs::path& file : files) {
    only = load_suite(file);
    if (only->name == own.name || file.filename() == own.file.filename()) return only;
  }
  return files.size() == 1 ? only : nullptr;
}

// Takes the suite's folder, and those of its files, out of the repository as of that commit.
Rivals::SuitePointer Rivals::of_revision(const Suite& own) {
  const auto top = git(own.folder, {"rev-parse", "--show-toplevel"});
  const auto prefix = git(own.folder, {"rev-parse", "--show-prefix"});
  const auto commit = git(
      own.folder, {"rev-parse", "--verify", "--quiet", "--end-of-options", against_ + "^{commit}"});
  if (!top || !prefix || !commit) {
    throw usage_error(
        fmt::format("--against {}: there is no such file, {}", printable(against_),
                    top ? "and git knows no such revision"
                        : fmt::format("and {} is in no git repository",
                                      own.folder.empty() ? "." : display_path(own.folder))),
        {}, "it takes a suite, a kernel file, a revision as HEAD~1, or `baseline`");
  }
  const fs::path tree = folder_->path() / *commit;
  const fs::path file = tree / *prefix / own.file.filename();
  const fs::path archive = folder_->path() / "tree.tar";
  for (const std::string& folder : folders_of(own, *prefix)) {
    if (!git(*top, {"cat-file", "-e", *commit + (folder == "." ? "^{tree}" : ":" + folder)}))
      continue;
    fs::create_directories(tree);
    const bool unpacked = git(*top, {"archive", "--format=tar", "--output=" + archive.string(),
                                     *commit, "--", folder}) &&
                          output_of({"tar", "-xf", archive.string(), "-C", tree.string()})
                                  .value_or(ProgramOutput{})
                                  .code == 0;
    if (!unpacked)
      throw environment_error(fmt::format("{} of {} cannot be unpacked", folder, against_),
                              "it takes git and tar");
  }
  std::error_code ignored;
  return fs::exists(file, ignored) ? load_suite(file) : nullptr;
}

}  // namespace warpmark
