// The meanings of a suite's names, and the typed form of its expressions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "functions.hpp"
#include "node.hpp"
#include "syntax.hpp"

namespace warpmark::array {

struct Array {
  std::string name;
  std::string kind;  ///< "in", "inout", "out"
  std::string at;    ///< its argument's pointer
  Type type;
  Shape shape;
};

/// All names; expressions are typed by what they stand for.
class Names {
 public:
  /// Axes, scalars and arrays of the case, with the shapes that `kernel.shapes` or the arguments'
  /// values say. Throws Failures for arguments that the plugin does not take.
  explicit Names(const plugin::Json& which);

  const std::vector<Array>& arrays() const { return arrays_; }
  const Array* array(const std::string& name) const;
  const std::map<std::string, Type>& scalars() const { return scalars_; }
  bool is_axis(const std::string& name) const {
    return axes_.contains(name) || texts_.contains(name);
  }

  /// A name of an assignment of its own.
  void set_local(const std::string& name, NodePtr node) { locals_[name] = std::move(node); }
  const std::map<std::string, NodePtr>& locals() const { return locals_; }

  NodePtr type(const Text& text, const Syntax& syntax) const;
  /// The results of a call for two, as np.frexp(x).
  std::vector<NodePtr> type_two(const Text& text, const Syntax& syntax) const;
  /// A whole number of literals, axes and shapes.
  int64_t integer(const Text& text, const Syntax& syntax) const;
  /// The index of `shape` between the brackets of a subscript.
  std::vector<Index> index(const Text& text, const Syntax& subscript, const Shape& shape) const;

 private:
  class Typer;
  Shape shape_of_output(const plugin::Json& argument) const;
  Shape shape_of_input(const plugin::Json& kernel, const plugin::Json& argument) const;

  std::map<std::string, NodePtr> axes_;
  std::map<std::string, std::string> texts_;  ///< axes that are text, as dtypes
  std::map<std::string, Type> scalars_;
  std::vector<Array> arrays_;
  std::map<std::string, NodePtr> locals_;
};

}  // namespace warpmark::array
