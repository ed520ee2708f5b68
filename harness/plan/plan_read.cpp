// A plan from JSON, refusing whatever does not belong.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>

#include "base/text.hpp"
#include "plan/plan.hpp"
#include "plan/plan_json.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

// A value of the document and the JSON Pointer to it, for messages.
class Value {
 public:
  Value(const Json& json, std::string pointer) : json_(json), pointer_(std::move(pointer)) {}

  [[noreturn]] void fail(const std::string& problem) const {
    throw usage_error(
        fmt::format("the plan's `{}` {}", pointer_.empty() ? "/" : pointer_, problem));
  }

  const Json& json() const { return json_; }

  void members(const std::vector<std::string>& known) const {
    if (!json_.is_object()) fail("must be an object");
    for (const auto& [key, value] : json_.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      fail(
          fmt::format("has the unknown member `{}`; known: {}", printable(key), join(known, ", ")));
    }
  }

  std::optional<Value> find(const std::string& key) const {
    if (!json_.is_object()) fail("must be an object");
    const auto found = json_.find(key);
    if (found == json_.end()) return std::nullopt;
    return Value(*found, pointer_ + "/" + pointer_token(key));
  }

  Value get(const std::string& key) const {
    const auto value = find(key);
    if (!value) fail(fmt::format("lacks the member `{}`", key));
    return *value;
  }

  std::vector<Value> list() const {
    if (!json_.is_array()) fail("must be an array");
    std::vector<Value> values;
    for (size_t i = 0; i < json_.size(); ++i) {
      values.emplace_back(json_[i], fmt::format("{}/{}", pointer_, i));
    }
    return values;
  }

  std::string text() const {
    if (!json_.is_string()) fail("must be a string");
    return json_.get<std::string>();
  }

  std::string nonempty() const {
    if (text().empty()) fail("must not be empty");
    return text();
  }

  std::string optional_text(const std::string& key) const {
    const auto value = find(key);
    return value ? value->text() : "";
  }

  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Value& value : list()) all.push_back(value.text());
    return all;
  }

  int64_t integer(int64_t least, int64_t most) const {
    const bool fits =
        json_.is_number_unsigned()
            ? json_.get<uint64_t>() <= static_cast<uint64_t>(most) && json_.get<int64_t>() >= least
            : json_.is_number_integer() && json_.get<int64_t>() >= least &&
                  json_.get<int64_t>() <= most;
    if (!fits) fail(fmt::format("must be an integer from {} to {}", least, most));
    return json_.get<int64_t>();
  }

  template <class Enum>
  Enum word(const std::vector<Enum>& values) const {
    std::vector<std::string> known;
    for (const Enum value : values) {
      if (text() == to_text(value)) return value;
      known.emplace_back(to_text(value));
    }
    fail(fmt::format("must be one of {}", join(known, ", ")));
  }

 private:
  const Json& json_;
  std::string pointer_;
};

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

Symbolic read_symbolic(const Value& value) {
  value.members({"arithmetic", "at"});
  Symbolic symbolic{value.get("arithmetic").nonempty(), value.optional_text("at")};
  try {
    (void)Expression::parse(symbolic.text, {});
  } catch (const Error& error) {
    value.get("arithmetic").fail(fmt::format("is not arithmetic: {}", error.message()));
  }
  return symbolic;
}

Size read_size(const Value& value) {
  if (value.json().is_object()) return read_symbolic(value);
  return value.integer(0, kMax);
}

Size read_signed(const Value& value) {
  if (value.json().is_object()) return read_symbolic(value);
  return value.integer(std::numeric_limits<int64_t>::min(), kMax);
}

std::optional<Amount> read_amount(const std::optional<Value>& value) {
  if (!value) return std::nullopt;
  if (value->json().is_object()) return read_symbolic(*value);
  if (!value->json().is_number_float()) return value->integer(0, kMax);
  const auto number = value->json().get<double>();
  if (!(number >= 0)) value->fail("must not be negative");
  return number;
}

NumpyText read_numpy(const Value& value) {
  value.members({"numpy", "at"});
  return {value.get("numpy").nonempty(), value.optional_text("at"), false};
}

// Where an array or a scalar is wanted, a function can give it.
NumpyText read_python(const Value& value) {
  if (!value.find("function")) return read_numpy(value);
  value.members({"function", "at"});
  const Value function = value.get("function");
  const size_t colon = function.text().rfind(':');
  if (colon == 0 || colon == std::string::npos || colon + 1 == function.text().size()) {
    function.fail("must be FILE.py:NAME");
  }
  return {function.text(), value.optional_text("at"), true};
}

std::optional<NumpyText> read_bound(const std::optional<Value>& value) {
  if (!value) return std::nullopt;
  return read_numpy(*value);
}

