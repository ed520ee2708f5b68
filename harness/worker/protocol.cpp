#include "worker/protocol.hpp"

#include <set>
#include <stdexcept>

#include "base/error_json.hpp"
#include "worker/device_facts_json.hpp"
#include "worker/measurement_json.hpp"

namespace warpmark {

WARPMARK_FIELDS(EntryParameter, offset, bytes, alignment, type)
WARPMARK_FIELDS(KernelBounds, registers, shared, least_dynamic, most_threads, block, cluster)
WARPMARK_FIELDS(ParameterSource, what, argument, axis, bytes)
WARPMARK_FIELDS(Entry, name, demangled, parameters, bounds, sources)
WARPMARK_FIELDS(VariableFacts, name, symbol, type)
WARPMARK_FIELDS(LayoutQuestion, name, fields)
WARPMARK_FIELDS(FieldFacts, kind, bytes)
WARPMARK_FIELDS(LayoutFacts, name, bytes, alignment, offsets, fields, problem)
WARPMARK_FIELDS(SourceRegion, line, origin)
WARPMARK_FIELDS(ConfinedHeader, spelling, text)
// The front keeps `compile_s` to itself: it waits so long.
WARPMARK_FIELDS(SharedMemory::Place, address, number, process)
WARPMARK_FIELDS(Confinement, required, compile_bytes, compile_cpu_s, programs, assembles, headers,
                toolkit_headers, cache, times)

// Those members of an each_field's `object` that JSON calls as C++ does.
#define WARPMARK_MEMBERS(...) NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(WARPMARK_FIELD, __VA_ARGS__))

template <typename Visit>
void each_field(TensorMapForm& object, const Visit& visit) {
  visit("interleave", object.settings.interleave);
  visit("swizzle", object.settings.swizzle);
  visit("l2_promotion", object.settings.l2_promotion);
  visit("fill", object.settings.fill);
  WARPMARK_MEMBERS(type, shape, strides, box, element_strides)
}

template <typename Visit>
void each_field(GivenArgument& object, const Visit& visit) {
  std::string dtype(object.dtype ? object.dtype->name : std::string_view());
  visit("dtype", dtype);
  object.dtype = find_dtype(dtype);
  WARPMARK_MEMBERS(array, aligned, one)
}

}  // namespace warpmark

