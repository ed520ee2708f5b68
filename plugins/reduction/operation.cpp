#include "operation.hpp"

#include <algorithm>
#include <map>

#include "codegen/lexer.hpp"
#include "codegen/usage.hpp"

namespace warpmark::codegen {

namespace {

using plugin::Failure;
using plugin::Json;

struct NamedOperator {
  const char* reduce;
  const char* neutral;
};

const std::map<std::string, NamedOperator>& named_operators() {
  static const std::map<std::string, NamedOperator> kOperators = {
      {"sum", {"a + b", "0"}},
      {"prod", {"a * b", "1"}},
      {"max", {"warpmark::maximum(a, b)", "warpmark::lowest<accumulator>()"}},
      {"min", {"warpmark::minimum(a, b)", "warpmark::highest<accumulator>()"}}};
  return kOperators;
}

// One expression: what stands between parentheses must not end them, nor be several.
Expression read_expression(const Json& kernel, const std::string& key) {
  const std::string pointer = "/kernel/" + key;
  Expression expression(required_text(kernel, key), pointer, kernel);
  if (expression.has_statements()) {
    throw Failure(pointer, "`" + key + "` is one expression, without `;`",
                  "a function in `preamble` can do more");
  }
  if (expression.tokens().empty()) throw Failure(pointer, "`" + key + "` is only a comment");
  return expression;
}

bool is_integer_type(const std::string& type) {
  return bytes_of_type(type) > 0 && type.find("half") == std::string::npos &&
         type.find("bfloat") == std::string::npos && type != "float" && type != "double";
}

void read_accumulator(const Json& kernel, const Parameter& result, ReductionOperation& operation) {
  operation.accumulator = optional_text(kernel, "accumulate");
  operation.accumulator_at = "/kernel/accumulate";
  if (operation.accumulator.empty()) {
    const std::string type = expanded_type(result.element, kernel);
    const bool narrow =
        type.find("half") != std::string::npos || type.find("bfloat16") != std::string::npos;
    operation.accumulator = narrow ? "float" : result.element;
    operation.accumulator_at = "/kernel/parameters";
  }
  static const std::map<std::string, const char*> kDTypes = {
      {"float16", "__half"},  {"float32", "float"},   {"float64", "double"},
      {"int8", "int8_t"},     {"int16", "short"},     {"int32", "int"},
      {"int64", "long long"}, {"uint32", "unsigned"}, {"uint64", "unsigned long long"}};
  if (const auto dtype = kDTypes.find(operation.accumulator); dtype != kDTypes.end()) {
    throw Failure(
        "/kernel/accumulate",
        "`" + operation.accumulator + "` is NumPy's name, and a type of CUDA C++ is meant",
        std::string("accumulate: ") + dtype->second);
  }
  const std::vector<Token> tokens = lex(operation.accumulator, operation.accumulator_at);
  require_balance(tokens, operation.accumulator_at);
  operation.accumulator = spelled(tokens);
  const std::string type = expanded_type(operation.accumulator, kernel);
  operation.accumulator_bytes = bytes_of_type(type);
  operation.integer_accumulator = is_integer_type(type);
}

}  // namespace

ReductionOperation read_operation(const Json& kernel, const Parameter& result) {
  ReductionOperation operation;
  (void)read_expression(kernel, "map");
  operation.map = required_text(kernel, "map");
  operation.reduce = required_text(kernel, "reduce");
  operation.neutral = optional_text(kernel, "neutral");
  const auto named = named_operators().find(operation.reduce);
  if (named != named_operators().end()) {
    operation.reduce = named->second.reduce;
    operation.neutral_given = !operation.neutral.empty();
    if (!operation.neutral_given) operation.neutral = named->second.neutral;
  } else {
    const Expression reduce = read_expression(kernel, "reduce");
    for (const char* name : {"a", "b"}) {
      if (reduce.of(name).count > 0) continue;
      throw Failure("/kernel/reduce", std::string("`reduce` has no `") + name + "`",
                    "it combines `a` and `b`, as in `a + b`; or is one of sum, prod, max, min");
    }
  }
  if (operation.neutral_given) {
    operation.neutral_line = spelled(read_expression(kernel, "neutral").tokens());
  }
  read_accumulator(kernel, result, operation);
  const std::string commutative = optional_text(kernel, "commutative");
  if (!commutative.empty() && commutative != "true" && commutative != "false") {
    throw Failure("/kernel/commutative", "`commutative` must be true or false");
  }
  operation.commutative = commutative != "false";
  return operation;
}

const Parameter& result_of(const std::vector<Parameter>& parameters, const Json& which) {
  const Parameter* result = nullptr;
  for (const Parameter& parameter : parameters) {
    if (parameter.kind == "inout") {
      throw Failure(parameter.pointer,
                    "`" + parameter.name +
                        "` is `inout`, and a reduction "
                        "changes no array",
                    "inputs are `in:`, and the result is `out: 1`");
    }
    if (parameter.kind != "out") continue;
    if (result != nullptr) {
      throw Failure(parameter.pointer,
                    "`" + parameter.name + "` is a second output after `" + result->name + "`",
                    "a reduction has one result");
    }
    result = &parameter;
  }
  if (result == nullptr) {
    throw Failure("/arguments", "there is no output",
                  "the result is an argument: `result: {out: 1}`");
  }
  for (const Json& argument : which.at("arguments")) {
    if (argument.at("name") != result->name) continue;
    for (const Json& extent : argument.at("shape")) {
      if (extent.is_number() && extent.get<int64_t>() != 1) {
        throw Failure(result->pointer, "`" + result->name + "` must have one element",
                      result->name + ": {out: 1}");
      }
    }
  }
  return *result;
}

}  // namespace warpmark::codegen
