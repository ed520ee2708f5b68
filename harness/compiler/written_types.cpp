#include "compiler/written_types.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "compiler/declared_kernels.hpp"
#include "compiler/source_tokens.hpp"

namespace warpmark {

namespace {

// The words of one level of a type: "unsigned int const", or what stands behind a star.
struct Level {
  std::set<std::string, std::less<>> words;
  size_t longs = 0;

  bool take(std::string_view word) { return words.erase(std::string(word)) > 0; }
};

// C++'s name of a number's type, without qualifiers.
std::optional<std::string> number_type(Level level) {
  for (const char* whole : {"float", "double", "bool", "void"}) {
    if (level.words.contains(whole)) {
      if (level.words.size() > 1 || level.longs > 0) return std::nullopt;
      return whole;
    }
  }
  const bool is_unsigned = level.take("unsigned"), is_signed = level.take("signed");
  if (is_unsigned && is_signed) return std::nullopt;
  const std::string sign = is_unsigned ? "unsigned " : "";
  if (level.take("char")) {
    if (!level.words.empty() || level.longs > 0) return std::nullopt;
    return is_signed ? "signed char" : sign + "char";
  }
  const bool is_short = level.take("short"), is_int = level.take("int");
  if (!level.words.empty() || (is_short && level.longs > 0) || level.longs > 2) return std::nullopt;
  if (is_short) return sign + "short";
  if (level.longs > 0) return sign + (level.longs == 1 ? "long" : "long long");
  return is_int || is_unsigned || is_signed ? std::optional(sign + "int") : std::nullopt;
}

std::string qualifiers(const Level& level) {
  std::string text;
  for (const char* one : {"const", "volatile"}) {
    if (level.words.contains(one)) text += std::string(" ") + one;
  }
  return text;
}

// The type as a demangler writes it. What is const, volatile or restricted at the outermost level is
// no part of a function's type.
std::optional<std::string> written_type(const std::string& text,
                                        const std::set<std::string>& macros) {
  std::vector<Level> levels(1);
  for (const SourceToken& token : source_tokens(text)) {
    if (token.text == "*") {
      levels.emplace_back();
    } else if (token.kind != TokenKind::word || macros.contains(token.text)) {
      return std::nullopt;
    } else if (token.text == "long") {
      ++levels.back().longs;
    } else if (!levels.back().words.insert(token.text).second) {
      return std::nullopt;
    }
  }
  std::string made;
  for (size_t i = 0; i < levels.size(); ++i) {
    Level level = levels[i];
    std::string own = i + 1 < levels.size() ? qualifiers(level) : "";
    level.take("const");
    level.take("volatile");
    if (i == 0) {
      const auto number = number_type(level);
      if (!number) return std::nullopt;
      made = *number + own;
      continue;
    }
    level.take("__restrict__");
    level.take("__restrict");
    if (!level.words.empty() || level.longs > 0) return std::nullopt;
    made += "*" + own;
  }
  return made;
}

// The macros that the source defines; nothing if it has conditions, too.
std::optional<std::set<std::string>> macros_of(const std::string& source) {
  const std::vector<SourceToken> tokens = source_tokens(source);
  std::set<std::string> macros;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].opens) continue;
    const std::string& word = tokens[i + 1].text;
    if (word.starts_with("if")) return std::nullopt;
    if (word == "define" && i + 2 < tokens.size()) macros.insert(tokens[i + 2].text);
  }
  return macros;
}

}  // namespace

std::map<std::string, std::string> written_types(const CompileUnit& unit) {
  std::map<std::string, std::string> types;
  const bool is_alone = std::ranges::none_of(
      unit.headers, [](const Header& header) { return header.handed_in || !header.path.empty(); });
  const auto macros = is_alone ? macros_of(unit.source) : std::nullopt;
  if (!macros) return types;
  std::set<std::string> seen;
  for (const DeclaredKernel& kernel : declared_kernels(unit.source)) {
    if (!seen.insert(kernel.name).second) {
      types.erase(kernel.name);
      continue;
    }
    std::vector<std::string> list;
    bool known = kernel.scope.empty() && !kernel.is_template && !macros->contains(kernel.name);
    for (const DeclaredParameter& parameter : kernel.parameters) {
      const auto type = known && !macros->contains(parameter.name)
                            ? written_type(parameter.type, *macros)
                            : std::nullopt;
      known = type.has_value();
      if (!known) break;
      list.push_back(*type);
    }
    if (known && !list.empty()) types[kernel.name] = "(" + join(list, ", ") + ")";
  }
  return types;
}

}  // namespace warpmark
