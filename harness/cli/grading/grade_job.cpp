#include "cli/grading/grade_job.hpp"

#include <unistd.h>

#include <iostream>
#include <optional>
#include <set>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "base/wake_up.hpp"
#include "cli/grading/grade_lint.hpp"
#include "cli/grading/grade_stream_job.hpp"
#include "cli/program/device_survey.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/request/rank_job.hpp"
#include "cli/request/shard_work.hpp"
#include "grade/assignment/seeds.hpp"
#include "grade/class/class_part.hpp"
#include "grade/class/class_run.hpp"
#include "grade/class/expected_grades.hpp"
#include "grade/class/similarity_input.hpp"
#include "grade/submission/submission_search.hpp"
#include "ranks/ranks.hpp"
#include "report/grade/grade_console.hpp"
#include "report/page/style.hpp"
#include "report/page/text_line.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

Secret secret_of(const GradeRequest& request, const Output& out) {
  if (request.secret.empty() && request.secret_fd < 0) {
    throw usage_error(
        "grading needs the course's secret: --secret FILE, or --secret-fd N", {},
        "inputs are made from it, so that no student can know them: `head -c 32 /dev/urandom | "
        "base64 > secret`. Without one, `warpmark try` tries the visible cases");
  }
  ReadSecret read =
      request.secret.empty() ? read_secret(request.secret_fd) : read_secret(request.secret);
  if (!read.warning.empty()) print_error(out, "warning: " + read.warning);
  return read.secret;
}

// Shows the progress of the run in one line of a terminal that is written again and again.
class Progress : public ClassRunWatcher {
 public:
  Progress(Output& out, const ConsoleStyle& style, size_t all)
      : out_(out), style_(style), all_(all) {}

  void device_found(const DeviceFacts& device, size_t jobs) override {
    clear();
    if (style_.verbosity == Verbosity::quiet) return;
    out_.print("{} submission{} on {}{}{}; {}\n", all_, all_ == 1 ? "" : "s", device.name,
               device.reason.empty() ? "" : " (" + device.reason + ")",
               jobs == 1 ? "" : fmt::format(", {} at a time", jobs),
               device.sandbox.empty() ? "NO SANDBOX confines them"
                                      : "sandbox: " + join(device.sandbox, ", "));
    show();
  }

  void has_result(const GradeResult& result, bool reused) override {
    ++done_;
    if (!reused && result.state == GradeState::grader_error) {
      clear();
      print_error(out_, fmt::format("{}: not graded: {}", in_one_line(result.student),
                                    printable(result.staff)));
    }
    show();
  }

  void clear() {
    if (style_.progress) out_.write("\r\x1B[K");
    out_.flush();
  }

 private:
  void show() {
    if (!style_.progress) return;
    out_.print("\r\x1B[K{} of {} graded", done_, all_);
    out_.flush();
  }

  Output& out_;
  const ConsoleStyle& style_;
  size_t all_;
  size_t done_ = 0;
};

// Throws if the results would lie among the submissions, where the next run would grade them.
void require_apart(const std::string& option, const fs::path& out,
                   const std::vector<fs::path>& submissions) {
  std::error_code code;
  const auto whole = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path, code), code);
  };
  for (const fs::path& path : submissions) {
    const fs::path inside = whole(out).lexically_relative(whole(path));
    if (!fs::is_directory(path, code) || inside.empty() || *inside.begin() == "..") continue;
    throw usage_error(
        fmt::format("the folder of {}, {}, lies among the submissions", option, display_path(out)),
        {}, "name one beside them, or put the submissions into a separate folder");
  }
}

FoundSubmissions find_submissions(const GradeRequest& request, const Assignment& assignment,
                                  const Roster* roster, LazyPython& python,
                                  const fs::path& scratch) {
  SubmissionSearch search;
  search.paths = request.submissions;
  search.student = request.student;
  search.is_class = request.is_class;
  search.roster = roster;
  search.scratch = scratch;
  search.unpack = [&python](const fs::path& archive, const fs::path& folder) {
    return unpack_zip(python.interpreter(), archive, folder);
  };
  return find_submissions(search, assignment.submission);
}

