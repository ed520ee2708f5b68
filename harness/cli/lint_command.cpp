// `warpmark lint`: every problem of suites that can be found without running a case.
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/lazy_python.hpp"
#include "cli/suites.hpp"
#include "plan/plugin_loader.hpp"
#include "python/function.hpp"

namespace warpmark {
namespace {

class Linter {
 public:
  void suite(const std::filesystem::path& file) {
    std::shared_ptr<const Suite> suite;
    attempt([&] { suite = load_suite(file); });
    if (!suite) return;
    if (suite->kernel.file) kernel_file(*suite);
    texts(*suite);
    plans(suite, Purpose::check);
    // The bench axes make other cases, which must hold as well.
    if (!suite->bench.axes.empty()) plans(suite, Purpose::bench);
  }

  size_t cases() const { return cases_; }
  const std::vector<std::string>& problems() const { return problems_; }
  /// What kept some texts from being checked, as a missing Python does.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  // Keeps usage errors as problems, each once: many cases may share one.
  void attempt(const std::function<void()>& step) {
    try {
      step();
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage) {
        if (!failure_) failure_ = error;
      } else if (seen_.insert(error.what()).second) {
        problems_.emplace_back(error.what());
      }
    }
  }

  void kernel_file(const Suite& suite) {
    attempt([&] {
      try {
        read_file(suite.folder / suite.kernel.file->text);
      } catch (const Error& error) {
        throw error.at(suite.kernel.file->where);
      }
    });
  }

  void texts(const Suite& suite) {
    texts_.clear();
    for (const Argument& argument : suite.arguments) {
      if (argument.kind != ArgumentKind::out) value(suite, argument.value);
    }
    for (const NamedText& reference : suite.reference) value(suite, reference.value);
    bounds(suite.tolerance);
    for (const OutputTolerance& own : suite.output_tolerances) bounds(own.tolerance);
  }

  void bounds(const SuiteTolerance& tolerance) {
    for (const auto* bound : {&tolerance.ulp, &tolerance.rtol, &tolerance.atol}) {
      if (*bound) numpy(**bound);
    }
  }

  void value(const Suite& suite, const PythonText& text) {
    if (!text.function) return numpy(text);
    texts_.insert(text.text);
    const auto written = expression_from(text.text, text.where);
    attempt([&] { check_syntax(python_.interpreter(), python_function(written, suite.folder)); });
  }

  void numpy(const Located& text) {
    texts_.insert(text.text);
    attempt([&] { check_syntax(python_.interpreter(), expression_from(text.text, text.where)); });
  }

  void plans(const std::shared_ptr<const Suite>& suite, Purpose purpose) {
    std::vector<Case> all;
    attempt([&] { all = warpmark::cases(suite, python_.list_evaluator(), purpose); });
    if (purpose == Purpose::check) cases_ += all.size();
    for (const Case& which : all) {
      // A point that a rule skips need not have a plan.
      if (!which.skip) attempt([&] { plan(which); });
    }
  }

  // Besides the suite's own texts, a plugin may have made some.
  void plan(const Case& which) {
    const PlannedCase planned = make_plan(which, plugins_);
    const auto check = [&](const NumpyText& text) {
      if (!text.function && texts_.count(text.text) == 0)
        numpy({text.text, planned.positions.find(text.at)});
    };
    for (const Buffer& buffer : planned.plan.buffers) {
      if (buffer.value) check(*buffer.value);
    }
    for (const Scalar& scalar : planned.plan.scalars) check(scalar.value);
    for (const Expected& expected : planned.plan.expected) check(expected.value);
  }

  LazyPython python_;
  PluginLoader plugins_;
  size_t cases_ = 0;
  std::set<std::string> texts_;  ///< of the suite at hand, checked at their own places
  std::set<std::string> seen_;
  std::vector<std::string> problems_;
  std::optional<Error> failure_;
};

std::string counted(size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

ExitCode lint(const std::vector<std::filesystem::path>& paths, Output& out) {
  Linter linter;
  const std::vector<std::filesystem::path> files = suite_files(paths);
  for (const std::filesystem::path& file : files) linter.suite(file);
  for (const std::string& problem : linter.problems()) {
    std::fprintf(stderr, "%s\n", printable(problem).c_str());
  }
  if (linter.failure()) throw Error(*linter.failure());
  const size_t problems = linter.problems().size();
  out.print("{}, {}: {}\n", counted(files.size(), "suite"), counted(linter.cases(), "case"),
            problems == 0 ? "no problems" : counted(problems, "problem"));
  return problems == 0 ? ExitCode::success : ExitCode::usage;
}

}  // namespace

Command lint_command(CLI::App& program) {
  const auto paths = std::make_shared<std::vector<std::filesystem::path>>();
  CLI::App* app = program.add_subcommand(
      "lint", "Find every problem of suites that needs no run, and no NumPy");
  app->add_option("PATHS", *paths, "Suite files and folders; else the folder `suites`")
      ->type_name("");
  return {app, [paths](Output& out) { return lint(*paths, out); }};
}

}  // namespace warpmark
