// A plan as JSON and as text.

#include "base/json_text.hpp"
#include "plan/plan.hpp"

#include <cstdint>

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ArithmeticValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json json_of(const PlanAxis& axis) {
  return {{"name", axis.name}, {"value", json_of(axis.value)}};
}

Json json_of(const NumpyText& text) {
  Json json = {{text.tensors ? "torch" : text.function ? "function" : "numpy", text.text}};
  if (!text.at.empty()) json["at"] = text.at;
  return json;
}

Json json_of(const Symbolic& symbolic) {
  Json json = {{"arithmetic", symbolic.text}};
  if (!symbolic.at.empty()) json["at"] = symbolic.at;
  for (const PlanAxis& name : symbolic.with) json["with"].push_back(json_of(name));
  return json;
}

Json json_of(int64_t value) {
  return value;
}
Json json_of(double value) {
  return value;
}
Json json_of(bool value) {
  return value;
}

// Declared before the templates below use them: lookup at instantiation skips unnamed namespaces.
Json json_of(const Unit& unit);
Json json_of(const Buffer& buffer);
Json json_of(const Scalar& scalar);
Json json_of(const Access& access);
Json json_of(const LaunchStep& launch);
Json json_of(const CopyStep& copy);
Json json_of(const FillStep& fill);
Json json_of(const Expected& expected);
Json json_of(const PlannedCheck& check);
Json json_of(const PlannedSkip& skip);

template <class... T>
Json json_of(const std::variant<T...>& value) {
  return std::visit([](const auto& held) { return json_of(held); }, value);
}

template <class T>
Json json_list(const T& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(json_of(value));
  return list;
}

void put_at(Json& json, const std::string& at) {
  if (!at.empty()) json["at"] = at;
}

Json json_of(const Unit& unit) {
  Json json = Json::object();
  if (!unit.file.empty()) json["file"] = unit.file;
  if (!unit.source.empty()) json["source"] = unit.source;
  if (!unit.compiler.empty()) json["compiler"] = unit.compiler;
  if (!unit.image.empty()) json["image"] = unit.image;
  json["options"] = unit.options;
  if (!unit.include.empty()) json["include"] = unit.include;
  if (!unit.link.empty()) json["link"] = unit.link;
  for (const Region& region : unit.regions) {
    Json item = {{"line", region.line}};
    put_at(item, region.at);
    json["regions"].push_back(std::move(item));
  }
  put_at(json, unit.at);
  return json;
}

Json json_of(const PlanImage& image) {
  Json json = {
      {"surface", image.surface},       {"channels", image.channels},
      {"address", image.address},       {"filter", image.linear ? "linear" : "point"},
      {"normalized", image.normalized}, {"read", image.read_normalized ? "normalized" : "element"}};
  put_at(json, image.at);
  return json;
}

Json json_of(const Buffer& buffer) {
  Json json = {{"name", buffer.name}, {"direction", to_text(buffer.direction)}};
  if (buffer.dtype) json["dtype"] = buffer.dtype->name;
  if (has_shape(buffer.direction)) json["shape"] = json_list(buffer.shape);
  if (buffer.value) json["value"] = json_of(*buffer.value);
  if (!buffer.pointers.empty()) json["pointers"] = buffer.pointers;
  if (buffer.image) json["image"] = json_of(*buffer.image);
  if (buffer.partition) json["partition"] = true;
  if (!buffer.contents.empty()) json["contents"] = buffer.contents;
  if (buffer.pitch) json["pitch"] = json_of(*buffer.pitch);
  if (buffer.offset) json["offset"] = json_of(*buffer.offset);
  if (!buffer.symbol.empty()) json["symbol"] = buffer.symbol;
  put_at(json, buffer.at);
  return json;
}

void put_word(Json& json, const char* key, const std::optional<TensorType>& type) {
  if (type) json[key] = to_text(*type);
}
template <Worded Setting>
void put_word(Json& json, const char* key, Setting setting) {
  json[key] = to_text(setting);
}

