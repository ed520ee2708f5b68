#include "codegen/source.hpp"

#include <algorithm>
#include <charconv>

namespace warpmark::codegen {

using plugin::Failure;
using plugin::Json;

void SourceText::append(const std::string& text) {
  text_ += text;
  lines_ += std::ranges::count(text, '\n');
  if (!text.empty() && text.back() == '\n') return;
  text_ += '\n';
  ++lines_;
}

void SourceText::add(const std::string& text) {
  if (!generated_) regions_.push_back({{"line", lines_ + 1}});
  generated_ = true;
  append(text);
}

void SourceText::add_from(const std::string& text, const std::string& pointer) {
  regions_.push_back({{"line", lines_ + 1}, {"at", pointer}});
  generated_ = false;
  append(text);
}

Json SourceText::unit(const Json& kernel) const {
  return {{"source", text_},
          {"options", kernel.value("options", Json::array())},
          {"regions", regions_}};
}

std::string text_of(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

std::string optional_text(const Json& kernel, const std::string& key) {
  if (!kernel.contains(key)) return {};
  const Json& value = kernel.at(key);
  if (!value.is_string() ||
      value.get<std::string>().find_first_not_of(" \t\n") == std::string::npos) {
    throw Failure("/kernel/" + key, "`" + key + "` must be a text");
  }
  return value.get<std::string>();
}

std::string required_text(const Json& kernel, const std::string& key) {
  if (!kernel.contains(key)) throw Failure("/kernel", "`kernel` needs `" + key + "`");
  return optional_text(kernel, key);
}

std::string kernel_name(const Json& which) {
  const Json& kernel = which.at("kernel");
  std::string name = optional_text(kernel, "name");
  if (!name.empty()) {
    if (!is_identifier(name) || name.starts_with("warpmark")) {
      throw Failure("/kernel/name", "`" + name + "` is no name for a kernel",
                    "letters, digits and _, not beginning with a digit or `warpmark`");
    }
    return name;
  }
  const auto suite = which.at("suite").get<std::string>();
  name = suite.substr(suite.rfind('/') + 1) + "_kernel";
  for (char& c : name) {
    if (!is_identifier(std::string("_") + c)) c = '_';
  }
  return is_identifier(name) ? name : "_" + name;
}

namespace {

// A macro that a `-D` would define after the headers, which may use its name for something else.
std::string define_line(const Json& macro) {
  return "#define " + macro.at("name").get<std::string>() + " " + plugin::macro_value(macro);
}

bool names(const std::vector<std::string>& types, std::initializer_list<const char*> wanted) {
  return std::ranges::any_of(types, [&](const std::string& type) {
    return std::ranges::any_of(wanted, [&](const char* name) { return type == name; });
  });
}

int64_t read_number(const Json& tune, const std::string& key, int64_t most) {
  const std::string pointer = "/kernel/tune/" + key;
  int64_t number = 0;
  const Json& value = tune.at(key);
  const std::string text = value.is_string() ? value.get<std::string>() : std::string();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < 1 ||
      number > most) {
    throw Failure(pointer,
                  "`" + key + "` must be a whole number from 1 to " + std::to_string(most));
  }
  return number;
}

}  // namespace

SourceText begin_source(const Json& kernel, const std::string& prelude,
                        const std::vector<std::string>& types) {
  SourceText source;
  if (names(types, {"__half", "half"})) source.add("#include <cuda_fp16.h>");
  if (names(types, {"__nv_bfloat16", "nv_bfloat16"})) source.add("#include <cuda_bf16.h>");
  source.add(prelude);
  const Json macros = kernel.value("define", Json::array());
  for (size_t i = 0; i < macros.size(); ++i) {
    source.add_from(define_line(macros[i]), "/kernel/define/" + std::to_string(i));
  }
  const std::string preamble = optional_text(kernel, "preamble");
  if (!preamble.empty()) {
    (void)lex(preamble, "/kernel/preamble");  // a comment or string without end would go on below
    source.add_from(preamble, "/kernel/preamble");
    source.add("");  // were the last line to end in a backslash
  }
  return source;
}

Tuning read_tuning(const Json& kernel, const Tuning& defaults) {
  Tuning tuning = defaults;
  if (!kernel.contains("tune")) return tuning;
  const Json& tune = kernel.at("tune");
  if (!tune.is_object())
    throw Failure("/kernel/tune", "`tune` must be a map", "tune: {block: 256}");
  for (const auto& item : tune.items()) {
    if (item.key() == "block") {
      tuning.block = read_number(tune, "block", 1024);
      if (tuning.block % 32 != 0) {
        throw Failure("/kernel/tune/block", "`block` must be a multiple of 32, a warp");
      }
    } else if (item.key() == "vectors") {
      tuning.vectors = read_number(tune, "vectors", 32);
    } else if (item.key() == "blocks" && defaults.blocks > 0) {
      tuning.blocks = read_number(tune, "blocks", 65535);
    } else {
      throw Failure(
          (Json::json_pointer("/kernel/tune") / item.key()).to_string(),
          "unknown key of `tune` `" + item.key() + "`",
          defaults.blocks > 0 ? "known: block, vectors, blocks" : "known: block, vectors");
    }
  }
  return tuning;
}

void add_launch(Json& plan, const GeneratedLaunch& launch) {
  plan["steps"].push_back({{"launch",
                            {{"unit", launch.unit},
                             {"entry", launch.entry},
                             {"grid", launch.grid},
                             {"block", {launch.block, 1, 1}},
                             {"arguments", launch.arguments},
                             {"at", launch.at}}}});
}

std::string Range::index(const std::string& place) const {
  if (!given) return place;
  return "warpmark_start + " + (has_step ? "(" + place + ") * warpmark_step" : place);
}

std::string Range::parameters() const {
  std::string text = ", const long long n";
  if (given) text += ", const long long warpmark_start";
  if (has_step) text += ", const long long warpmark_step";
  if (given) text += ", const long long warpmark_count";
  return text;
}

void Range::add_scalars(const Parameter& array, Json& plan, Json& arguments) const {
  const auto integer = [&](const char* name, const Json& value) {
    plan["scalars"].push_back({{"name", name}, {"dtype", "int64"}, {"integer", value}});
    arguments.push_back(name);
  };
  integer("warpmark_n", {{"arithmetic", array.name + ".size"}, {"at", array.pointer}});
  // The count depends on all three keys; a mistake in another key is reported there before.
  if (given) integer("warpmark_start", start);
  if (has_step) integer("warpmark_step", step);
  if (given) integer("warpmark_count", count);
}

void Range::add_accesses(const Parameter& array, const std::vector<Parameter>& lanes,
                         const std::string& key, Json& plan) const {
  for (const Parameter& lane : lanes) {
    if (!given && lane.name == array.name) continue;  // whose size the count is
    Json access = {{"buffer", lane.name}};
    if (given) {
      access["start"] = start;
      access["step"] = step;
    }
    access["count"] = count;
    access["reason"] = text_of({"`", key, "` has `", lane.name, "[i]` for each ",
                                given ? "`i` of `range`" : "element of `" + array.name + "`"});
    access["at"] = lane.pointer;
    plan["accesses"].push_back(std::move(access));
  }
}

Range read_range(const Json& kernel, const Parameter& array) {
  Range range;
  const auto arithmetic = [](const std::string& text, const std::string& at) {
    return Json{{"arithmetic", text}, {"at", at}};
  };
  if (!kernel.contains("range")) {
    range.count = arithmetic(array.name + ".size", array.pointer);
    return range;
  }
  const Json& given = kernel.at("range");
  const std::string hint = "range: {start: 1, stop: x.size, step: 2}";
  if (!given.is_object()) throw Failure("/kernel/range", "`range` must be a map", hint);
  for (const auto& item : given.items()) {
    const std::string pointer = (Json::json_pointer("/kernel/range") / item.key()).to_string();
    if (item.key() != "start" && item.key() != "stop" && item.key() != "step") {
      throw Failure(pointer, "unknown key of `range` `" + item.key() + "`", hint);
    }
    if (!item.value().is_string() || item.value().get<std::string>().empty()) {
      throw Failure(pointer, "`" + item.key() + "` must be arithmetic", hint);
    }
  }
  const auto part = [&](const char* key, const std::string& otherwise) {
    return given.contains(key) ? given.at(key).get<std::string>() : otherwise;
  };
  const std::string start = part("start", "0");
  const std::string stop = part("stop", array.name + ".size");
  const std::string step = part("step", "1");
  range.given = true;
  range.has_step = given.contains("step");
  range.start = arithmetic(start, "/kernel/range/start");
  range.step = arithmetic(step, "/kernel/range/step");
  range.count = arithmetic("max(0, ceil_div((" + stop + ") - (" + start + "), (" + step + ")))",
                           given.contains("stop") ? "/kernel/range/stop" : "/kernel/range");
  return range;
}

const Parameter& first_array(const std::vector<Parameter>& parameters) {
  const auto found = std::ranges::find_if(
      parameters, [](const Parameter& parameter) { return parameter.is_array; });
  if (found == parameters.end()) {
    throw Failure("/kernel/parameters", "`parameters` has no array, so there is nothing to do",
                  "as in `float a, float *x`");
  }
  return *found;
}

}  // namespace warpmark::codegen