ExitCode compare_with_expected(const ClassRunResult& run, const GradeRequest& request,
                               Output& out) {
  if (request.expect.empty()) return ExitCode::success;
  const auto unexpected = unexpected_grades(read_grades(request.expect), run.results,
                                            request.only.empty() && request.part.shard.empty());
  for (const UnexpectedGrade& one : unexpected) {
    print_error(out, fmt::format("not as in {}: {}: {}", display_path(request.expect),
                                 in_one_line(one.student), in_one_line(one.what)));
  }
  if (!unexpected.empty()) return ExitCode::verdict;
  out.print("all {} results are those of {}, but for dates and seconds\n", run.results.size(),
            display_path(request.expect));
  return ExitCode::success;
}

ExitCode finish(const ClassRunResult& run, const GradeRequest& request, const ConsoleStyle& style,
                const InterruptGuard& guard, const ClassNotes& notes, Output& out) {
  out.flush();  // the table goes to the same descriptor
  print_grades(std::cout, style, run.results);
  std::cout.flush();
  if (style.verbosity != Verbosity::quiet) {
    out.print("{} graded now, {} known from before; files in {}\n", run.results.size() - run.reused,
              run.reused, display_path(request.out));
  }
  for (const GradeChange& one : run.changes) print_error(out, change_text(one));
  if (run.interrupted) {
    print_error(out, "interrupted: the same command goes on where it ended");
    return guard.exit_code();
  }
  if (run.failed == 0) {
    const ExitCode compared = compare_with_expected(run, request, out);
    const ExitCode matched = print_unmatched(notes, out);
    return compared == ExitCode::success ? matched : compared;
  }
  print_error(out, fmt::format("{} submission{} could not be graded, through no fault of the "
                               "students: `staff` in each result.json says why. The same command "
                               "tries them again",
                               run.failed, run.failed == 1 ? "" : "s"));
  return ExitCode::internal;
}

GradeSetup setup_of(const GradeRequest& request, LazyPython& python,
                    std::shared_ptr<const Assignment> assignment, const Secret& secret) {
  GradeSetup setup;
  setup.python = &python.interpreter();
  setup.grading.assignment_word = assignment->file.filename().string();
  setup.assignment = std::move(assignment);
  setup.grading.device = request.device;
  setup.grading.secret = secret;
  setup.grading.no_sandbox = request.no_sandbox;
  setup.grading.serves_many = true;
  setup.devices = request.devices;
  return setup;
}

// Throws for options that concern a class, and mean nothing where each submission comes by itself.
void require_stream_alone(const GradeRequest& request) {
  const GradeExports& exports = request.exports;
  const std::pair<const char*, bool> others[] = {
      {"SUBMISSIONS", !request.submissions.empty()},
      {"-o", !request.out.empty()},
      {"--student", !request.student.empty()},
      {"--class", request.is_class},
      {"--roster", !request.roster.empty()},
      {"--extensions", !request.rules.extensions.empty()},
      {"--adjustments", !request.rules.adjustments.empty()},
      {"--times", !request.rules.times.empty()},
      {"--regrade", request.regrade},
      {"--only", !request.only.empty()},
      {"--expect", !request.expect.empty()},
      {"--speed-only", request.speed_only},
      {"--speed", !request.speed.empty()},
      {"--shard", !request.part.shard.empty()},
      {"--shard-times", !request.part.times.empty()},
      {"--canvas", !exports.canvas.empty()},
      {"--moodle", !exports.moodle.empty()},
      {"--feedback", !exports.feedback.empty()},
      {"--anonymous", !exports.anonymous.empty()},
      {"--items", !exports.items.empty()},
      {"--similar", !exports.similar.empty()}};
  for (const auto& [name, given] : others) {
    if (!given) continue;
    throw usage_error(
        fmt::format("--stream reads submissions from the standard input, and {} is of a class",
                    name),
        {}, fmt::format("leave out {}, or --stream", name));
  }
}

