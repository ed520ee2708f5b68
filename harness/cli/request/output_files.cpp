#include "cli/request/output_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/request/planned_work.hpp"
#include "cli/request/suites.hpp"
#include "compiler/includes.hpp"
#include "results/counted_baseline.hpp"
#include "results/result_kind.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

// Collects files, each once: the cases of a suite share theirs.
class Inputs {
 public:
  void add(const CaseWork& work) {
    const Suite& suite = *work.which.suite;
    add(suite.file);
    add(suite.folder / suite.plugin.text);  // no file is added if this is the name of a plugin
    if (work.error || work.which.skip) return;
    const auto planned = plan_of(work, plugins_).planned;
    if (!planned) return;
    add(planned->plan, suite.folder);
    for (const auto& companion : {planned->baseline, planned->smaller}) {
      if (companion != nullptr) add(companion->plan, suite.folder);
    }
  }
  std::vector<fs::path> take() { return {files_.begin(), files_.end()}; }

 private:
  bool add(const fs::path& file) { return files_.insert(file.lexically_normal()).second; }

  void add(const Plan& plan, const fs::path& folder) {
    for (const Unit& unit : plan.units) {
      if (!unit.file.empty()) add_unit(unit, folder);
    }
    const auto add_text = [&](const NumpyText& value) {
      if (value.function) add(folder / value.text.substr(0, value.text.rfind(':')));
    };
    for (const Buffer& buffer : plan.buffers) {
      if (buffer.value) add_text(*buffer.value);
    }
    for (const Scalar& scalar : plan.scalars) add_text(scalar.value);
    for (const Expected& expected : plan.expected) add_text(expected.value);
    for (const PlannedCheck& check : plan.checks) {
      add_text({check.subject, check.at, check.kind == CheckKind::function});
    }
  }

  void add_unit(const Unit& unit, const fs::path& folder) {
    std::error_code ignored;
    if (!add(folder / unit.file) || !fs::is_regular_file(folder / unit.file, ignored)) return;
    IncludeSearch search;
    search.folder = folder;
    for (const std::string& one : unit.include) search.folders.push_back(folder / one);
    try {
      const IncludeClosure closure =
          resolve_includes(read_file(folder / unit.file), unit.file, search);
      for (const Header& header : closure.headers) {
        if (!header.path.empty()) add(folder / header.path);
      }
    } catch (const Error&) {
      // A file that cannot be read fails its own cases.
    }
  }

  std::set<fs::path> files_;
  PluginLoader plugins_;
};

bool replaces_something(const OutputFile& output) {
  std::error_code ignored;
  return !output.file.empty() && fs::is_regular_file(output.file, ignored);
}

// True for a result that Warpmark wrote, and so for no kernel, header or Python file.
bool is_result(const fs::path& file) {
  try {
    return result_kind(file).has_value();
  } catch (const Error&) {
    return false;  // an input may be unreadable
  }
}

}  // namespace

std::vector<OutputFile> output_files(const JobRequest& request) {
  const fs::path baseline = request.update_baseline ? request.baseline : fs::path();
  const fs::path lines = request.update_baseline ? lines_file(request.baseline) : fs::path();
  std::vector<OutputFile> files = {{"--journal", request.journal},
                                   {"--benchmark-out", request.google_benchmark},
                                   {"--gen-suppressions", request.gen_suppressions},
                                   {"--coverage", request.coverage},
                                   {"--update-baseline", baseline},
                                   {"--update-baseline", lines}};
  const std::vector<OutputFile> formats = files_of(request.formats);
  files.insert(files.begin() + 1, formats.begin(), formats.end());
  return files;
}

std::vector<fs::path> input_files(const std::vector<CaseWork>& work) {
  Inputs inputs;
  for (const CaseWork& one : work) inputs.add(one);
  return inputs.take();
}

void require_kept(const std::vector<OutputFile>& outputs, const std::vector<fs::path>& inputs) {
  for (const OutputFile& output : outputs) {
    if (!replaces_something(output)) continue;
    for (const fs::path& input : inputs) {
      std::error_code ignored;
      if (!fs::equivalent(input, output.file, ignored)) continue;
      throw usage_error(fmt::format("{} would replace {}, which this command reads", output.option,
                                    printable(display_path(input))),
                        {}, "it names the file to write");
    }
  }
}

void require_kept(const std::vector<OutputFile>& outputs, const std::vector<fs::path>& paths,
                  const std::vector<CaseWork>& work) {
  if (std::ranges::none_of(outputs, replaces_something)) return;
  require_kept(outputs, suite_files(paths).files);
  // Most replaced files are an earlier run's, and planning takes a while.
  if (std::ranges::all_of(outputs, [](const OutputFile& output) {
        return !replaces_something(output) || is_result(output.file);
      })) {
    return;
  }
  require_kept(outputs, input_files(work));
}

}  // namespace warpmark
