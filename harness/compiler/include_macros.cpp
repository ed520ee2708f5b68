#include "compiler/include_macros.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "compiler/source_lines.hpp"
#include "compiler/source_tokens.hpp"

namespace warpmark {

namespace {

bool is_of_path(char c) {
  return is_word_character(c) || c == '/' || c == '.' || c == '-';
}

// The place behind blanks in front of `at`, those of lines that go on included.
size_t before_joined_blanks(std::string_view text, size_t at) {
  at = before_blanks(text, at);
  while (at > 0 && text[at - 1] == '\n' && goes_on(text, at - 1))
    at = before_blanks(text, before_blanks(text, at - 1) - 1);
  return at;
}

// The place of the hash in front of a directive's word, where both begin a line; npos if they do
// not.
size_t hash_before(std::string_view text, size_t word) {
  size_t hash = before_joined_blanks(text, word);
  if (text.substr(0, hash).ends_with('#')) {
    hash -= 1;
  } else if (text.substr(0, hash).ends_with("%:")) {
    hash -= 2;
  } else {
    return std::string_view::npos;
  }
  const size_t start = before_joined_blanks(text, hash);
  return start == 0 || text[start - 1] == '\n' ? hash : std::string_view::npos;
}

size_t behind_blanks(std::string_view text, size_t at) {
  while (at < text.size() && (is_blank(text[at]) || text.substr(at).starts_with("\\\n"))) {
    at += text[at] == '\\' ? 2 : 1;
  }
  return at;
}

// The name that a macro's body is, which begins at a token; "" if it is none.
void read_header(const std::string& line, const std::vector<SourceToken>& tokens, size_t body,
                 IncludeDirective& header) {
  if (tokens[body].kind == TokenKind::literal && body + 1 == tokens.size()) {
    const std::string_view name = tokens[body].text;
    header.name = name.size() > 2 ? name.substr(1, name.size() - 2) : "";
  } else if (tokens[body].text == "<") {
    header.angled = true;
    const size_t begin = tokens[body].end;
    const size_t end = line.find_first_of(">\n", begin);
    if (end != std::string::npos && line[end] == '>') header.name = line.substr(begin, end - begin);
  }
}

}  // namespace

const IncludeMacros::Meaning& IncludeMacros::known(const std::string& macro) {
  for (; indexed_ < texts_.size(); ++indexed_) index(texts_[indexed_]);
  Meaning& meaning = meanings_[macro];
  const auto found = definitions_.find(macro);
  if (found == definitions_.end()) return meaning;
  for (; meaning.read < found->second.size(); ++meaning.read) {
    const std::string_view behind_hash = found->second[meaning.read];
    read_definition(std::string(behind_hash.substr(0, end_of_lines(behind_hash, 0))), meaning);
  }
  return meaning;
}

void IncludeMacros::index(std::string_view text) {
  constexpr std::string_view kDefine = "define";
  for (const size_t word : places_of(text, kDefine)) {
    const size_t hash = hash_before(text, word);
    const size_t name = behind_blanks(text, word + kDefine.size());
    size_t end = name;
    while (end < text.size() && is_word_character(text[end])) ++end;
    if (hash != std::string_view::npos && name > word + kDefine.size() && end > name)
      definitions_[text.substr(name, end - name)].push_back(text.substr(hash));
  }
}

void IncludeMacros::read_definition(const std::string& line, Meaning& meaning) {
  const std::vector<SourceToken> tokens = source_tokens(line);
  if (tokens.size() < 4) return;  // the hash, `define`, the name and what it means
  const size_t behind = tokens[2].end;
  const auto rest =
      std::string(trim(std::string_view(line).substr(behind, line.find('\n', behind) - behind)));
  const bool has_parameters = line[behind] == '(';
  if (!rest.empty() && !has_parameters && std::ranges::all_of(rest, is_of_path))
    meaning.parts.insert(rest);
  IncludeDirective header;
  size_t body = 3;
  if (has_parameters && tokens.size() > 6 && tokens[5].text == ")") {
    header.argument = tokens[4].text;
    body = 6;
  }
  read_header(line, tokens, body, header);
  meaning.headers.push_back(std::move(header));
}

}  // namespace warpmark
