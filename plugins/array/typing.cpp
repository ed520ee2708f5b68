#include "typing.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace warpmark::array {

namespace {

const char* const kMethods[] = {"astype", "conj", "conjugate", "copy", "transpose"};
const char* const kReductions[] = {"sum",    "mean",   "prod", "any",  "all",
                                   "cumsum", "dot",    "std",  "amax", "amin",
                                   "var",    "argmax", "max",  "min",  "matmul"};

bool is_reduction(const std::string& name) {
  return std::ranges::find(kReductions, name) != std::end(kReductions);
}

NodePtr number(const Text& text, const Syntax& syntax) {
  std::string digits = syntax.text;
  std::erase(digits, '_');
  if (syntax.kind == SyntaxKind::real) return real_node(std::strtod(digits.c_str(), nullptr));
  const bool hex = digits.size() > 1 && (digits[1] == 'x' || digits[1] == 'X');
  int64_t value = 0;
  const char* first = digits.data() + (hex ? 2 : 0);
  const auto [end, error] =
      std::from_chars(first, digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    text.fail(syntax.at, "`" + syntax.text + "` leaves int64");
  }
  return integer_node(value);
}

}  // namespace

// Types one expression.
class Names::Typer {
 public:
  Typer(const Names& names, const Text& text, bool constants)
      : names_(names), text_(text), constants_(constants) {}

  NodePtr node(const Syntax& syntax) const {
    switch (syntax.kind) {
      case SyntaxKind::integer:
      case SyntaxKind::real:
        return number(text_, syntax);
      case SyntaxKind::name:
        return name(syntax);
      case SyntaxKind::attribute:
        return attribute(syntax);
      case SyntaxKind::call:
        return called(syntax);
      case SyntaxKind::subscript:
        return subscript(syntax);
      case SyntaxKind::unary:
        return unary(text_, syntax.at, syntax.text, node(syntax.parts[0]));
      case SyntaxKind::binary:
        return binary(text_, syntax.at, syntax.text, node(syntax.parts[0]), node(syntax.parts[1]));
      case SyntaxKind::conditional: {
        const NodePtr condition = node(syntax.parts[1]);
        if (!condition->is_python() || !constants_) {
          text_.fail(syntax.at, "`if` has no meaning for whole arrays",
                     "write `np.where(condition, a, b)`");
        }
        return node(syntax.parts[condition->as_real() != 0 ? 0 : 2]);
      }
      case SyntaxKind::string:
        text_.fail(syntax.at, "a string is no number");
      case SyntaxKind::sequence:
        text_.fail(syntax.at, "a list or tuple has no place here");
      case SyntaxKind::ellipsis:
      case SyntaxKind::slice:
      case SyntaxKind::nothing:
        break;
    }
    text_.fail(syntax.at, "an expression is expected here");
  }

  int64_t integer(const Syntax& syntax) const {
    const NodePtr value = Typer(names_, text_, true).node(syntax);
    if (!value->is_constant() || value->type != kWeakInt) {
      text_.fail(syntax.at, "a whole number is needed here, of literals, axes and shapes",
                 value->is_constant()
                     ? ""
                     : "indices by arrays and by scalar arguments are not supported");
    }
    return value->integer;
  }

  std::vector<NodePtr> arguments(const Syntax& syntax) const {
    std::vector<NodePtr> args;
    for (size_t i = 1; i < syntax.parts.size(); ++i) {
      if (!syntax.keywords[i].empty()) {
        text_.fail(syntax.parts[i].at, "the keyword `" + syntax.keywords[i] + "` is not supported");
      }
      args.push_back(node(syntax.parts[i]));
    }
    return args;
  }

  std::optional<Type> dtype(const Syntax& syntax) const {
    if (syntax.kind == SyntaxKind::string) {
      return type_named(std::string_view(syntax.text).substr(1, syntax.text.size() - 2));
    }
    if (syntax.kind == SyntaxKind::attribute) {
      const Syntax& base = syntax.parts[0];
      if (base.kind == SyntaxKind::name && base.text == "np") return type_named(syntax.text);
      if (syntax.text == "dtype") return strong(node(base)->type);
    }
    if (syntax.kind != SyntaxKind::name) return std::nullopt;
    const auto found = names_.texts_.find(syntax.text);
    if (found != names_.texts_.end()) return type_named(found->second);
    if (syntax.text == "bool") return kBool;
    if (syntax.text == "int") return kInt64;
    if (syntax.text == "float") return kFloat64;
    return std::nullopt;
  }

