// The rules of a suite that span several of its keys.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/characters.hpp"
#include "base/dtype.hpp"
#include "base/text.hpp"
#include "suite/case.hpp"
#include "suite/companions.hpp"
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

// The names that an expression may use: axes always; arrays by their attributes; the device.
struct Allowed {
  bool device = false;
  std::vector<std::string> arrays;
  std::vector<std::string> indices = {};  ///< of the loops around a step
};

class Checker {
 public:
  explicit Checker(const Suite& suite) : suite_(suite) {
    for (const Axis& axis : suite.axes) axes_.push_back(axis.name);
    for (const Argument& argument : suite.arguments) {
      if (is_array(argument.kind)) arrays_.push_back(argument.name);
    }
    for (const Argument& variable : suite.globals) arrays_.push_back(variable.name);
  }

  // Checks a name with all arrays and the device allowed, as for a kernel's launch.
  void check(const NameUse& use) const { name(use, "kernel", {true, arrays_}); }

  void run() {
    for (const StructType& type : suite_.types) {
      if (is_axis(type.name)) {
        throw usage_error(fmt::format("the struct `{}` has an axis's name", type.name), type.where);
      }
    }
    arguments();
    const Allowed all{true, arrays_};
    for (const Kernel* kernel : kernels(suite_)) {
      for (const NamedExpression& macro : kernel->define) names(macro.value, "define", {});
      if (!kernel->entry) continue;
      for (const Expression* part : kernel->entry->expressions()) names(*part, "entry", {});
    }
    if (suite_.launch) launch(*suite_.launch);
    devices();
    bench_step();
    findings();
    check_references(suite_);
    listed_cases();
    bench_axes();
    if (suite_.bench.bytes) names(*suite_.bench.bytes, "bench", all);
    if (suite_.bench.flops) names(*suite_.bench.flops, "bench", all);
    if (const auto& peak = suite_.bench.peak_flops_per_s) names(*peak, "bench", all);
    against_baseline();
    if (suite_.bench.budget_s) names(*suite_.bench.budget_s, "budget_s", {});
    for (const SkipRule& rule : suite_.skip) names(rule.when, "skip", all);
    for (const ExpectedCounter& counter : suite_.counters) names(counter.bound, "counters", all);
    composites();
    for (const RaceException& rule : suite_.allow) allowed_race(rule);
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
  void allowed_race(const RaceException& rule) const {
    std::vector<std::string> known = race_warnings();
    for (const Argument* argument : all_arguments(suite_)) known.push_back(argument->name);
    if (std::ranges::find(known, rule.race) == known.end())
      throw unknown_word("race or argument", rule.race, rule.where, known);
  }

  void require_axis(const std::string& key, const std::string& name, const Position& where) const {
    if (!is_axis(name)) throw unknown_word("axis in `" + key + "`", name, where, axes_);
  }

  void listed_cases() const {
    for (const ListedCase& one : suite_.cases) {
      for (const Axis& axis : one.axes) {
        if (has_contents(suite_, axis.name)) {
          require_pattern(axis);
        } else {
          require_axis("cases", axis.name, axis.where);
        }
      }
      for (const Axis& axis : suite_.axes) {
        const auto named = [&](const std::string& name) {
          return std::ranges::any_of(one.axes, [&](const Axis& own) { return own.name == name; });
        };
        if (named(axis.name)) continue;
        const bool has_none = axis.values.empty() && !axis.python;
        if (!has_none && !(axis.zip && named(axis.zip->text))) continue;
        throw usage_error(
            fmt::format("the case has no value for the axis `{}`", axis.name), one.where,
            has_none ? "" : fmt::format("it goes with `{}`, which has one", axis.zip->text));
      }
    }
  }

  // A case may name a pattern for an argument's values.
  void require_pattern(const Axis& axis) const {
    const AxisValue& value = axis.values.front();
    const std::vector<std::string> known =
        pattern_names(*find_argument(suite_, axis.name)->contents);
    const std::string word = to_text(value.value);
    if (!contains(known, word))
      throw unknown_word("pattern for the values of `" + axis.name + "`", word, value.where, known);
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

  // Values that Python computes are known when cases are made.
  static void require_value(const Axis& axis, const Located& label) {
    std::vector<std::string> labels;
    for (const AxisValue& value : axis.values) {
      labels.push_back(value.label.empty() ? id_text(value.value).value_or("") : value.label);
    }
    if (axis.python || std::ranges::find(labels, label.text) != labels.end()) return;
    throw unknown_word("value of the axis `" + axis.name + "`", label.text, label.where, labels);
  }

  bool is_axis(const std::string& name) const { return contains(axes_, name); }

  void names(const Expression& expression, const std::string& key, const Allowed& allowed) const {
    for (const NameUse& use : expression.names()) name(use, key, allowed);
  }

  void name(const NameUse& use, const std::string& key, const Allowed& allowed) const {
    if (is_axis(use.name) || contains(allowed.indices, use.name)) return;
    const size_t dot = use.name.find('.');
    const std::string owner = use.name.substr(0, dot);
    if (dot == std::string::npos) return bare_name(use, key);
    if (owner == "device") {
      if (allowed.device) return;
      throw usage_error(fmt::format("`{}` cannot depend on the device", key), use.where,
                        "it is needed before there is one: use axes");
    }
    if (contains(allowed.arrays, owner)) return;
    if (contains(arrays_, owner)) {
      throw usage_error(
          fmt::format("`{}` is not known yet where `{}` needs it", use.name, key), use.where,
          key == "out" ? "a shape may use inputs and outputs further up" : "use axes");
    }
    std::vector<std::string> known;
    for (const std::string& array : arrays_) known.push_back(array);
    throw unknown_word("array argument", owner, use.where, known);
  }

  void bare_name(const NameUse& use, const std::string& key) const {
    for (const Argument& argument : suite_.arguments) {
      if (argument.name != use.name) continue;
      if (argument.kind == ArgumentKind::scalar) {
        throw usage_error(
            fmt::format("`{}` is a scalar argument, which arithmetic does not see", use.name),
            use.where, "make it an axis, and the argument {scalar: " + use.name + "}");
      }
      if (argument.kind == ArgumentKind::tensor_map) {
        throw usage_error(
            fmt::format("`{}` is a tensor map, which arithmetic does not see", use.name), use.where,
            fmt::format("use its array, as in {}.shape", argument.tensor_map->array.text));
      }
      throw usage_error(
          fmt::format("`{}` is an array", use.name), use.where,
          fmt::format("arithmetic sees {0}.size, {0}.shape and {0}.nbytes", use.name));
    }
    const std::string near = nearest(use.name, axes_);
    // Words of C++ are a common mistake in place of dtypes.
    const bool dtypes = key == "define" || key == "entry" || key == "dtype";
    if (dtypes && near.empty()) {
      throw usage_error(fmt::format("`{}` is no axis, and no dtype", use.name), use.where,
                        hint_at_type(use.name, key));
    }
    throw usage_error(fmt::format("`{}` is no axis", use.name), use.where,
                      !near.empty()   ? fmt::format("did you mean `{}`?", near)
                      : axes_.empty() ? "the suite has no axes"
                                      : "axes: " + join(axes_, ", "));
  }

  // The right form for the word that was meant: the text of a C++ type, or the dtype of its
  // elements.
  static std::string hint_at_type(const std::string& word, const std::string& key) {
    if (key == "entry") {
      return fmt::format(
          "only arithmetic belongs inside the braces; write the rest outside, as in `k<{}>`", word);
    }
    if (key == "define") return fmt::format("as text it is written '\"{}\"'", word);
    if (const auto vector = vector_of_c_type(word)) {
      return fmt::format(
          "it is {} numbers: write `dtype: {}`, and give the value a last axis of {}",
          vector->count, vector->dtype.name, vector->count);
    }
    std::vector<std::string> known;
    for (const DType& dtype : all_dtypes()) {
      if (dtype.c_name == word) return fmt::format("did you mean `{}`?", dtype.name);
      known.emplace_back(dtype.name);
    }
    const std::string near = nearest(word, known);
    return near.empty() ? "dtypes: " + join(known, ", ") : fmt::format("did you mean `{}`?", near);
  }

  void launch(const SuiteLaunch& launch) const {
    const Allowed all{true, arrays_};
    if (launch.single) geometry(*launch.single, all);
    std::set<std::string> names;
    for (const SuiteStep& step : launch.steps) this->step(step, all, names);
  }

  void geometry(const LaunchGeometry& launch, const Allowed& allowed) const {
    for (const auto* numbers : {&launch.grid, &launch.block, &launch.cluster}) {
      for (const Expression& number : *numbers) names(number, "launch", allowed);
    }
    if (launch.shared) names(*launch.shared, "launch", allowed);
  }

  // `allowed` has the indices of the loops around the step; `taken` the names of steps before it.
  void step(const SuiteStep& step, Allowed allowed, std::set<std::string>& taken) const {
    if (step.repeat) {
      names(step.repeat->count, "repeat", {false, {}, allowed.indices});
      if (const auto& index = step.repeat->index) {
        require_new(*index, allowed);
        allowed.indices.push_back(index->text);
      }
    }
    if (step.swap) {
      require_array(step.swap->first, true);
      require_array(step.swap->second, true);
    }
    if (const auto* group = std::get_if<StepGroup>(&step.what)) {
      for (const SuiteStep& one : group->steps) this->step(one, allowed, taken);
    } else if (const auto* launch = std::get_if<StepLaunch>(&step.what)) {
      step_launch(*launch, allowed, taken);
    } else if (const auto* copy = std::get_if<StepCopy>(&step.what)) {
      require_array(copy->from, false);
      require_array(copy->to, true);
    } else if (const auto* fill = std::get_if<StepFill>(&step.what)) {
      require_array(fill->array, true);
      names(fill->byte, "byte", {false, {}, allowed.indices});
    }
  }

  void step_launch(const StepLaunch& launch, const Allowed& allowed,
                   std::set<std::string>& taken) const {
    if (!launch.entry && !suite_.kernel.entry) {
      throw usage_error("the step names no kernel", launch.geometry.where,
                        "give it an `entry`, the name of the __global__ function");
    }
    if (launch.entry) {
      for (const Expression* part : launch.entry->expressions()) {
        names(*part, "entry", {false, {}, allowed.indices});
      }
    }
    if (launch.name && !taken.insert(launch.name->text).second) {
      throw usage_error(fmt::format("two steps are called `{}`", launch.name->text),
                        launch.name->where);
    }
    geometry(launch.geometry, allowed);
    if (!launch.arguments) return;
    std::vector<std::string> known;
    for (const Argument& argument : suite_.arguments) known.push_back(argument.name);
    for (const StepArgument& argument : *launch.arguments) {
      if (argument.value) {
        names(*argument.value, "value", allowed);
      } else if (argument.element) {
        require_array(argument.name, false);
        names(*argument.element, "element", allowed);
      } else if (argument.name.text.empty()) {
        continue;
      } else if (std::ranges::find(known, argument.name.text) == known.end()) {
        throw unknown_word("argument", argument.name.text, argument.name.where, known);
      }
    }
  }

  void require_new(const Located& index, const Allowed& allowed) const {
    bool taken = is_axis(index.text) || contains(allowed.indices, index.text);
    for (const Argument& argument : suite_.arguments) taken |= argument.name == index.text;
    if (!taken) return;
    throw usage_error(fmt::format("the index `{}` has the name of another value", index.text),
                      index.where, "rename it");
  }

  void require_array(const Located& name, bool changes) const {
    for (const Argument& argument : suite_.arguments) {
      if (argument.name != name.text || !is_array(argument.kind) || argument.image) continue;
      if (!changes || argument.kind != ArgumentKind::in) return;
      throw usage_error(fmt::format("`{}` is an input, which nothing may change", name.text),
                        name.where, "an array that a step changes is an `inout`");
    }
    for (const Argument& argument : suite_.arguments) {
      if (argument.name != name.text || !argument.image) continue;
      throw usage_error(fmt::format("`{}` is a {}, which steps cannot copy, fill or swap",
                                    name.text, argument.image->surface ? "surface" : "texture"),
                        name.where);
    }
    throw unknown_word("array argument", name.text, name.where, arrays_);
  }

  // The step that is timed alone.
  void bench_step() const {
    if (!suite_.bench.step) return;
    std::vector<std::string> known;
    if (suite_.launch) step_names(suite_.launch->steps, known);
    const Located& wanted = *suite_.bench.step;
    if (!contains(known, wanted.text)) throw unknown_word("step", wanted.text, wanted.where, known);
  }

  static void step_names(const std::vector<SuiteStep>& steps, std::vector<std::string>& names) {
    for (const SuiteStep& step : steps) {
      if (const auto* group = std::get_if<StepGroup>(&step.what)) step_names(group->steps, names);
      const auto* launch = std::get_if<StepLaunch>(&step.what);
      if (launch != nullptr && launch->name) names.push_back(launch->name->text);
    }
  }

  static bool contains(const std::vector<std::string>& list, const std::string& name) {
    return std::ranges::find(list, name) != list.end();
  }

  // The outputs of several devices must be put together again.
  void devices() const {
    if (suite_.devices) names(*suite_.devices, "devices", {true, {}});
    for (const Argument* argument : all_arguments(suite_)) {
      if (argument->partition && !suite_.devices) {
        throw usage_error("`partition` is for several devices", *argument->partition,
                          "add `devices: all`, or their number");
      }
      if (argument->name == "devices" && suite_.devices) {
        throw usage_error("the name `devices` is taken: it is their number", argument->where);
      }
      if (!suite_.devices || argument->partition || !is_output(argument->kind)) continue;
      throw usage_error(
          fmt::format("`{}` is an output of each device, and has no `partition`", argument->name),
          argument->where, "add `partition: {axis: 0}`");
    }
  }

  void against_baseline() const {
    const auto& against = suite_.bench.against_baseline;
    if (!against) return;
    if (against->most) names(*against->most, "against_baseline", {});
    if (suite_.baseline) return;
    throw usage_error("the suite has no `baseline` that its times could be held against",
                      against->where,
                      "add it, as in baseline: {kernel: {file: naive.cu, entry: naive}}");
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
    baseline_name();
    if (!baseline) return;
    if (!composites.any() && !uses_baseline(suite_) && !suite_.bench.against_baseline) {
      throw usage_error(
          "nothing is held against the baseline", baseline->where,
          fmt::format(
              "use `{}['NAME']` in `reference`, add `against_baseline: true` to `bench`, or "
              "a composite to `expect`: {}",
              kBaselineName, join(composite_names(), ", ")));
    }
    if (baseline->launch) launch(*baseline->launch);
  }

  // `baseline` in NumPy means the arrays that the baseline leaves, unless the suite uses that name.
  void baseline_name() const {
    const std::string name(kBaselineName);
    for (const Argument* argument : all_arguments(suite_)) {
      if (argument->name != name) continue;
      if (!suite_.baseline) return;
      throw usage_error("the name `baseline` is taken: it stands for what the baseline leaves",
                        argument->where, "give the argument another name");
    }
    if (suite_.baseline || is_axis(name)) return;
    const auto refuse = [](const Position& where) {
      throw usage_error("the suite has no `baseline` whose arrays could be used", where,
                        "add it, as in baseline: {kernel: {file: naive.cu, entry: naive}}");
    };
    for (const NamedText& one : suite_.reference) {
      if (uses_baseline(one)) refuse(one.value.where);
    }
    for (const SuiteCheck& one : suite_.checks) {
      if (uses_baseline(one)) refuse(one.where);
    }
  }

  void variables() const {
    std::set<std::string> names;
    for (const Argument* argument : all_arguments(suite_)) {
      if (names.insert(argument->name).second) continue;
      throw usage_error(fmt::format("`{}` is there twice", argument->name), argument->where);
    }
    for (const Argument& argument : suite_.arguments) {
      for (const Located& to : argument.pointers) {
        if (!to.text.empty()) pointed(to);
      }
      for (const SuiteFieldPointer& pointer : argument.points_to) pointed(pointer.array);
      if (argument.tensor_map) pointed(argument.tensor_map->array);
    }
  }

  // Requires an argument that has an address.
  void pointed(const Located& to) const {
    const auto found = std::ranges::find(suite_.arguments, to.text, &Argument::name);
    if (found != suite_.arguments.end() && is_array(found->kind) && !found->image) return;
    throw unknown_word("array argument", to.text, to.where, arrays_);
  }

  void arguments() const {
    variables();
    Allowed earlier;
    for (const Argument* argument : all_arguments(suite_)) {
      if (is_array(argument->kind) && !has_shape(argument->kind)) {
        earlier.arrays.push_back(argument->name);
      }
    }
    earlier.device = true;
    for (const Argument* one : all_arguments(suite_)) {
      const Argument& argument = *one;
      const bool is_the_axis =
          argument.kind == ArgumentKind::scalar && trim(argument.value.text) == argument.name;
      if (is_axis(argument.name) && !is_the_axis) {
        throw usage_error(
            fmt::format("the argument `{}` has an axis's name and is not that axis", argument.name),
            argument.where, fmt::format("rename one, or write {{scalar: {}}}", argument.name));
      }
      for (const Expression& extent : argument.shape) names(extent, "out", earlier);
      if (has_shape(argument.kind)) earlier.arrays.push_back(argument.name);
      if (argument.pitch) names(*argument.pitch, "pitch", earlier);
      if (argument.offset) names(*argument.offset, "offset", earlier);
      if (argument.dtype) dtype(*argument.dtype);
      if (argument.tensor_map) tensor_map(*argument.tensor_map);
    }
  }

  // All shapes are known before maps are made.
  void tensor_map(const SuiteTensorMap& map) const {
    const Allowed all{true, arrays_};
    for (const auto* numbers : {&map.box, &map.element_strides, &map.shape, &map.strides}) {
      for (const Expression& number : *numbers) names(number, "tensor_map", all);
    }
    check_tensor_words(map, axes_);
  }

  void dtype(const Expression& expression) const {
    if (find_type(suite_, expression.text()) != nullptr) return;
    names(expression, "dtype", {});
    if (!expression.names().empty()) return;
    check_dtype(expression.evaluate({}), expression.where());
  }

  void findings() const {
    if (suite_.fault) finding(suite_.fault->argument);
    if (suite_.report) finding(suite_.report->argument);
  }

  void finding(const std::optional<Located>& argument) const {
    if (argument && std::ranges::find(arrays_, argument->text) == arrays_.end()) {
      throw unknown_word("array argument", argument->text, argument->where, arrays_);
    }
  }

  const Suite& suite_;
  std::vector<std::string> axes_;
  std::vector<std::string> arrays_;
};

}  // namespace

void check_name(const std::string& name, const Position& where) {
  bool fits = !name.empty() && is_word_start(name[0]);
  for (const char c : name) fits = fits && (is_word_character(c));
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
