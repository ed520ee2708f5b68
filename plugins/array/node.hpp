// An expression over whole arrays with its types and shapes: what is computed for each element.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "types.hpp"
#include "views.hpp"

namespace warpmark::array {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Node {
  enum class Kind : uint8_t {
    constant,  ///< `integer` or `real`, by the type
    scalar,    ///< the argument `name`
    load,      ///< elements of the array `name`
    counter,   ///< np.arange: the view's offset and strides are the value itself
    op,        ///< `name` over `args`: "::sqrt", "+", or a function of the prelude, "where", "cast"
  };
  Kind kind = Kind::constant;
  Type type;
  Shape shape;
  int64_t integer = 0;
  double real = 0;
  std::string name;
  View view;
  Type work;  ///< of an op: the type of its operands
  std::vector<NodePtr> args;

  bool is_constant() const { return kind == Kind::constant; }
  /// A number of Python, on which Python's own arithmetic works.
  bool is_python() const { return is_constant() && (type.weak || type.kind == Category::boolean); }
  double as_real() const {
    return type.kind == Category::real ? real : static_cast<double>(integer);
  }
};

NodePtr integer_node(int64_t value);
NodePtr real_node(double value);
NodePtr boolean_node(bool value);
/// An op whose shape is that of its arguments, broadcast before.
NodePtr op_node(std::string name, const Type& type, const Type& work, std::vector<NodePtr> args,
                Shape shape);
/// The node as a value of `type`; a Python number that `type` cannot hold is the caller's to find.
NodePtr cast(const NodePtr& node, const Type& type);

/// The node under an index, or with its extents in reverse order.
NodePtr indexed(const NodePtr& node, const std::vector<Index>& index);
NodePtr transposed(const NodePtr& node);

/// The arrays that the node loads, each with its view stretched to `shape`.
struct Load {
  std::string name;
  View view;
};
void add_loads(const Node& node, const Shape& shape, std::vector<Load>& loads);

}  // namespace warpmark::array
