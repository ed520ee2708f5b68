#include "emit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "codegen/source.hpp"
#include "prelude.hpp"

namespace warpmark::array {

namespace {

// All views of a step over as few dimensions as they allow.
class Iteration {
 public:
  explicit Iteration(const Shape& shape) : full_(shape) {
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] != 1) kept_.push_back({i});
    }
  }

  // Keeps dimensions apart that this view does not go through in one stride.
  void add(const View& view) {
    for (size_t k = 0; k + 1 < kept_.size(); ++k) {
      const size_t outer = kept_[k].index, inner = kept_[k + 1].index;
      kept_[k].joins = kept_[k].joins && view.strides[outer] == view.strides[inner] * full_[inner];
    }
  }

  void finish() {
    for (size_t k = 0; k < kept_.size(); ++k) {
      const bool last = k + 1 == kept_.size() || !kept_[k].joins;
      if (shape_.empty() || starts_) shape_.push_back(1);
      shape_.back() *= full_[kept_[k].index];
      if (last) inner_.push_back(kept_[k].index);
      starts_ = last;
    }
  }

  const Shape& shape() const { return shape_; }
  std::vector<int64_t> strides(const View& view) const {
    std::vector<int64_t> strides;
    for (const size_t index : inner_) strides.push_back(view.strides[index]);
    return strides;
  }

 private:
  struct Kept {
    size_t index;
    bool joins = true;  ///< with the next one
  };
  Shape full_;
  std::vector<Kept> kept_;
  Shape shape_;
  std::vector<size_t> inner_;  ///< whose stride is that of the joined dimensions
  bool starts_ = false;
};

std::string real_text(double value, const Type& type) {
  const std::string of = type.bytes == 8 ? "double" : "float";
  std::string text;
  if (std::isnan(value)) {
    text = "__longlong_as_double(0x7ff8000000000000ll)";
  } else if (std::isinf(value)) {
    text = std::string(value < 0 ? "-" : "") + "__longlong_as_double(0x7ff0000000000000ll)";
  } else {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    text = digits;
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
  }
  if (type == kFloat16) return "warpmark::rounded(" + text + ")";
  return of == "double" ? (value < 0 ? "(" + text + ")" : text) : "float(" + text + ")";
}

std::string integer_text(int64_t value, const Type& type) {
  // The smallest int64 has no literal of its own.
  const std::string digits = value == INT64_MIN ? "(-9223372036854775807ll - 1)"
                             : value > INT32_MAX || value < INT32_MIN ? std::to_string(value) + "ll"
                                                                      : std::to_string(value);
  if (type == kInt32) return value < 0 ? "(" + digits + ")" : digits;
  return "static_cast<" + value_type(type) + ">(" + digits + ")";
}

constexpr int64_t kLeastTiled = 16;  // elements in each dimension of a tile, at least
constexpr size_t kMostStaged = 5;    // 8-byte elements of five tiles fit in static shared memory

class Emitter {
 public:
  Emitter(const Names& names, const Step& step, size_t number)
      : names_(names), step_(step), number_(number), iteration_(step.statements[0].shape) {}

  Emitted emitted() {
    for (const Statement& statement : step_.statements) {
      for (const Store& store : statement.stores) {
        visit(*store.value);
        iteration_.add(store.view);
        reach(store.view);
        written_.insert(store.array->name);
      }
    }
    iteration_.finish();
    out_.count = elements(step_.statements[0].shape);
    small_ = reach_ < INT32_MAX && out_.count < INT32_MAX;
    copied_ = step_.copied;
    choose_tiles();
    std::string statements;
    for (size_t i = 0; i < step_.statements.size(); ++i) {
      statements += text_of(step_.statements[i]);
    }
    out_.operation = indices() + statements;
    add_parameters();
    return std::move(out_);
  }

 private:
  const Shape& full() const { return step_.statements[0].shape; }

  void visit(const Node& node) {
    if (++uses_[&node] > 1) return;
    if (node.kind == Node::Kind::load || node.kind == Node::Kind::counter) {
      const View view = stretched(node.view, node.shape, full());
      iteration_.add(view);
      reach(view);
    }
    for (const NodePtr& arg : node.args) visit(*arg);
  }

