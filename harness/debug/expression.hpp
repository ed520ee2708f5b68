// Expressions over the variables of a stopped thread, in CUDA C++'s words.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "debug/thread_view.hpp"
#include "debug/value.hpp"

namespace warpmark::debugging {

struct ExpressionNode;

/// A parsed expression:
///
///     || && | ^ & == != < <= > >= << >> + - * / %, unary - ! ~ * &, parentheses, (type) casts,
///     a[i], a[begin:end], x.member, p->member, numbers, true, false,
///     NAME, %register, threadIdx.x, blockIdx.x, blockDim.x, gridDim.x, warpSize
///
/// It changes nothing. Arithmetic is in int64 and float64: no condition depends on what overflows.
class StopExpression {
 public:
  /// Throws a usage error.
  static StopExpression parse(std::string_view text);

  const std::string& text() const { return text_; }
  /// Throws a usage error for a name that nothing has here, for what is optimised out, and for
  /// memory that is not there.
  Value evaluate(const ThreadView& thread) const;
  bool holds(const ThreadView& thread) const;

 private:
  std::string text_;
  std::shared_ptr<const ExpressionNode> root_;
};

}  // namespace warpmark::debugging
