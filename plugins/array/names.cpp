// The declarations of a case's names: types, and the shapes of its arrays.
#include <algorithm>

#include "typing.hpp"

namespace warpmark::array {

namespace {

using plugin::Failure;
using plugin::Json;

constexpr int64_t kMostElements = int64_t{1} << 48;

Type dtype_of(const Json& argument) {
  const auto name = argument.at("name").get<std::string>();
  const auto at = argument.at("at").get<std::string>();
  if (!argument.contains("dtype")) {
    throw Failure(at, "`" + name + "` needs `dtype`",
                  "types are promoted as NumPy does it, and decide what is computed");
  }
  const std::string text =
      argument.at("dtype").is_string() ? argument.at("dtype").get<std::string>() : "a struct";
  const std::optional<Type> type = type_named(text);
  if (!type) {
    throw Failure(at, "`" + name + "` is " + text + ", which the plugin `array` does not support",
                  "supported: bool, int8 to int64, uint8 to uint64, float16, float32, float64");
  }
  return *type;
}

void check_size(const std::string& at, const std::string& name, const Shape& shape) {
  int64_t product = 1;
  for (const int64_t extent : shape) {
    if (extent < 0) throw Failure(at, "`" + name + "` has a negative extent");
    if (__builtin_mul_overflow(product, std::max<int64_t>(extent, 1), &product) ||
        product > kMostElements) {
      throw Failure(at, "`" + name + "` of shape " + text_of(shape) + " is too large");
    }
  }
}

}  // namespace

// Reads a shape from the text of a value: `rng.random((n, 3))`, `np.zeros(n) + 1`.
class ValueShape {
 public:
  ValueShape(const Names& names, const Text& text) : names_(names), text_(text) {}

  // The extents that a syntax lists.
  Shape extents(const Syntax& syntax) const {
    Shape shape;
    if (syntax.kind == SyntaxKind::sequence) {
      for (const Syntax& part : syntax.parts) shape.push_back(integer(part));
    } else if (syntax.kind == SyntaxKind::attribute && syntax.text == "shape") {
      return names_.type(text_, syntax.parts[0])->shape;
    } else {
      shape.push_back(integer(syntax));
    }
    return shape;
  }

  Shape of(const Syntax& syntax) const {
    switch (syntax.kind) {
      case SyntaxKind::call:
        return of_call(syntax);
      case SyntaxKind::unary:
        return of(syntax.parts[0]);
      case SyntaxKind::binary:
        return both(syntax, of(syntax.parts[0]), of(syntax.parts[1]));
      case SyntaxKind::conditional: {
        const Shape shape = of(syntax.parts[0]);
        if (shape != of(syntax.parts[2])) text_.fail(syntax.at, "the shapes differ");
        return shape;
      }
      case SyntaxKind::sequence: {
        Shape shape{static_cast<int64_t>(syntax.parts.size())};
        if (syntax.parts.empty()) return shape;
        for (const int64_t extent : of(syntax.parts[0])) shape.push_back(extent);
        return shape;
      }
      case SyntaxKind::name:
        if (const Array* array = names_.array(syntax.text)) return array->shape;
        return {};
      case SyntaxKind::integer:
      case SyntaxKind::real:
        return {};
      case SyntaxKind::attribute:
        if (syntax.text == "pi" || syntax.text == "inf" || syntax.text == "nan") return {};
        break;
      case SyntaxKind::subscript: {
        const Shape shape = of(syntax.parts[0]);
        return indexed(names_.index(text_, syntax, shape));
      }
      default:
        break;
    }
    text_.fail(syntax.at, "its shape is not plain");
  }

 private:
  int64_t integer(const Syntax& syntax) const { return names_.integer(text_, syntax); }

  Shape both(const Syntax& syntax, const Shape& a, const Shape& b) const {
    const std::optional<Shape> shape = broadcast(a, b);
    if (!shape) text_.fail(syntax.at, "the shapes do not broadcast");
    return *shape;
  }

