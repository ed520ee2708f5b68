// The rules of a suite that span several of its keys.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/dtype.hpp"
#include "base/text.hpp"
#include "suite/case.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

// Python's keywords (3.11 language reference, 2.3.1), then what every NumPy expression of ours has.
const std::set<std::string>& reserved_names() {
  static const std::set<std::string> kNames = {
      "False",   "None",     "True",     "and",    "as",       "assert", "async",  "await",
      "break",   "class",    "continue", "def",    "del",      "elif",   "else",   "except",
      "finally", "for",      "from",     "global", "if",       "import", "in",     "is",
      "lambda",  "nonlocal", "not",      "or",     "pass",     "raise",  "return", "try",
      "while",   "with",     "yield",    "rng",    "np",       "numpy",  "device", "min",
      "max",     "ceil_div", "log2",     "ctype",  "itemsize", "true",   "false"};
  return kNames;
}

// Which names an expression may use: axes always; arrays by their attributes; the device.
struct Allowed {
  bool device = false;
  std::vector<std::string> arrays;
};

class Checker {
 public:
  explicit Checker(const Suite& suite) : suite_(suite) {
    for (const Axis& axis : suite.axes) axes_.push_back(axis.name);
    for (const Argument& argument : suite.arguments) {
      if (argument.kind != ArgumentKind::scalar) arrays_.push_back(argument.name);
    }
  }

  // With all arrays and the device, as where a kernel is launched.
  void check(const NameUse& use) const { name(use, "kernel", {true, arrays_}); }

  void run() {
    arguments();
    const Allowed all{true, arrays_};
    for (const Kernel* kernel : kernels(suite_)) {
      for (const NamedExpression& macro : kernel->define) names(macro.value, "define", {});
      if (!kernel->entry) continue;
      for (const Expression* part : kernel->entry->expressions()) names(*part, "entry", {});
    }
    if (suite_.launch) launch(*suite_.launch);
    references();
    bench_axes();
    if (suite_.bench.bytes) names(*suite_.bench.bytes, "bench", all);
    if (suite_.bench.flops) names(*suite_.bench.flops, "bench", all);
    if (const auto& peak = suite_.bench.peak_flops_per_s) names(*peak, "bench", all);
    if (suite_.bench.budget_s) names(*suite_.bench.budget_s, "budget_s", {});
    for (const SkipRule& rule : suite_.skip) names(rule.when, "skip", all);
    for (const ExpectedCounter& counter : suite_.counters) names(counter.bound, "counters", all);
    composites();
    for (const LintException& rule : suite_.lint) {
      if (rule.when) names(*rule.when, "lint", {});
    }
    const Limits& limits = suite_.limits;
    for (const auto* limit : {&limits.timeout_s, &limits.memory_mib, &limits.instructions,
                              &limits.stack_bytes, &limits.heap_mib}) {
      if (*limit) names(**limit, "limits", {});
    }
  }

 private:
  void require_axis(const std::string& key, const std::string& name, const Position& where) const {
    if (!is_axis(name)) throw unknown_word("axis in `" + key + "`", name, where, axes_);
  }

  void bench_axes() const {
    const Bench& bench = suite_.bench;
    for (const Axis& axis : bench.axes) require_axis("bench", axis.name, axis.where);
    for (const Purpose purpose : {Purpose::check, Purpose::bench}) {
      (void)zip_leaders(axes_of(suite_, purpose));
    }
    for (const Located& axis : bench.sweep) require_axis("sweep", axis.text, axis.where);
    for (const AxisChoice& choice : bench.relative_to) {
      require_axis("relative_to", choice.axis, choice.where);
      for (const Axis* axis : axes_of(suite_, Purpose::bench)) {
        if (axis->name == choice.axis) require_value(*axis, choice.label);
      }
    }
  }