ExitCode grade_stream(const GradeRequest& request, Output& out) {
  require_stream_alone(request);
  const Secret secret = secret_of(request, out);
  LazyPython python;
  const auto assignment = load_assignment(request.assignment, python.list_evaluator());
  python.interpreter().begin_importing_numpy();
  require_whole(*assignment);
  require_version(*assignment);
  if (!request.without_lint) require_lint(*assignment, python, request.device, nullptr, out);
  GradeStreamOptions options;
  options.setup = setup_of(request, python, assignment, secret);
  options.jobs = request.jobs;
  options.input = STDIN_FILENO;
  return stream_grades(std::move(options), request.quiet, out,
                       [&](const GradeStreamAnswer& one, const DeviceFacts&) {
                         nlohmann::ordered_json json = {{"id", one.id}};
                         if (one.result) json["result"] = to_json(*one.result);
                         if (!one.result) json["error"] = one.error;
                         write_answer(json, out);
                       });
}

void require_exports(const GradeRequest& request, bool has_roster) {
  std::vector<fs::path> inputs = request.submissions;
  for (const fs::path& file :
       {request.assignment, request.roster, request.secret, request.rules.extensions,
        request.rules.adjustments, request.rules.times}) {
    if (!file.empty()) inputs.push_back(file);
  }
  require_exports(request.exports, has_roster, inputs);
  for (const auto& [option, folder] : {std::pair{"--feedback", request.exports.feedback},
                                       {"--anonymous", request.exports.anonymous}}) {
    if (folder.empty()) continue;
    require_apart(option, folder, request.submissions);
    std::error_code code;
    if (fs::weakly_canonical(folder, code) == fs::weakly_canonical(request.out, code)) {
      throw usage_error(fmt::format("{} and -o name the same folder", option), {},
                        "it would replace files of the class");
    }
  }
}

// Writes the files that need all submissions, at the end of a run of all of them; for a shard, the
// data for the merge.
void finish_class(const GradeRequest& request, const Assignment& assignment, const Roster* roster,
                  const Secret& secret, std::optional<SimilarityInput> input,
                  const ClassRunResult& run, const GradeFiles& files, GradeShard* part,
                  Output& out) {
  if (part == nullptr) {
    if (input) write_similar(request.exports, std::move(*input), assignment.id, assignment.title);
    write_exports(request.exports, roster, secret.bytes(), files, out);
    return;
  }
  set_result(*part, run, request.no_sandbox);
  if (input) part->sources = keep_sources(files.folder(), *input);
  write_grade_shard(files.folder(), *part);
}

// Records the shard's part of the class as not finished; returns nothing for a whole class.
std::optional<GradeShard> begin_part(const GradeRequest& request, const Assignment& assignment,
                                     const Secret& secret, const std::optional<Shard>& shard,
                                     const ClassNotes& notes, FoundSubmissions& found,
                                     Output& out) {
  if (!shard) {
    print_notes(notes, out);
    return std::nullopt;
  }
  GradeShard part = keep_part(found, *shard, request.part.times);
  part.notes = notes;
  set_common(part, assignment, secret.bytes(),
             {{"roster", request.roster},
              {"extensions", request.rules.extensions},
              {"adjustments", request.rules.adjustments},
              {"times", request.rules.times}});
  if (!request.quiet) {
    print_left_to_merge(part, export_options(request.exports), assignment.leaderboard.has_value(),
                        out);
  }
  return part;
}