  const Syntax* argument(const Syntax& call, const std::string& keyword, size_t place) const {
    for (size_t i = 1; i < call.parts.size(); ++i) {
      if (call.keywords[i] == keyword) return &call.parts[i];
    }
    const bool there = place + 1 < call.parts.size() && call.keywords[place + 1].empty();
    return there ? &call.parts[place + 1] : nullptr;
  }

  Shape of_call(const Syntax& call) const {
    const Syntax& function = call.parts[0];
    if (function.kind != SyntaxKind::attribute) text_.fail(call.at, "its shape is not plain");
    const std::string& name = function.text;
    const Syntax& owner = function.parts[0];
    const std::string base = owner.kind == SyntaxKind::name ? owner.text : "";
    struct Known {
      const char* owner;
      const char* name;
      const char* keyword;
      size_t place;
    };
    static constexpr Known kKnown[] = {{"rng", "random", "size", 0},
                                       {"rng", "standard_normal", "size", 0},
                                       {"rng", "standard_exponential", "size", 0},
                                       {"rng", "integers", "size", 2},
                                       {"rng", "uniform", "size", 2},
                                       {"rng", "normal", "size", 2},
                                       {"rng", "permutation", "x", 0},
                                       {"rng", "choice", "size", 1},
                                       {"np", "zeros", "shape", 0},
                                       {"np", "ones", "shape", 0},
                                       {"np", "full", "shape", 0},
                                       {"np", "linspace", "num", 2},
                                       {"np", "geomspace", "num", 2},
                                       {"np", "logspace", "num", 2}};
    for (const Known& known : kKnown) {
      if (base != known.owner || name != known.name) continue;
      const Syntax* shape = argument(call, known.keyword, known.place);
      if (shape != nullptr) return extents(*shape);
      if (base == "rng") return {};
    }
    if (base == "np" && name == "arange") {
      std::vector<int64_t> bounds;
      for (size_t i = 1; i < call.parts.size(); ++i) {
        if (call.keywords[i].empty()) bounds.push_back(integer(call.parts[i]));
      }
      if (bounds.size() == 1) return {bounds[0]};
      if (bounds.size() == 2) return {std::max<int64_t>(0, bounds[1] - bounds[0])};
    }
    if (name == "reshape" && base != "np") {
      if (call.parts.size() == 2) return extents(call.parts[1]);
      Shape shape;
      for (size_t i = 1; i < call.parts.size(); ++i) shape.push_back(integer(call.parts[i]));
      return shape;
    }
    if (name == "astype" && base != "np") return of(owner);
    if (base == "np" &&
        (is_function(name) || type_named(name) || name == "array" || name == "round")) {
      Shape shape;
      for (size_t i = 1; i < call.parts.size(); ++i) {
        if (call.keywords[i].empty()) shape = both(call, shape, of(call.parts[i]));
      }
      return shape;
    }
    text_.fail(call.at, "its shape is not plain");
  }