  // Tiles pay where a view has its neighbours in another dimension than the last.
  void choose_tiles() {
    const Shape& shape = iteration_.shape();
    const size_t last = shape.size() - 1;
    if (shape.size() < 2 || shape[last] < kLeastTiled) return;
    size_t row = last;
    for (const auto& [node, ignored] : uses_) {
      if (!can_stage(*node)) continue;
      const std::vector<int64_t> strides = strides_of(*node);
      if (strides[last] >= -1 && strides[last] <= 1) continue;
      for (size_t d = 0; d < last; ++d) {
        if (std::abs(strides[d]) == 1 && shape[d] >= kLeastTiled) row = std::min(row, d);
      }
    }
    if (row == last) return;
    out_.tiles.emplace();
    out_.tiles->row = row;
    out_.tiles->index_type = small_ ? "int" : "long long";
    for (size_t d = 0; d <= last; ++d) out_.tiles->extents.push_back(extent(d));
    out_.sizes = shape;
  }

  // Returns whether a block may read the node before it has written anything.
  bool can_stage(const Node& node) const {
    return node.kind == Node::Kind::load && (is_copied(node.name) || !written_.contains(node.name));
  }

  std::vector<int64_t> strides_of(const Node& node) const {
    return iteration_.strides(stretched(node.view, node.shape, full()));
  }

  // The name of the staged element, if the node's is one; `load` reads it from memory.
  std::string staged(const Node& node, const std::string& array) {
    if (!out_.tiles || !can_stage(node)) return {};
    Tiles& tiles = *out_.tiles;
    const std::vector<int64_t> strides = strides_of(node);
    const int64_t across = std::abs(strides[tiles.row]), along = std::abs(strides.back());
    if (across == 0 || along == 0) return {};  // the same few elements again and again
    const std::string load = array + "[" + place(stretched(node.view, node.shape, full())) + "]";
    for (size_t s = 0; s < tiles.staged.size(); ++s) {
      if (tiles.staged[s].load == load) return Tiles::name(s);
    }
    if (tiles.staged.size() == kMostStaged) return {};
    tiles.staged.push_back(
        {memory_type(names_.array(node.name)->type), load, across == 1 && along > 1});
    return Tiles::name(tiles.staged.size() - 1);
  }

  // The largest offset, of which 32 bits may be enough.
  void reach(const View& view) {
    double most = std::fabs(static_cast<double>(view.offset));
    for (size_t i = 0; i < full().size(); ++i) {
      most += std::fabs(static_cast<double>(view.strides[i]) * static_cast<double>(full()[i]));
    }
    reach_ = std::max(reach_, most);
  }

  // A number that one source has for many sizes.
  std::string integer(int64_t value) {
    const std::string name = "k" + std::to_string(out_.integers.size());
    out_.integers.push_back(
        {"warpmark_" + std::to_string(number_) + "_" + std::to_string(out_.integers.size()),
         value});
    return small_ ? "int(" + name + ")" : name;
  }

  std::string extent(size_t dimension) {
    std::string& name = extents_[dimension];
    if (name.empty()) name = integer(iteration_.shape()[dimension]);
    return name;
  }

  bool is_whole(const View& view) const {
    int64_t stride = 1;
    const std::vector<int64_t> strides = iteration_.strides(view);
    for (size_t i = strides.size(); i-- > 0;) {
      if (strides[i] != stride) return false;
      stride *= iteration_.shape()[i];
    }
    return view.offset == 0;
  }

  // The offset of the view's element as an expression over the indices.
  std::string place(const View& view) {
    if (is_whole(view) && !out_.tiles) return "i";
    for (const auto& [known, text] : places_) {
      if (known == view) return text;
    }
    std::string text = view.offset == 0 ? "" : integer(view.offset);
    const std::vector<int64_t> strides = iteration_.strides(view);
    for (size_t d = 0; d < strides.size(); ++d) {
      if (strides[d] == 0) continue;
      decoded_.insert(d);
      const std::string index = "i" + std::to_string(d);
      text += text.empty() ? "" : strides[d] == -1 ? " - " : " + ";
      if (strides[d] == 1 || (strides[d] == -1 && text.size() > 2)) {
        text += index;
      } else {
        text += index + " * " + integer(strides[d]);
      }
    }
    if (text.empty()) text = "0";
    places_.emplace_back(view, text);
    return text;
  }

