#include "cli/draft/struct_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.hpp"

namespace warpmark {
namespace {

constexpr int kMostNested = 16;

bool is_mark(const SourceToken& token, std::string_view text) {
  return token.text == text && !token.directive && token.kind != TokenKind::literal;
}

std::string last_name(std::string_view type) {
  const std::string_view plain = type.substr(0, type.find('<'));
  return std::string(plain.substr(plain.rfind(':') + 1));  // npos + 1 is 0
}

// "Pair<float, 4>" gives "float" and "4".
std::vector<std::string> template_arguments(std::string_view type) {
  const size_t open = type.find('<');
  const size_t close = type.rfind('>');
  std::vector<std::string> arguments;
  if (open == std::string_view::npos || close == std::string_view::npos) return arguments;
  int nested = 0;
  std::string text;
  for (const char c : type.substr(open + 1, close - open - 1)) {
    if (c == '<' || c == '(') ++nested;
    if (c == '>' || c == ')') --nested;
    if (c == ',' && nested == 0) {
      arguments.emplace_back(trim(text));
      text.clear();
    } else {
      text += c;
    }
  }
  arguments.emplace_back(trim(text));
  return arguments;
}

// Words of a declaration that are no part of a field's type.
bool is_qualifier(const std::string& word) {
  constexpr std::array kWords = {"const",        "volatile",  "mutable",  "struct",
                                 "__restrict__", "enum",      "typename", "__restrict",
                                 "class",        "constexpr", "typedef"};
  return std::ranges::find(kWords, word) != kWords.end();
}

// A type as written: its name, and the `*` behind it.
struct WrittenType {
  std::string name;
  size_t stars = 0;
};

}  // namespace

// Reads one struct and those in its fields.
class StructReader {
 public:
  explicit StructReader(const DraftTypes& types) : types_(types) {}

  bool read(const std::string& type) {
    if (++nested_ > kMostNested) return false;
    const bool good = read_one(type);
    --nested_;
    return good;
  }

  std::vector<DraftStruct> take() { return std::move(structs_); }

 private:
  using Names = std::map<std::string, std::string>;

  bool read_one(const std::string& type) {
    for (const DraftStruct& one : structs_) {
      if (one.name == type) return true;
    }
    const DraftTypes::Declared* found = find(type, "struct", "class");
    if (found == nullptr) return false;
    const Declaration& declaration = *found->declaration;
    tokens_ = found->tokens;
    const std::optional<Names> names = template_names(declaration, type);
    if (!names || has_base(declaration)) return false;
    DraftStruct one;
    one.name = type;
    const std::string inside = found->scope + last_name(type) + "::";
    std::string dtype;
    for (const Declaration& member : declaration.members) {
      tokens_ = found->tokens;
      if (!field(member, *names, inside, one, dtype)) return false;
    }
    const auto made_of = find_dtype("{" + dtype + "}");
    if (one.fields.empty() || !made_of) return false;
    one.dtype = *made_of;
    structs_.push_back(std::move(one));
    return true;
  }

  const SourceToken& token(size_t i) const { return (*tokens_)[i]; }
  bool is(size_t i, std::string_view text) const { return is_mark(token(i), text); }

  // The declaration with a body of this key word.
  const DraftTypes::Declared* find(const std::string& type, std::string_view key,
                                   std::string_view other) const {
    const std::string plain = type.substr(0, type.find('<'));
    const DraftTypes::Declared* found = nullptr;
    const auto [first, last] = types_.types_.equal_range(last_name(type));
    for (auto one = first; one != last; ++one) {
      const Declaration& declaration = *one->second.declaration;
      if (declaration.body == declaration.last) continue;
      bool has_key = false;
      for (size_t i = declaration.first; i < declaration.body; ++i) {
        const std::string& word = (*one->second.tokens)[i].text;
        if (word == "<" || word == ">") has_key = false;  // `class` of a template's parameter
        has_key = has_key || word == key || word == other;
      }
      if (!has_key) continue;
      if (found == nullptr || one->second.scope + one->first == plain) found = &one->second;
    }
    return found;
  }

