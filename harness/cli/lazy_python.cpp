#include "cli/lazy_python.hpp"

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
         evaluate_list_with_builtins_only(interpreter(), python_expression(text))) {
      std::visit([&](auto& one) { values.emplace_back(std::move(one)); }, value);
    }
    return values;
  };
}

PythonExpression python_expression(const Located& text) {
  PythonExpression expression;
  expression.text = text.text;
  expression.where = text.where;
  // `where` is the first character, on the line below the `|`.
  if (text.text.find('\n') != std::string::npos) --expression.where.line;
  return expression;
}

}  // namespace warpmark
