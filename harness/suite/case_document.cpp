// The JSON form of a case, as plugins see it.
#include <fmt/format.h>

#include <algorithm>

#include "base/tensor_map.hpp"
#include "suite/case.hpp"
#include "suite/case_amounts.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

class Writer {
 public:
  explicit Writer(const Case& which) : case_(which), suite_(*which.suite), values_{which.scope()} {}

  CaseDocument write() {
    set("", suite_.where);
    Json& json = document_.json;
    json["warpmark"] = 1;
    json["suite"] = suite_.name;
    json["case"] = case_.id;
    json["point"] = Json::array();
    for (const PointValue& axis : case_.point) {
      json["point"].push_back({{"name", axis.name}, {"value", value_document(axis.value)}});
    }
    json["kernel"] = kernel();
    if (!suite_.arguments.empty()) set("/arguments", suite_.arguments.front().where);
    json["arguments"] = arguments(suite_.arguments, "/arguments");
    if (!suite_.globals.empty()) json["globals"] = arguments(suite_.globals, "/globals");
    for (const StructType& type : suite_.types) set("/types/" + type.name, type.where);
    if (suite_.fault) set("/expect", suite_.fault->kind.where);
    if (suite_.report) set("/expect", suite_.report->kinds.front().where);
    if (suite_.compile_error) set("/expect", suite_.compile_error->where);
    if (suite_.launch) launch(*suite_.launch);
    if (suite_.devices) {
      json["devices"] = size_document(*suite_.devices, "/devices", values_, document_.positions);
    }
    json["reference"] = reference();
    json["tolerance"] = tolerance(suite_.tolerance, "/tolerance");
    for (const OutputTolerance& own : suite_.output_tolerances) {
      const bool referenced = std::ranges::any_of(
          suite_.reference, [&](const NamedText& one) { return one.name == own.output; });
      // Those of references stand with them.
      if (referenced) continue;
      json["tolerances"].push_back({{"name", own.output}, {"tolerance", tolerance_of(own.output)}});
    }
    if (!suite_.checks.empty()) json["checks"] = checks();
    if (suite_.bench.bytes) json["bytes"] = amount(*suite_.bench.bytes, "/bytes");
    if (suite_.bench.flops) json["flops"] = amount(*suite_.bench.flops, "/flops");
    return std::move(document_);
  }

 private:
  void set(const std::string& pointer, const Position& where) {
    document_.positions.set(pointer, where);
  }

  Json numpy(const Located& text, const std::string& pointer) {
    set(pointer, text.where);
    return {{"numpy", text.text}, {"at", pointer}};
  }

  Json python(const PythonText& text, const std::string& pointer) {
    set(pointer, text.where);
    return {{text.kind(), text.text}, {"at", pointer}};
  }

  Json amount(const Expression& expression, const std::string& pointer) {
    return amount_document(expression, pointer, values_, document_.positions);
  }

  // A key of the plugin's own: maps, lists and texts just as they are written.
  Json foreign(const YamlNode& node, const std::string& pointer) {
    set(pointer, node.content);
    if (node.kind == YamlNode::Kind::scalar) document_.positions.set_text(pointer, node.content);
    switch (node.kind) {
      case YamlNode::Kind::null:
        return nullptr;
      case YamlNode::Kind::scalar:
        return node.text;
      case YamlNode::Kind::list: {
        Json list = Json::array();
        for (const YamlNode& element : node.elements) {
          list.push_back(foreign(element, fmt::format("{}/{}", pointer, list.size())));
        }
        return list;
      }
      case YamlNode::Kind::map: {
        Json map = Json::object();
        for (const YamlMember& member : node.members) {
          map[member.key] = foreign(member.value, pointer + "/" + pointer_token(member.key));
        }
        return map;
      }
    }
    return nullptr;
  }