std::optional<DType> read_dtype(const std::optional<Value>& value) {
  if (!value || value->json().is_null()) return std::nullopt;
  const auto dtype = find_dtype(value->text());
  if (!dtype) value->fail(fmt::format("is no dtype: `{}`", printable(value->text())));
  return dtype;
}

ArithmeticValue read_axis_value(const Value& value) {
  const Json& json = value.json();
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return value.integer(std::numeric_limits<int64_t>::min(), kMax);
}

std::vector<Region> read_regions(const std::optional<Value>& value) {
  std::vector<Region> regions;
  if (!value) return regions;
  for (const Value& item : value->list()) {
    item.members({"line", "at"});
    const int64_t first = regions.empty() ? 1 : regions.back().line + 1;
    regions.push_back({item.get("line").integer(first, kMax), item.optional_text("at")});
  }
  return regions;
}

Unit read_unit(const Value& value) {
  value.members({"file", "source", "options", "include", "link", "regions", "at"});
  Unit unit;
  unit.file = value.optional_text("file");
  unit.source = value.optional_text("source");
  if (unit.file.empty() == unit.source.empty()) value.fail("needs one of `file` and `source`");
  if (const auto options = value.find("options")) unit.options = options->texts();
  if (const auto include = value.find("include")) unit.include = include->texts();
  if (const auto link = value.find("link")) {
    for (const Value& index : link->list()) {
      unit.link.push_back(static_cast<size_t>(index.integer(0, kMax)));
    }
  }
  unit.at = value.optional_text("at");
  unit.regions = read_regions(value.find("regions"));
  if (!unit.regions.empty() && (unit.source.empty() || !unit.at.empty())) {
    value.fail("has `regions`, which a source without `at` may have");
  }
  return unit;
}

// Linking is one level deep: a main unit, and those that it links.
void check_links(const Value& units, const Plan& plan) {
  for (size_t i = 0; i < plan.units.size(); ++i) {
    const Value list = units.list()[i];
    std::set<size_t> seen;
    for (const size_t other : plan.units[i].link) {
      const std::string name = fmt::format("links unit {}", other);
      if (other >= plan.units.size()) list.fail(name + ", which there is not");
      if (other == i) list.fail(name + ", which it is itself");
      if (!plan.units[other].link.empty()) list.fail(name + ", which links others");
      if (!seen.insert(other).second) list.fail(name + " twice");
    }
  }
}

Buffer read_buffer(const Value& value) {
  value.members({"name", "direction", "dtype", "shape", "value", "at"});
  Buffer buffer;
  buffer.name = value.get("name").nonempty();
  buffer.direction =
      value.get("direction")
          .word<ArgumentKind>({ArgumentKind::in, ArgumentKind::out, ArgumentKind::inout});
  buffer.dtype = read_dtype(value.find("dtype"));
  buffer.at = value.optional_text("at");
  const bool out = buffer.direction == ArgumentKind::out;
  if (out == value.find("value").has_value() || out != value.find("shape").has_value()) {
    value.fail("needs `shape` if it is out, else `value`, and not both");
  }
  if (out) {
    for (const Value& extent : value.get("shape").list()) buffer.shape.push_back(read_size(extent));
  } else {
    buffer.value = read_python(value.get("value"));
  }
  return buffer;
}

Scalar read_scalar(const Value& value) {
  value.members({"name", "dtype", "value", "integer", "at"});
  Scalar scalar;
  scalar.name = value.get("name").nonempty();
  scalar.dtype = read_dtype(value.find("dtype"));
  scalar.at = value.optional_text("at");
  const auto integer = value.find("integer");
  if (integer.has_value() == value.find("value").has_value()) {
    value.fail("needs one of `value` and `integer`");
  }
  if (integer) {
    scalar.integer = read_signed(*integer);
  } else {
    scalar.value = read_python(value.get("value"));
  }
  return scalar;
}

std::array<Size, 3> read_dimensions(const Value& value) {
  const std::vector<Value> list = value.list();
  if (list.size() != 3) value.fail("must have 3 numbers");
  return {read_size(list[0]), read_size(list[1]), read_size(list[2])};
}

const Buffer& read_buffer_name(const Value& value, const Plan& plan) {
  const Buffer* buffer = plan.find_buffer(value.text());
  if (buffer == nullptr) value.fail(fmt::format("names no buffer: `{}`", printable(value.text())));
  return *buffer;
}

Access read_access(const Value& value, const Plan& plan) {
  value.members({"buffer", "start", "step", "count", "reason", "at"});
  Access access;
  access.buffer = read_buffer_name(value.get("buffer"), plan).name;
  if (const auto start = value.find("start")) access.start = read_signed(*start);
  if (const auto step = value.find("step")) access.step = read_signed(*step);
  access.count = read_size(value.get("count"));
  access.reason = value.get("reason").nonempty();
  access.at = value.optional_text("at");
  return access;
}

