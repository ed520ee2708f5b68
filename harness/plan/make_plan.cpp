// Makes the plan of a case: the plugin's part, and the parts that the harness takes over from the
// suite.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "plan/plan_json.hpp"
#include "plan/plugin_loader.hpp"
#include "plan/trial.hpp"
#include "suite/companions.hpp"

namespace warpmark {
namespace {

// The answer to one call of a plugin. Its callbacks must let no exception into the plugin.
struct Answer {
  int emitted = 0, failed = 0;
  std::string json, pointer, message, hint;
  bool out_of_memory = false;
};

void on_emit(void* user, const char* json, size_t length) noexcept {
  auto& answer = *static_cast<Answer*>(user);
  ++answer.emitted;
  try {
    if (json != nullptr) answer.json.assign(json, length);
  } catch (const std::exception&) {
    answer.out_of_memory = true;
  }
}

void on_fail(void* user, const char* pointer, const char* message, const char* hint) noexcept {
  auto& answer = *static_cast<Answer*>(user);
  ++answer.failed;
  try {
    answer.pointer = pointer != nullptr ? pointer : "";
    answer.message = message != nullptr ? message : "";
    answer.hint = hint != nullptr ? hint : "";
  } catch (const std::exception&) {
    answer.out_of_memory = true;
  }
}

class Request {
 public:
  Request(const Case& which, const CaseDocument& document)
      : case_(which), suite_(*which.suite), document_(document) {}

  nlohmann::ordered_json ask(decltype(warpmark_plugin::plan) function) const {
    const std::string text = json_line(document_.json);
    Answer answer;
    const warpmark_plugin_host host = {sizeof(warpmark_plugin_host), &answer, on_emit, on_fail};
    const int result = function(text.data(), text.size(), &host);
    if (answer.out_of_memory) throw environment_error("out of memory for a plan");
    if (answer.failed == 1 && answer.emitted == 0 && result != 0) {
      throw usage_error(
          printable(answer.message.empty() ? "the plugin gives no reason" : answer.message),
          place_of(answer.pointer), printable(answer.hint));
    }
    if (answer.emitted + answer.failed == 0) {
      broken(fmt::format("neither emitted a plan nor failed (it returned {})", result));
    }
    if (answer.emitted > 0 && answer.failed > 0) broken("both emitted a plan and failed");
    if (answer.emitted > 1) broken("emitted more than one plan");
    if (answer.failed > 1) broken("failed more than once");
    if (answer.failed == 1)
      broken(fmt::format("failed (`{}`) and returned 0", printable(answer.message)));
    if (result != 0) broken(fmt::format("emitted a plan and returned {}", result));
    try {
      return parse_json(answer.json);
    } catch (const nlohmann::json::exception& error) {
      broken(fmt::format("emitted a plan that is not JSON: {}", printable(error.what())));
    }
  }

  // Reports a missing reference, which the loader leaves to plugins, since they may have references
  // of their own.
  void missing_reference(const std::string& output) const {
    for (const Argument* argument : all_arguments(suite_)) {
      if (argument->name != output || is_referenced(output)) continue;
      throw usage_error(fmt::format("the output `{}` has no reference", output), argument->where,
                        "add it to `reference`, or to `check`");
    }
  }

  // A pointer may end in `#LINE:COLUMN`, counted from 1: a place in the text that it points to.
  Position place_of(const std::string& pointer) const {
    const size_t mark = pointer.rfind('#');
    int line = 0, column = 0;
    if (mark == std::string::npos ||
        std::sscanf(pointer.c_str() + mark, "#%d:%d", &line, &column) != 2 || line < 1 ||
        column < 1) {
      return document_.positions.find(pointer);
    }
    Position place = document_.positions.find_text(pointer.substr(0, mark));
    if (!place.known()) return place;
    place.line += line - 1;
    if (place.column != 0) place.column += column - 1;
    return place;
  }

  [[noreturn]] void broken(const std::string& what) const {
    throw usage_error(fmt::format("the plugin `{}` {}, for {}", suite_.plugin.text, what, case_.id),
                      suite_.plugin.where, "this is a mistake in the plugin (docs/plugins.md)");
  }