  // The arguments of a template by the names of its parameters; nothing for a specialisation and
  // for parameters with other forms.
  std::optional<Names> template_names(const Declaration& declaration,
                                      const std::string& type) const {
    Names names;
    const std::vector<std::string> arguments = template_arguments(type);
    if (!is(declaration.first, "template")) {
      return arguments.empty() ? std::optional(names) : std::nullopt;
    }
    size_t count = 0;
    size_t i = declaration.first + 2;
    for (; i < declaration.body && !is(i, ">"); ++i) {
      if (is(i, "<")) return std::nullopt;
      const bool ends = is(i + 1, ",") || is(i + 1, ">") || is(i + 1, "=");
      if (token(i).kind != TokenKind::word || !ends || is(i - 1, "=")) continue;
      if (count == arguments.size()) return std::nullopt;
      names[token(i).text] = arguments[count++];
    }
    for (; i < declaration.body; ++i) {
      if (is(i, "<")) return std::nullopt;
    }
    return count == arguments.size() ? std::optional(names) : std::nullopt;
  }

  bool has_base(const Declaration& declaration) const {
    for (size_t i = declaration.first; i < declaration.body; ++i) {
      if (is(i, ":")) return true;
    }
    return false;
  }

  // Adds the fields of a member; false if a suite cannot describe it.
  bool field(const Declaration& member, const Names& names, const std::string& scope,
             DraftStruct& one, std::string& dtype) {
    const auto has = [&](std::string_view word) {
      for (size_t i = member.first; i < member.body; ++i) {
        if (is(i, word)) return true;
      }
      return false;
    };
    if (has("virtual")) return false;
    if (member.kind == DeclarationKind::type) {  // an anonymous one is a field as well
      const bool declares =
          !is(member.last - 1, ";") || member.last < 2 || is(member.last - 2, "}");
      return (declares && !member.names.empty()) || has("using") || has("typedef");
    }
    if (member.kind != DeclarationKind::variable || has("static") || has("friend") ||
        has("static_assert")) {
      return member.kind != DeclarationKind::macro;
    }
    if (has(":")) return false;  // a bit field
    return declarators(member, names, scope, one, dtype);
  }

  bool declarators(const Declaration& member, const Names& names, const std::string& scope,
                   DraftStruct& one, std::string& dtype) {
    const std::vector<SourceToken>& tokens = *tokens_;
    size_t at = member.first;
    const size_t end = is(member.last - 1, ";") ? member.last - 1 : member.last;
    const WrittenType base = written_type(at, end);
    while (at < end) {
      DraftField made;
      size_t stars = base.stars;
      for (; at < end && (is(at, "*") || is_qualifier(tokens[at].text)); ++at) {
        if (is(at, "*")) ++stars;
      }
      if (at == end || tokens[at].kind != TokenKind::word) return false;
      made.name = tokens[at++].text;
      while (at < end && is(at, "[")) {
        const std::optional<int64_t> extent = extent_of(at + 1, names);
        if (!extent || !is(at + 2, "]")) return false;
        made.extents.push_back(*extent);
        at += 3;
      }
      int nested = 0;  // skips the initialiser
      for (; at < end && !(nested == 0 && is(at, ",")); ++at) {
        if (is(at, "{") || is(at, "(")) ++nested;
        if (is(at, "}") || is(at, ")")) --nested;
      }
      ++at;
      const std::optional<std::string> of =
          stars > 0 ? pointer(base.name, names, scope, made)
                    : element(base.name, names, scope, made, kMostNested);
      tokens_ = &tokens;
      if (!of) return false;
      if (!dtype.empty()) dtype += ',';
      dtype += made.name + ":" + with_extents(*of, made.extents);
      one.fields.push_back(std::move(made));
    }
    return true;
  }