  // Those that Python computes are known when cases are made.
  static void require_value(const Axis& axis, const Located& label) {
    std::vector<std::string> labels;
    for (const AxisValue& value : axis.values) {
      labels.push_back(value.label.empty() ? id_text(value.value).value_or("") : value.label);
    }
    if (axis.python || std::find(labels.begin(), labels.end(), label.text) != labels.end()) return;
    throw unknown_word("value of the axis `" + axis.name + "`", label.text, label.where, labels);
  }

  bool is_axis(const std::string& name) const {
    return std::find(axes_.begin(), axes_.end(), name) != axes_.end();
  }

  void names(const Expression& expression, const std::string& key, const Allowed& allowed) const {
    for (const NameUse& use : expression.names()) name(use, key, allowed);
  }

  void name(const NameUse& use, const std::string& key, const Allowed& allowed) const {
    if (is_axis(use.name)) return;
    const size_t dot = use.name.find('.');
    const std::string owner = use.name.substr(0, dot);
    if (dot == std::string::npos) return bare_name(use);
    if (owner == "device") {
      if (allowed.device) return;
      throw usage_error(fmt::format("`{}` cannot depend on the device", key), use.where,
                        "it is needed before there is one: use axes");
    }
    const auto has = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), owner) != list.end();
    };
    if (has(allowed.arrays)) return;
    if (has(arrays_)) {
      throw usage_error(
          fmt::format("`{}` is not known yet where `{}` needs it", use.name, key), use.where,
          key == "out" ? "a shape may use inputs and outputs further up" : "use axes");
    }
    std::vector<std::string> known;
    for (const std::string& array : arrays_) known.push_back(array);
    throw unknown_word("array argument", owner, use.where, known);
  }

  void bare_name(const NameUse& use) const {
    for (const Argument& argument : suite_.arguments) {
      if (argument.name != use.name) continue;
      if (argument.kind == ArgumentKind::scalar) {
        throw usage_error(
            fmt::format("`{}` is a scalar argument, which arithmetic does not see", use.name),
            use.where, "make it an axis, and the argument {scalar: " + use.name + "}");
      }
      throw usage_error(
          fmt::format("`{}` is an array", use.name), use.where,
          fmt::format("arithmetic sees {0}.size, {0}.shape and {0}.nbytes", use.name));
    }
    std::vector<std::string> known = axes_;
    const std::string near = nearest(use.name, known);
    throw usage_error(fmt::format("`{}` is no axis", use.name), use.where,
                      !near.empty()   ? fmt::format("did you mean `{}`?", near)
                      : known.empty() ? "the suite has no axes"
                                      : "axes: " + join(known, ", "));
  }

  void launch(const LaunchGeometry& launch) const {
    const Allowed all{true, arrays_};
    for (const Expression& number : launch.grid) names(number, "launch", all);
    for (const Expression& number : launch.block) names(number, "launch", all);
    if (launch.shared) names(*launch.shared, "launch", all);
  }

  void composites() const {
    const ExpectedComposites& composites = suite_.composites;
    if (composites.tiled) names(*composites.tiled, "tiled", {true, arrays_});
    if (const auto& work = composites.work_efficient) {
      names(work->work, "work", {true, arrays_});
      for (const NamedExpression& axis : work->smaller) {
        require_axis("smaller", axis.name, axis.where);
        names(axis.value, "smaller", {});
      }
    }
    const std::optional<Baseline>& baseline = suite_.baseline;
    if (!baseline) return;
    if (!composites.any()) {
      throw usage_error("nothing is measured against the baseline", baseline->where,
                        "add a composite to `expect`: " + join(composite_names(), ", "));
    }
    if (baseline->launch) launch(*baseline->launch);
  }

  void arguments() const {
    Allowed earlier;
    for (const Argument& argument : suite_.arguments) {
      if (argument.kind == ArgumentKind::in || argument.kind == ArgumentKind::inout) {
        earlier.arrays.push_back(argument.name);
      }
    }
    earlier.device = true;
    for (const Argument& argument : suite_.arguments) {
      const bool is_the_axis =
          argument.kind == ArgumentKind::scalar && trim(argument.value.text) == argument.name;
      if (is_axis(argument.name) && !is_the_axis) {
        throw usage_error(
            fmt::format("the argument `{}` has an axis's name and is not that axis", argument.name),
            argument.where, fmt::format("rename one, or write {{scalar: {}}}", argument.name));
      }
      for (const Expression& extent : argument.shape) names(extent, "out", earlier);
      if (argument.kind == ArgumentKind::out) earlier.arrays.push_back(argument.name);
      if (argument.dtype) dtype(*argument.dtype);
    }
  }

  void dtype(const Expression& expression) const {
    names(expression, "dtype", {});
    if (!expression.names().empty()) return;
    check_dtype(expression.evaluate({}), expression.where());
  }

  void references() const {
    std::vector<std::string> outputs;
    for (const Argument& argument : suite_.arguments) {
      if (argument.kind == ArgumentKind::out || argument.kind == ArgumentKind::inout) {
        outputs.push_back(argument.name);
      }
    }
    std::set<std::string> referenced;
    for (const NamedText& reference : suite_.reference) {
      if (std::find(outputs.begin(), outputs.end(), reference.name) == outputs.end()) {
        throw unknown_word("output in `reference`", reference.name, reference.where, outputs);
      }
      referenced.insert(reference.name);
    }
    for (const OutputTolerance& tolerance : suite_.output_tolerances) {
      if (std::find(outputs.begin(), outputs.end(), tolerance.output) == outputs.end()) {
        throw unknown_word("output in `tolerance`", tolerance.output, tolerance.where, outputs);
      }
    }
    if (suite_.fault) finding(*suite_.fault);
    if (suite_.report) finding(*suite_.report);
    if ((suite_.fault || suite_.compile_error) && !suite_.reference.empty()) {
      throw usage_error(suite_.fault ? "a case that must fault has no outputs to compare"
                                     : "a case that must not compile has no outputs to compare",
                        suite_.reference.front().where, "remove `reference`");
    }
    check_checks(suite_);
    // A finding can be all that a case is for.
    const bool judges_none = suite_.reference.empty() && suite_.checks.empty();
    if (suite_.fault || suite_.compile_error || (suite_.report && judges_none)) return;
    for (const Argument& argument : suite_.arguments) {
      const bool output =
          argument.kind == ArgumentKind::out || argument.kind == ArgumentKind::inout;
      const bool judged = referenced.count(argument.name) != 0 || is_checked(suite_, argument.name);
      if (output && !judged) {
        throw usage_error(fmt::format("the output `{}` has no reference", argument.name),
                          argument.where, "add it to `reference`, or to `check`");
      }
    }
  }

  void finding(const ExpectedFault& expected) const {
    if (!expected.argument) return;
    const Located& argument = *expected.argument;
    if (std::find(arrays_.begin(), arrays_.end(), argument.text) == arrays_.end()) {
      throw unknown_word("array argument", argument.text, argument.where, arrays_);
    }
  }

  const Suite& suite_;
  std::vector<std::string> axes_;
  std::vector<std::string> arrays_;
};

}  // namespace

void check_name(const std::string& name, const Position& where) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  bool fits = !name.empty() && letter(name[0]);
  for (const char c : name) fits = fits && (letter(c) || (c >= '0' && c <= '9'));
  if (!fits) {
    throw usage_error(fmt::format("`{}` is no name", name), where,
                      "names have letters, digits and _, and start with no digit");
  }
  if (reserved_names().count(name) != 0 || find_dtype(name)) {
    throw usage_error(fmt::format("the name `{}` is taken: expressions use it", name), where);
  }
}

void check_dtype(const ArithmeticValue& value, const Position& where) {
  const auto* name = std::get_if<std::string>(&value);
  if (name != nullptr && find_dtype(*name)) return;
  std::vector<std::string> known;
  for (const DType& dtype : all_dtypes()) known.emplace_back(dtype.name);
  throw unknown_word("dtype", to_text(value), where, known);
}

void check_name(const Suite& suite, const NameUse& use) {
  Checker(suite).check(use);
}

void check_suite(const Suite& suite) {
  Checker(suite).run();
}

}  // namespace warpmark