 private:
  bool is_referenced(const std::string& output) const {
    return std::ranges::any_of(suite_.reference,
                               [&](const NamedText& one) { return one.name == output; });
  }

  const Case& case_;
  const Suite& suite_;
  const CaseDocument& document_;
};

// Arithmetic that a plugin took from its own keys: mistakes are the suite's, reported at their
// line; expressions over axes only are folded here.
class Folding {
 public:
  Folding(const Case& which, const CaseDocument& document, const nlohmann::ordered_json& body)
      : which_(which), document_(document), scope_(which.scope()) {
    if (!body.is_object() || !body.contains("buffers") || !body.at("buffers").is_array()) return;
    for (const auto& buffer : body.at("buffers")) {
      if (!buffer.is_object() || !buffer.contains("name")) continue;
      if (buffer.at("name").is_string()) buffers_.insert(buffer.at("name").get<std::string>());
    }
  }

  void fold(nlohmann::ordered_json& json) const {
    if (!json.is_structured()) return;
    const auto text = json.is_object() ? json.find("arithmetic") : json.end();
    if (text == json.end() || !text->is_string()) {
      for (auto& element : json) fold(element);
      return;
    }
    const auto at = json.find("at");
    if (at == json.end() || !at->is_string() || at->get<std::string>().empty()) return;
    if (json.contains("with")) return;  // folded already when the loop was unrolled
    const auto value = value_of(text->get<std::string>(), at->get<std::string>());
    if (!value) return;
    if (const auto* integer = std::get_if<int64_t>(&*value)) json = *integer;
  }

 private:
  std::optional<ArithmeticValue> value_of(const std::string& text, const std::string& at) const {
    try {
      const Expression expression = Expression::parse(text, document_.positions.find_text(at));
      const Folded folded = expression.fold(scope_);
      if (!folded.value) check_names(expression);
      return folded.value;
    } catch (const Error& error) {
      // Columns are meaningful only in a text that is the suite's own, not in a composed one.
      if (is_the_suites(text, at)) throw;
      throw error.at(document_.positions.find_text(at));
    }
  }

  // A plugin may have additional arrays; all other names are the suite's.
  void check_names(const Expression& expression) const {
    for (const NameUse& use : expression.names()) {
      const std::string owner = use.name.substr(0, use.name.find('.'));
      if (owner != use.name && buffers_.count(owner) != 0) continue;
      if (scope_.find(use.name) == nullptr) check_name(*which_.suite, use);
    }
  }

  bool is_the_suites(const std::string& text, const std::string& at) const {
    try {
      return document_.json.at(nlohmann::ordered_json::json_pointer(at)) == text;
    } catch (const nlohmann::json::exception&) {
      return false;  // a plugin's pointer may be invalid
    }
  }