namespace warpmark::protocol {

using warpmark::from_json;
using warpmark::to_json;

namespace {

using Json = nlohmann::json;

// Reports of the device, of which only objects are taken.
struct Reports {
  std::vector<nlohmann::ordered_json>& records;
};
[[maybe_unused]] void to_json(Json& json, const Reports& reports) {
  json = Json::array();
  for (const auto& report : reports.records) json.push_back(Json(report));
}
[[maybe_unused]] void from_json(const Json& json, Reports& reports) {
  for (const Json& report : json) {
    if (report.is_object()) reports.records.emplace_back(nlohmann::ordered_json(report));
  }
}

}  // namespace

WARPMARK_FIELDS(Confined, role, environment, confinement)
WARPMARK_FIELDS(Hello, device, use_cache, confined, further, times)
WARPMARK_FIELDS(OwnHeader, spelling, name, text)
WARPMARK_FIELDS(ContextLimits, stack_bytes, heap_bytes)
WARPMARK_FIELDS(KernelName, unit, entry, arguments, registers)
WARPMARK_FIELDS(Prepare, units, kernels, limits, load, images, target, devices, times, beside,
                tensor_maps, assembles)
WARPMARK_FIELDS(Load, units, kernels, limits)
WARPMARK_FIELDS(Prepared, kernels, variables, layouts, misfit, images, notices, from_cache)
WARPMARK_FIELDS(ImageShape, extents, channels, surface, linear, normalized, read_normalized,
                address)
WARPMARK_FIELDS(BufferBytes, name, dtype, bytes, has_initial, inout, element, holder, symbol,
                pointers, image, lead, row, pitch, partition, judged, initial_place)
WARPMARK_FIELDS(ScalarBytes::Pointer, offset, buffer)
WARPMARK_FIELDS(ScalarBytes::Map, buffer, form)
WARPMARK_FIELDS(Launch, kernel, grid, block, shared, arguments, cluster, cooperative, offsets)
WARPMARK_FIELDS(Copy, from, to)
WARPMARK_FIELDS(Fill, buffer, byte)
WARPMARK_FIELDS(Run, buffers, scalars, steps, wall_limit_s, instructions, schedule, threads, checks,
                counters, guard, timed_step, devices, confined)
WARPMARK_FIELDS(Verify, run, poison)
WARPMARK_FIELDS(KeptCopy, buffer, handle, digest)
WARPMARK_FIELDS(TimedSide, run, restore, other, fetch, copies)
WARPMARK_FIELDS(Time, run, restore, other, fetch, copies, poison, options, against, shared,
                loads_against_first)
WARPMARK_FIELDS(BufferPlace, name, dtype, address, bytes)
WARPMARK_FIELDS(Misfit, text, step, anywhere)
WARPMARK_FIELDS(ChangedInput, buffer, step)
WARPMARK_FIELDS(Verified::OnDevice, unchanged, digest, copies)
WARPMARK_FIELDS(Timed, misfit, measurement, against)
WARPMARK_FIELDS(Calibrated, ceilings)
WARPMARK_FIELDS(SmallVariable, name, bytes)

template <typename Visit>
void each_field(UnitText& object, const Visit& visit) {
  Hex bytes{object.source};
  visit("language", object.language);
  if (object.language == SourceLanguage::binary)
    visit("source", bytes);
  else
    visit("source", object.source);
  WARPMARK_MEMBERS(name, compiler, may_have_host_code, folder, origin, options, include, link,
                   regions, variables, layouts, headers)
}
template <typename Visit>
void each_field(Load::Unit& object, const Visit& visit) {
  Hex image{object.image};
  visit("image", image);
  WARPMARK_MEMBERS(name, link, variables)
}
template <typename Visit>
void each_field(UnitImage& image, const Visit& visit) {
  Hex ptx{image.ptx}, cubin{image.cubin}, log{image.log};
  visit("ptx", ptx);
  visit("cubin", cubin);
  visit("log", log);
}
template <typename Visit>
void each_field(ScalarBytes& object, const Visit& visit) {
  Hex bytes{object.bytes};
  visit("hex", bytes);
  WARPMARK_MEMBERS(name, pointers, map)
}
template <typename Visit>
void each_field(Verified& object, const Visit& visit) {
  Reports reports{object.reports}, counters{object.counters}, coverage{object.coverage};
  visit("reports", reports);
  visit("counters", counters);
  visit("coverage", coverage);
  WARPMARK_MEMBERS(misfit, trespasses, places, schedules, changed_input, on_device)
}
// Without the error itself, whose code the reader checks.
template <typename Visit>
void each_field(Failure& object, const Visit& visit) {
  Reports reports{object.reports}, coverage{object.coverage};
  visit("reports", reports);
  visit("coverage", coverage);
  WARPMARK_MEMBERS(result, sticky, launched, step, no_device, refused, places, variable)
}

// A step is known by its members.
static void to_json(Json& json, const Step& step) {
  json = std::visit([](const auto& one) { return json_of<Json>(one); }, step);
}
static void from_json(const Json& json, Step& step) {
  if (json.contains("kernel"))
    step = object_from<Launch>(json);
  else if (json.contains("from"))
    step = object_from<Copy>(json);
  else
    step = object_from<Fill>(json);
}

namespace {

bool is_real(const std::string& name) {
  static const std::set<std::string> names = {
      "seconds",   "empty_seconds", "single_seconds", "min_seconds", "precision",
      "clock_mhz", "clock_change",  "clock_headroom", "occupancy",   "power_w"};
  return name.ends_with("_s") || names.contains(name);
}

// nlohmann-json makes an integer of any number, and for most floats that is undefined. We write
// floats only where a member is one; what devices say is passed on as it is, to readers who want
// integers, too. No message of ours is deep, and readers recurse.
void refuse_floats(const Json& json, const std::string& name, int depth = 0,
                   bool of_device = false) {
  constexpr int kDeepest = 100;
  if (depth > kDeepest) throw std::runtime_error("it is nested too deeply");
  if (json.is_number_float() && !is_real(name)) {
    const auto value = json.get<double>();
    constexpr double kMost = 2147483647;
    if (!of_device || !(value >= 0 && value <= kMost)) {
      throw std::runtime_error("the member " + name + " is no whole number");
    }
  }
  if (json.is_array()) {
    for (const Json& one : json) refuse_floats(one, name, depth + 1, of_device);
  } else if (json.is_object()) {
    const bool told = of_device || name == "reports" || name == "counters";
    for (const auto& [member, value] : json.items()) refuse_floats(value, member, depth + 1, told);
  }
}

// Everything that nlohmann-json throws while reading a message means that the peer is at fault.
template <typename Read>
auto read_message(const char* what, const Json& json, const Read& read) {
  try {
    refuse_floats(json, "");
    return read();
  } catch (const std::exception& error) {
    throw internal_error(std::string("a ") + what + " cannot be understood: " + error.what());
  }
}

template <typename Message>
Json message(const char* key, const char* kind, const Message& content) {
  Json json = json_of<Json>(content);
  json[key] = kind;
  return json;
}

}  // namespace

Json to_json(const Hello& request) {
  return message("do", "hello", request);
}
Json to_json(const Prepare& request) {
  return message("do", "prepare", request);
}
Json to_json(const Load& request) {
  return message("do", "load", request);
}
Json to_json(const Verify& request) {
  return message("do", "verify", request);
}
Json to_json(const Time& request) {
  return message("do", "time", request);
}
Json to_json(const Calibrate& /*request*/) {
  return {{"do", "calibrate"}};
}

Request request_from_json(const Json& json) {
  return read_message("request", json, [&]() -> Request {
    const std::string what = json.at("do");
    if (what == "hello") return object_from<Hello>(json);
    if (what == "prepare") return object_from<Prepare>(json);
    if (what == "load") return object_from<Load>(json);
    if (what == "verify") return object_from<Verify>(json);
    if (what == "calibrate") return Calibrate{};
    if (what != "time") throw std::runtime_error("there is no " + what);
    auto request = object_from<Time>(json);
    validate(request.options);
    return request;
  });
}

Json to_json(const DeviceFacts& reply) {
  return {{"reply", "hello"}, {"facts", json_of<Json>(reply)}};
}
Json to_json(const Prepared& reply) {
  return message("reply", "prepare", reply);
}
Json to_json(const Verified& reply) {
  return message("reply", "verify", reply);
}
Json to_json(const Timed& reply) {
  return message("reply", "time", reply);
}
Json to_json(const Calibrated& reply) {
  return message("reply", "calibrate", reply);
}
Json to_json(const Failure& reply) {
  Json json = message("reply", "failure", reply);
  json["error"] = error_json(reply.error());
  return json;
}

bool answers(const Prepare& request, const Signatures& reply) {
  size_t variables = 0, layouts = 0;
  for (const UnitText& unit : request.units) {
    variables += unit.variables.size();
    layouts += unit.layouts.size();
  }
  return reply.kernels.size() == request.kernels.size() && reply.variables.size() == variables &&
         reply.layouts.size() == layouts;
}

Failure Failure::of(const Error& error) {
  Failure failure;
  failure.code = error.code();
  failure.message = error.message();
  failure.hint = error.hint();
  failure.where = error.where();
  return failure;
}

Reply reply_from_json(const Json& json) {
  return read_message("reply", json, [&]() -> Reply {
    const std::string what = json.at("reply");
    if (what == "hello") return object_from<DeviceFacts>(json.at("facts"));
    if (what == "prepare") return object_from<Prepared>(json);
    if (what == "verify") return object_from<Verified>(json);
    if (what == "time") {
      auto reply = object_from<Timed>(json);
      validate(reply.measurement);
      if (reply.against) validate(*reply.against);
      return reply;
    }
    if (what == "calibrate") {
      auto reply = object_from<Calibrated>(json);
      if (reply.ceilings) validate(*reply.ceilings);
      return reply;
    }
    if (what != "failure") throw std::runtime_error("there is no " + what);
    auto reply = object_from<Failure>(json);
    const Error error = error_from(json.at("error"));
    reply.code = error.code();
    reply.message = error.message();
    reply.hint = error.hint();
    reply.where = error.where();
    return reply;
  });
}

}  // namespace warpmark::protocol