 private:
  NodePtr name(const Syntax& syntax) const {
    const std::string& name = syntax.text;
    if (name == "True" || name == "False") return boolean_node(name == "True");
    if (const auto local = names_.locals_.find(name); local != names_.locals_.end()) {
      return local->second;
    }
    const auto axis = names_.axes_.find(name);
    const auto scalar = names_.scalars_.find(name);
    if (scalar != names_.scalars_.end() && (!constants_ || axis == names_.axes_.end())) {
      auto node = std::make_shared<Node>();
      node->kind = Node::Kind::scalar;
      node->name = name;
      node->type = scalar->second;
      return node;
    }
    if (axis != names_.axes_.end()) return axis->second;
    if (const Array* array = names_.array(name)) {
      auto node = std::make_shared<Node>();
      node->kind = Node::Kind::load;
      node->name = name;
      node->type = array->type;
      node->shape = array->shape;
      node->view = contiguous(array->shape);
      return node;
    }
    if (names_.texts_.contains(name)) text_.fail(syntax.at, "the axis `" + name + "` is text");
    if (is_function(name)) {
      text_.fail(syntax.at, "`" + name + "` is a function of NumPy", "write `np." + name + "`");
    }
    std::vector<std::string> known;
    for (const Array& array : names_.arrays_) known.push_back(array.name);
    for (const auto& [one, type] : names_.scalars_) known.push_back(one);
    for (const auto& [one, value] : names_.axes_) known.push_back(one);
    for (const auto& [one, value] : names_.locals_) known.push_back(one);
    text_.fail(syntax.at, "`" + name + "` is no argument, axis or earlier name",
               did_you_mean(name, known));
  }

  static bool is_np(const Syntax& syntax) {
    return syntax.kind == SyntaxKind::attribute && syntax.parts[0].kind == SyntaxKind::name &&
           syntax.parts[0].text == "np";
  }

  NodePtr attribute(const Syntax& syntax) const {
    const std::string& name = syntax.text;
    if (is_np(syntax)) {
      if (name == "pi") return real_node(3.14159265358979323846);
      if (name == "e") return real_node(2.71828182845904523536);
      if (name == "inf") return real_node(std::numeric_limits<double>::infinity());
      if (name == "nan") return real_node(std::numeric_limits<double>::quiet_NaN());
      if (is_function(name)) text_.fail(syntax.at, "`np." + name + "` must be called");
      unknown_function(syntax);
    }
    const NodePtr base = node(syntax.parts[0]);
    if (name == "T") return transposed(base);
    if (name == "size") return integer_node(elements(base->shape));
    if (name == "ndim") return integer_node(static_cast<int64_t>(base->shape.size()));
    if (name == "real") return base;
    if (name == "shape") {
      text_.fail(syntax.at, "a shape is no number", "one of its extents is, as in `x.shape[0]`");
    }
    text_.fail(syntax.at, "the attribute `" + name + "` is not supported",
               is_reduction(name) ? "the plugin `reduction` combines elements" : "");
  }

  [[noreturn]] void unknown_function(const Syntax& syntax) const {
    if (is_reduction(syntax.text)) {
      text_.fail(syntax.at, "`np." + syntax.text + "` combines elements, and `array` does not",
                 "the plugin `reduction` does");
    }
    std::string hint = did_you_mean(syntax.text, function_names());
    if (hint.empty()) hint = "docs/plugin-array.md lists the supported ones";
    text_.fail(syntax.at, "`np." + syntax.text + "` is not supported", hint);
  }

