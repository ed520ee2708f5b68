#include "base/arithmetic.hpp"

#include <fmt/format.h>

#include "base/arithmetic_node.hpp"
#include "base/dtype.hpp"
#include "base/text.hpp"

namespace warpmark {

std::string to_text(const ArithmeticValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  if (const auto* integer = std::get_if<int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* number = std::get_if<double>(&value)) {
    // fmt and Python agree on the shortest digits and on when to use an exponent; Python marks
    // floats.
    std::string text = fmt::format("{}", *number);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
  }
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const auto& tuple = std::get<std::vector<int64_t>>(value);
  return fmt::format("({}{})", fmt::join(tuple, ", "), tuple.size() == 1 ? "," : "");
}

const std::vector<std::string>& device_attributes() {
  static const std::vector<std::string> kNames = {
      "multiprocessors",
      "warp_size",
      "max_threads_per_block",
      "max_threads_per_multiprocessor",
      "max_blocks_per_multiprocessor",
      "max_registers_per_block",
      "max_shared_bytes_per_block",
      "max_shared_bytes_per_block_optin",
      "max_shared_bytes_per_multiprocessor",
      "l2_bytes",
      "memory_bytes",
      "compute_capability",  // 90 for 9.0
      "count",               // of devices, this one among them
  };
  return kNames;
}

void Scope::set(const std::string& name, ArithmeticValue value) {
  values_[name] = std::move(value);
}

void Scope::set_array(const std::string& name, const std::vector<int64_t>& shape,
                      uint32_t itemsize) {
  int64_t size = 1;
  bool fits = true;
  for (const int64_t extent : shape) fits = !__builtin_mul_overflow(size, extent, &size) && fits;
  int64_t bytes = 0;
  fits = !__builtin_mul_overflow(size, int64_t{itemsize}, &bytes) && fits;
  if (!fits) {
    throw usage_error(fmt::format("`{}` of shape {} has more bytes than an int64 can count", name,
                                  to_text(ArithmeticValue(shape))));
  }
  set(name + ".shape", shape);
  set(name + ".size", size);
  if (itemsize != 0) set(name + ".nbytes", bytes);
}

const ArithmeticValue* Scope::find(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

Expression Expression::parse(std::string_view text, const Position& at) {
  Expression expression;
  expression.text_ = trim(text);
  expression.where_ = at;
  if (at.column > 0) expression.where_.column += static_cast<int>(text.find(trim(text)));
  expression.root_ = arithmetic::parse(expression.text_, expression.where_, expression.names_);
  return expression;
}

ArithmeticValue Expression::evaluate(const Scope& scope) const {
  return arithmetic::evaluate(*root_, scope);
}

Folded Expression::fold(const Scope& scope) const {
  Folded folded;
  for (const NameUse& use : names_) {
    if (scope.find(use.name) == nullptr) folded.unresolved.push_back(use.name);
  }
  if (folded.unresolved.empty()) folded.value = evaluate(scope);
  return folded;
}

}  // namespace warpmark
