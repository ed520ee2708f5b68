#include "codegen/parameters.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

#include "codegen/lexer.hpp"
#include "codegen/source.hpp"

namespace warpmark::codegen {

namespace {

using plugin::Failure;
using plugin::Json;

constexpr const char* kPointer = "/kernel/parameters";

[[noreturn]] void fail(const std::vector<Token>& part, const std::string& what,
                       const std::string& hint = "as in `float a, const float *x`") {
  throw Failure(kPointer, "parameter `" + spelled(part) + "` " + what, hint);
}

Parameter read_one(const std::vector<Token>& part) {
  if (part.empty()) throw Failure(kPointer, "`parameters` has an empty place between commas");
  Parameter parameter;
  parameter.text = spelled(part);
  std::vector<Token> type;
  for (const Token& token : part) {
    if (token.is("*")) {
      if (parameter.is_array) fail(part, "is a pointer to pointers", "an array has one `*`");
      parameter.is_array = true;
    } else if (token.is("const")) {
      // Past the `*` it is the pointer that does not change.
      if (!parameter.is_array) parameter.is_const = true;
    } else if (token.is("volatile")) {
      parameter.is_volatile = true;
    } else if (token.is("__restrict__") || token.is("__restrict") || token.is("restrict")) {
      continue;
    } else if (token.is("&") || token.is("&&")) {
      fail(part, "is a reference", "a kernel takes values and pointers");
    } else if (token.is("=")) {
      fail(part, "has a default value", "arguments give the values");
    } else {
      type.push_back(token);
    }
  }
  if (type.size() < 2 || type.back().kind != TokenKind::name || !is_identifier(type.back().text)) {
    fail(part, "needs a type and a name");
  }
  if (parameter.is_array && part.back().text != type.back().text) {
    fail(part, "needs its name behind the `*`");
  }
  parameter.name = type.back().text;
  type.pop_back();
  parameter.element = spelled(type);
  return parameter;
}

// Checks that a parameter's name cannot change the meaning of the generated code.
void check_name(const Parameter& parameter, const Json& kernel,
                const std::vector<std::string>& reserved) {
  const std::string& name = parameter.name;
  if (std::ranges::find(reserved, name) != reserved.end()) {
    throw Failure(kPointer, "parameter `" + parameter.text + "` has a name that is taken",
                  "`" + name + "` is a name that the generated kernel uses itself");
  }
  if (name.starts_with("warpmark")) {
    throw Failure(kPointer, "parameter `" + parameter.text + "` has a name that is taken",
                  "names that begin with `warpmark` are those of the generated code");
  }
  for (const Json& macro : kernel.value("define", Json::array())) {
    if (macro.at("name") == name) {
      throw Failure(kPointer, "parameter `" + name + "` is also a macro of `define`",
                    "give one of them another name");
    }
  }
}

void match(Parameter& parameter, const Json& argument, size_t index) {
  parameter.kind = argument.at("kind").get<std::string>();
  parameter.pointer = argument.at("at").get<std::string>();
  const auto name = argument.at("name").get<std::string>();
  if (name != parameter.name) {
    throw Failure(parameter.pointer,
                  "argument " + std::to_string(index + 1) + " is `" + name + "`, and parameter " +
                      std::to_string(index + 1) + " is `" + parameter.text + "`",
                  "arguments stand in the order of `parameters`, under the same names");
  }
  const bool scalar = parameter.kind == "scalar";
  if (scalar && parameter.is_array) {
    throw Failure(parameter.pointer,
                  "`" + name + "` is a scalar, and `" + parameter.text + "` a pointer",
                  "an array is given with `in:`, `inout:` or `out:`");
  }
  if (!scalar && !parameter.is_array) {
    throw Failure(parameter.pointer,
                  "`" + name + "` is an array, and `" + parameter.text + "` no pointer",
                  "a number is given with `scalar:`, an array taken with `*`");
  }
  if (parameter.is_array && parameter.is_const && parameter.kind != "in") {
    throw Failure(parameter.pointer,
                  "`" + name + "` is an output, and `" + parameter.text + "` is const");
  }
}

}  // namespace

uint32_t bytes_of_type(const std::string& spelling) {
  static const std::map<std::string, uint32_t> kBytes = {
      {"bool", 1},          {"char", 1},          {"signed char", 1},
      {"unsigned char", 1}, {"int8_t", 1},        {"uint8_t", 1},
      {"short", 2},         {"short int", 2},     {"unsigned short", 2},
      {"int16_t", 2},       {"uint16_t", 2},      {"__half", 2},
      {"half", 2},          {"__nv_bfloat16", 2}, {"nv_bfloat16", 2},
      {"int", 4},           {"unsigned", 4},      {"unsigned int", 4},
      {"signed", 4},        {"signed int", 4},    {"int32_t", 4},
      {"uint32_t", 4},      {"float", 4},         {"long", 8},
      {"long int", 8},      {"unsigned long", 8}, {"unsigned long int", 8},
      {"long long", 8},     {"long long int", 8}, {"unsigned long long", 8},
      {"int64_t", 8},       {"uint64_t", 8},      {"size_t", 8},
      {"ptrdiff_t", 8},     {"double", 8},        {"unsigned long long int", 8}};
  const auto found = kBytes.find(spelling);
  return found != kBytes.end() ? found->second : 0;
}

std::string expanded_type(const std::string& spelling, const Json& kernel) {
  std::string type = spelling;
  // One macro may name another, but not for ever.
  for (int depth = 0; depth < 8; ++depth) {
    const Json macros = kernel.value("define", Json::array());
    const auto found = std::ranges::find_if(macros, [&](const Json& macro) {
      return macro.at("name") == type && macro.at("value").is_string();
    });
    if (found == macros.end()) break;
    type = found->at("value").get<std::string>();
  }
  return type;
}

std::vector<Parameter> read_parameters(const Json& which,
                                       const std::vector<std::string>& reserved) {
  const Json& kernel = which.at("kernel");
  const std::vector<Token> tokens = lex(required_text(kernel, "parameters"), kPointer);
  require_balance(tokens, kPointer);
  std::vector<Parameter> parameters;
  std::set<std::string> names;
  for (const std::vector<Token>& part : split_outside_brackets(tokens, ",")) {
    parameters.push_back(read_one(part));
    Parameter& parameter = parameters.back();
    check_name(parameter, kernel, reserved);
    if (!names.insert(parameter.name).second) {
      fail(part, "has the name of another", "each parameter needs a different name");
    }
    parameter.bytes = bytes_of_type(expanded_type(parameter.element, kernel));
  }
  const Json& arguments = which.at("arguments");
  for (size_t i = 0; i < std::min(parameters.size(), arguments.size()); ++i) {
    match(parameters[i], arguments[i], i);
  }
  if (parameters.size() != arguments.size()) {
    std::string given;
    for (const Json& argument : arguments) {
      given += (given.empty() ? "" : ", ") + argument.at("name").get<std::string>();
    }
    throw Failure("/arguments",
                  "`parameters` has " + std::to_string(parameters.size()) +
                      ", and the suite gives " + std::to_string(arguments.size()) + " arguments" +
                      (given.empty() ? "" : ": " + given),
                  "each parameter needs the argument of its name");
  }
  return parameters;
}

}  // namespace warpmark::codegen