  const Case& which_;
  const CaseDocument& document_;
  Scope scope_;
  std::set<std::string> buffers_;
};

// The sizes in a plan that the axes alone decide.
Scope sizes_at_plan_time(const Case& which, const Plan& plan) {
  Scope scope = which.scope();
  for (const Buffer& buffer : plan.buffers) {
    if (!has_shape(buffer.direction)) continue;
    std::vector<int64_t> shape;
    for (const Size& extent : buffer.shape) {
      if (const auto* value = std::get_if<int64_t>(&extent)) shape.push_back(*value);
    }
    if (shape.size() != buffer.shape.size()) continue;
    try {
      scope.set_array(buffer.name, shape, buffer.dtype ? buffer.dtype->bytes : 0);
    } catch (const Error&) {
      continue;  // a size past int64 is reported when its memory is allocated
    }
  }
  return scope;
}

// A limit of a suite at one point: a number more than 0.
std::optional<double> limit_value(const std::optional<Expression>& limit, const Scope& scope) {
  return limit ? std::optional(positive_number(*limit, scope)) : std::nullopt;
}

// The same as a count of at most `most`; 1e9 is a float, but whole.
std::optional<int64_t> limit_count(const std::optional<Expression>& limit, const Scope& scope,
                                   int64_t most) {
  const std::optional<double> number = limit_value(limit, scope);
  if (!number) return std::nullopt;
  if (*number == std::floor(*number) && *number <= static_cast<double>(most)) {
    return static_cast<int64_t>(*number);
  }
  throw usage_error(
      fmt::format("`{}` is {}: a whole number up to {} is needed", limit->text(), *number, most),
      limit->where());
}

PlanLimits limits_of(const Limits& limits, const Scope& scope) {
  constexpr int64_t kCount = int64_t{1} << 53;  // the largest range of whole numbers that a float64
                                                // holds exactly
  constexpr int64_t kMib = int64_t{1} << 43;    // as bytes below 2**63
  return {limit_value(limits.timeout_s, scope), limit_count(limits.memory_mib, scope, kMib),
          limit_count(limits.instructions, scope, kCount),
          limit_count(limits.stack_bytes, scope, kCount),
          limit_count(limits.heap_mib, scope, kMib)};
}

void set_limit_positions(const Limits& limits, PositionMap& positions) {
  const auto set = [&](const char* key, const std::optional<Expression>& limit) {
    if (limit) positions.set(std::string("/limits/") + key, limit->where());
  };
  set("memory_mib", limits.memory_mib);
  set("stack_bytes", limits.stack_bytes);
  set("heap_mib", limits.heap_mib);
}

Fault fault_of(const ExpectedFault& expected) {
  return {expected.kind.text, expected.argument ? expected.argument->text : std::string()};
}

Reports reports_of(const ExpectedReports& expected) {
  Reports reports{{}, expected.argument ? expected.argument->text : std::string()};
  for (const Located& kind : expected.kinds) reports.kinds.push_back(kind.text);
  return reports;
}

// Folds the expression as far as the axes decide it; sizes of arrays come with the inputs.
Amount amount_of(const Expression& expression, const std::string& pointer, const Scope& scope) {
  const Folded amount = expression.fold(scope);
  if (!amount.value) return Symbolic{expression.text(), pointer};
  const auto* whole = std::get_if<int64_t>(&*amount.value);
  const auto* real = std::get_if<double>(&*amount.value);
  if (whole != nullptr && *whole >= 0) return *whole;
  if (real != nullptr && *real >= 0) return *real;
  throw usage_error(fmt::format("`{}` is {}: a number, 0 or more, is needed", expression.text(),
                                to_text(*amount.value)),
                    expression.where());
}

// Takes over the peak that the flops of a case are compared with.
void take_over_peak(const Bench& bench, const Scope& scope, Plan& plan, PositionMap& positions) {
  if (!bench.peak_flops_per_s) return;
  const std::string pointer = "/peak_flops_per_s";
  positions.set(pointer, bench.peak_flops_per_s->where());
  plan.peak_flops_per_s = amount_of(*bench.peak_flops_per_s, pointer, scope);
  check_peak(plan, positions);
}

// Takes over the bounds of counters.
void take_over_counters(const Suite& suite, const Scope& scope, Plan& plan,
                        PositionMap& positions) {
  const auto amount = [&](const Expression& expression, const std::string& key) {
    const std::string pointer = "/expect/" + key;
    positions.set(pointer, expression.where());
    return amount_of(expression, pointer, scope);
  };
  for (const ExpectedCounter& counter : suite.counters) {
    const std::string key = "counters/" + counter.name;
    const auto earlier = std::ranges::count_if(
        plan.counters, [&](const auto& one) { return one.counter == counter.name; });
    plan.counters.push_back(
        {counter.name, counter.comparison,
         amount(counter.bound, earlier == 0 ? key : fmt::format("{}/{}", key, earlier))});
  }
  const ExpectedComposites& expected = suite.composites;
  if (!expected.any()) return;
  positions.set("/expect", expected.where);
  plan.composites.parallel = expected.parallel;
  plan.composites.coalesced = expected.coalesced;
  plan.composites.conflict_free = expected.conflict_free;
  if (expected.tiled) plan.composites.tiled = amount(*expected.tiled, "tiled");
  if (const auto& work = expected.work_efficient) {
    plan.composites.work_efficient = amount(work->work, "work_efficient");
  }
}

// The launch that `bench.step` names, in its first round.
void take_over_timed_step(const Bench& bench, Plan& plan) {
  if (!bench.step) return;
  for (size_t i = 0; i < plan.steps.size() && !plan.timed_step; ++i) {
    const auto* launch = std::get_if<LaunchStep>(&plan.steps[i]);
    if (launch != nullptr && launch->name == bench.step->text) plan.timed_step = i;
  }
  if (plan.timed_step) return;
  throw usage_error(
      fmt::format("the step `{}` is launched in no round of {}", bench.step->text, plan.case_id),
      bench.step->where);
}

void take_over_names(const Case& which, Plan& plan) {
  plan.suite = which.suite->name;
  plan.case_id = which.id;
  for (const PointValue& axis : which.point) plan.point.push_back({axis.name, axis.value});
  for (Buffer& buffer : plan.buffers) {
    for (const ArgumentContents& one : which.contents) {
      if (buffer.name == one.argument && buffer.value) buffer.contents = one.pattern;
    }
  }
  for (const StructType& type : which.suite->types) {
    plan.types.push_back({type.name, *find_dtype(type.dtype)});
  }
}

// Plugins need not know it: it holds for all units.
void take_over_architecture(const Kernel& kernel, Plan& plan, PositionMap& positions) {
  if (!kernel.arch) return;
  plan.arch = kernel.arch->text;
  positions.set("/kernel/arch", kernel.arch->where);
}

void take_over(const Case& which, Plan& plan, PositionMap& positions) {
  const Suite& suite = *which.suite;
  take_over_names(which, plan);
  take_over_architecture(suite.kernel, plan, positions);
  if (suite.fault) plan.fault = fault_of(*suite.fault);
  if (suite.report) plan.report = reports_of(*suite.report);
  if (suite.compile_error) {
    const auto& text = suite.compile_error->text;
    plan.compile_error = CompileError{text ? text->text : std::string()};
  }
  for (const RaceException& rule : suite.allow) plan.allow.push_back({rule.race, rule.reason});
  for (const Located& name : suite.requirements) {
    plan.requirements.push_back(name.text);
    positions.set("/requires/" + name.text, name.where);
  }
  const auto require = [&](const std::string& name, const Position& where) {
    const auto& all = plan.requirements;
    if (std::ranges::find(all, name) != all.end()) return;
    plan.requirements.push_back(name);
    positions.set("/requires/" + name, where);
  };
  // Only a device that reports findings can give one, and only one that counts can keep a bound.
  if (plan.report) require("reports", suite.report->kinds.front().where);
  const auto& faults = fault_kinds();
  for (const Located& kind : suite.report ? suite.report->kinds : std::vector<Located>()) {
    if (std::ranges::find(faults, kind.text) == faults.end()) require("checks", kind.where);
  }
  const bool counts = !suite.counters.empty();
  if (counts || suite.composites.any()) {
    positions.set("/expect", counts ? suite.counters.front().where : suite.composites.where);
  }
  plan.restore = suite.bench.restore;
  take_over_timed_step(suite.bench, plan);
  const Scope scope = which.scope();
  take_over_peak(suite.bench, scope, plan, positions);
  take_over_counters(suite, scope, plan, positions);
  plan.limits = limits_of(suite.limits, scope);
  set_limit_positions(suite.limits, positions);
  for (size_t i = 0; i < suite.skip.size(); ++i) {
    const SkipRule& rule = suite.skip[i];
    const std::string pointer = fmt::format("/skip/{}", i);
    positions.set(pointer, rule.when.where());
    const Folded when = rule.when.fold(scope);
    if (!when.value) {
      plan.skip.push_back({Symbolic{rule.when.text(), pointer}, rule.reason.text});
    } else if (*when.value == ArithmeticValue(true)) {
      plan.skip.push_back({true, rule.reason.text});
    }
  }
}

// A plan must compare every output, or a wrong one would pass unseen.
void check_outputs(const Plan& plan, size_t suite_checks, const Request& request) {
  if (plan.fault || plan.compile_error) return;
  if (plan.checks.size() != suite_checks) request.broken("left out checks of the suite");
  if (plan.report && plan.expected.empty() && plan.checks.empty()) return;
  for (const Buffer& buffer : plan.buffers) {
    if (!is_output(buffer.direction)) continue;
    bool compared = false;
    for (const Expected& expected : plan.expected) compared |= expected.output == buffer.name;
    for (const PlannedCheck& check : plan.checks) {
      compared |= check.kind == CheckKind::function || check.subject == buffer.name;
    }
    // A buffer that the plugin added is its scratch.
    if (!compared && !buffer.at.empty()) {
      request.missing_reference(buffer.name);
      request.broken(
          fmt::format("left the output `{}` without an expected value or a check", buffer.name));
    }
  }
}

// The plan of one kernel.
PlannedCase plan_alone(const Case& which, PluginLoader& plugins) {
  const Suite& suite = *which.suite;
  CaseDocument document = case_document(which);
  const warpmark_plugin& plugin = plugins.load(suite.plugin.text, suite.folder, suite.plugin.where);
  const Request request(which, document);
  nlohmann::ordered_json body = request.ask(plugin.plan);
  Folding(which, document, body).fold(body);
  Plan plan;
  try {
    read_plan_body(body, plan);
  } catch (const Error& error) {
    request.broken("emitted a plan that does not hold: " + error.message());
  }
  take_over(which, plan, document.positions);
  check_outputs(plan, suite.checks.size(), request);
  check_accesses(plan, sizes_at_plan_time(which, plan), document.positions);
  return {std::move(plan), std::move(document.positions), nullptr, nullptr};
}

TrialValue read_trial_value(const PlanValue& value, const Plan& plan) {
  value.members({"text", "buffer"});
  TrialValue read{value.get("text").nonempty(), value.get("buffer").nonempty()};
  const Buffer* buffer = plan.find_buffer(read.buffer);
  if (buffer == nullptr || !is_output(buffer->direction)) value.fail("names no output");
  return read;
}

Claim read_claim(const PlanValue& value, const Plan& plan) {
  value.members({"broken", "hint", "at", "left", "right", "operands", "between"});
  Claim claim;
  claim.broken = value.get("broken").nonempty();
  claim.hint = value.optional_text("hint");
  claim.at = value.optional_text("at");
  claim.left = read_trial_value(value.get("left"), plan);
  claim.right = read_trial_value(value.get("right"), plan);
  for (const PlanValue& operand : value.get("operands").list()) {
    claim.operands.push_back(read_trial_value(operand, plan));
  }
  claim.between = value.get("between").texts();
  for (const std::string& name : claim.between) {
    if (plan.find_buffer(name) == nullptr) value.get("between").fail("names no buffer");
  }
  return claim;
}

}  // namespace

std::optional<PlannedTrial> make_trial(const Case& which, PluginLoader& plugins) {
  const Suite& suite = *which.suite;
  const warpmark_plugin& plugin = plugins.load(suite.plugin.text, suite.folder, suite.plugin.where);
  const bool has_member = plugin.size >= offsetof(warpmark_plugin, trial) + sizeof(plugin.trial);
  if (!has_member || plugin.trial == nullptr) return std::nullopt;
  CaseDocument document = case_document(which);
  const Request request(which, document);
  nlohmann::ordered_json body = request.ask(plugin.trial);
  if (body.is_null()) return std::nullopt;
  PlannedTrial trial;
  Plan& plan = trial.planned.plan;
  try {
    const PlanValue value(body, "");
    value.members({"plan", "claims"});
    (void)value.get("plan");
    Folding(which, document, body.at("plan")).fold(body.at("plan"));
    read_plan_body(body.at("plan"), plan);
    for (const PlanValue& claim : value.get("claims").list()) {
      trial.claims.push_back(read_claim(claim, plan));
    }
  } catch (const Error& error) {
    request.broken("emitted a trial that does not hold: " + error.message());
  }
  take_over_names(which, plan);
  take_over_architecture(suite.kernel, plan, document.positions);
  trial.planned.positions = std::move(document.positions);
  return trial;
}

PlannedCase make_plan(const Case& which, PluginLoader& plugins) {
  PlannedCase planned = plan_alone(which, plugins);
  const auto companion = [&](const std::optional<Case>& other) {
    return other ? std::make_shared<const PlannedCase>(plan_alone(*other, plugins)) : nullptr;
  };
  planned.baseline = companion(baseline_case(which));
  planned.smaller = companion(smaller_case(which));
  if (planned.smaller) check_work(planned.plan, planned.smaller->plan, planned.positions);
  return planned;
}

}  // namespace warpmark
