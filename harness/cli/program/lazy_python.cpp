#include "cli/program/lazy_python.hpp"

#include <utility>
#include <variant>

namespace warpmark {

Interpreter& LazyPython::interpreter() {
  if (failure_) throw *failure_;
  if (!interpreter_) {
    try {
      interpreter_ = std::make_unique<Interpreter>();
    } catch (const Error& error) {
      failure_ = error;
      throw;
    }
  }
  return *interpreter_;
}

ListEvaluator LazyPython::list_evaluator() {
  return [this](const Located& text) {
    std::vector<ArithmeticValue> values;
    for (PythonValue& value :
         evaluate_list_with_builtins_only(interpreter(), expression_from(text.text, text.where))) {
      std::visit([&](auto& one) { values.emplace_back(std::move(one)); }, value);
    }
    return values;
  };
}

}  // namespace warpmark