  // Extents of the array come first, those of a vector type behind them.
  static std::string with_extents(const std::string& of, const std::vector<int64_t>& extents) {
    std::string text;
    for (const int64_t extent : extents) text += fmt::format("[{}]", extent);
    const size_t end =
        of.starts_with('{') ? of.size() : std::min(of.find_first_of("[@"), of.size());
    return of.substr(0, end) + text + of.substr(end);
  }

  // Reads a type's words, up to the first declarator.
  WrittenType written_type(size_t& at, size_t end) const {
    WrittenType type;
    std::vector<std::string> words;
    bool after_scope = false;
    for (; at < end; ++at) {
      const SourceToken& one = token(at);
      if (one.directive) continue;
      if (is_qualifier(one.text)) continue;
      if (one.text.starts_with("__") && is(at + 1, "(")) {  // __align__(8)
        while (at < end && !is(at, ")")) ++at;
        continue;
      }
      if (one.text == "::") {
        if (!words.empty()) words.back() += "::";
        after_scope = !words.empty();
      } else if (one.text == "<" && !words.empty()) {
        int nested = 0;
        for (; at < end; ++at) {
          if (is(at, "<")) ++nested;
          if (is(at, ">")) --nested;
          words.back() += token(at).text + (is(at, ",") ? " " : "");
          if (nested == 0) break;
        }
      } else if (one.kind == TokenKind::word) {
        const bool more = at + 1 < end && (token(at + 1).kind == TokenKind::word ||
                                           is(at + 1, "*") || is(at + 1, "::") || is(at + 1, "<"));
        if (!more && !words.empty() && !after_scope) break;  // the name of the first declarator
        if (after_scope) {
          words.back() += one.text;
        } else {
          words.push_back(one.text);
        }
        after_scope = false;
      } else {
        break;
      }
    }
    type.name = join(words, " ");
    return type;
  }

  std::optional<int64_t> extent_of(size_t at, const Names& names) const {
    std::string text = token(at).text;
    if (const auto known = names.find(text); known != names.end()) text = known->second;
    int64_t value = 0;
    const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && last == text.data() + text.size();
    return whole && value > 0 ? std::optional(value) : std::nullopt;
  }

  std::optional<std::string> pointer(const std::string& type, const Names& names,
                                     const std::string& scope, DraftField& made) {
    DraftField to;
    const std::vector<DraftStruct> before = structs_;
    const bool is_plain = type != "void" && element(type, names, scope, to, 1).has_value();
    structs_ = before;  // a struct that is only pointed to is not described
    made.type = (is_plain && find_dtype(to.type) ? to.type : "void") + " *";
    return "uint64";
  }

  // The dtype of a type, as find_dtype takes it; sets the field's type.
  std::optional<std::string> element(const std::string& written, const Names& names,
                                     const std::string& scope, DraftField& made, int depth) {
    std::string type = written;
    if (const auto known = names.find(type); known != names.end()) type = known->second;
    if (const auto vector = vector_of_c_type(type)) {
      made.type = type;
      return fmt::format("{}[{}]@{}", vector->dtype.name, vector->count, vector->alignment);
    }
    if (const auto dtype = dtype_of_c_type(type)) {
      if (is_narrow_float(*dtype)) return std::nullopt;
      made.type = std::string(dtype->name);
      return made.type;
    }
    if (find(type, "enum", "enum") != nullptr) {
      made.type = "int32";
      return made.type;
    }
    if (depth > 0) {
      if (const auto other = alias_of(type); other && *other != type) {
        return element(*other, names, scope, made, depth - 1);
      }
    }
    if (depth <= 1) return std::nullopt;
    return structure(type, scope, made);
  }

