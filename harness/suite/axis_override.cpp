#include "suite/axis_override.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/characters.hpp"
#include "base/text.hpp"
#include "suite/suite_reader.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {
namespace {

struct Piece {
  std::string_view text;
  size_t begin = 0;  ///< its place in the whole text
};

// Cuts at commas that stand outside quotes and parentheses.
std::vector<Piece> cut_values(std::string_view text, size_t begin) {
  std::vector<Piece> pieces;
  int depth = 0;
  char quote = 0;
  size_t start = begin;
  for (size_t at = begin; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    if (at < text.size() && quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    }
    if (at == text.size() || (c == ',' && quote == 0 && depth <= 0)) {
      pieces.push_back({text.substr(start, at - start), start});
      start = at + 1;
    }
  }
  return pieces;
}

YamlNode scalar(const Piece& piece) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  const size_t lead = std::min(piece.text.find_first_not_of(" \t"), piece.text.size());
  node.text = std::string(trim(piece.text));
  node.where = {"-a", 1, static_cast<int>(piece.begin + lead) + 1};
  node.content = node.where;
  node.plain = true;
  return node;
}

// "VALUE as LABEL", where the last ` as ` outside quotes counts.
YamlNode value_node(const Piece& piece) {
  const size_t as = piece.text.rfind(" as ");
  const size_t quote = piece.text.find_last_of("'\"");
  if (as == std::string_view::npos || (quote != std::string_view::npos && quote > as)) {
    return scalar(piece);
  }
  YamlNode value = scalar({piece.text.substr(0, as), piece.begin});
  YamlNode label = scalar({piece.text.substr(as + 4), piece.begin + as + 4});
  YamlNode node;
  node.kind = YamlNode::Kind::map;
  node.where = value.where;
  node.content = value.content;
  node.members.push_back({"value", value.where, std::move(value)});
  node.members.push_back({"label", label.where, std::move(label)});
  return node;
}

// The place of the dots in "1..5000"; npos if there are none outside quotes.
size_t range_dots(const Piece& piece) {
  const size_t quote = piece.text.find_first_of("'\"");
  const size_t dots = piece.text.find("..");
  return dots < quote ? dots : std::string_view::npos;
}

// "1..5000" as {any: [1, 5000]}.
YamlNode range_node(const Piece& piece) {
  const size_t dots = range_dots(piece);
  YamlNode bounds;
  bounds.kind = YamlNode::Kind::list;
  bounds.elements = {scalar({piece.text.substr(0, dots), piece.begin}),
                     scalar({piece.text.substr(dots + 2), piece.begin + dots + 2})};
  bounds.where = bounds.content = bounds.elements.front().where;
  YamlNode node;
  node.kind = YamlNode::Kind::map;
  node.where = node.content = bounds.where;
  node.members.push_back({"any", bounds.where, std::move(bounds)});
  return node;
}

}  // namespace

// A word needs no quotes, and other text has one kind of quotes only, because arithmetic knows no
// escapes.
std::string axis_literal(const ArithmeticValue& value) {
  std::string text = to_text(value);
  const auto* word = std::get_if<std::string>(&value);
  if (word == nullptr) return text;
  const bool plain = !word->empty() && *word != "True" && *word != "False" && *word != "true" &&
                     *word != "false" && !(word->front() >= '0' && word->front() <= '9') &&
                     std::ranges::all_of(*word, [](char c) { return is_word_character(c); });
  if (plain) return text;
  const char quote = word->find('\'') == std::string::npos ? '\'' : '"';
  return quote + text + quote;
}

Axis parse_axis_override(std::string_view text, const std::string& what) {
  const auto failed = [&](const std::string& message, size_t column, const std::string& hint) {
    return usage_error(
        fmt::format("{}: {}, at column {} of `{}`", what, message, column, printable(text)), {},
        hint);
  };
  const size_t equals = text.find('=');
  const std::string name(trim(text.substr(0, equals)));
  if (equals == std::string_view::npos || name.empty()) {
    throw failed("an axis and its values are wanted", 1, "as in `-a n=2**20,2**24`");
  }
  const std::vector<Piece> pieces = cut_values(text, equals + 1);
  YamlNode list;
  list.kind = YamlNode::Kind::list;
  const bool is_range = pieces.size() == 1 && range_dots(pieces.front()) != std::string_view::npos;
  if (is_range) list = range_node(pieces.front());
  for (const Piece& piece : is_range ? std::vector<Piece>() : pieces) {
    if (trim(piece.text).empty()) {
      throw failed("a value is missing", piece.begin + 1, "as in `-a n=2**20,2**24`");
    }
    list.elements.push_back(value_node(piece));
  }
  YamlNode map;
  map.kind = YamlNode::Kind::map;
  map.members.push_back({name, {"-a", 1, 1}, std::move(list)});
  try {
    Axis axis = read_axes(map).front();
    // From here on there is no text to point at: later errors name the axis and its value.
    axis.where = {};
    if (axis.any) axis.any->where = {};
    for (AxisValue& value : axis.values) value.where = {};
    return axis;
  } catch (const Error& error) {
    throw failed(error.message(), static_cast<size_t>(std::max(error.where().column, 1)),
                 error.hint());
  }
}

void override_axis(std::vector<Axis>& axes, Axis axis) {
  const auto same = std::ranges::find(axes, axis.name, &Axis::name);
  if (same != axes.end()) {
    *same = std::move(axis);
  } else {
    axes.push_back(std::move(axis));
  }
}

std::shared_ptr<const Suite> with_axes(const std::shared_ptr<const Suite>& suite,
                                       const std::vector<Axis>& overrides) {
  std::shared_ptr<Suite> changed;
  for (size_t i = 0; i < suite->axes.size(); ++i) {
    for (const Axis& axis : overrides) {
      if (axis.name != suite->axes[i].name) continue;
      if (!changed) changed = std::make_shared<Suite>(*suite);
      changed->axes[i] = axis;
      changed->axes[i].zip = suite->axes[i].zip;  // other values still go with the same axis
      std::erase_if(changed->bench.axes,
                    [&](const Axis& other) { return other.name == axis.name; });
      for (ListedCase& listed : changed->cases) {
        for (Axis& own : listed.axes) {
          if (own.name == axis.name) own = axis;
        }
        listed.overridden = true;
      }
    }
  }
  return changed ? changed : suite;
}

void require_axes(const std::vector<std::shared_ptr<const Suite>>& suites,
                  const std::vector<Axis>& overrides) {
  std::vector<std::string> known;
  for (const auto& suite : suites) {
    for (const Axis& axis : suite->axes) known.push_back(axis.name);
  }
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (const Axis& axis : overrides) {
    if (std::binary_search(known.begin(), known.end(), axis.name)) continue;
    const std::string near = nearest(axis.name, known);
    throw usage_error(fmt::format("no suite has an axis `{}`", printable(axis.name)), axis.where,
                      !near.empty()   ? fmt::format("did you mean `{}`?", near)
                      : known.empty() ? "the suites have no axes"
                                      : "axes: " + join(known, ", "));
  }
}

std::vector<std::string> override_texts(const Case& which, const std::vector<Axis>& overrides) {
  std::vector<std::string> texts;
  for (const PointValue& point : which.point) {
    const bool overridden =
        std::ranges::any_of(overrides, [&](const Axis& axis) { return axis.name == point.name; });
    if (!overridden) continue;
    std::string text = point.name + "=" + axis_literal(point.value);
    if (id_text(point.value) != point.label) text += " as " + point.label;
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace warpmark