Json json_of(const PlanTensorMap& map) {
  Json json = {{"array", map.array}, {"box", json_list(map.box)}};
  if (!map.element_strides.empty()) json["element_strides"] = json_list(map.element_strides);
  if (!map.shape.empty()) json["shape"] = json_list(map.shape);
  if (!map.strides.empty()) json["strides"] = json_list(map.strides);
  each_setting(map.settings,
               [&](const char* key, const auto& setting) { put_word(json, key, setting); });
  put_at(json, map.at);
  return json;
}

Json json_of(const Scalar& scalar) {
  Json json = {{"name", scalar.name}};
  if (scalar.dtype) json["dtype"] = scalar.dtype->name;
  if (scalar.null) {
    json["null"] = true;
  } else if (scalar.tensor_map) {
    json["tensor_map"] = json_of(*scalar.tensor_map);
  } else if (scalar.integer) {
    json["integer"] = json_of(*scalar.integer);
  } else {
    json["value"] = json_of(scalar.value);
  }
  for (const FieldPointer& pointer : scalar.points_to) {
    Json item = {{"field", pointer.field}, {"array", pointer.array}};
    put_at(item, pointer.at);
    json["points_to"].push_back(std::move(item));
  }
  put_at(json, scalar.at);
  return json;
}

Json json_of(const Access& access) {
  Json json = {{"buffer", access.buffer}};
  if (access.indices.empty()) {
    json["start"] = json_of(access.start);
    json["step"] = json_of(access.step);
    json["count"] = json_of(access.count);
  } else {
    json["indices"] = access.indices;
  }
  json["reason"] = access.reason;
  put_at(json, access.at);
  return json;
}

Json json_of(const LaunchStep& launch) {
  Json json = {{"unit", launch.unit}, {"entry", launch.entry}};
  if (!launch.name.empty()) json["name"] = launch.name;
  if (!launch.round.empty()) json["round"] = launch.round;
  json["grid"] = json_list(launch.grid);
  json["block"] = json_list(launch.block);
  json["shared"] = json_of(launch.shared);
  if (launch.cluster) json["cluster"] = json_list(*launch.cluster);
  if (launch.cooperative) json["cooperative"] = true;
  json["arguments"] = launch.arguments;
  for (const ElementPointer& pointer : launch.pointers) {
    Json item = {{"argument", pointer.argument}, {"element", json_of(pointer.element)}};
    put_at(item, pointer.at);
    json["pointers"].push_back(std::move(item));
  }
  put_at(json, launch.at);
  return {{"launch", std::move(json)}};
}

Json json_of(const CopyStep& copy) {
  Json json = {{"from", copy.from}, {"to", copy.to}};
  put_at(json, copy.at);
  return {{"copy", std::move(json)}};
}

Json json_of(const FillStep& fill) {
  Json json = {{"buffer", fill.buffer}, {"byte", fill.byte}};
  put_at(json, fill.at);
  return {{"fill", std::move(json)}};
}

Json json_of(const Tolerance& tolerance) {
  Json json = {{"kind", to_text(tolerance.kind)}};
  if (tolerance.ulp) json["ulp"] = json_of(*tolerance.ulp);
  if (tolerance.rtol) json["rtol"] = json_of(*tolerance.rtol);
  if (tolerance.atol) json["atol"] = json_of(*tolerance.atol);
  if (tolerance.times) json["times"] = json_of(*tolerance.times);
  json["nan"] = to_text(tolerance.nan);
  return json;
}

Json json_of(const Expected& expected) {
  return {{"output", expected.output},
          {"value", json_of(expected.value)},
          {"tolerance", json_of(expected.tolerance)}};
}

Json json_of(const PlannedCheck& check) {
  const CheckForm& form = form_of(check.kind);
  Json json = {{form.key, check.subject}};
  if (!check.word.empty()) json[form.word] = check.word;
  for (const std::string& key : form.values) {
    const auto value = check.values.find(key);
    if (value != check.values.end()) json[key] = json_of(value->second);
  }
  if (!check.args.empty()) json["args"] = json_list(check.args);
  put_at(json, check.at);
  return json;
}

