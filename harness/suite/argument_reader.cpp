// Reads `arguments`, `constants` and `globals`.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "suite/suite_keys.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

const std::vector<ArgumentKind> kKinds = {
    ArgumentKind::in,      ArgumentKind::inout,    ArgumentKind::out,     ArgumentKind::scalar,
    ArgumentKind::scratch, ArgumentKind::pointers, ArgumentKind::texture, ArgumentKind::tensor_map};

// "in, inout and out".
std::string enumeration(const std::vector<std::string>& words) {
  const std::vector<std::string> but_last(words.begin(), words.end() - 1);
  return but_last.empty() ? words.back() : join(but_last, ", ") + " and " + words.back();
}

std::vector<std::string> texts_of(const std::vector<ArgumentKind>& kinds) {
  std::vector<std::string> texts;
  for (const ArgumentKind kind : kinds) texts.emplace_back(to_text(kind));
  return texts;
}

std::vector<Located> read_pointers(const YamlNode& node) {
  require_list(node, "`pointers`");
  std::vector<Located> names;
  for (const YamlNode& name : node.elements) {
    // An element without a text is a null pointer.
    names.push_back(name.kind == YamlNode::Kind::null ? Located{"", name.where}
                                                      : read_text(name, "an argument's name"));
  }
  if (names.empty()) throw usage_error("`pointers` has no elements", node.where);
  return names;
}

const std::vector<std::string> kTextureKeys = {"address", "filter", "normalized", "read"};

SuiteImage read_image(const KeyedMap& map, bool is_texture) {
  SuiteImage image;
  image.where = map.where();
  image.surface = !is_texture;
  if (const YamlNode* address = map.find("address")) {
    const auto read = [&](const YamlNode& node) {
      image.address.push_back(read_word(node, "`address`", address_modes()));
    };
    const bool is_list = address->kind == YamlNode::Kind::list;
    is_list ? void(std::ranges::for_each(address->elements, read)) : read(*address);
  }
  image.linear = map.word("filter") == "linear";
  image.normalized = map.truth("normalized").value_or(false);
  image.read_normalized = map.word("read") == "normalized";
  if (const auto channels = map.word("channels")) image.channels = channels->front() - '0';
  const bool repeats = std::ranges::any_of(
      image.address, [](const auto& mode) { return mode == "wrap" || mode == "mirror"; });
  if (repeats && !image.normalized) {
    throw usage_error("textures repeat only with normalized coordinates", map.where(),
                      "add `normalized: true`; without it they clamp or have a border");
  }
  return image;
}

// The value of the one kind that the map has; `what` is for errors.
Argument read_kind(const YamlMember& member, const KeyedMap& map, const std::string& what,
                   const std::vector<ArgumentKind>& kinds) {
  Argument argument;
  argument.name = member.key;
  argument.where = member.where;
  int found = 0;
  for (const ArgumentKind kind : kinds) {
    const YamlNode* value = map.find(to_text(kind));
    if (value == nullptr) continue;
    ++found;
    argument.kind = kind;
    const std::string key = fmt::format("`{}`", to_text(kind));
    if (has_shape(kind)) {
      argument.shape = read_expressions(*value, key);
    } else if (kind == ArgumentKind::pointers) {
      argument.pointers = read_pointers(*value);
    } else {
      argument.value = read_python(*value, key);
    }
  }
  if (found != 1) {
    throw usage_error(fmt::format("{} needs one of {}, and has {}", what,
                                  enumeration(texts_of(kinds)), found == 0 ? "none" : "several"),
                      member.where);
  }
  argument.dtype = map.expression("dtype");
  return argument;
}

// Where an array lies in its memory.
void read_placement(const KeyedMap& map, const std::string& what, Argument& argument) {
  const auto read = [&](const char* key) {
    const YamlNode* value = map.find(key);
    if (value != nullptr && (!is_array(argument.kind) || argument.image)) {
      throw usage_error(
          fmt::format("`{}` is for arrays in plain memory, and {} is none", key, what),
          value->where);
    }
    return map.expression(key);
  };
  argument.pitch = read("pitch");
  argument.offset = read("offset");
  const YamlNode* partition = map.find("partition");
  if (partition == nullptr) return;
  if (!is_array(argument.kind) || argument.image || argument.pitch || argument.offset) {
    throw usage_error(fmt::format("`partition` is for dense arrays, and {} is none", what),
                      partition->where);
  }
  const KeyedMap parts(*partition, "`partition`", partition_keys());
  // Parts along another axis would not be whole pieces of memory.
  read_word(parts.at("axis"), "`axis`", {"0"});
  argument.partition = partition->where;
}