  NodePtr called(const Syntax& syntax) const {
    const Syntax& function = syntax.parts[0];
    if (is_np(function)) return numpy_call(syntax, function);
    if (function.kind == SyntaxKind::attribute) return method(syntax, function);
    if (function.kind != SyntaxKind::name) text_.fail(syntax.at, "this cannot be called");
    const std::string& name = function.text;
    const std::vector<NodePtr> args = arguments(syntax);
    if (name == "abs" && args.size() == 1) {
      if (!args[0]->is_python()) return call(text_, syntax.at, "absolute", args);
      return args[0]->as_real() < 0 ? unary(text_, syntax.at, "-", args[0]) : args[0];
    }
    if (name == "len" && args.size() == 1 && !args[0]->shape.empty()) {
      return integer_node(args[0]->shape[0]);
    }
    if ((name == "min" || name == "max") && args.size() > 1) {
      NodePtr best = args[0];
      for (const NodePtr& arg : args) {
        if (!arg->is_python()) {
          text_.fail(function.at, "`" + name + "` has no meaning for whole arrays",
                     "write `np." + name + "imum(a, b)`");
        }
        const bool less = arg->as_real() < best->as_real();
        const bool more = arg->as_real() > best->as_real();
        if (name == "min" ? less : more) best = arg;
      }
      return best;
    }
    const std::string hint = is_function(name) ? "write `np." + name + "`"
                                               : did_you_mean(name, {"abs", "len", "min", "max"});
    text_.fail(function.at, "`" + name + "` is no function here", hint);
  }

  NodePtr numpy_call(const Syntax& syntax, const Syntax& function) const {
    const std::string& name = function.text;
    if (gives_two(name)) {
      text_.fail(function.at, "`np." + name + "` gives two arrays",
                 "as in `a, b = np." + name + "(x)`");
    }
    if (name == "arange") return counter(syntax);
    if (const std::optional<Type> type = type_named(name)) {
      const std::vector<NodePtr> args = arguments(syntax);
      if (args.size() != 1) text_.fail(syntax.at, "`np." + name + "` takes one argument");
      return converted(text_, syntax.parts[1].at, args[0], *type);
    }
    if (!is_function(name)) unknown_function(function);
    return call(text_, function.at, name, arguments(syntax));
  }

  // np.arange of whole numbers, as a view without memory.
  NodePtr counter(const Syntax& syntax) const {
    std::vector<int64_t> bounds;
    for (size_t i = 1; i < syntax.parts.size(); ++i) {
      if (!syntax.keywords[i].empty()) {
        text_.fail(syntax.parts[i].at, "the keyword `" + syntax.keywords[i] + "` is not supported",
                   "convert the whole, as in `np.arange(n).astype(np.float32)`");
      }
      bounds.push_back(integer(syntax.parts[i]));
    }
    if (bounds.empty() || bounds.size() > 3) {
      text_.fail(syntax.at, "`np.arange` takes one to three whole numbers");
    }
    const int64_t start = bounds.size() > 1 ? bounds[0] : 0;
    const int64_t stop = bounds.size() > 1 ? bounds[1] : bounds[0];
    const int64_t step = bounds.size() > 2 ? bounds[2] : 1;
    if (step == 0) text_.fail(syntax.at, "the step of `np.arange` is 0");
    const double span =
        (static_cast<double>(stop) - static_cast<double>(start)) / static_cast<double>(step);
    if (span > 9e15) text_.fail(syntax.at, "`np.arange` has too many elements");
    auto node = std::make_shared<Node>();
    node->kind = Node::Kind::counter;
    node->type = kInt64;
    const int64_t rounding = step > 0 ? step - 1 : step + 1;
    node->shape = {span <= 0 ? 0 : (stop - start + rounding) / step};
    node->view = {start, {step}};
    return node;
  }

  NodePtr method(const Syntax& syntax, const Syntax& function) const {
    const std::string& name = function.text;
    const NodePtr base = node(function.parts[0]);
    if (name == "astype") {
      const std::optional<Type> type = syntax.parts.size() == 2 && syntax.keywords[1].empty()
                                           ? dtype(syntax.parts[1])
                                           : std::nullopt;
      if (!type) {
        text_.fail(syntax.at, "`astype` takes a dtype that is supported",
                   "as in `x.astype(np.float32)`: bool, int8 to int64, uint8 to uint64, float16 "
                   "to float64");
      }
      return cast(base->type.weak ? cast(base, strong(base->type)) : base, *type);
    }
    const bool plain = syntax.parts.size() == 1;
    if (plain && (name == "conj" || name == "conjugate" || name == "copy")) return base;
    if (plain && name == "transpose") return transposed(base);
    if (is_reduction(name)) {
      text_.fail(function.at, "`" + name + "` combines elements, and `array` does not",
                 "the plugin `reduction` does");
    }
    text_.fail(function.at, "the method `" + name + "` is not supported",
               did_you_mean(name, {std::begin(kMethods), std::end(kMethods)}));
  }