  Json kernel() {
    const Kernel& kernel = suite_.kernel;
    set("/kernel", kernel.where);
    Json json = Json::object();
    const auto text = [&](const std::string& key, const std::optional<Located>& value) {
      if (!value) return;
      set("/kernel/" + key, value->where);
      json[key] = value->text;
    };
    text("file", kernel.file);
    text("source", kernel.source);
    text(kernel.image_form, kernel.image);
    if (kernel.compiler && kernel.compiler->text != "nvrtc") text("compiler", kernel.compiler);
    if (kernel.entry) {
      set("/kernel/entry", kernel.entry->where());
      json["entry"] = kernel.entry->evaluate(values_.scope);
    }
    if (!kernel.define.empty()) json["define"] = Json::array();
    for (const NamedExpression& macro : kernel.define) {
      set(fmt::format("/kernel/define/{}", json["define"].size()), macro.value.where());
      json["define"].push_back(
          {{"name", macro.name}, {"value", value_document(macro.value.evaluate(values_.scope))}});
    }
    const auto texts = [&](const char* key, const std::vector<Located>& values) {
      if (!values.empty()) json[key] = Json::array();
      for (const Located& value : values) {
        set(fmt::format("/kernel/{}/{}", key, json[key].size()), value.where);
        json[key].push_back(value.text);
      }
    };
    texts("options", kernel.options);
    texts("link", kernel.link);
    texts("include", kernel.include);
    for (const YamlMember& member : kernel.other) {
      const std::string pointer = "/kernel/" + pointer_token(member.key);
      json[member.key] = foreign(member.value, pointer);
      set(pointer, member.where);  // the key: what a plugin says of an unknown one
    }
    return json;
  }

  Json image(const SuiteImage& image, const std::string& pointer) {
    set(pointer, image.where);
    return {{"surface", image.surface},
            {"channels", image.channels},
            {"address", image.address},
            {"filter", image.linear ? "linear" : "point"},
            {"normalized", image.normalized},
            {"read", image.read_normalized ? "normalized" : "element"},
            {"at", pointer}};
  }

  Json tensor_map(const SuiteTensorMap& map, const std::string& pointer) {
    set(pointer, map.where);
    Json json = {{"array", map.array.text}};
    const auto numbers = [&](const char* key, const std::vector<Expression>& values) {
      if (values.empty()) return;
      set(fmt::format("{}/{}", pointer, key), values.front().where());
      json[key] = Json::array();
      for (const Expression& value : values) {
        const std::string at = fmt::format("{}/{}/{}", pointer, key, json[key].size());
        json[key].push_back(size_document(value, at, values_, document_.positions));
      }
    };
    numbers("box", map.box);
    numbers("element_strides", map.element_strides);
    numbers("shape", map.shape);
    numbers("strides", map.strides);
    for (const auto& [key, words] : tensor_map_words()) {
      const auto found = map.words.find(key);
      if (found == map.words.end()) continue;
      set(fmt::format("{}/{}", pointer, key), found->second.where);
      json[key] = tensor_word(key, words, found->second);
    }
    json["at"] = pointer;
    return json;
  }

  // The word itself, or the value that an axis of its name has at this point.
  std::string tensor_word(const std::string& key, const std::vector<std::string>& words,
                          const Located& written) const {
    Located word = written;
    if (const ArithmeticValue* value = values_.scope.find(word.text)) {
      const auto* text = std::get_if<std::string>(value);
      word.text = text != nullptr ? *text : to_text(*value);
    }
    if (std::ranges::find(words, word.text) != words.end()) return word.text;
    throw unknown_tensor_word(key, word);
  }

  Json dtype(const Expression& expression) const {
    if (const StructType* type = find_type(suite_, expression.text())) return type->dtype;
    const ArithmeticValue value = expression.evaluate(values_.scope);
    check_dtype(value, expression.where());
    return value_document(value);
  }

  Json arguments(const std::vector<Argument>& arguments, const std::string& parent) {
    Json list = Json::array();
    for (const Argument& argument : arguments) {
      const std::string pointer = fmt::format("{}/{}", parent, list.size());
      set(pointer, argument.where);
      Json json = {{"name", argument.name}, {"kind", to_text(argument.kind)}};
      if (argument.dtype) {
        set(pointer + "/dtype", argument.dtype->where());
        json["dtype"] = dtype(*argument.dtype);
      }
      if (has_shape(argument.kind)) {
        json["shape"] = Json::array();
        for (const Expression& extent : argument.shape) {
          json["shape"].push_back(
              size_document(extent, fmt::format("{}/shape/{}", pointer, json["shape"].size()),
                            values_, document_.positions));
        }
      } else if (argument.kind == ArgumentKind::null) {
        json["null"] = true;
      } else if (argument.tensor_map) {
        json["tensor_map"] = tensor_map(*argument.tensor_map, pointer + "/tensor_map");
      } else if (argument.kind == ArgumentKind::pointers) {
        for (const Located& to : argument.pointers) json["pointers"].push_back(to.text);
      } else {
        json["value"] = python(argument.value, pointer + "/value");
      }
      if (argument.image) json["image"] = image(*argument.image, pointer + "/image");
      const auto size = [&](const char* key, const std::optional<Expression>& value) {
        if (!value) return;
        json[key] =
            size_document(*value, fmt::format("{}/{}", pointer, key), values_, document_.positions);
      };
      if (argument.partition) json["partition"] = true;
      size("pitch", argument.pitch);
      size("offset", argument.offset);
      for (const SuiteFieldPointer& one : argument.points_to) {
        const std::string at = fmt::format(
            "{}/points_to/{}", pointer, json.contains("points_to") ? json["points_to"].size() : 0);
        set(at, one.field.where);
        json["points_to"].push_back(
            {{"field", one.field.text}, {"array", one.array.text}, {"at", at}});
      }
      if (!argument.symbol.empty()) json["symbol"] = argument.symbol;
      json["at"] = pointer;
      list.push_back(std::move(json));
    }
    return list;
  }

