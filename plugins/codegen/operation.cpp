#include "codegen/operation.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "codegen/lexer.hpp"
#include "codegen/usage.hpp"

namespace warpmark::codegen {

namespace {

using plugin::Failure;
using plugin::Json;

struct NamedOperator {
  const char* reduce;
  const char* neutral;
  const char* accumulator = "";  // the default; "": the result's type
  const char* combined = "";     // a struct that is made of each value
  uint32_t numbers = 1;          // of the accumulator's type in it, which may have an index, too
  const char* combined_before = "";  // its initialisers, around the value
  const char* combined_after = "";
  const char* finish = "";
  bool floating = false;  // divides, which integers do not do as NumPy does
  const char* take = "";
};

constexpr const char* kOfFirst = "first";  // the type of the first input's elements

// In the order in which messages name them.
const std::vector<std::pair<std::string, NamedOperator>>& named_operators() {
  static const std::vector<std::pair<std::string, NamedOperator>> kOperators = {
      {"sum", {"a + b", "0"}},
      {"prod", {"a * b", "1"}},
      {"max", {"warpmark::maximum(a, b)", "warpmark::lowest<accumulator>()"}},
      {"min", {"warpmark::minimum(a, b)", "warpmark::highest<accumulator>()"}},
      {"any", {"a || b", "false", "bool"}},
      {"all", {"a && b", "true", "bool"}},
      {"argmax",
       {.reduce = "warpmark::larger(a, b)",
        .neutral = "{warpmark::lowest<accumulator>(), -1}",
        .accumulator = kOfFirst,
        .combined = "warpmark::Indexed<accumulator>",
        .combined_after = ", warpmark_index",
        .take = "warpmark::take_larger"}},
      {"argmin",
       {.reduce = "warpmark::smaller(a, b)",
        .neutral = "{warpmark::highest<accumulator>(), -1}",
        .accumulator = kOfFirst,
        .combined = "warpmark::Indexed<accumulator>",
        .combined_after = ", warpmark_index",
        .take = "warpmark::take_smaller"}},
      {"mean",
       {.reduce = "a + b",
        .neutral = "0",
        .finish = "total / static_cast<accumulator>(count)",
        .floating = true}},
      {"variance",
       {.reduce = "warpmark::merged(a, b)",
        .neutral = "{0, 0, 0}",
        .accumulator = kOfFirst,
        .combined = "warpmark::Spread<accumulator>",
        .numbers = 3,
        .combined_before = "1, ",
        .combined_after = ", 0",
        .finish = "warpmark::Moments<accumulator>{total.mean, total.squares / "
                  "static_cast<accumulator>(count)}",
        .floating = true,
        .take = "warpmark::take_spread"}}};
  return kOperators;
}

std::string known_operators() {
  std::string names;
  for (const auto& [name, ignored] : named_operators()) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
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

bool is_narrow(const std::string& type) {
  return type.find("half") != std::string::npos || type.find("bfloat16") != std::string::npos;
}

void default_accumulator(const Json& kernel, const Parameter& result, const Parameter& first,
                         const NamedOperator& named, ReductionOperation& operation) {
  const std::string otherwise = named.accumulator;
  if (!otherwise.empty() && otherwise != kOfFirst) {
    operation.accumulator = otherwise;
    operation.accumulator_at = "/kernel/reduce";
    return;
  }
  // A struct is made of numbers, which those of the first input are; but a result that is a number
  // says which type it wants, if the combination is not about the values themselves.
  const bool of_result =
      otherwise.empty() ||
      (named.floating && bytes_of_type(expanded_type(result.element, kernel)) > 0);
  const std::string& element = of_result ? result.element : first.element;
  operation.accumulator = is_narrow(expanded_type(element, kernel)) ? "float" : element;
  operation.accumulator_at = "/kernel/parameters";
}

void read_accumulator(const Json& kernel, const Parameter& result, const Parameter& first,
                      const NamedOperator& named, ReductionOperation& operation) {
  operation.accumulator = optional_text(kernel, "accumulate");
  operation.accumulator_at = "/kernel/accumulate";
  if (operation.accumulator.empty()) default_accumulator(kernel, result, first, named, operation);
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
  if (named.floating && operation.integer_accumulator) {
    throw Failure(operation.accumulator_at,
                  "`" + optional_text(kernel, "reduce") + "` of integers needs a floating type",
                  "accumulate: double");
  }
}

// How many bytes a value has, or the struct of a named operator: one of a number has an index of 8.
uint32_t combined_bytes(const ReductionOperation& operation) {
  const uint32_t bytes = operation.accumulator_bytes;
  if (bytes == 0 || operation.combined.empty()) return bytes;
  return operation.numbers == 1 ? 16 : operation.numbers * std::max(bytes, 4U);
}

void read_finish(const Json& kernel, const NamedOperator& named, ReductionOperation& operation) {
  operation.finish = named.finish;
  operation.finish_given = kernel.contains("finish");
  if (!operation.finish_given) return;
  (void)read_expression(kernel, "finish");
  operation.finish = required_text(kernel, "finish");
}

}  // namespace

bool is_integer_type(const std::string& type) {
  return bytes_of_type(type) > 0 && type.find("half") == std::string::npos &&
         type.find("bfloat") == std::string::npos && type != "float" && type != "double";
}

ReductionOperation read_operation(const Json& kernel, const Parameter& result,
                                  const Parameter& first) {
  ReductionOperation operation;
  NamedOperator named_operator{"", ""};
  (void)read_expression(kernel, "map");
  operation.map = required_text(kernel, "map");
  operation.reduce = required_text(kernel, "reduce");
  operation.neutral = optional_text(kernel, "neutral");
  const auto named = std::ranges::find_if(
      named_operators(), [&](const auto& known) { return known.first == operation.reduce; });
  if (named != named_operators().end()) {
    named_operator = named->second;
    operation.reduce = named_operator.reduce;
    operation.named = true;
    operation.neutral_given = !operation.neutral.empty();
    if (!operation.neutral_given) operation.neutral = named_operator.neutral;
  } else {
    const Expression reduce = read_expression(kernel, "reduce");
    for (const char* name : {"a", "b"}) {
      if (reduce.of(name).count > 0) continue;
      throw Failure("/kernel/reduce", std::string("`reduce` has no `") + name + "`",
                    "it combines `a` and `b`, as in `a + b`; or is one of " + known_operators());
    }
  }
  if (operation.neutral_given) {
    operation.neutral_line = spelled(read_expression(kernel, "neutral").tokens());
  }
  if (operation.neutral_given && *named_operator.combined != '\0') {
    throw Failure("/kernel/neutral",
                  "`" + optional_text(kernel, "reduce") + "` has its own neutral element, a struct",
                  "leave `neutral` out");
  }
  read_accumulator(kernel, result, first, named_operator, operation);
  operation.combined = named_operator.combined;
  operation.numbers = named_operator.numbers;
  operation.combined_before = named_operator.combined_before;
  operation.combined_after = named_operator.combined_after;
  operation.take = named_operator.take;
  operation.accumulator_bytes = combined_bytes(operation);
  read_finish(kernel, named_operator, operation);
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
  if (which.at("kernel").contains("axis")) return *result;  // one for each row or column
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