  const Names& names_;
  const Text& text_;
};

Names::Names(const Json& which) {
  for (const Json& axis : which.at("point")) {
    const auto name = axis.at("name").get<std::string>();
    const Json& value = axis.at("value");
    if (value.is_boolean()) {
      axes_[name] = boolean_node(value.get<bool>());
    } else if (value.is_number_integer()) {
      axes_[name] = integer_node(value.get<int64_t>());
    } else if (value.is_number()) {
      axes_[name] = real_node(value.get<double>());
    } else if (value.is_string()) {
      texts_[name] = value.get<std::string>();
    }
  }
  const Json& kernel = which.at("kernel");
  for (const Json& argument : which.at("arguments")) {
    const auto name = argument.at("name").get<std::string>();
    const auto kind = argument.at("kind").get<std::string>();
    const auto at = argument.at("at").get<std::string>();
    if (name == "np" || name.starts_with("warpmark")) {
      throw Failure(at, "an argument cannot be called `" + name + "` here");
    }
    if (kind == "scalar") {
      scalars_[name] = dtype_of(argument);
      continue;
    }
    if (kind != "in" && kind != "inout" && kind != "out") {
      throw Failure(at, "`" + name + "` is `" + kind + "`, which the plugin `array` does not take",
                    "it takes `in`, `inout`, `out` and `scalar`");
    }
    for (const char* key : {"pitch", "offset", "points_to"}) {
      if (!argument.contains(key)) continue;
      throw Failure(at, "`" + name + "` has `" + std::string(key) +
                            "`, which the plugin `array` does not take");
    }
    Array array{name, kind, at, dtype_of(argument), {}};
    array.shape = kind == "out" ? shape_of_output(argument) : shape_of_input(kernel, argument);
    check_size(at, name, array.shape);
    arrays_.push_back(std::move(array));
  }
  if (!kernel.contains("shapes")) return;
  for (const auto& item : kernel.at("shapes").items()) {
    const Array* known = array(item.key());
    if (known != nullptr && known->kind != "out") continue;
    std::vector<std::string> inputs;
    for (const Array& one : arrays_) {
      if (one.kind != "out") inputs.push_back(one.name);
    }
    throw Failure((Json::json_pointer("/kernel/shapes") / item.key()).to_string(),
                  "`shapes` is about inputs, and `" + item.key() + "` is " +
                      (known != nullptr ? "an `out`, which has its own" : "none"),
                  did_you_mean(item.key(), inputs));
  }
}

Shape Names::shape_of_output(const Json& argument) const {
  Shape shape;
  for (const Json& extent : argument.at("shape")) {
    if (extent.is_number_integer()) {
      shape.push_back(extent.get<int64_t>());
      continue;
    }
    const Text text(extent.at("arithmetic").get<std::string>(), extent.at("at").get<std::string>());
    const Shape more = ValueShape(*this, text).extents(parse_expression(text));
    shape.insert(shape.end(), more.begin(), more.end());
  }
  return shape;
}

Shape Names::shape_of_input(const Json& kernel, const Json& argument) const {
  const auto name = argument.at("name").get<std::string>();
  if (kernel.contains("shapes")) {
    const Json& shapes = kernel.at("shapes");
    const std::string hint = "shapes: {x: [n, 3]}";
    if (!shapes.is_object()) throw Failure("/kernel/shapes", "`shapes` must be a map", hint);
    if (shapes.contains(name)) {
      const Json& given = shapes.at(name);
      const std::string at = (Json::json_pointer("/kernel/shapes") / name).to_string();
      Shape shape;
      const auto add = [&](const Json& extent, const std::string& place) {
        if (!extent.is_string()) throw Failure(place, "an extent is arithmetic over axes", hint);
        const Text text(extent.get<std::string>(), place);
        const Shape more = ValueShape(*this, text).extents(parse_expression(text));
        shape.insert(shape.end(), more.begin(), more.end());
      };
      if (given.is_array()) {
        for (size_t i = 0; i < given.size(); ++i) add(given[i], at + "/" + std::to_string(i));
      } else {
        add(given, at);
      }
      return shape;
    }
  }
  const Json& value = argument.at("value");
  const auto at = argument.at("at").get<std::string>();
  const std::string hint = "say it in `kernel`, as in `shapes: {" + name + ": [n, 3]}`";
  if (!value.contains("numpy")) {
    throw Failure(at, "the shape of `" + name + "` must be known, and a function gives it", hint);
  }
  const Text text(value.at("numpy").get<std::string>(), at);
  try {
    return ValueShape(*this, text).of(parse_expression(text));
  } catch (const Failure&) {
    throw Failure(at, "the shape of `" + name + "` is not plain from `" + text.text() + "`", hint);
  }
}

}  // namespace warpmark::array
