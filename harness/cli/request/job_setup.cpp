#include "cli/request/job_setup.hpp"

#include <unistd.h>

#include <iostream>
#include <system_error>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/program/command_line.hpp"
#include "cli/request/output_files.hpp"
#include "cli/request/shard_work.hpp"
#include "driver/choose.hpp"
#include "report/problems/annotations.hpp"

namespace warpmark {

RunContext make_context(const JobRequest& request, size_t deselected) {
  RunContext context;
  context.verb = to_text(request.kind);
  context.command = command_line();
  context.device_request = request.device_given ? request.session.device : "";
  context.seed_given = request.seed_given;
  context.seed = request.session.seed;
  context.sanitize = request.sanitize;
  if (request.checks_given) context.checks = join(request.session.checks, ",");
  if (request.timeout_given) context.timeout_s = request.session.timeout_s;
  context.first_trial = request.first_trial;
  context.trials = request.trials;
  context.trials_given = request.trials_given;
  context.deselected = deselected;
  context.asked_ids = request.choice.ids;
  context.asked_select = request.choice.select_text;
  return context;
}

void set_run_options(const JobRequest& request, const Output& out, RunOptions& options) {
  if (!request.journal.empty()) options.journal = request.journal;
  options.append_journal = request.append_journal;
  if (!request.formats.junit.empty()) options.junit = request.formats.junit;
  options.junit_part = request.junit_part;
  options.fail_on = request.fail_on;
  options.max_failures = request.max_failures;
  options.json = request.json;
  options.style = console_style(STDOUT_FILENO);
  options.style.verbosity = request.verbosity;
  options.style.for_runner = out.for_runner();
  options.style.durations = request.durations;
  options.style.shown = request.shown;
}

std::unique_ptr<RunReport> add_annotations(const JobRequest& request, RunOptions& options) {
  if (!wants_annotations(request.formats.annotations, request.json)) return nullptr;
  // Where kernels print: a worker's standard output is its standard error.
  std::ostream& log = request.session.in_process && !request.json ? std::cout : std::cerr;
  auto annotations = std::make_unique<Annotations>(log);
  options.reports.push_back(annotations.get());
  return annotations;
}

std::unique_ptr<RunReport> add_problem_files(const JobRequest& request, const RunContext& context,
                                             RunOptions& options) {
  if (request.formats.outputs.empty()) return nullptr;
  auto files = std::make_unique<ProblemFiles>(request.formats.outputs, context);
  options.reports.push_back(files.get());
  return files;
}

void annotate_errors_of(std::shared_ptr<const JobRequest> request, Output& out) {
  out.annotate_error_if([request = std::move(request)] {
    return wants_annotations(request->formats.annotations, request->json);
  });
}

bool find_device(Session& session, const JobRequest& request, RunContext& context, Output& out) {
  return find_device([&] { return session.require(); }, request, context, out);
}

bool find_device(const std::function<DeviceFacts()>& require, const JobRequest& request,
                 RunContext& context, Output& out) {
  try {
    context.device = require();
    return true;
  } catch (const NoDeviceError& error) {
    if (!request.skip_without_device) throw;
    if (!request.json) out.print("skipped: {}\n", error.message());
    return false;
  }
}

void require_own_files(const JobRequest& request) {
  const std::vector<OutputFile> files = output_files(request);
  require_kept(files, {request.config});
  std::error_code ignored;
  const auto whole = [&](const std::filesystem::path& file) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(file, ignored), ignored);
  };
  for (size_t i = 0; i < files.size(); ++i) {
    // Devices and pipes take whatever is written to them, in turn.
    const std::filesystem::path file = whole(files[i].file);
    const bool special =
        std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored);
    for (size_t other = 0; other < i && !files[i].file.empty() && !special; ++other) {
      if (files[other].file.empty() || whole(files[other].file) != file) continue;
      throw usage_error(fmt::format("{} and {} name one file, {}", files[other].option,
                                    files[i].option, display_path(files[i].file)),
                        {}, "the second would replace the first");
    }
  }
}

void begin_job(JobRequest& request, Output& out) {
  adapt_to_shard(request);
  if (wants_annotations(request.formats.annotations, request.json)) out.write_for_runner();
  require_own_files(request);
}

}  // namespace warpmark