Step read_launch(const Value& value, const Plan& plan) {
  value.members({"unit", "entry", "grid", "block", "shared", "arguments", "at"});
  LaunchStep launch;
  if (plan.units.empty()) value.fail("launches without a unit");
  launch.unit = static_cast<size_t>(
      value.get("unit").integer(0, static_cast<int64_t>(plan.units.size()) - 1));
  for (const Unit& unit : plan.units) {
    if (std::find(unit.link.begin(), unit.link.end(), launch.unit) != unit.link.end()) {
      value.get("unit").fail("is linked with another, from which it is to be launched");
    }
  }
  launch.entry = value.get("entry").nonempty();
  launch.grid = read_dimensions(value.get("grid"));
  launch.block = read_dimensions(value.get("block"));
  if (const auto shared = value.find("shared")) launch.shared = read_size(*shared);
  for (const Value& name : value.get("arguments").list()) {
    launch.arguments.push_back(name.text());
    if (plan.find_buffer(name.text()) == nullptr && plan.find_scalar(name.text()) == nullptr) {
      name.fail(fmt::format("names no buffer and no scalar: `{}`", printable(name.text())));
    }
  }
  launch.at = value.optional_text("at");
  return launch;
}

Step read_step(const Value& value, const Plan& plan) {
  value.members({"launch", "copy", "fill"});
  if (value.json().size() != 1) value.fail("must be one of launch, copy and fill");
  if (const auto launch = value.find("launch")) return read_launch(*launch, plan);
  if (const auto copy = value.find("copy")) {
    copy->members({"from", "to", "at"});
    return CopyStep{read_buffer_name(copy->get("from"), plan).name,
                    read_buffer_name(copy->get("to"), plan).name, copy->optional_text("at")};
  }
  const Value fill = value.get("fill");
  fill.members({"buffer", "byte", "at"});
  return FillStep{read_buffer_name(fill.get("buffer"), plan).name,
                  static_cast<uint8_t>(fill.get("byte").integer(0, 255)), fill.optional_text("at")};
}

Tolerance read_tolerance(const Value& value) {
  value.members({"kind", "ulp", "rtol", "atol", "nan"});
  Tolerance tolerance;
  tolerance.kind = value.get("kind").word<ToleranceKind>(
      {ToleranceKind::exact, ToleranceKind::ulp, ToleranceKind::close});
  tolerance.ulp = read_bound(value.find("ulp"));
  tolerance.rtol = read_bound(value.find("rtol"));
  tolerance.atol = read_bound(value.find("atol"));
  if (const auto nan = value.find("nan")) {
    tolerance.nan = nan->word<NanPolicy>({NanPolicy::equal, NanPolicy::forbid});
  }
  const bool close = tolerance.rtol || tolerance.atol;
  if (tolerance.ulp.has_value() != (tolerance.kind == ToleranceKind::ulp) ||
      close != (tolerance.kind == ToleranceKind::close)) {
    value.fail("needs `ulp` for ulp, `rtol` or `atol` for close, and no bound for exact");
  }
  return tolerance;
}

Expected read_expected(const Value& value, const Plan& plan) {
  value.members({"output", "value", "tolerance"});
  const Buffer& buffer = read_buffer_name(value.get("output"), plan);
  if (buffer.direction == ArgumentKind::in) value.get("output").fail("is an input");
  return {buffer.name, read_python(value.get("value")), read_tolerance(value.get("tolerance"))};
}

void read_body(const Value& value, Plan& plan) {
  for (const Value& unit : value.get("units").list()) plan.units.push_back(read_unit(unit));
  check_links(value.get("units"), plan);
  std::set<std::string> names;
  for (const Value& item : value.get("buffers").list()) {
    plan.buffers.push_back(read_buffer(item));
    if (!names.insert(plan.buffers.back().name).second) item.fail("has a name that is taken");
  }
  for (const Value& item : value.get("scalars").list()) {
    plan.scalars.push_back(read_scalar(item));
    if (!names.insert(plan.scalars.back().name).second) item.fail("has a name that is taken");
  }
  if (const auto accesses = value.find("accesses")) {
    for (const Value& item : accesses->list()) plan.accesses.push_back(read_access(item, plan));
  }
  for (const Value& step : value.get("steps").list()) plan.steps.push_back(read_step(step, plan));
  std::set<std::string> outputs;
  for (const Value& item : value.get("expected").list()) {
    plan.expected.push_back(read_expected(item, plan));
    if (!outputs.insert(plan.expected.back().output).second) item.fail("is there a second time");
  }
  plan.bytes = read_amount(value.find("bytes"));
  plan.flops = read_amount(value.find("flops"));
}