  void launch(const SuiteLaunch& launch) {
    set("/launch", launch.where);
    Json& json = document_.json;
    if (launch.single) {
      json["launch"] = geometry_document(*launch.single, "/launch", values_, document_.positions);
      return;
    }
    StepsDocument unrolled = steps_document(suite_, values_.scope, document_.positions);
    json["launch"] = std::move(unrolled.steps);
    for (const MovedMap& moved : unrolled.maps) {
      const auto map = std::ranges::find_if(
          json["arguments"], [&](const Json& one) { return one["name"] == moved.map; });
      Json other = *map;
      other["name"] = moved.name;
      other["tensor_map"]["array"] = moved.buffer;
      json["arguments"].push_back(std::move(other));
    }
    if (!unrolled.renamed.empty()) json["renamed"] = std::move(unrolled.renamed);
    if (!unrolled.swaps.empty()) json["swaps"] = std::move(unrolled.swaps);
  }

  Json reference() {
    Json list = Json::array();
    for (const NamedText& reference : suite_.reference) {
      const std::string pointer = fmt::format("/reference/{}", list.size());
      set(pointer, reference.where);
      list.push_back({{"name", reference.name},
                      {"value", python(reference.value, pointer + "/value")},
                      {"tolerance", tolerance_of(reference.name)}});
    }
    return list;
  }

  // Each is named after its kind, which says what it is about.
  Json checks() {
    set("/checks", suite_.checks.front().where);
    Json list = Json::array();
    for (const SuiteCheck& check : suite_.checks) {
      const CheckForm& form = form_of(check.kind);
      const std::string pointer = fmt::format("/checks/{}", list.size());
      set(pointer, check.subject.where);
      Json json = {{form.key, check.subject.text}};
      if (check.word) json[form.word] = check.word->text;
      for (const NamedText& value : check.values) {
        json[value.name] = numpy(value.value, pointer + "/" + value.name);
      }
      for (const Located& one : check.args) {
        const size_t at = json.contains("args") ? json["args"].size() : 0;
        json["args"].push_back(numpy(one, fmt::format("{}/args/{}", pointer, at)));
      }
      json["at"] = pointer;
      list.push_back(std::move(json));
    }
    return list;
  }

  // The one that holds for an output: its own, or the suite's.
  Json tolerance_of(const std::string& output) {
    for (const OutputTolerance& own : suite_.output_tolerances) {
      if (own.output != output) continue;
      return tolerance(own.tolerance, "/tolerance/outputs/" + pointer_token(output));
    }
    return tolerance(suite_.tolerance, "/tolerance");
  }

  Json tolerance(const SuiteTolerance& tolerance, const std::string& pointer) {
    if (tolerance.where.known()) set(pointer, tolerance.where);
    Json json = {{"kind", to_text(tolerance.kind)}};
    if (tolerance.ulp) json["ulp"] = numpy(*tolerance.ulp, pointer + "/ulp");
    if (tolerance.rtol) json["rtol"] = numpy(*tolerance.rtol, pointer + "/rtol");
    if (tolerance.atol) json["atol"] = numpy(*tolerance.atol, pointer + "/atol");
    if (tolerance.times) json["times"] = numpy(*tolerance.times, pointer + "/from_float64");
    json["nan"] = to_text(tolerance.nan);
    return json;
  }

  const Case& case_;
  const Suite& suite_;
  CaseScope values_;
  CaseDocument document_;
};

}  // namespace

CaseDocument case_document(const Case& which) {
  return Writer(which).write();
}

}  // namespace warpmark
