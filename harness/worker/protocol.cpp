#include "worker/protocol.hpp"

#include <array>
#include <set>
#include <stdexcept>
#include <string>

#include "base/error_json.hpp"
#include "base/hex.hpp"
#include "worker/device_facts_json.hpp"
#include "worker/measurement_json.hpp"

namespace warpmark::protocol {

namespace {

using Json = nlohmann::json;

Json to_json(const Entry& entry) {
  Json parameters = Json::array();
  for (const EntryParameter& p : entry.parameters) {
    parameters.push_back(
        {{"offset", p.offset}, {"bytes", p.bytes}, {"alignment", p.alignment}, {"type", p.type}});
  }
  const KernelBounds& bounds = entry.bounds;
  return {{"name", entry.name},       {"demangled", entry.demangled},
          {"parameters", parameters}, {"registers", bounds.registers},
          {"shared", bounds.shared},  {"most_threads", bounds.most_threads},
          {"block", bounds.block},    {"cluster", bounds.cluster}};
}

Entry entry_from(const Json& json) {
  Entry entry;
  entry.name = json.at("name");
  entry.demangled = json.at("demangled");
  for (const Json& p : json.at("parameters")) {
    entry.parameters.push_back({p.at("offset"), p.at("bytes"), p.at("alignment"), p.at("type")});
  }
  entry.bounds = {json.at("registers"), json.at("shared"), json.at("most_threads"),
                  json.at("block"), json.at("cluster")};
  return entry;
}

Json to_json(const Misfit& misfit) {
  Json json = {{"text", misfit.text}, {"anywhere", misfit.anywhere}};
  if (misfit.step) json["step"] = *misfit.step;
  return json;
}

Misfit misfit_from(const Json& json) {
  Misfit misfit{json.at("text"), std::nullopt, json.at("anywhere")};
  if (json.contains("step")) misfit.step = json.at("step").get<uint64_t>();
  return misfit;
}

Json to_json(const Step& step) {
  if (const auto* launch = std::get_if<Launch>(&step)) {
    return {{"kernel", launch->kernel},
            {"grid", launch->grid},
            {"block", launch->block},
            {"shared", launch->shared},
            {"arguments", launch->arguments},
            {"cluster", launch->cluster},
            {"cooperative", launch->cooperative},
            {"offsets", launch->offsets}};
  }
  if (const auto* copy = std::get_if<Copy>(&step)) return {{"from", copy->from}, {"to", copy->to}};
  const auto& fill = std::get<Fill>(step);
  return {{"fill", fill.buffer}, {"byte", fill.byte}};
}

Step step_from(const Json& json) {
  if (json.contains("kernel")) {
    return Launch{json.at("kernel"),      json.at("grid"),      json.at("block"),
                  json.at("shared"),      json.at("arguments"), json.at("cluster"),
                  json.at("cooperative"), json.at("offsets")};
  }
  if (json.contains("from")) return Copy{json.at("from"), json.at("to")};
  return Fill{json.at("fill"), json.at("byte")};
}

std::vector<nlohmann::ordered_json> reports_from(const Json& json, const char* key = "reports") {
  std::vector<nlohmann::ordered_json> reports;
  for (const Json& report : json.at(key)) {
    if (report.is_object()) reports.emplace_back(nlohmann::ordered_json(report));
  }
  return reports;
}

Json to_json(const ImageShape& image) {
  return {{"extents", image.extents},       {"channels", image.channels},
          {"surface", image.surface},       {"linear", image.linear},
          {"normalized", image.normalized}, {"read_normalized", image.read_normalized},
          {"address", image.address}};
}

ImageShape image_from(const Json& json) {
  return {json.at("extents"),    json.at("channels"),        json.at("surface"), json.at("linear"),
          json.at("normalized"), json.at("read_normalized"), json.at("address")};
}

Json to_json(const Run& run) {
  Json buffers = Json::array();
  for (const BufferBytes& buffer : run.buffers) {
    buffers.push_back({{"name", buffer.name},
                       {"dtype", buffer.dtype},
                       {"bytes", buffer.bytes},
                       {"has_initial", buffer.has_initial},
                       {"inout", buffer.inout}});
    if (buffer.element) buffers.back()["element"] = *buffer.element;
    if (!buffer.holder.empty()) buffers.back()["holder"] = buffer.holder;
    if (!buffer.symbol.empty()) buffers.back()["symbol"] = buffer.symbol;
    if (!buffer.pointers.empty()) buffers.back()["pointers"] = buffer.pointers;
    if (buffer.image) buffers.back()["image"] = to_json(*buffer.image);
    if (buffer.pitch != 0) {
      buffers.back()["place"] = {buffer.lead, buffer.row, buffer.pitch};
    }
    if (buffer.partition) buffers.back()["partition"] = true;
    if (buffer.judged) buffers.back()["judged"] = true;
  }
  Json scalars = Json::array();
  for (const ScalarBytes& scalar : run.scalars) {
    scalars.push_back({{"name", scalar.name}, {"hex", to_hex(scalar.bytes)}});
    for (const ScalarBytes::Pointer& pointer : scalar.pointers) {
      scalars.back()["pointers"].push_back({pointer.offset, pointer.buffer});
    }
  }
  Json steps = Json::array();
  for (const Step& step : run.steps) steps.push_back(to_json(step));
  Json json = {{"buffers", buffers},
               {"scalars", scalars},
               {"steps", steps},
               {"wall_limit_s", run.wall_limit_s},
               {"instructions", run.instructions},
               {"schedule", run.schedule},
               {"checks", run.checks},
               {"counters", run.counters},
               {"guard", static_cast<int>(run.guard)}};
  if (run.timed_step) json["timed_step"] = *run.timed_step;
  json["devices"] = run.devices;
  return json;
}

Json reports_json(const std::vector<nlohmann::ordered_json>& reports) {
  Json json = Json::array();
  for (const auto& report : reports) json.push_back(Json(report));
  return json;
}

Json places_json(const std::vector<BufferPlace>& places) {
  Json json = Json::array();
  for (const BufferPlace& place : places) {
    json.push_back({{"name", place.name},
                    {"dtype", place.dtype},
                    {"address", place.address},
                    {"bytes", place.bytes}});
  }
  return json;
}

Json to_json(const Confined& confined) {
  Json headers = Json::array();
  for (const ConfinedHeader& header : confined.confinement.headers) {
    headers.push_back({{"spelling", header.spelling}, {"text", header.text}});
  }
  return {{"role", static_cast<int>(confined.role)},
          {"environment", confined.environment},
          {"required", confined.confinement.required},
          {"compile_bytes", confined.confinement.compile_bytes},
          {"compile_cpu_s", confined.confinement.compile_cpu_s},
          {"headers", headers},
          {"toolkit_headers", confined.confinement.toolkit_headers},
          {"times", confined.confinement.times}};
}

Confined confined_from(const Json& json) {
  Confined confined;
  confined.role = static_cast<Confined::Role>(json.at("role").get<int>());
  confined.environment = json.at("environment");
  confined.confinement.required = json.at("required");
  confined.confinement.compile_bytes = json.at("compile_bytes");
  confined.confinement.compile_cpu_s = json.at("compile_cpu_s");
  for (const Json& header : json.at("headers")) {
    confined.confinement.headers.push_back({header.at("spelling"), header.at("text")});
  }
  confined.confinement.toolkit_headers = json.at("toolkit_headers");
  confined.confinement.times = json.value("times", false);
  return confined;
}

Hello hello_from(const Json& json) {
  Hello hello{json.at("device"), json.at("use_cache")};
  hello.further = json.value("further", 0);
  if (json.contains("confined")) hello.confined = confined_from(json.at("confined"));
  return hello;
}

Load load_from(const Json& json) {
  Load request;
  for (const Json& unit : json.at("units")) {
    request.units.push_back({unit.at("name"),
                             from_hex(unit.at("image").get_ref<const std::string&>()),
                             unit.at("link")});
    if (const Json& variables = unit.at("variables"); !variables.is_null())
      request.units.back().variables = variables.get<std::vector<std::string>>();
  }
  for (const Json& kernel : json.at("kernels")) {
    request.kernels.push_back({kernel.at("unit"), kernel.at("entry")});
  }
  request.limits = {json.at("stack_bytes"), json.at("heap_bytes")};
  return request;
}

Prepare prepare_from(const Json& json) {
  Prepare request;
  for (const Json& unit : json.at("units")) {
    request.units.push_back({unit.at("name"),
                             unit.at("folder"),
                             unit.at("source"),
                             object_from<Position>(unit.at("origin")),
                             unit.at("options"),
                             unit.at("include"),
                             unit.at("link"),
                             {},
                             unit.at("variables"),
                             {}});
    protocol::UnitText& text = request.units.back();
    text.language = static_cast<SourceLanguage>(unit.at("language").get<int>());
    if (text.language == SourceLanguage::binary) text.source = from_hex(text.source);
    for (const Json& header : unit.at("headers")) {
      text.headers.push_back({header.at("spelling"), header.at("name"), header.at("text")});
    }
    for (const Json& layout : unit.at("layouts")) {
      request.units.back().layouts.push_back({layout.at("name"), layout.at("fields")});
    }
    for (const Json& region : unit.at("regions")) {
      request.units.back().regions.push_back(
          {region.at("line"), object_from<Position>(region.at("origin"))});
    }
  }
  for (const Json& kernel : json.at("kernels")) {
    request.kernels.push_back({kernel.at("unit"), kernel.at("entry")});
    for (const Json& argument : kernel.at("arguments")) {
      request.kernels.back().arguments.push_back(
          {argument.at("array"), find_dtype(argument.at("dtype").get_ref<const std::string&>())});
    }
  }
  request.load = json.at("load");
  request.limits = {json.at("stack_bytes"), json.at("heap_bytes")};
  request.images = json.at("images");
  request.architecture = json.at("architecture");
  request.devices = json.at("devices");
  request.times = json.at("times");
  return request;
}

Run run_from(const Json& json) {
  Run run;
  for (const Json& buffer : json.at("buffers")) {
    run.buffers.push_back({buffer.at("name"), buffer.at("dtype"), buffer.at("bytes"),
                           buffer.at("has_initial"), buffer.at("inout"), std::nullopt});
    if (buffer.contains("element")) run.buffers.back().element = buffer.at("element");
    if (buffer.contains("holder")) run.buffers.back().holder = buffer.at("holder");
    if (buffer.contains("symbol")) run.buffers.back().symbol = buffer.at("symbol");
    if (buffer.contains("pointers")) run.buffers.back().pointers = buffer.at("pointers");
    if (buffer.contains("image")) run.buffers.back().image = image_from(buffer.at("image"));
    if (buffer.contains("place")) {
      const Json& place = buffer.at("place");
      run.buffers.back().lead = place.at(0);
      run.buffers.back().row = place.at(1);
      run.buffers.back().pitch = place.at(2);
    }
    run.buffers.back().partition = buffer.value("partition", false);
    run.buffers.back().judged = buffer.value("judged", false);
  }
  for (const Json& scalar : json.at("scalars")) {
    run.scalars.push_back(
        {scalar.at("name"), from_hex(scalar.at("hex").get_ref<const std::string&>())});
    for (const Json& pointer : scalar.value("pointers", Json::array())) {
      run.scalars.back().pointers.push_back({pointer.at(0), pointer.at(1)});
    }
  }
  for (const Json& step : json.at("steps")) run.steps.push_back(step_from(step));
  run.wall_limit_s = json.at("wall_limit_s");
  run.instructions = json.at("instructions");
  run.schedule = json.at("schedule");
  run.checks = json.at("checks");
  run.counters = json.at("counters");
  run.guard = static_cast<Guard>(json.at("guard").get<int>());
  if (json.contains("timed_step")) run.timed_step = json.at("timed_step").get<uint64_t>();
  run.devices = json.at("devices");
  return run;
}

Verify verify_from(const Json& json) {
  return {run_from(json.at("run")), json.at("poison")};
}

Time time_from(const Json& json) {
  Time request{run_from(json.at("run")), json.at("poison"), timing_options_from(json.at("options")),
               static_cast<Restore>(json.at("restore").get<int>())};
  if (json.contains("other")) request.other = run_from(json.at("other"));
  request.fetch = json.at("fetch");
  return request;
}

Prepared prepared_from(const Json& json) {
  Prepared reply;
  reply.misfit = json.at("misfit");
  for (const Json& kernel : json.at("kernels")) reply.kernels.push_back(entry_from(kernel));
  for (const Json& one : json.at("variables")) {
    reply.variables.push_back({one.at("name"), one.at("symbol"), one.at("type")});
  }
  for (const Json& one : json.at("layouts")) {
    reply.layouts.push_back({one.at("name"),
                             one.at("bytes"),
                             one.at("alignment"),
                             one.at("offsets"),
                             {},
                             one.at("problem")});
    for (const Json& field : one.at("fields")) {
      reply.layouts.back().fields.push_back(
          {static_cast<FieldFacts::Kind>(field.at(0).get<int>()), field.at(1)});
    }
  }
  for (const Json& image : json.at("images")) {
    reply.images.push_back({from_hex(image.at("ptx").get_ref<const std::string&>()),
                            from_hex(image.at("cubin").get_ref<const std::string&>()),
                            from_hex(image.at("log").get_ref<const std::string&>())});
  }
  reply.notices = json.at("notices");
  reply.from_cache = json.at("from_cache");
  return reply;
}

std::vector<BufferPlace> places_from(const Json& json) {
  std::vector<BufferPlace> places;
  for (const Json& place : json.at("places"))
    places.push_back({place.at("name"), place.at("dtype"), place.at("address"), place.at("bytes")});
  return places;
}

Failure failure_from(const Json& json) {
  Failure failure = Failure::of(error_from(json.at("error")));
  failure.result = json.at("result");
  failure.sticky = json.at("sticky");
  failure.launched = json.at("launched");
  failure.no_device = json.at("no_device");
  failure.refused = json.at("refused");
  failure.reports = reports_from(json);
  failure.places = places_from(json);
  if (json.contains("step")) failure.step = json.at("step").get<uint64_t>();
  if (json.contains("variable")) {
    const Json& variable = json.at("variable");
    failure.variable = SmallVariable{variable.at("name"), {}};
    if (variable.contains("bytes")) failure.variable->bytes = variable.at("bytes").get<uint64_t>();
  }
  return failure;
}

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

}  // namespace

Json to_json(const Hello& request) {
  Json json = {{"do", "hello"}, {"device", request.device}, {"use_cache", request.use_cache}};
  if (request.confined) json["confined"] = to_json(*request.confined);
  if (request.further > 0) json["further"] = request.further;
  return json;
}

Json to_json(const Prepare& request) {
  Json units = Json::array();
  for (const UnitText& unit : request.units) {
    Json regions = Json::array();
    for (const SourceRegion& region : unit.regions) {
      regions.push_back({{"line", region.line}, {"origin", json_of<Json>(region.origin)}});
    }
    units.push_back(
        {{"name", unit.name},
         {"folder", unit.folder},
         {"source", unit.language == SourceLanguage::binary ? to_hex(unit.source) : unit.source},
         {"language", static_cast<int>(unit.language)},
         {"origin", json_of<Json>(unit.origin)},
         {"options", unit.options},
         {"include", unit.include},
         {"link", unit.link},
         {"regions", regions},
         {"variables", unit.variables},
         {"layouts", Json::array()},
         {"headers", Json::array()}});
    for (const OwnHeader& header : unit.headers) {
      units.back()["headers"].push_back(
          {{"spelling", header.spelling}, {"name", header.name}, {"text", header.text}});
    }
    for (const LayoutQuestion& layout : unit.layouts) {
      units.back()["layouts"].push_back({{"name", layout.name}, {"fields", layout.fields}});
    }
  }
  Json kernels = Json::array();
  for (const KernelName& kernel : request.kernels) {
    Json arguments = Json::array();
    for (const GivenArgument& argument : kernel.arguments) {
      arguments.push_back({{"array", argument.array},
                           {"dtype", argument.dtype ? argument.dtype->name : std::string_view()}});
    }
    kernels.push_back({{"unit", kernel.unit}, {"entry", kernel.entry}, {"arguments", arguments}});
  }
  return {{"do", "prepare"},
          {"units", units},
          {"kernels", kernels},
          {"stack_bytes", request.limits.stack_bytes},
          {"heap_bytes", request.limits.heap_bytes},
          {"load", request.load},
          {"images", request.images},
          {"architecture", request.architecture},
          {"devices", request.devices},
          {"times", request.times}};
}

Json to_json(const Load& request) {
  Json units = Json::array();
  for (const Load::Unit& unit : request.units) {
    units.push_back({{"name", unit.name},
                     {"image", to_hex(unit.image)},
                     {"link", unit.link},
                     {"variables", json_or_null<Json>(unit.variables)}});
  }
  Json kernels = Json::array();
  for (const KernelName& kernel : request.kernels) {
    kernels.push_back({{"unit", kernel.unit}, {"entry", kernel.entry}});
  }
  return {{"do", "load"},
          {"units", units},
          {"kernels", kernels},
          {"stack_bytes", request.limits.stack_bytes},
          {"heap_bytes", request.limits.heap_bytes}};
}

Json to_json(const Verify& request) {
  return {{"do", "verify"}, {"run", to_json(request.run)}, {"poison", request.poison}};
}

Json to_json(const Time& request) {
  Json json = {{"do", "time"},
               {"run", to_json(request.run)},
               {"poison", request.poison},
               {"options", to_json(request.options)},
               {"restore", static_cast<int>(request.restore)}};
  if (request.other) json["other"] = to_json(*request.other);
  json["fetch"] = request.fetch;
  return json;
}

Json to_json(const Calibrate& /*request*/) {
  return {{"do", "calibrate"}};
}

Request request_from_json(const Json& json) {
  return read_message("request", json, [&]() -> Request {
    const std::string what = json.at("do");
    if (what == "hello") return hello_from(json);
    if (what == "prepare") return prepare_from(json);
    if (what == "load") return load_from(json);
    if (what == "verify") return verify_from(json);
    if (what == "time") return time_from(json);
    if (what == "calibrate") return Calibrate{};
    throw std::runtime_error("there is no " + what);
  });
}

Json to_json(const DeviceFacts& reply) {
  return {{"reply", "hello"}, {"facts", json_of<Json>(reply)}};
}

Json to_json(const Prepared& reply) {
  Json kernels = Json::array();
  for (const Entry& entry : reply.kernels) kernels.push_back(to_json(entry));
  Json images = Json::array();
  for (const UnitImage& image : reply.images) {
    images.push_back(
        {{"ptx", to_hex(image.ptx)}, {"cubin", to_hex(image.cubin)}, {"log", to_hex(image.log)}});
  }
  Json variables = Json::array();
  for (const VariableFacts& one : reply.variables) {
    variables.push_back({{"name", one.name}, {"symbol", one.symbol}, {"type", one.type}});
  }
  Json layouts = Json::array();
  for (const LayoutFacts& one : reply.layouts) {
    layouts.push_back({{"name", one.name},
                       {"bytes", one.bytes},
                       {"alignment", one.alignment},
                       {"offsets", one.offsets},
                       {"fields", Json::array()},
                       {"problem", one.problem}});
    for (const FieldFacts& field : one.fields)
      layouts.back()["fields"].push_back({static_cast<int>(field.kind), field.bytes});
  }
  return {{"reply", "prepare"},       {"misfit", reply.misfit},
          {"kernels", kernels},       {"variables", variables},
          {"layouts", layouts},       {"images", images},
          {"notices", reply.notices}, {"from_cache", reply.from_cache}};
}

Json to_json(const Verified& reply) {
  Json changed;
  if (reply.changed_input) changed = {reply.changed_input->buffer, reply.changed_input->step};
  return {{"reply", "verify"},
          {"changed_input", std::move(changed)},
          {"misfit", to_json(reply.misfit)},
          {"trespasses", reply.trespasses},
          {"reports", reports_json(reply.reports)},
          {"places", places_json(reply.places)},
          {"counters", reports_json(reply.counters)},
          {"schedules", reply.schedules}};
}

Json to_json(const Timed& reply) {
  return {{"reply", "time"},
          {"misfit", to_json(reply.misfit)},
          {"measurement", to_json(reply.measurement)}};
}

Json to_json(const Calibrated& reply) {
  Json json = {{"reply", "calibrate"}, {"ceilings", nullptr}};
  if (reply.ceilings) json["ceilings"] = json_of<Json>(*reply.ceilings);
  return json;
}

Json to_json(const Failure& reply) {
  Json json = {{"reply", "failure"},
               {"error", error_json(reply.error())},
               {"result", reply.result},
               {"sticky", reply.sticky},
               {"launched", reply.launched},
               {"no_device", reply.no_device},
               {"refused", reply.refused},
               {"reports", reports_json(reply.reports)},
               {"places", places_json(reply.places)}};
  if (reply.step) json["step"] = *reply.step;
  if (reply.variable) {
    json["variable"] = {{"name", reply.variable->name}};
    if (reply.variable->bytes) json["variable"]["bytes"] = *reply.variable->bytes;
  }
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
    if (what == "prepare") return prepared_from(json);
    if (what == "verify") {
      Verified reply{misfit_from(json.at("misfit")),
                     json.at("trespasses"),
                     reports_from(json),
                     places_from(json),
                     reports_from(json, "counters"),
                     json.at("schedules")};
      if (const Json& changed = json.at("changed_input"); !changed.is_null())
        reply.changed_input = {changed.at(0), changed.at(1)};
      return reply;
    }
    if (what == "time") {
      return Timed{misfit_from(json.at("misfit")), measurement_from(json.at("measurement"))};
    }
    if (what == "calibrate") {
      const Json& ceilings = json.at("ceilings");
      if (ceilings.is_null()) return Calibrated{};
      return Calibrated{ceilings_from(ceilings)};
    }
    if (what == "failure") return failure_from(json);
    throw std::runtime_error("there is no " + what);
  });
}

}  // namespace warpmark::protocol
