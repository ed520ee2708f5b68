#include "cli/jobs/keep_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/sha256.hpp"
#include "report/run/case_text.hpp"
#include "results/npy.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// This title marks a folder as ours, so that it may be replaced.
constexpr std::string_view kTitle = "Kept by `warpmark check --keep`: ";
constexpr size_t kLongestName = 200;  // NAME_MAX is 255 bytes, and drafts need some

Error cannot_keep(const fs::path& path, const std::string& reason) {
  return environment_error(fmt::format("cannot keep files in {}: {}", display_path(path), reason));
}

void make_folder(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) throw cannot_keep(folder, code.message());
}

bool is_ours(const fs::path& folder) {
  std::error_code ignored;
  const fs::path readme = folder / "README.txt";
  return fs::is_regular_file(readme, ignored) && read_file(readme).starts_with(kTitle);
}

std::string readme(const EndedCase& ended, const Suite& suite) {
  const Outcome& outcome = ended.outcome;
  return fmt::format(
      "{}{}\n\n{}\n\n{}\nsuite: {}\n\n"
      "outcome.json          the verdict, as the journal has it (schema/outcome.json)\n"
      "plan.json             what was to be done, as `warpmark plan` prints it\n"
      "unit0/                the source as it was compiled, PTX, cubin and the compiler's log\n"
      "inputs/*.npy          arguments before the launch: numpy.load(\"inputs/x.npy\")\n"
      "outputs/*.npy         arrays after the launch; all zero or left as they were filled if it "
      "failed\n"
      "references/*.npy      what was expected\n",
      kTitle, outcome.case_id, to_text(outcome.verdict), failure_text(outcome, ended.reproduce),
      display_path(suite.file));
}

void write_units(const fs::path& into, const std::vector<UnitArtifacts>& units) {
  for (size_t i = 0; i < units.size(); ++i) {
    const fs::path folder = into / fmt::format("unit{}", i);
    // A unit's name may lead through folders; here its last part is enough.
    const fs::path name = fs::path(units[i].name).filename();
    write_file_atomically(folder / (name.empty() ? "source.cu" : name), units[i].source);
    const auto write = [&](const char* file, const std::string& bytes) {
      if (!bytes.empty()) write_file_atomically(folder / file, bytes);
    };
    write("kernel.ptx", units[i].ptx);
    write("kernel.cubin", units[i].cubin);
    write("compile.log", units[i].log);
  }
}

}  // namespace

std::string kept_folder_name(const std::string& case_id) {
  std::string name = case_id;
  std::ranges::replace(name, '/', '+');
  if (name.size() <= kLongestName) return name;
  return name.substr(0, kLongestName) + "-" + sha256_hex(case_id).substr(0, 16);
}

KeepReport::KeepReport(fs::path folder, bool all, const SessionRunner& runner, Interpreter& python)
    : folder_(std::move(folder)), all_(all), runner_(runner), python_(python) {
  std::error_code ignored;
  if (fs::exists(folder_, ignored) && !fs::is_directory(folder_, ignored)) {
    throw usage_error(fmt::format("--keep: {} is no folder", display_path(folder_)));
  }
  make_folder(folder_);
  // The error is reported now instead of after an hour of cases.
  if (::access(folder_.c_str(), W_OK | X_OK) != 0) {
    throw cannot_keep(folder_, std::strerror(errno));
  }
}

void KeepReport::end_case(const EndedCase& ended) {
  const Outcome& outcome = ended.outcome;
  const bool wanted =
      outcome.verdict == Verdict::failed || (all_ && outcome.verdict == Verdict::passed);
  // Cases that could not be loaded or planned have no files.
  if (!wanted || outcome.failure == FailureKind::load) return;
  const fs::path target = folder_ / kept_folder_name(outcome.case_id);
  std::error_code code;
  if (fs::exists(fs::symlink_status(target, code)) && !is_ours(target)) {
    throw cannot_keep(target, "it is there already, and not from an earlier run");
  }
  const fs::path draft = folder_ / fmt::format(".draft-{}", ::getpid());
  fs::remove_all(draft, code);
  make_folder(draft);
  try {
    write(draft, ended);
    fs::remove_all(target, code);
    fs::rename(draft, target, code);
    if (code) throw cannot_keep(target, code.message());
  } catch (...) {
    fs::remove_all(draft, code);
    throw;
  }
  ++kept_;
}

void KeepReport::write(const fs::path& into, const EndedCase& ended) const {
  if (runner_.work() == nullptr || runner_.work()->which.id != ended.outcome.case_id) {
    throw internal_error("the files of " + ended.outcome.case_id + " are gone");
  }
  const CaseArtifacts& artifacts = runner_.artifacts();
  const PlannedCase& planned = *runner_.planned();
  write_file_atomically(into / "README.txt", readme(ended, *runner_.work()->which.suite));
  write_file_atomically(into / "outcome.json", json_page(outcome_record(ended)) + "\n");
  write_file_atomically(into / "plan.json", describe(planned.plan));
  write_units(into, artifacts.units);
  if (!artifacts.inputs) return;
  for (const char* part : {"inputs", "outputs", "references"}) make_folder(into / part);
  for (const auto& [name, array] : artifacts.inputs->arrays) {
    write_npy(into / "inputs" / (name + ".npy"), array.dtype(), array.shape(), array.bytes());
  }
  for (const auto& [name, scalar] : artifacts.inputs->scalars) {
    write_npy(into / "inputs" / (name + ".npy"), scalar.dtype, {}, scalar.bytes);
  }
  for (const auto& [name, array] : artifacts.results) {
    write_npy(into / "outputs" / (name + ".npy"), array.dtype(), array.shape(), array.bytes());
  }
  for (const auto& [name, value] : references(python_, planned, artifacts)) {
    write_npy(into / "references" / (name + ".npy"), value.dtype, value.shape, value.bytes);
  }
}

std::vector<std::string> KeepReport::notes() {
  if (kept_ == 0) return {};
  return {
      fmt::format("kept the files of {} in {}", count_text(kept_, "case"), display_path(folder_))};
}

}  // namespace warpmark
