#include "cli/jobs/line_counting.hpp"

#include <algorithm>
#include <iostream>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "cli/request/planned_work.hpp"
#include "report/problems/annotations.hpp"
#include "results/counted_lines.hpp"
#include "runtime/artifacts.hpp"

namespace warpmark {

namespace {

std::vector<CountedLine> lines_of(Session& session, const CaseWork& work,
                                  const std::vector<std::string>& names) {
  CaseArtifacts artifacts;
  const Outcome outcome = session.verify(work.which, *work.planned, {}, &artifacts);
  if (outcome.verdict != Verdict::passed) return {};
  const Suite& suite = *work.which.suite;
  // Code that is generated from the suite has the suite's line numbers and text.
  const std::string text = read_file(suite.file);
  std::vector<SourceText> sources = {{display_path(suite.file), text, 1},
                                     {suite.file.filename().string(), text, 1}};
  for (const UnitArtifacts& unit : artifacts.units) {
    for (SourceText& one : source_texts(unit)) sources.push_back(std::move(one));
  }
  for (SourceText& one : header_texts(work.planned->plan, suite.folder)) {
    sources.push_back(std::move(one));
  }
  std::vector<CountedLine> lines = counted_lines(outcome.counters, sources, names);
  // A text of the suite is named by the suite's path as it was given, which changes with the
  // working directory.
  for (CountedLine& line : lines) {
    if (line.file == display_path(suite.file)) line.file = suite.file.filename().string();
  }
  return lines;
}

}  // namespace

std::optional<ExitCode> count_lines(const JobRequest& request, LazyPython& python,
                                    const std::vector<std::string>& ids, BenchResult& run) {
  if (ids.empty()) return std::nullopt;
  CaseChoice choice;
  choice.ids = ids;
  choice.axes = request.choice.axes;
  choice.purpose = Purpose::bench;
  ChosenCases chosen = choose_cases(request.paths, choice, python.list_evaluator());
  const std::vector<CaseWork> work = plan_all(chosen, choice.axes);
  SessionOptions options = request.session;
  options.counters = {"lines"};
  // Text that kernels print is no command to a runner, as in the run before.
  std::optional<CommandsStopped> stopped;
  if (wants_annotations(request.formats.annotations, request.json)) {
    stopped.emplace(options.in_process && !request.json ? std::cout : std::cerr);
  }
  Session session(python.interpreter(), options);
  if (!session.require().has("profile")) return std::nullopt;
  const InterruptGuard guard([&session] { session.interrupt(); });
  for (const CaseWork& one : work) {
    const auto found = std::ranges::find(run.cases, one.which.id, &BenchCase::id);
    if (found == run.cases.end() || one.error || one.which.skip) continue;
    std::vector<std::string> names;
    for (const auto& counter : found->counters) names.push_back(counter.first);
    found->lines = lines_of(session, one, names);
    found->folder = display_path(one.which.suite->folder);
    if (guard.interrupted()) return guard.exit_code();
  }
  return std::nullopt;
}

}  // namespace warpmark