  std::optional<std::string> structure(const std::string& type, const std::string& scope,
                                       DraftField& made) {
    const DraftTypes::Declared* found = find(type, "struct", "class");
    if (found == nullptr) return std::nullopt;
    const size_t open = type.find('<');
    const std::string name =
        found->scope + last_name(type) + (open == std::string::npos ? "" : type.substr(open));
    if (scope == name + "::" || !read(name)) return std::nullopt;
    made.type = name;
    for (const DraftStruct& one : structs_) {
      if (one.name == name) return std::string(one.dtype.name);
    }
    return std::nullopt;
  }

  // The type that `using type = …;` or `typedef … type;` names.
  std::optional<std::string> alias_of(const std::string& type) {
    const auto [first, last] = types_.types_.equal_range(last_name(type));
    for (auto one = first; one != last; ++one) {
      const Declaration& declaration = *one->second.declaration;
      tokens_ = one->second.tokens;
      size_t at = declaration.first;
      const bool is_using = is(at, "using");
      if ((!is_using && !is(at, "typedef")) || declaration.body != declaration.last) continue;
      at += is_using ? 3 : 1;
      const size_t end = declaration.last - (is_using ? 1 : 2);
      if (at >= end) continue;
      std::string text;
      bool is_plain = true;
      for (; at < end; ++at) {
        if (is_qualifier(token(at).text)) continue;
        const bool word = token(at).kind == TokenKind::word;
        is_plain = is_plain && (word || is(at, "::"));
        text += (word && !text.empty() && !text.ends_with(':') ? " " : "") + token(at).text;
      }
      if (is_plain) return text;
    }
    return std::nullopt;
  }

  const DraftTypes& types_;
  std::vector<DraftStruct> structs_;  ///< those that were read
  const std::vector<SourceToken>* tokens_ = nullptr;
  int nested_ = 0;
};

DraftTypes::DraftTypes(const std::vector<std::string_view>& sources) {
  tokens_.reserve(sources.size());
  declarations_.reserve(sources.size());
  for (const std::string_view source : sources) {
    tokens_.push_back(source_tokens(source));
    declarations_.push_back(declarations_of(tokens_.back()));
    add(declarations_.back(), tokens_.back(), "");
  }
}

void DraftTypes::add(const std::vector<Declaration>& declarations,
                     const std::vector<SourceToken>& tokens, const std::string& scope) {
  for (const Declaration& one : declarations) {
    std::string inner = scope;
    if (one.kind == DeclarationKind::scope) {
      inner += scope_name(one, tokens);
    } else if (one.kind == DeclarationKind::type) {
      for (const std::string& name : one.names) types_.insert({name, {scope, &one, &tokens}});
      if (!one.names.empty()) inner += one.names.front() + "::";
    }
    add(one.members, tokens, inner);
  }
}

std::vector<DraftStruct> DraftTypes::structs(const std::string& type) const {
  StructReader reader(*this);
  if (!reader.read(type)) return {};
  return reader.take();
}

bool DraftTypes::is_enum(std::string_view name) const {
  const auto [first, last] = types_.equal_range(name);
  return std::any_of(first, last, [](const auto& one) {
    const auto& [scope, declaration, tokens] = one.second;
    for (size_t i = declaration->first; i < declaration->body; ++i) {
      if ((*tokens)[i].text == "enum") return true;
    }
    return false;
  });
}

std::string types_text(const std::vector<DraftStruct>& structs) {
  std::string text;
  for (const DraftStruct& one : structs) {
    std::vector<std::string> fields;
    for (const DraftField& field : one.fields) {
      std::string type = field.type;
      if (type.find_first_of("<,:") != std::string::npos) type = "\"" + type + "\"";
      for (const int64_t extent : field.extents) type += fmt::format(", {}", extent);
      if (!field.extents.empty()) type = "[" + type + "]";
      fields.push_back(field.name + ": " + type);
    }
    const bool quoted = one.name.find_first_of("<,:") != std::string::npos;
    text += fmt::format("  {}: {{{}}}\n", quoted ? "\"" + one.name + "\"" : one.name,
                        join(fields, ", "));
  }
  return text;
}

}  // namespace warpmark