  // `i` as indices of the dimensions, as far as views need them. Tiles have them already.
  std::string indices() {
    const size_t dimensions = iteration_.shape().size();
    if (decoded_.empty() || out_.tiles) return {};
    const std::string type = small_ ? "int" : "long long";
    if (dimensions == 1) return "const " + type + " i0 = " + (small_ ? "int(i)" : "i") + ";\n";
    std::string text = "const " + type + " j" + std::to_string(dimensions - 1) + " = " +
                       (small_ ? "int(i)" : "i") + ";\n";
    for (size_t d = dimensions - 1; d > 0; --d) {
      const std::string own = std::to_string(d), next = std::to_string(d - 1);
      text += codegen::text_of({"const ", type, " j", next, " = j", own, " / ", extent(d), ";\n"});
      if (decoded_.contains(d)) {
        text += codegen::text_of(
            {"const ", type, " i", own, " = j", own, " - j", next, " * ", extent(d), ";\n"});
      }
    }
    if (decoded_.contains(0)) text += "const " + type + " i0 = j0;\n";
    return text;
  }

  bool is_copied(const std::string& name) const {
    return std::ranges::any_of(copied_, [&](const Array* array) { return array->name == name; });
  }

  std::string text_of(const Statement& statement) {
    std::string lines;
    std::vector<std::string> values;
    for (const Store& store : statement.stores) {
      values.push_back(stored(store.array->type, value(store.value, lines)));
    }
    if (statement.stores.size() == 1) {
      const Store& store = statement.stores[0];
      return lines + "array_" + store.array->name + "[" + place(store.view) + "] = " + values[0] +
             ";\n";
    }
    std::string stores;
    for (size_t i = 0; i < statement.stores.size(); ++i) {
      const Store& store = statement.stores[i];
      const std::string name = "v" + std::to_string(variables_++);
      lines += "const " + memory_type(store.array->type) + " " + name + " = " + values[i] + ";\n";
      stores += "array_" + store.array->name + "[" + place(store.view) + "] = " + name + ";\n";
    }
    variable_of_.clear();  // values are those of this statement
    return lines + stores;
  }

  static std::string stored(const Type& type, const std::string& value) {
    return type == kFloat16 ? "__float2half_rn(" + value + ")" : value;
  }

  // The value as an expression; one that is used more than once becomes a variable in `lines`.
  std::string value(const NodePtr& node, std::string& lines) {
    const auto known = variable_of_.find(node.get());
    if (known != variable_of_.end()) return known->second;
    std::string text = plain_value(*node, lines);
    if (node->kind != Node::Kind::op || uses_[node.get()] < 2) return text;
    const std::string name = "v" + std::to_string(variables_++);
    lines += "const " + value_type(node->type) + " " + name + " = " + text + ";\n";
    return variable_of_[node.get()] = name;
  }

  std::string plain_value(const Node& node, std::string& lines) {
    switch (node.kind) {
      case Node::Kind::constant:
        return constant(node);
      case Node::Kind::scalar: {
        scalars_.insert(node.name);
        const std::string name = "scalar_" + node.name;
        return node.type == kFloat16 ? "__half2float(" + name + ")" : name;
      }
      case Node::Kind::load: {
        const std::string name =
            is_copied(node.name) ? "before_" + node.name : "array_" + node.name;
        (is_copied(node.name) ? read_before_ : read_).insert(node.name);
        std::string text = staged(node, name);
        if (text.empty()) text = name + "[" + place(stretched(node.view, node.shape, full())) + "]";
        return node.type == kFloat16 ? "__half2float(" + text + ")" : text;
      }
      case Node::Kind::counter:
        return "static_cast<long long>(" + place(stretched(node.view, node.shape, full())) + ")";
      case Node::Kind::op:
        break;
    }
    return operation(node, lines);
  }

  std::string constant(const Node& node) {
    const Type type = strong(node.type);
    if (type == kFloat16) out_.helpers.insert("rounded");
    if (type.kind == Category::real) return real_text(node.as_real(), type);
    if (type.kind == Category::boolean) return node.integer != 0 ? "true" : "false";
    return integer_text(node.integer, type);
  }

