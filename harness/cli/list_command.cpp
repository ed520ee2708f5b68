// `warpmark list`: suites and the ids of their cases, for people and for test discovery.
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "cli/program/command.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/request/job_options.hpp"
#include "runtime/suite_inputs.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

struct ListOptions {
  std::vector<fs::path> paths;
  JobArguments choice;
  bool json = false;
  bool suites_only = false;
  bool bench = false;
};

std::string as_json(const ChosenCases& chosen) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [suite, cases] : chosen.suites) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Case& which : cases) {
      all.push_back({{"id", which.id}, {"skip", nullptr}});
      if (which.skip) all.back()["skip"] = *which.skip;
    }
    list.push_back({{"name", suite->name},
                    {"file", suite->file.string()},
                    {"about", suite->about},
                    {"inputs", suite_inputs(*suite)},
                    {"cases", std::move(all)}});
  }
  nlohmann::ordered_json whole = {{"warpmark", 1}, {"suites", std::move(list)}};
  if (chosen.deselected > 0) whole["deselected"] = chosen.deselected;
  for (const BadSuite& bad : chosen.bad) {
    whole["failures"].push_back(
        {{"name", bad.name}, {"file", bad.file.string()}, {"error", printable(bad.error.what())}});
  }
  // A path may have bytes that are no UTF-8, and JSON may not.
  return json_document(whole);
}

void print_for_people(const ChosenCases& chosen, bool suites_only, Output& out) {
  size_t total = 0, skipped = 0;
  for (const auto& [suite, cases] : chosen.suites) {
    out.print("{} ({})", suite->name, counted(cases.size(), "case"));
    out.print("{}{}\n", suite->about.empty() ? "" : ": ", printable(suite->about));
    for (const Case& which : cases) {
      ++total;
      if (which.skip) ++skipped;
      if (suites_only) continue;
      out.print("  {}", which.id);
      if (which.skip) out.print("  (skipped: {})", printable(*which.skip));
      out.write("\n");
    }
  }
  out.print("{}, {}", counted(chosen.suites.size(), "suite"), counted(total, "case"));
  if (skipped > 0) out.print(" ({} skipped)", skipped);
  if (chosen.deselected > 0) out.print(", {} deselected", chosen.deselected);
  if (chosen.unmeasured > 0) {
    out.print("; {} not measured", counted(chosen.unmeasured, "suite"));
  }
  out.write("\n");
}

}  // namespace

Command list_command(const ArgumentParser& program) {
  const auto options = std::make_shared<ListOptions>();
  const ArgumentParser app =
      program.add_subcommand("list", "List suites and the ids of their cases");
  add_suite_paths(app, options->paths);
  options->choice.add_to(app, {"select", "axes"});
  app.add_flag("--suites", options->suites_only, "One line for each suite, without the ids");
  app.add_flag("--bench", options->bench, "The cases that `bench` measures");
  app.add_flag("--json", options->json, "As JSON, with the files that each suite depends on");
  return {app, [options](Output& out) {
            LazyPython python;
            JobRequest request;
            options->choice.apply(request);
            if (options->bench) request.choice.purpose = Purpose::bench;
            const ChosenCases chosen =
                choose_cases(options->paths, request.choice, python.list_evaluator());
            if (options->json) {
              out.write(as_json(chosen));
            } else if (chosen.suites.empty()) {
              chosen.require_all_loaded();
            } else {
              print_for_people(chosen, options->suites_only, out);
            }
            if (chosen.bad.empty()) return ExitCode::success;
            out.flush();
            for (const BadSuite& bad : chosen.bad) print_error(out, bad.error.what());
            return ExitCode::usage;
          }};
}

}  // namespace warpmark