Json json_of(const PlannedSkip& skip) {
  return {{"when", json_of(skip.when)}, {"reason", skip.reason}};
}

Json counted(const Plan& plan) {
  Json json = Json::object();
  for (const CounterBound& counter : plan.counters) {
    json["counters"].push_back({{"name", counter.counter},
                                {"comparison", counter.comparison},
                                {"bound", json_of(*counter.bound)}});
  }
  const PlanComposites& composites = plan.composites;
  if (composites.parallel) json["parallel"] = true;
  if (composites.coalesced) json["coalesced"] = true;
  if (composites.conflict_free) json["conflict_free"] = true;
  if (composites.tiled) json["tiled"] = json_of(*composites.tiled);
  if (composites.work_efficient) json["work_efficient"] = json_of(*composites.work_efficient);
  return json;
}

Json expectation(const Plan& plan) {
  if (plan.compile_error) return {{"compile_error", plan.compile_error->text}};
  if (!plan.counters.empty() || plan.composites.any()) return counted(plan);
  if (!plan.report && !plan.fault) return "pass";
  Json json;
  if (plan.fault) {
    json["fault"] = plan.fault->kind;
  } else if (plan.report->kinds.size() == 1) {
    json["report"] = plan.report->kinds.front();
  } else {
    json["report"] = plan.report->kinds;
  }
  const std::string& argument = plan.fault ? plan.fault->argument : plan.report->argument;
  if (!argument.empty()) json["argument"] = argument;
  return json;
}

Json json_of(const PlanLimits& limits) {
  Json json = Json::object();
  const auto put = [&](const char* key, const auto& limit) {
    if (limit) json[key] = *limit;
  };
  put("timeout_s", limits.timeout_s);
  put("memory_mib", limits.memory_mib);
  put("instructions", limits.instructions);
  put("stack_bytes", limits.stack_bytes);
  put("heap_mib", limits.heap_mib);
  return json;
}

}  // namespace

nlohmann::ordered_json to_json(const Plan& plan) {
  Json json = {{"warpmark", 1}, {"suite", plan.suite}, {"case", plan.case_id}};
  json["point"] = json_list(plan.point);
  for (const PlanType& type : plan.types)
    json["types"].push_back({{"name", type.name}, {"dtype", type.dtype.name}});
  json["units"] = json_list(plan.units);
  json["buffers"] = json_list(plan.buffers);
  json["scalars"] = json_list(plan.scalars);
  if (!plan.accesses.empty()) json["accesses"] = json_list(plan.accesses);
  json["steps"] = Json::array();
  for (const Step& step : plan.steps) json["steps"].push_back(json_of(step));
  for (const Swap& swap : plan.swaps) {
    Json item = {{"first", swap.first}, {"second", swap.second}};
    put_at(item, swap.at);
    json["swaps"].push_back(std::move(item));
  }
  for (const Renamed& one : plan.renamed)
    json["renamed"].push_back({{"name", one.name}, {"buffer", one.buffer}});
  if (plan.devices) json["devices"] = json_of(*plan.devices);
  json["expected"] = json_list(plan.expected);
  if (!plan.checks.empty()) json["checks"] = json_list(plan.checks);
  if (plan.bytes) json["bytes"] = json_of(*plan.bytes);
  if (plan.flops) json["flops"] = json_of(*plan.flops);
  json["expect"] = expectation(plan);
  for (const AllowedRace& rule : plan.allow)
    json["allow"].push_back({{"race", rule.race}, {"reason", rule.reason}});
  if (plan.limits != PlanLimits()) json["limits"] = json_of(plan.limits);
  if (!plan.arch.empty()) json["arch"] = plan.arch;
  json["requires"] = plan.requirements;
  json["skip"] = json_list(plan.skip);
  json["restore"] = to_text(plan.restore);
  if (plan.timed_step) json["timed_step"] = *plan.timed_step;
  if (plan.peak_flops_per_s) json["peak_flops_per_s"] = json_of(*plan.peak_flops_per_s);
  return json;
}

std::string describe(const Plan& plan) {
  return json_wrapped(to_json(plan)) + "\n";
}

}  // namespace warpmark