  std::string operation(const Node& node, std::string& lines) {
    std::vector<std::string> args;
    for (const NodePtr& arg : node.args) args.push_back(value(arg, lines));
    const std::string& name = node.name;
    if (name == "cast") return converted(node, args[0]);
    if (name == "where") return "(" + args[0] + " ? " + args[1] + " : " + args[2] + ")";
    std::string text;
    if (in_prelude(name)) {
      out_.helpers.insert(name);
      text = "warpmark::" + name + "<" + value_type(node.work) + ">(" + listed(args) + ")";
    } else if (name.starts_with("::")) {
      text = name + "(" + listed(args) + ")";
    } else {
      text = "(" + args[0] + " " + name + " " + args[1] + ")";
    }
    if (node.type == kFloat16) {
      out_.helpers.insert("rounded");
      return "warpmark::rounded(" + text + ")";
    }
    const bool narrow =
        node.type.kind != Category::real && node.type == node.work && node.type.bytes < 4;
    // Operators of C promote to int.
    return narrow && !in_prelude(name) ? "static_cast<" + value_type(node.type) + ">" + text : text;
  }

  std::string converted(const Node& node, const std::string& arg) {
    const Type& from = node.args[0]->type;
    if (node.type.kind == Category::boolean) return "(" + arg + " != 0)";
    if (node.type == kFloat16) {
      if (from.kind == Category::boolean) return "static_cast<float>(" + arg + ")";
      out_.helpers.insert("rounded");
      const std::string wide =
          from.kind == Category::real ? arg : "static_cast<float>(" + arg + ")";
      return "warpmark::rounded(" + wide + ")";
    }
    return "static_cast<" + value_type(node.type) + ">(" + arg + ")";
  }

  static std::string listed(const std::vector<std::string>& args) {
    std::string text;
    for (const std::string& arg : args) text += (text.empty() ? "" : ", ") + arg;
    return text;
  }

  void add_parameters() {
    for (const Array& array : names_.arrays()) {
      const bool writes = written_.contains(array.name);
      if (writes || read_.contains(array.name)) {
        add_array(array, "array_", array.name,
                  !writes                      ? "in"
                  : read_.contains(array.name) ? "inout"
                                               : "out");
      }
      if (read_before_.contains(array.name)) {
        add_array(array, "before_", scratch_name(array.name), "in");
      }
    }
    for (const auto& [name, type] : names_.scalars()) {
      if (scalars_.contains(name)) add_scalar("scalar_" + name, memory_type(type), name);
    }
    for (size_t i = 0; i < out_.integers.size(); ++i) {
      add_scalar("k" + std::to_string(i), "long long", out_.integers[i].name);
    }
  }

  void add_array(const Array& array, const std::string& prefix, const std::string& argument,
                 const std::string& kind) {
    codegen::Parameter parameter;
    parameter.name = prefix + array.name;
    parameter.element = memory_type(array.type);
    parameter.is_array = true;
    parameter.is_const = kind == "in";
    parameter.text = (kind == "in" ? "const " : "") + parameter.element + " *" + parameter.name;
    parameter.bytes = static_cast<uint32_t>(array.type.bytes);
    parameter.kind = kind;
    parameter.pointer = array.at;
    out_.parameters.push_back(parameter);
    out_.arguments.push_back(argument);
  }

  void add_scalar(const std::string& name, const std::string& type, const std::string& argument) {
    codegen::Parameter parameter;
    parameter.name = name;
    parameter.element = type;
    parameter.text = "const " + type + " " + name;
    parameter.kind = "scalar";
    out_.parameters.push_back(parameter);
    out_.arguments.push_back(argument);
  }

  const Names& names_;
  const Step& step_;
  size_t number_;
  Iteration iteration_;
  Emitted out_;
  std::vector<const Array*> copied_;
  std::map<const Node*, int> uses_;
  std::map<const Node*, std::string> variable_of_;
  std::vector<std::pair<View, std::string>> places_;
  std::map<size_t, std::string> extents_;
  std::set<size_t> decoded_;
  std::set<std::string> scalars_, written_, read_, read_before_;
  double reach_ = 0;
  bool small_ = false;
  size_t variables_ = 0;
};

}  // namespace

Emitted emit(const Names& names, const Step& step, size_t number) {
  return Emitter(names, step, number).emitted();
}

}  // namespace warpmark::array
