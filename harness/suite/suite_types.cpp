// Reads `types`: structs of the kernels, as dtypes.
#include <fmt/format.h>

#include <algorithm>

#include "base/dtype.hpp"
#include "base/text.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

class TypeReader {
 public:
  explicit TypeReader(std::vector<StructType>& types) : types_(types) {}

  void read(const YamlMember& member) {
    check_type_name(member);
    types_.push_back({member.key, member.where, fields(member.value, member.key)});
  }

 private:
  // As C++ has it: "ns::Particle", "Pair<float, 4>".
  static void check_type_name(const YamlMember& member) {
    const std::string& name = member.key;
    const size_t open = name.find('<');
    const bool closes = open == std::string::npos || name.ends_with('>');
    std::string plain = name.substr(0, open);
    for (size_t at = plain.find("::"); at != std::string::npos; at = plain.find("::")) {
      check_name(plain.substr(0, at), member.where);
      plain.erase(0, at + 2);
    }
    check_name(plain, member.where);
    if (closes) return;
    throw usage_error(fmt::format("`{}` is no name of a struct", name), member.where);
  }

  // "{x:float32,…}", as find_dtype takes it.
  std::string fields(const YamlNode& node, const std::string& type) {
    require_named_map(node, "the struct `" + type + "`");
    if (node.members.empty()) {
      throw usage_error(fmt::format("the struct `{}` has no fields", type), node.where);
    }
    std::vector<std::string> texts;
    for (const YamlMember& member : node.members) {
      if (!is_identifier(member.key)) {
        throw usage_error(fmt::format("`{}` is no name of a field", member.key), member.where);
      }
      texts.push_back(member.key + ":" + field(member.value, type + "." + member.key));
    }
    const std::string text = "{" + join(texts, ",") + "}";
    if (!find_dtype(text)) {
      throw usage_error(fmt::format("the struct `{}` is too large", type), node.where);
    }
    return text;
  }

  std::string field(const YamlNode& node, const std::string& path) {
    if (node.kind == YamlNode::Kind::map) return fields(node, path);
    if (node.kind != YamlNode::Kind::list) return element(read_text(node, "a type"));
    if (node.elements.size() < 2) {
      throw usage_error("an array has a type and one or more lengths", node.where,
                        "position: [float32, 3]");
    }
    std::string extents;
    for (size_t i = 1; i < node.elements.size(); ++i) {
      const Expression extent = read_expression(node.elements[i], "a length");
      const ArithmeticValue value = extent.evaluate({});
      const auto* count = std::get_if<int64_t>(&value);
      if (count == nullptr || *count < 1) {
        throw usage_error(fmt::format("`{}` is no length of an array", extent.text()),
                          extent.where());
      }
      extents += fmt::format("[{}]", *count);
    }
    const std::string of = element(read_text(node.elements.front(), "a type"));
    // Extents of the array come first, those of a vector type behind them.
    const size_t end = std::min(of.find('['), of.find('@'));
    return end == std::string::npos || of.starts_with('{')
               ? of + extents
               : of.substr(0, end) + extents + of.substr(end);
  }

  std::string element(const Located& type) const {
    for (const StructType& known : types_) {
      if (known.name == type.text) return known.dtype;
    }
    if (const auto vector = vector_of_c_type(type.text)) {
      return fmt::format("{}[{}]@{}", vector->dtype.name, vector->count, vector->alignment);
    }
    // An address: `points_to` of the argument says of which array.
    if (type.text.ends_with('*')) return "uint64";
    auto dtype = find_dtype(type.text);
    if (!dtype) dtype = dtype_of_c_type(type.text);
    if (dtype && !is_narrow_float(*dtype) && dtype->kind != DTypeKind::record) {
      return std::string(dtype->name);
    }
    std::vector<std::string> known;
    for (const DType& one : all_dtypes()) {
      if (!is_narrow_float(one)) known.emplace_back(one.name);
    }
    for (const StructType& one : types_) known.push_back(one.name);
    throw unknown_word("type of a field", type.text, type.where, known);
  }

  std::vector<StructType>& types_;
};

}  // namespace

std::vector<StructType> read_types(const YamlNode& node) {
  require_named_map(node, "`types`");
  std::vector<StructType> types;
  TypeReader reader(types);
  for (const YamlMember& member : node.members) reader.read(member);
  return types;
}

}  // namespace warpmark