ExitCode grade_class(const GradeRequest& request, const Secret& secret,
                     const std::optional<Shard>& shard, const Roster* roster, Output& out) {
  LazyPython python;
  const auto assignment = load_assignment(request.assignment, python.list_evaluator());
  python.interpreter().begin_importing_numpy();  // while submissions are found
  require_whole(*assignment);
  require_version(*assignment);
  const TemporaryFolder scratch("warpmark-submissions");
  FoundSubmissions found = find_submissions(request, *assignment, roster, python, scratch.path());
  GradeRules rules(*assignment, request.rules);
  const std::vector<GradeResult> earlier = read_grades(request.out);
  require_kind(request.out, earlier, request.speed_only);
  const std::vector<RenamedStudent> renamed = settle_names(found.all, earlier);
  ClassNotes notes = settle_students(found, earlier, roster, rules);
  std::optional<TakenTimes> times;
  if (!request.speed.empty()) {
    times.emplace(request.speed, assignment->id,
                  std::set{assignment_version(secret.bytes(), assignment->verdict_sha256)});
    for (std::string& one : times->unknown(known_students(found.all, earlier)))
      notes.unknown.push_back(std::move(one));
  }
  keep_only(request.only, found.all);
  std::optional<GradeShard> part =
      begin_part(request, *assignment, secret, shard, notes, found, out);
  ConsoleStyle style = console_style(STDOUT_FILENO);
  style.for_runner = out.for_runner();
  if (request.quiet) style.verbosity = Verbosity::quiet;
  require_own_folder(request.out, part ? &part->shard : nullptr);
  const GradeFiles files(request.out);
  for (const RenamedStudent& one : renamed) {
    files.rename(one);
    print_error(out, fmt::format("note: the student of earlier results called `{}` is now `{}`",
                                 in_one_line(one.before), in_one_line(one.after)));
  }
  if (!request.without_lint) require_lint(*assignment, python, request.device, &files, out);
  if (part) write_grade_shard(request.out, *part);
  ClassRunOptions options;
  options.setup = setup_of(request, python, assignment, secret);
  options.setup.grading.serves_many = found.all.size() != 1;
  options.jobs = request.jobs;
  options.regrade = request.regrade;
  options.rules = &rules;
  options.times = times ? &*times : nullptr;
  options.speed_only = request.speed_only;
  std::shared_ptr<const Assignment> graded = assignment;
  if (request.speed_only) {
    graded = timed_cases(*assignment);
    for (const AssignmentCase& one : graded->cases) options.setup.grading.only.push_back(one.name);
  }
  options.part = part.has_value();

  const std::vector<Submission> submissions =
      request.exports.similar.empty() ? std::vector<Submission>() : found.all;
  const WakeUp wake;
  const InterruptGuard guard([&wake] { wake.raise(); });
  Progress progress(out, style, found.all.size());
  const ClassRunResult run =
      run_class(*graded, std::move(found.all), files, options, progress, wake.fd());
  progress.clear();
  if (times) {
    for (const std::string& text : times->open(run.results)) print_error(out, "note: " + text);
  }
  std::optional<SimilarityInput> input;
  if (!request.exports.similar.empty()) {
    input = similarity_input(submissions, files, options.setup);
  }
  finish_class(request, *assignment, roster, secret, std::move(input), run, files,
               part ? &*part : nullptr, out);
  return finish(run, request, style, guard, shard ? ClassNotes() : notes, out);
}

}  // namespace

ExitCode grade(GradeRequest request, Output& out) {
  const std::optional<Shard> shard = shard_of(request.part);
  if (!shard) {  // each rank grades a shard; without shards the first rank alone reports the error
    if (is_other_rank()) return ExitCode::success;
    refuse_ranks("`warpmark grade` is for", "-j N grades N submissions at the same time");
  }
  if (request.device == "all") {
    request.devices = all_gpus();
    request.device = "gpu";
  }
  if (request.lint) {
    if (!request.submissions.empty() || shard) {
      throw usage_error("--lint checks the assignment, and takes no submissions");
    }
    return lint_assignment_file(
        {request.assignment, request.device, request.no_sandbox, request.mutate, request.jobs},
        out);
  }
  if (request.mutate) throw usage_error("--mutate changes the course's kernels, for --lint");
  if (request.stream) return grade_stream(request, out);
  const Secret secret = secret_of(request, out);
  if (request.submissions.empty()) {
    throw usage_error("which submissions? Name files, or a folder of them", {},
                      "see `warpmark grade --help`");
  }
  if (!request.expect.empty() && read_grades(request.expect).empty()) {
    throw usage_error(
        fmt::format("--expect: there are no grades in {}", display_path(request.expect)), {},
        "name the folder that an earlier `warpmark grade` had as -o");
  }
  if (request.out.empty()) {
    throw usage_error("grading needs a folder for its results: -o OUT", {},
                      "one for each assignment, kept from students");
  }
  if (shard) request.out = with_shard_number(request.out, shard->index);
  require_apart("-o", request.out, request.submissions);
  std::optional<Roster> roster;
  if (!request.roster.empty()) roster = Roster::read(request.roster);
  if (!shard) require_exports(request, roster.has_value());
  return grade_class(request, secret, shard, roster ? &*roster : nullptr, out);
}

}  // namespace warpmark
