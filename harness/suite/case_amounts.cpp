#include "suite/case_amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

bool is_number(const ArithmeticValue& value) {
  return std::holds_alternative<int64_t>(value) || std::holds_alternative<double>(value);
}

bool is_negative(const ArithmeticValue& value) {
  const auto* whole = std::get_if<int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  return (whole != nullptr && *whole < 0) || (real != nullptr && *real < 0);
}

Json folded_document(const Expression& expression, const std::string& pointer,
                     const CaseScope& values, PositionMap& positions, bool is_signed) {
  positions.set(pointer, expression.where());
  const Folded folded = expression.fold(values.scope);
  if (folded.value) {
    if (is_number(*folded.value) && (is_signed || !is_negative(*folded.value))) {
      return value_document(*folded.value);
    }
    throw usage_error(fmt::format("`{}` is {}: a number{} is needed", expression.text(),
                                  to_text(*folded.value), is_signed ? "" : ", 0 or more,"),
                      expression.where());
  }
  Json json = {{"arithmetic", expression.text()}, {"at", pointer}};
  for (const PointValue& index : values.indices) {
    const auto& names = expression.names();
    if (std::ranges::any_of(names, [&](const NameUse& use) { return use.name == index.name; })) {
      json["with"].push_back({{"name", index.name}, {"value", value_document(index.value)}});
    }
  }
  return json;
}

}  // namespace

Json value_document(const ArithmeticValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json amount_document(const Expression& expression, const std::string& pointer,
                     const CaseScope& values, PositionMap& positions) {
  return folded_document(expression, pointer, values, positions, false);
}

Json number_document(const Expression& expression, const std::string& pointer,
                     const CaseScope& values, PositionMap& positions) {
  return folded_document(expression, pointer, values, positions, true);
}

Json size_document(const Expression& expression, const std::string& pointer,
                   const CaseScope& values, PositionMap& positions) {
  Json json = amount_document(expression, pointer, values, positions);
  if (json.is_number_float()) {
    throw usage_error(fmt::format("`{}` is the float {}: an int is needed", expression.text(),
                                  to_text(*expression.fold(values.scope).value)),
                      expression.where(), "`//` divides to an int");
  }
  return json;
}

Json dimensions_document(const std::vector<Expression>& numbers, const std::string& pointer,
                         const CaseScope& values, PositionMap& positions) {
  Json list = Json::array();
  for (const Expression& number : numbers) {
    list.push_back(
        size_document(number, fmt::format("{}/{}", pointer, list.size()), values, positions));
  }
  if (!numbers.empty()) positions.set(pointer, numbers.front().where());
  while (list.size() < 3) list.push_back(1);
  return list;
}

Json geometry_document(const LaunchGeometry& launch, const std::string& pointer,
                       const CaseScope& values, PositionMap& positions) {
  const auto dimensions = [&](const char* key, const std::vector<Expression>& numbers) {
    return dimensions_document(numbers, pointer + "/" + key, values, positions);
  };
  Json json = {{"grid", dimensions("grid", launch.grid)},
               {"block", dimensions("block", launch.block)}};
  json["shared"] = launch.shared
                       ? size_document(*launch.shared, pointer + "/shared", values, positions)
                       : Json(0);
  if (!launch.cluster.empty()) json["cluster"] = dimensions("cluster", launch.cluster);
  if (launch.cooperative) json["cooperative"] = true;
  json["at"] = pointer;
  return json;
}

}  // namespace warpmark
