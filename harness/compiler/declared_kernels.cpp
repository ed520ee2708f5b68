#include "compiler/declared_kernels.hpp"

#include "base/characters.hpp"
#include "base/text.hpp"
#include "compiler/declarations.hpp"
#include "compiler/signature.hpp"

namespace warpmark {
namespace {

// "const float *x", "float a[16]", "int n = 3". Pointers to functions have no name that is found.
DeclaredParameter declared_parameter(std::string_view text) {
  text = trim(text.substr(0, text.find('=')));
  const size_t bracket = text.find('[');
  std::string_view head = trim(text.substr(0, bracket));
  size_t begin = head.size();
  while (begin > 0 && is_word_character(head[begin - 1])) --begin;
  std::string_view name = head.substr(begin);
  std::string_view type = trim(head.substr(0, begin));
  // A single word is a type, and so is the last word of "unsigned int".
  const bool is_type = dtype_of_c_type(name) && dtype_of_c_type(head);
  if (type.empty() || is_type || name.starts_with("__")) {
    type = head;
    name = {};
  }
  return {std::string(name), std::string(type) + (bracket == std::string_view::npos ? "" : " *")};
}

class KernelReader {
 public:
  explicit KernelReader(std::string_view source) : tokens_(source_tokens(source)) {}

  std::vector<DeclaredKernel> run() {
    members(declarations_of(tokens_), "");
    return std::move(kernels_);
  }

 private:
  void members(const std::vector<Declaration>& declarations, const std::string& scope) {
    for (const Declaration& one : declarations) {
      if (one.kind == DeclarationKind::scope) {
        members(one.members, scope + scope_name(one, tokens_));
      } else if (one.kind == DeclarationKind::function) {
        function(one, scope);
      }
    }
  }

  bool is(size_t i, std::string_view text) const {
    return tokens_[i].text == text && !tokens_[i].directive &&
           tokens_[i].kind != TokenKind::literal;
  }

  void function(const Declaration& one, const std::string& scope) {
    size_t mark = one.first;
    while (mark < one.body && !is(mark, "__global__")) ++mark;
    const bool is_template = is(one.first, "template");
    // `template __global__ void k<float>(float *);` names no further kernel.
    if (mark == one.body || (is_template && !is(one.first + 1, "<"))) return;
    const auto [open, close] = parameters_of(mark + 1, one.body);
    if (open == close) return;
    const size_t named = is(open - 1, ">") ? opening_bracket(tokens_, open - 1, "<>") : open;
    if (named - 1 >= open || tokens_[named - 1].kind != TokenKind::word) return;
    DeclaredKernel kernel;
    kernel.name = tokens_[named - 1].text;
    kernel.scope = scope;
    kernel.line = tokens_[named - 1].line;
    kernel.is_template = is_template;
    if (is_template) kernel.template_head = text_of(one.first, end_of_template(one.first));
    kernel.text = shortened(kernel.template_head + (is_template ? " " : "") + scope +
                            text_of(named - 1, close));
    const auto texts = parameter_types(text_of(open, close));
    for (const std::string& text : texts.value_or(std::vector<std::string>())) {
      kernel.parameters.push_back(declared_parameter(text));
    }
    kernels_.push_back(std::move(kernel));
  }

  // The last group behind a name that is no attribute, as indices of its "(" and past its ")".
  std::pair<size_t, size_t> parameters_of(size_t begin, size_t end) const {
    std::pair<size_t, size_t> found;
    for (size_t i = begin; i < end; ++i) {
      if (!is(i, "(")) continue;
      const size_t close = closing_bracket(tokens_, i, end, "()") + 1;
      if (close > end) return {};
      const bool is_attribute = tokens_[i - 1].text.starts_with("__");
      if (i > begin && !is_attribute) found = {i, close};
      i = close - 1;
    }
    return found;
  }

  // The place behind the parameters of a template; of its first bracket if nothing closes it.
  size_t end_of_template(size_t first) const {
    const size_t close = closing_bracket(tokens_, first + 1, tokens_.size(), "<>");
    return close < tokens_.size() ? close + 1 : first + 1;
  }

  // The source from one token to another on one line, without comments and directives.
  std::string text_of(size_t begin, size_t end) const {
    std::string text;
    for (size_t i = begin; i < end; ++i) {
      if (tokens_[i].directive) continue;
      if (!text.empty() && tokens_[i - 1].end < tokens_[i].begin) text += ' ';
      text += tokens_[i].text;
    }
    return text;
  }

  static std::string shortened(const std::string& text) {
    constexpr size_t kLongest = 120;
    const std::string line = printable(text);
    return line.size() > kLongest ? line.substr(0, kLongest) + " …" : line;
  }

  std::vector<SourceToken> tokens_;
  std::vector<DeclaredKernel> kernels_;
};

}  // namespace

std::vector<DeclaredKernel> declared_kernels(std::string_view source) {
  return KernelReader(source).run();
}

}  // namespace warpmark
