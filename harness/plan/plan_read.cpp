// Reads the plans of plugins from JSON; refuses all members that do not belong there.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>

#include "base/text.hpp"
#include "plan/plan.hpp"
#include "plan/plan_json.hpp"
#include "suite/key_table.hpp"

namespace warpmark {

Symbolic read_symbolic(const PlanValue& value) {
  value.members({"arithmetic", "at", "with"});
  Symbolic symbolic{value.get("arithmetic").nonempty(), value.optional_text("at")};
  if (const auto with = value.find("with")) {
    for (const PlanValue& name : with->list()) {
      name.members({"name", "value"});
      symbolic.with.push_back(
          {name.get("name").nonempty(), name.get("value").integer(0, PlanValue::kMost)});
    }
  }
  try {
    (void)Expression::parse(symbolic.text, {});
  } catch (const Error& error) {
    value.get("arithmetic").fail(fmt::format("is not arithmetic: {}", error.message()));
  }
  return symbolic;
}

std::optional<Amount> read_amount(const std::optional<PlanValue>& value) {
  if (!value) return std::nullopt;
  if (value->json().is_object()) return read_symbolic(*value);
  if (!value->json().is_number_float()) return value->integer(0, PlanValue::kMost);
  const auto number = value->json().get<double>();
  if (!(number >= 0)) value->fail("must not be negative");
  return number;
}

namespace {

Size read_size(const PlanValue& value) {
  if (value.json().is_object()) return read_symbolic(value);
  return value.integer(0, PlanValue::kMost);
}

Size read_signed(const PlanValue& value) {
  if (value.json().is_object()) return read_symbolic(value);
  return value.integer(std::numeric_limits<int64_t>::min(), PlanValue::kMost);
}

NumpyText read_numpy(const PlanValue& value) {
  value.members({"numpy", "at"});
  return {value.get("numpy").nonempty(), value.optional_text("at"), false};
}

std::string read_function(const PlanValue& function) {
  const size_t colon = function.text().rfind(':');
  if (colon == 0 || colon == std::string::npos || colon + 1 == function.text().size()) {
    function.fail("must be FILE.py:NAME");
  }
  return function.text();
}

// A function can give the value of an array or a scalar.
NumpyText read_python(const PlanValue& value) {
  for (const char* key : {"function", "torch"}) {
    if (!value.find(key)) continue;
    value.members({key, "at"});
    return {read_function(value.get(key)), value.optional_text("at"), true,
            std::string_view(key) == "torch"};
  }
  return read_numpy(value);
}

std::optional<NumpyText> read_bound(const std::optional<PlanValue>& value) {
  if (!value) return std::nullopt;
  return read_numpy(*value);
}

std::optional<DType> read_dtype(const std::optional<PlanValue>& value) {
  if (!value || value->json().is_null()) return std::nullopt;
  const auto dtype = find_dtype(value->text());
  if (!dtype) value->fail(fmt::format("is no dtype: `{}`", printable(value->text())));
  return dtype;
}

std::vector<Region> read_regions(const std::optional<PlanValue>& value) {
  std::vector<Region> regions;
  if (!value) return regions;
  for (const PlanValue& item : value->list()) {
    item.members({"line", "at"});
    const int64_t first = regions.empty() ? 1 : regions.back().line + 1;
    regions.push_back(
        {item.get("line").integer(first, PlanValue::kMost), item.optional_text("at")});
  }
  return regions;
}

Unit read_unit(const PlanValue& value) {
  value.members(
      {"file", "source", "compiler", "image", "options", "include", "link", "regions", "at"});
  Unit unit;
  unit.file = value.optional_text("file");
  unit.source = value.optional_text("source");
  if (unit.file.empty() == unit.source.empty()) value.fail("needs one of `file` and `source`");
  unit.compiler = value.optional_text("compiler");
  unit.image = value.optional_text("image");
  if (!unit.image.empty() && std::ranges::find(image_forms(), unit.image) == image_forms().end()) {
    value.get("image").fail("must be one of " + join(image_forms(), ", "));
  }
  if ((!unit.compiler.empty() || !unit.image.empty()) && unit.file.empty()) {
    value.fail("has a compiler or is an image, which a file may");
  }
  if (const auto options = value.find("options")) unit.options = options->texts();
  if (const auto include = value.find("include")) unit.include = include->texts();
  if (const auto link = value.find("link")) {
    for (const PlanValue& index : link->list()) {
      unit.link.push_back(static_cast<size_t>(index.integer(0, PlanValue::kMost)));
    }
  }
  unit.at = value.optional_text("at");
  unit.regions = read_regions(value.find("regions"));
  if (!unit.regions.empty() && (unit.source.empty() || !unit.at.empty())) {
    value.fail("has `regions`, which a source without `at` may have");
  }
  return unit;
}

// Linking is one level deep: a main unit, and the units that it links.
void check_links(const PlanValue& units, const Plan& plan) {
  for (size_t i = 0; i < plan.units.size(); ++i) {
    const PlanValue list = units.list()[i];
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

PlanImage read_image(const PlanValue& value) {
  value.members({"surface", "channels", "address", "filter", "normalized", "read", "at"});
  const auto is = [&](const char* key, const char* word) {
    const auto text = value.find(key);
    return text && text->text() == word;
  };
  const auto truth = [&](const char* key) {
    const auto found = value.find(key);
    return found && found->truth();
  };
  PlanImage image;
  image.surface = truth("surface");
  if (const auto channels = value.find("channels")) image.channels = channels->integer(1, 4);
  if (const auto address = value.find("address")) image.address = address->texts();
  image.linear = is("filter", "linear");
  image.normalized = truth("normalized");
  image.read_normalized = is("read", "normalized");
  image.at = value.optional_text("at");
  return image;
}

Buffer read_buffer(const PlanValue& value) {
  value.members({"name", "direction", "dtype", "shape", "value", "pointers", "image", "partition",
                 "pitch", "offset", "symbol", "contents", "at"});
  Buffer buffer;
  buffer.name = value.get("name").nonempty();
  buffer.direction = value.get("direction")
                         .word<ArgumentKind>({ArgumentKind::in, ArgumentKind::out,
                                              ArgumentKind::inout, ArgumentKind::scratch});
  buffer.dtype = read_dtype(value.find("dtype"));
  buffer.at = value.optional_text("at");
  buffer.symbol = value.optional_text("symbol");
  if (const auto image = value.find("image")) buffer.image = read_image(*image);
  buffer.contents = value.optional_text("contents");
  if (const auto partition = value.find("partition")) buffer.partition = partition->truth();
  if (const auto pitch = value.find("pitch")) buffer.pitch = read_size(*pitch);
  if (const auto offset = value.find("offset")) buffer.offset = read_size(*offset);
  if (const auto pointers = value.find("pointers")) {
    buffer.pointers = pointers->texts();
    if (buffer.direction != ArgumentKind::in || value.find("value")) {
      value.fail("has `pointers`, which an `in` without a value may have");
    }
    return buffer;
  }
  const bool out = has_shape(buffer.direction);
  if (out == value.find("value").has_value() || out != value.find("shape").has_value()) {
    value.fail("needs `shape` if it is out or scratch, else `value`, and not both");
  }
  if (out) {
    for (const PlanValue& extent : value.get("shape").list())
      buffer.shape.push_back(read_size(extent));
  } else {
    buffer.value = read_python(value.get("value"));
  }
  return buffer;
}

template <typename Setting>
void read_word(const std::optional<PlanValue>& value, Setting& into) {
  if (!value) return;
  const auto all = each_value<Setting>();
  into = value->word(std::vector<Setting>(all.begin(), all.end()));
}
template <typename Setting>
void read_word(const std::optional<PlanValue>& value, std::optional<Setting>& into) {
  if (value) read_word(value, into.emplace());
}

PlanTensorMap read_tensor_map(const PlanValue& value) {
  std::vector<std::string> known = {"array", "box", "element_strides", "shape", "strides", "at"};
  for (const auto& [key, words] : tensor_map_words()) known.push_back(key);
  value.members(known);
  PlanTensorMap map{value.get("array").nonempty(), {}};
  const auto sizes = [&](const char* key, std::vector<Size>& into) {
    const auto list = value.find(key);
    if (!list) return;
    for (const PlanValue& size : list->list()) into.push_back(read_size(size));
  };
  (void)value.get("box");
  sizes("box", map.box);
  sizes("element_strides", map.element_strides);
  sizes("shape", map.shape);
  sizes("strides", map.strides);
  each_setting(map.settings,
               [&](const char* key, auto& setting) { read_word(value.find(key), setting); });
  map.at = value.optional_text("at");
  return map;
}

Scalar read_scalar(const PlanValue& value) {
  value.members({"name", "dtype", "value", "integer", "null", "points_to", "tensor_map", "at"});
  Scalar scalar;
  scalar.name = value.get("name").nonempty();
  scalar.dtype = read_dtype(value.find("dtype"));
  scalar.at = value.optional_text("at");
  if (const auto pointers = value.find("points_to")) {
    for (const PlanValue& item : pointers->list()) {
      item.members({"field", "array", "at"});
      scalar.points_to.push_back(
          {item.get("field").nonempty(), item.get("array").nonempty(), item.optional_text("at")});
    }
  }
  if (const auto null = value.find("null")) {
    scalar.null = null->truth();
    return scalar;
  }
  if (const auto map = value.find("tensor_map")) {
    scalar.tensor_map = read_tensor_map(*map);
    if (scalar.dtype || value.find("value") || value.find("integer"))
      value.fail("has `tensor_map`, which a scalar without dtype and value may have");
    return scalar;
  }
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

std::array<Size, 3> read_dimensions(const PlanValue& value) {
  const std::vector<PlanValue> list = value.list();
  if (list.size() != 3) value.fail("must have 3 numbers");
  return {read_size(list[0]), read_size(list[1]), read_size(list[2])};
}

const Buffer& read_buffer_name(const PlanValue& value, const Plan& plan) {
  const Buffer* buffer = plan.find_buffer(value.text());
  if (buffer == nullptr) value.fail(fmt::format("names no buffer: `{}`", printable(value.text())));
  return *buffer;
}

Access read_access(const PlanValue& value, const Plan& plan) {
  value.members({"buffer", "start", "step", "count", "indices", "reason", "at"});
  Access access;
  access.buffer = read_buffer_name(value.get("buffer"), plan).name;
  if (const auto start = value.find("start")) access.start = read_signed(*start);
  if (const auto step = value.find("step")) access.step = read_signed(*step);
  if (const auto indices = value.find("indices")) {
    access.indices = read_buffer_name(*indices, plan).name;
  } else {
    access.count = read_size(value.get("count"));
  }
  access.reason = value.get("reason").nonempty();
  access.at = value.optional_text("at");
  return access;
}

Step read_launch(const PlanValue& value, const Plan& plan) {
  value.members({"unit", "entry", "name", "round", "grid", "block", "shared", "cluster",
                 "cooperative", "arguments", "pointers", "at"});
  LaunchStep launch;
  if (plan.units.empty()) value.fail("launches without a unit");
  launch.unit = static_cast<size_t>(
      value.get("unit").integer(0, static_cast<int64_t>(plan.units.size()) - 1));
  for (const Unit& unit : plan.units) {
    if (std::ranges::find(unit.link, launch.unit) != unit.link.end()) {
      value.get("unit").fail("is linked with another, from which it is to be launched");
    }
  }
  launch.entry = value.get("entry").nonempty();
  launch.grid = read_dimensions(value.get("grid"));
  launch.block = read_dimensions(value.get("block"));
  if (const auto shared = value.find("shared")) launch.shared = read_size(*shared);
  if (const auto cluster = value.find("cluster")) launch.cluster = read_dimensions(*cluster);
  if (const auto cooperative = value.find("cooperative")) {
    launch.cooperative = cooperative->truth();
  }
  launch.name = value.optional_text("name");
  launch.round = value.optional_text("round");
  for (const PlanValue& name : value.get("arguments").list()) {
    launch.arguments.push_back(name.text());
    if (plan.find_buffer(name.text()) == nullptr && plan.find_scalar(name.text()) == nullptr) {
      name.fail(fmt::format("names no buffer and no scalar: `{}`", printable(name.text())));
    }
  }
  if (const auto pointers = value.find("pointers")) {
    for (const PlanValue& item : pointers->list()) {
      item.members({"argument", "element", "at"});
      const auto most = static_cast<int64_t>(launch.arguments.size()) - 1;
      const auto argument = static_cast<size_t>(item.get("argument").integer(0, most));
      if (plan.find_buffer(launch.arguments[argument]) == nullptr) {
        item.get("argument").fail("is no buffer");
      }
      launch.pointers.push_back(
          {argument, read_size(item.get("element")), item.optional_text("at")});
    }
  }
  launch.at = value.optional_text("at");
  return launch;
}

Step read_step(const PlanValue& value, const Plan& plan) {
  value.members({"launch", "copy", "fill"});
  if (value.json().size() != 1) value.fail("must be one of launch, copy and fill");
  if (const auto launch = value.find("launch")) return read_launch(*launch, plan);
  if (const auto copy = value.find("copy")) {
    copy->members({"from", "to", "at"});
    return CopyStep{read_buffer_name(copy->get("from"), plan).name,
                    read_buffer_name(copy->get("to"), plan).name, copy->optional_text("at")};
  }
  const PlanValue fill = value.get("fill");
  fill.members({"buffer", "byte", "at"});
  return FillStep{read_buffer_name(fill.get("buffer"), plan).name,
                  static_cast<uint8_t>(fill.get("byte").integer(0, 255)), fill.optional_text("at")};
}

Tolerance read_tolerance(const PlanValue& value) {
  value.members({"kind", "ulp", "rtol", "atol", "nan", "times"});
  Tolerance tolerance;
  tolerance.kind =
      value.get("kind").word<ToleranceKind>({ToleranceKind::exact, ToleranceKind::ulp,
                                             ToleranceKind::close, ToleranceKind::from_float64});
  tolerance.ulp = read_bound(value.find("ulp"));
  tolerance.rtol = read_bound(value.find("rtol"));
  tolerance.atol = read_bound(value.find("atol"));
  tolerance.times = read_bound(value.find("times"));
  if (const auto nan = value.find("nan")) {
    tolerance.nan = nan->word<NanPolicy>({NanPolicy::equal, NanPolicy::forbid});
  }
  const bool is_ulp = tolerance.kind == ToleranceKind::ulp;
  const bool is_close = tolerance.kind == ToleranceKind::close;
  const bool has_atol = tolerance.atol.has_value();
  if (tolerance.times && tolerance.kind != ToleranceKind::from_float64)
    value.fail("has `times`, which goes with from_float64");
  if (tolerance.ulp.has_value() != is_ulp || (tolerance.rtol && !is_close) ||
      (is_close && !tolerance.rtol && !has_atol) || (has_atol && !is_ulp && !is_close)) {
    value.fail(
        "needs `ulp` for ulp, `rtol` or `atol` for close, and no bound for exact and from_float64");
  }
  return tolerance;
}

Expected read_expected(const PlanValue& value, const Plan& plan) {
  value.members({"output", "value", "tolerance"});
  const Buffer& buffer = read_buffer_name(value.get("output"), plan);
  if (!is_output(buffer.direction)) {
    value.get("output").fail(buffer.direction == ArgumentKind::in ? "is an input" : "is scratch");
  }
  return {buffer.name, read_python(value.get("value")), read_tolerance(value.get("tolerance"))};
}

std::string read_subject(const PlanValue& value, const CheckForm& form, const Plan& plan) {
  if (form.kind == CheckKind::function) return read_function(value);
  const Buffer& buffer = read_buffer_name(value, plan);
  if (buffer.direction == ArgumentKind::in) value.fail("is an input");
  return buffer.name;
}

PlannedCheck read_check(const PlanValue& value, const Plan& plan) {
  const auto& forms = check_forms();
  const auto form = std::ranges::find_if(
      forms, [&](const CheckForm& one) { return value.find(one.key).has_value(); });
  if (form == forms.end()) value.fail("needs one of " + join(check_names(), ", "));
  std::vector<std::string> known = form->values;
  known.insert(known.end(), {form->key, "at"});
  if (!form->word.empty()) known.push_back(form->word);
  if (form->has_args) known.emplace_back("args");
  value.members(known);
  PlannedCheck check;
  check.kind = form->kind;
  check.subject = read_subject(value.get(form->key), *form, plan);
  check.at = value.optional_text("at");
  if (!form->word.empty()) {
    check.word =
        form->words.empty() ? value.get(form->word).nonempty() : value.optional_text(form->word);
    const auto& words = form->words;
    const bool is_known = std::ranges::find(words, check.word) != words.end();
    if (!check.word.empty() && !words.empty() && !is_known) {
      value.get(form->word).fail("must be one of " + join(words, ", "));
    }
  }
  for (const std::string& key : form->values) {
    if (const auto text = value.find(key)) check.values.emplace(key, read_numpy(*text));
  }
  for (const Key& key : form->keys->keys()) {
    if (key.form.is_needed()) (void)value.get(key.name);
  }
  if (!form->one_of.empty() &&
      std::ranges::none_of(form->one_of, [&](auto& key) { return check.values.contains(key); })) {
    value.fail("needs one of " + join(form->one_of, ", "));
  }
  if (const auto args = value.find("args")) {
    for (const PlanValue& one : args->list()) check.args.push_back(read_numpy(one));
  }
  return check;
}

}  // namespace

void read_plan_body(const PlanValue& value, Plan& plan) {
  for (const PlanValue& unit : value.get("units").list()) plan.units.push_back(read_unit(unit));
  check_links(value.get("units"), plan);
  std::set<std::string> names;
  for (const PlanValue& item : value.get("buffers").list()) {
    plan.buffers.push_back(read_buffer(item));
    if (!names.insert(plan.buffers.back().name).second) item.fail("has a name that is taken");
  }
  for (const PlanValue& item : value.get("scalars").list()) {
    plan.scalars.push_back(read_scalar(item));
    if (!names.insert(plan.scalars.back().name).second) item.fail("has a name that is taken");
  }
  for (const Buffer& buffer : plan.buffers) {
    for (const std::string& name : buffer.pointers) {
      const Buffer* target = plan.find_buffer(name);
      if (name.empty()) continue;
      if (target == nullptr || target == &buffer) {
        value.get("buffers").fail(fmt::format("has a pointer to no buffer: `{}`", printable(name)));
      }
    }
  }
  for (const Scalar& scalar : plan.scalars) {
    if (scalar.tensor_map) {
      const Buffer* described = plan.find_buffer(scalar.tensor_map->array);
      if (described == nullptr || described->image || !described->pointers.empty()) {
        value.get("scalars").fail(
            fmt::format("has a tensor map of no array: `{}`", printable(scalar.tensor_map->array)));
      }
    }
    for (const FieldPointer& pointer : scalar.points_to) {
      if (plan.find_buffer(pointer.array) != nullptr) continue;
      value.get("scalars").fail(
          fmt::format("has a pointer to no buffer: `{}`", printable(pointer.array)));
    }
  }
  if (const auto accesses = value.find("accesses")) {
    for (const PlanValue& item : accesses->list()) plan.accesses.push_back(read_access(item, plan));
  }
  for (const PlanValue& step : value.get("steps").list())
    plan.steps.push_back(read_step(step, plan));
  if (const auto swaps = value.find("swaps")) {
    for (const PlanValue& item : swaps->list()) {
      item.members({"first", "second", "at"});
      plan.swaps.push_back({read_buffer_name(item.get("first"), plan).name,
                            read_buffer_name(item.get("second"), plan).name,
                            item.optional_text("at")});
    }
  }
  if (const auto renamed = value.find("renamed")) {
    for (const PlanValue& item : renamed->list()) {
      item.members({"name", "buffer"});
      plan.renamed.push_back({read_buffer_name(item.get("name"), plan).name,
                              read_buffer_name(item.get("buffer"), plan).name});
    }
  }
  std::set<std::string> outputs;
  if (const auto devices = value.find("devices")) plan.devices = read_size(*devices);
  for (const PlanValue& item : value.get("expected").list()) {
    plan.expected.push_back(read_expected(item, plan));
    if (!outputs.insert(plan.expected.back().output).second) item.fail("is there a second time");
  }
  if (const auto checks = value.find("checks")) {
    for (const PlanValue& item : checks->list()) plan.checks.push_back(read_check(item, plan));
  }
  plan.bytes = read_amount(value.find("bytes"));
  plan.flops = read_amount(value.find("flops"));
}

void read_plan_body(const nlohmann::ordered_json& json, Plan& plan) {
  const PlanValue value(json, "");
  value.members({"units", "buffers", "scalars", "accesses", "steps", "swaps", "renamed", "devices",
                 "expected", "checks", "bytes", "flops"});
  read_plan_body(value, plan);
}

}  // namespace warpmark