void read_counted(const Value& value, Plan& plan) {
  value.members({"counters", "parallel", "coalesced", "conflict_free", "tiled", "work_efficient"});
  if (const auto counters = value.find("counters")) {
    for (const Value& one : counters->list()) {
      one.members({"name", "comparison", "bound"});
      const Value comparison = one.get("comparison");
      if (std::set<std::string>{"==", "!=", "<=", ">=", "<", ">"}.count(comparison.text()) == 0) {
        comparison.fail("must be a comparison");
      }
      plan.counters.push_back({one.get("name").nonempty(), one.get("comparison").nonempty(),
                               read_amount(one.get("bound"))});
    }
  }
  const auto asked = [&](const char* name) {
    const auto flag = value.find(name);
    if (flag && !flag->json().is_boolean()) flag->fail("must be true or false");
    return flag && flag->json().get<bool>();
  };
  PlanComposites& composites = plan.composites;
  composites.parallel = asked("parallel");
  composites.coalesced = asked("coalesced");
  composites.conflict_free = asked("conflict_free");
  composites.tiled = read_amount(value.find("tiled"));
  composites.work_efficient = read_amount(value.find("work_efficient"));
  if (plan.counters.empty() && !composites.any()) value.fail("expects nothing");
}

void read_expect(const Value& value, Plan& plan) {
  if (value.json().is_string()) {
    if (value.text() != "pass") value.fail("must be \"pass\" or an object");
    return;
  }
  if (const auto text = value.find("compile_error")) {
    value.members({"compile_error"});
    plan.compile_error = CompileError{text->text()};
    return;
  }
  if (!value.find("fault") && !value.find("report")) {
    read_counted(value, plan);
    return;
  }
  const bool report = value.find("report").has_value();
  value.members({report ? "report" : "fault", "argument"});
  (report ? plan.report : plan.fault) =
      Fault{value.get(report ? "report" : "fault").nonempty(), value.optional_text("argument")};
}

PlanLimits read_limits(const std::optional<Value>& value) {
  PlanLimits limits;
  if (!value) return limits;
  value->members({"timeout_s", "memory_mib", "instructions", "stack_bytes", "heap_mib"});
  if (const auto timeout = value->find("timeout_s")) {
    if (!timeout->json().is_number()) timeout->fail("must be a number");
    limits.timeout_s = timeout->json().get<double>();
    if (!(*limits.timeout_s > 0)) timeout->fail("must be more than 0");
  }
  const auto count = [&](const char* key) -> std::optional<int64_t> {
    const auto limit = value->find(key);
    if (!limit) return std::nullopt;
    return limit->integer(1, kMax);
  };
  limits.memory_mib = count("memory_mib");
  limits.instructions = count("instructions");
  limits.stack_bytes = count("stack_bytes");
  limits.heap_mib = count("heap_mib");
  return limits;
}

PlannedSkip read_skip(const Value& value) {
  value.members({"when", "reason"});
  const Value when = value.get("when");
  PlannedSkip skip;
  if (when.json().is_boolean()) {
    skip.when = when.json().get<bool>();
  } else {
    skip.when = read_symbolic(when);
  }
  skip.reason = value.get("reason").text();
  return skip;
}

}  // namespace

void read_plan_body(const Json& json, Plan& plan) {
  const Value value(json, "");
  value.members({"units", "buffers", "scalars", "accesses", "steps", "expected", "bytes", "flops"});
  read_body(value, plan);
}

Plan plan_from_json(const Json& json) {
  const Value value(json, "");
  value.members({"warpmark", "suite", "case", "point", "units", "buffers", "scalars", "accesses",
                 "steps", "expected", "bytes", "flops", "expect", "limits", "requires", "skip",
                 "restore"});
  value.get("warpmark").integer(1, 1);
  Plan plan;
  plan.suite = value.get("suite").nonempty();
  plan.case_id = value.get("case").nonempty();
  for (const Value& axis : value.get("point").list()) {
    axis.members({"name", "value"});
    plan.point.push_back({axis.get("name").nonempty(), read_axis_value(axis.get("value"))});
  }
  read_body(value, plan);
  read_expect(value.get("expect"), plan);
  plan.limits = read_limits(value.find("limits"));
  plan.requirements = value.get("requires").texts();
  for (const Value& rule : value.get("skip").list()) plan.skip.push_back(read_skip(rule));
  plan.restore =
      value.get("restore").word<Restore>({Restore::never, Restore::batch, Restore::each});
  return plan;
}

}  // namespace warpmark