void read_points_to(const KeyedMap& map, const std::string& what, Argument& argument) {
  const YamlNode* fields = map.find("points_to");
  if (fields == nullptr) return;
  if (argument.kind != ArgumentKind::scalar) {
    throw usage_error(fmt::format("`points_to` is for structs by value, and {} is none", what),
                      fields->where, "an array of pointers is {pointers: [a, b]}");
  }
  require_named_map(*fields, "`points_to`");
  for (const YamlMember& member : fields->members) {
    argument.points_to.push_back(
        {{member.key, member.where}, read_text(member.value, "an argument's name")});
  }
}

// {any: special}: patterns that a search may put in place of the value.
void read_contents(const KeyedMap& map, const std::string& what, Argument& argument) {
  const YamlNode* values = map.find("values");
  if (values == nullptr) return;
  const bool has_value = argument.kind == ArgumentKind::in || argument.kind == ArgumentKind::inout;
  if (!has_value) {
    throw usage_error(
        fmt::format("`values` is for arrays that are `in` or `inout`, and {} is none", what),
        values->where);
  }
  argument.contents = KeyedMap(*values, "`values`", contents_keys()).word<ContentClass>("any");
}

Argument read_argument(const YamlMember& member) {
  check_name(member.key, member.where);
  const std::string what = fmt::format("the argument `{}`", member.key);
  if (member.value.kind == YamlNode::Kind::null) {
    Argument argument;
    argument.name = member.key;
    argument.where = member.where;
    argument.kind = ArgumentKind::null;
    return argument;
  }
  if (member.value.find("tensor_map") != nullptr) return read_tensor_map(member);
  const KeyedMap map(member.value, what, argument_keys());
  Argument argument = read_kind(member, map, what, kKinds);
  const bool is_surface = map.truth("surface").value_or(false);
  const bool is_texture = argument.kind == ArgumentKind::texture;
  if (is_surface && !is_output(argument.kind) && argument.kind != ArgumentKind::in) {
    throw usage_error(what + " cannot be a surface", map.at("surface").where,
                      "an array that is in, inout or out can");
  }
  if (is_surface || is_texture) argument.image = read_image(map, is_texture);
  for (const std::string& key : kTextureKeys) {
    const YamlNode* value = map.find(key);
    if (value == nullptr || is_texture) continue;
    throw usage_error(fmt::format("`{}` is for textures", key), value->where);
  }
  const YamlNode* channels = map.find("channels");
  if (channels != nullptr && !argument.image) {
    throw usage_error("`channels` is for textures and surfaces", channels->where);
  }
  read_placement(map, what, argument);
  read_points_to(map, what, argument);
  read_contents(map, what, argument);
  return argument;
}

// The last part of "ns::table" is its name in expressions.
Argument named_by_symbol(Argument argument, const std::string& symbol, const Position& where) {
  const size_t colons = symbol.rfind("::");
  argument.name = colons == std::string::npos ? symbol : symbol.substr(colons + 2);
  argument.symbol = symbol;
  check_name(argument.name, where);
  return argument;
}

}  // namespace

std::vector<Argument> read_arguments(const YamlNode& node) {
  require_named_map(node, "`arguments`");
  std::vector<Argument> arguments;
  for (const YamlMember& member : node.members) arguments.push_back(read_argument(member));
  return arguments;
}

std::vector<Argument> read_globals(const YamlNode& node, bool constants) {
  require_named_map(node, constants ? "`constants`" : "`globals`");
  std::vector<Argument> variables;
  for (const YamlMember& member : node.members) {
    const std::string what = fmt::format("the variable `{}`", member.key);
    Argument argument;
    if (constants && (member.value.kind != YamlNode::Kind::map || member.value.find("function") ||
                      member.value.find("torch"))) {
      argument.where = member.where;
      argument.kind = ArgumentKind::in;
      argument.value = read_python(member.value, "`" + member.key + "`");
    } else {
      const std::vector<ArgumentKind> kinds =
          constants ? std::vector{ArgumentKind::in}
                    : std::vector{ArgumentKind::in, ArgumentKind::inout, ArgumentKind::out};
      const KeyedMap map(member.value, what, constants ? constant_keys() : variable_keys());
      argument = read_kind(member, map, what, kinds);
    }
    variables.push_back(named_by_symbol(std::move(argument), member.key, member.where));
  }
  return variables;
}

}  // namespace warpmark
