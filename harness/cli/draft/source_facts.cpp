#include "cli/draft/source_facts.hpp"

#include "compiler/source_tokens.hpp"

namespace warpmark {
namespace {

bool is(const std::vector<SourceToken>& tokens, size_t i, std::string_view text) {
  return i < tokens.size() && tokens[i].text == text && !tokens[i].directive &&
         tokens[i].kind != TokenKind::literal;
}

bool is_image_function(const std::string& name) {
  const bool has_prefix = name.starts_with("tex") || name.starts_with("surf");
  const size_t digit = name.find_first_of("123");
  return (has_prefix && digit != std::string::npos && digit + 1 < name.size() &&
          name[digit + 1] == 'D') ||
         name.starts_with("texCubemap") || name.starts_with("surfCubemap");
}

// Reads the call at `at`, if it is one.
void add_image_call(const std::vector<SourceToken>& tokens, size_t at,
                    std::vector<ImageCall>& calls) {
  ImageCall call;
  call.function = tokens[at].text;
  if (is(tokens, ++at, "<")) {
    for (++at; at < tokens.size() && !is(tokens, at, ">") && !is(tokens, at, ";"); ++at) {
      call.element += (call.element.empty() ? "" : " ") + tokens[at].text;
    }
    ++at;
  }
  if (!is(tokens, at, "(")) return;
  int nested = 0;
  size_t words = 0;
  std::string argument;
  for (; at < tokens.size() && !is(tokens, at, ";") && call.arguments.size() < 2; ++at) {
    if (is(tokens, at, "(") && nested++ == 0) continue;
    const bool ends = is(tokens, at, ")") && --nested == 0;
    if (ends || (nested == 1 && is(tokens, at, ","))) {
      call.arguments.push_back(words == 1 ? argument : "");
      words = 0;
      if (ends) break;
      continue;
    }
    argument = tokens[at].text;
    ++words;
  }
  calls.push_back(std::move(call));
}

void add_constants(const std::vector<Declaration>& declarations,
                   const std::vector<SourceToken>& tokens, const std::string& scope,
                   std::vector<DeclaredConstant>& constants) {
  for (const Declaration& one : declarations) {
    if (one.kind == DeclarationKind::scope) {
      add_constants(one.members, tokens, scope + scope_name(one, tokens), constants);
      continue;
    }
    if (one.kind != DeclarationKind::variable) continue;
    bool is_constant = false, has_value = false, is_extern = false;
    for (size_t i = one.first; i < one.last; ++i) {
      is_constant = is_constant || is(tokens, i, "__constant__");
      has_value = has_value || is(tokens, i, "=") || is(tokens, i, "{");
      is_extern = is_extern || is(tokens, i, "extern");
    }
    if (!is_constant || is_extern) continue;
    for (const std::string& name : one.names) constants.push_back({scope + name, has_value});
  }
}

}  // namespace

SourceFacts::SourceFacts(const std::vector<std::string_view>& sources) : types(sources) {
  for (const std::string_view source : sources) {
    for (DeclaredKernel& one : declared_kernels(source)) kernels.push_back(std::move(one));
    const std::vector<SourceToken> tokens = source_tokens(source);
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind == TokenKind::word && is_image_function(tokens[i].text)) {
        add_image_call(tokens, i, image_calls);
      }
    }
    add_constants(declarations_of(tokens), tokens, "", constants);
  }
}

const DeclaredKernel* SourceFacts::find(const std::string& called, size_t parameters) const {
  const std::string plain = called.substr(0, called.find('<'));
  const std::string name = plain.substr(plain.rfind(':') + 1);  // npos + 1 is 0
  const DeclaredKernel* found = nullptr;
  for (const DeclaredKernel& one : kernels) {
    if (one.name != name || one.parameters.size() != parameters) continue;
    if (found == nullptr || one.scope + one.name == plain) found = &one;
  }
  return found;
}

}  // namespace warpmark