  NodePtr subscript(const Syntax& syntax) const {
    const Syntax& base = syntax.parts[0];
    if (base.kind == SyntaxKind::attribute && base.text == "shape") {
      const Shape shape = node(base.parts[0])->shape;
      const int64_t extents = static_cast<int64_t>(shape.size());
      int64_t at = syntax.parts.size() == 2 ? integer(syntax.parts[1]) : extents;
      if (at < 0) at += extents;
      if (at < 0 || at >= extents) {
        text_.fail(syntax.at, "the shape " + text_of(shape) + " has no such extent");
      }
      return integer_node(shape[static_cast<size_t>(at)]);
    }
    const NodePtr array = node(base);
    return indexed(array, names_.index(text_, syntax, array->shape));
  }

  const Names& names_;
  const Text& text_;
  bool constants_;  ///< names that are axes and scalars are the axes
};

NodePtr Names::type(const Text& text, const Syntax& syntax) const {
  return Typer(*this, text, false).node(syntax);
}

std::vector<NodePtr> Names::type_two(const Text& text, const Syntax& syntax) const {
  const bool np = syntax.kind == SyntaxKind::call &&
                  syntax.parts[0].kind == SyntaxKind::attribute &&
                  syntax.parts[0].parts[0].text == "np" && gives_two(syntax.parts[0].text);
  if (!np) {
    text.fail(syntax.at, "two targets need a function that gives two arrays",
              "np.frexp, np.modf or np.divmod; or write two assignments");
  }
  return call_for_two(text, syntax.parts[0].at, syntax.parts[0].text,
                      Typer(*this, text, false).arguments(syntax));
}

int64_t Names::integer(const Text& text, const Syntax& syntax) const {
  return Typer(*this, text, true).integer(syntax);
}

const Array* Names::array(const std::string& name) const {
  const auto found = std::ranges::find(arrays_, name, &Array::name);
  return found != arrays_.end() ? &*found : nullptr;
}

std::vector<Index> Names::index(const Text& text, const Syntax& subscript,
                                const Shape& shape) const {
  const Typer typer(*this, text, true);
  const auto is_new_axis = [](const Syntax& part) {
    return (part.kind == SyntaxKind::name && part.text == "None") ||
           (part.kind == SyntaxKind::attribute && part.text == "newaxis");
  };
  size_t taken = 0, ellipses = 0;
  for (size_t i = 1; i < subscript.parts.size(); ++i) {
    if (subscript.parts[i].kind == SyntaxKind::ellipsis) {
      ++ellipses;
    } else if (!is_new_axis(subscript.parts[i])) {
      ++taken;
    }
  }
  if (taken > shape.size()) {
    text.fail(subscript.at, "an index of " + std::to_string(taken) + " parts for an array with " +
                                std::to_string(shape.size()) + " dimension" +
                                (shape.size() == 1 ? "" : "s"));
  }
  if (ellipses > 1) text.fail(subscript.at, "`...` occurs twice in one index");
  std::vector<Index> index;
  size_t dimension = 0;
  const auto add_all = [&](size_t until) {
    for (; dimension < until; ++dimension) {
      index.push_back(sliced(std::nullopt, std::nullopt, 1, shape[dimension]));
    }
  };
  for (size_t i = 1; i < subscript.parts.size(); ++i) {
    const Syntax& part = subscript.parts[i];
    if (part.kind == SyntaxKind::ellipsis) {
      add_all(dimension + shape.size() - taken);
    } else if (is_new_axis(part)) {
      index.push_back({Index::Kind::new_axis});
    } else if (part.kind == SyntaxKind::slice) {
      const auto bound = [&](const Syntax& one) -> std::optional<int64_t> {
        const bool none = one.kind == SyntaxKind::nothing || is_new_axis(one);
        return none ? std::nullopt : std::optional(typer.integer(one));
      };
      const int64_t step = bound(part.parts[2]).value_or(1);
      if (step == 0) text.fail(part.parts[2].at, "the step of a slice is 0");
      index.push_back(sliced(bound(part.parts[0]), bound(part.parts[1]), step, shape[dimension++]));
    } else {
      const int64_t extent = shape[dimension++];
      const int64_t at = typer.integer(part);
      if (at < -extent || at >= extent) {
        text.fail(part.at, "the index " + std::to_string(at) + " is out of range: " +
                               std::to_string(extent) + " elements are there");
      }
      index.push_back({Index::Kind::element, at < 0 ? at + extent : at});
    }
  }
  add_all(shape.size());
  return index;
}

}  // namespace warpmark::array
