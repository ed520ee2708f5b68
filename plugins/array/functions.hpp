// NumPy's functions of elements: how each is typed, and what computes it.
#pragma once

#include <string>
#include <vector>

#include "node.hpp"
#include "syntax.hpp"

namespace warpmark::array {

/// The names under `np`, for hints.
const std::vector<std::string>& function_names();
bool is_function(const std::string& name);
/// Returns whether a function gives two arrays: frexp, modf, divmod.
bool gives_two(const std::string& name);

/// The value of np.NAME(args). Throws Failures at `at` for a wrong number of arguments, types that
/// the function does not take, and shapes that do not broadcast.
NodePtr call(const Text& text, size_t at, const std::string& name,
             const std::vector<NodePtr>& args);
std::vector<NodePtr> call_for_two(const Text& text, size_t at, const std::string& name,
                                  const std::vector<NodePtr>& args);

/// `a OP b` and `OP a`: Python's arithmetic between Python's numbers, else NumPy's functions.
NodePtr binary(const Text& text, size_t at, const std::string& op, const NodePtr& a,
               const NodePtr& b);
NodePtr unary(const Text& text, size_t at, const std::string& op, const NodePtr& a);

/// The common shape. Throws a Failure at `at` if there is none.
Shape broadcast_all(const Text& text, size_t at, const std::vector<NodePtr>& args);
/// The node as a value of `type`. Throws a Failure for a Python int that the type cannot hold.
NodePtr converted(const Text& text, size_t at, const NodePtr& node, const Type& type);

}  // namespace warpmark::array
