// Resolution of symbols over several PTX texts, and their concatenation token by token.
#include "ptx/link.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <unordered_map>

#include "ptx/device_functions.hpp"
#include "ptx/error.hpp"
#include "ptx/lexer.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {
namespace {

// Symbols that the device itself provides, which no text defines.
struct Symbol {
  std::string_view name;
  Linkage linkage;
  bool defined;
};

std::vector<Symbol> symbols_of(const Module& module) {
  std::vector<Symbol> symbols;
  for (const Function& function : module.functions) {
    // Another module cannot call a kernel, but two of one name cannot be distinguished either.
    const Linkage linkage = function.entry ? Linkage::visible : function.linkage;
    symbols.push_back({function.name, linkage, function.has_body});
  }
  for (const Variable& variable : module.variables) {
    const bool dynamic = variable.space == Space::shared && variable.external;
    // Dynamic shared memory has no definition: all declarations mean the same bytes.
    if (!dynamic) symbols.push_back({variable.name, variable.linkage, !variable.external});
  }
  return symbols;
}

// Copies the tokens of one input with their blanks, less its header, with names and file numbers
// changed.
class Rewriter {
 public:
  Rewriter(std::string_view text, const std::unordered_map<std::string_view, std::string>& names,
           std::uint64_t first_file, std::string& out)
      : lexer_(text), text_(text), names_(names), first_file_(first_file), out_(out) {}

  /// Returns the highest file number that it wrote.
  std::uint64_t run() {
    const char* copied = text_.data();
    Token previous;
    for (Token token = lexer_.next(); token.kind != TokenKind::end; token = lexer_.next()) {
      if (token.is(".version") || token.is(".target") || token.is(".address_size")) {
        out_.append(copied, token.text.data());
        copied = skip_header_line(token);
        previous = {};
        continue;
      }
      const bool file = token.kind == TokenKind::integer &&
                        (previous.is(".file") || previous.is(".loc") || previous.is("inlined_at"));
      const auto name = token.kind == TokenKind::word ? names_.find(token.text) : names_.end();
      if (file || name != names_.end()) {
        out_.append(copied, token.text.data());
        if (file) {
          const std::uint64_t number = first_file_ + std::min<std::uint64_t>(token.value, 1 << 20);
          highest_ = std::max(highest_, number);
          out_ += std::to_string(number);
        } else {
          out_ += name->second;
        }
        copied = token.text.data() + token.text.size();
      }
      previous = token;
    }
    out_.append(copied, text_.data() + text_.size());
    out_ += '\n';
    return highest_;
  }

 private:
  const char* skip_header_line(const Token& token) const {
    const char* end = text_.data() + text_.size();
    return std::find(token.text.data(), end, '\n');
  }

  Lexer lexer_;
  std::string_view text_;
  const std::unordered_map<std::string_view, std::string>& names_;
  std::uint64_t first_file_;
  std::uint64_t highest_ = first_file_;
  std::string& out_;
};

}  // namespace

std::string link_ptx(const std::vector<LinkInput>& inputs) {
  std::vector<Module> modules;
  std::string problems;
  const auto problem = [&](const std::string& line) { problems += line + "\n"; };
  for (const LinkInput& input : inputs) {
    try {
      modules.push_back(parse_ptx(input.text));
    } catch (const PtxError& error) {
      problem(input.name + ", " + error.what());
    }
  }
  if (!problems.empty()) throw LinkError(problems);
  if (modules.empty()) throw LinkError("there is nothing to link\n");
  struct Definition {
    std::size_t input;
    Linkage linkage;
  };
  std::unordered_map<std::string_view, Definition> global;
  std::unordered_map<std::string_view, std::size_t> first_user;  // of local names
  std::set<std::string_view> taken;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    for (const Symbol& symbol : symbols_of(modules[i])) {
      taken.insert(symbol.name);
      if (!symbol.defined || symbol.linkage == Linkage::local) continue;
      const auto [known, fresh] = global.emplace(symbol.name, Definition{i, symbol.linkage});
      if (fresh) continue;
      if (known->second.linkage == Linkage::visible && symbol.linkage == Linkage::visible) {
        problem("multiple definition of '" + std::string(symbol.name) + "' in '" + inputs[i].name +
                "', first defined in '" + inputs[known->second.input].name + "'");
      } else if (symbol.linkage == Linkage::visible) {
        known->second = {i, symbol.linkage};
      }
    }
  }
  for (std::size_t i = 0; i < modules.size(); ++i) {
    for (const Symbol& symbol : symbols_of(modules[i])) {
      if (symbol.linkage != Linkage::external || symbol.defined || global.contains(symbol.name) ||
          is_device_function(symbol.name))
        continue;
      problem("undefined reference to '" + std::string(symbol.name) + "' in '" + inputs[i].name +
              "'");
    }
  }
  if (!problems.empty()) throw LinkError(problems);
  std::uint32_t version = 0;
  for (const Module& module : modules) version = std::max(version, module.version);
  std::string out = ".version " + std::to_string(version / 10) + "." +
                    std::to_string(version % 10) + "\n.target " +
                    std::string(modules.front().target) + "\n.address_size 64\n";
  std::uint64_t files = 0;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    std::unordered_map<std::string_view, std::string> names;
    for (const Symbol& symbol : symbols_of(modules[i])) {
      if (symbol.linkage != Linkage::local) continue;
      const bool clashes =
          global.contains(symbol.name) || first_user.emplace(symbol.name, i).first->second != i;
      if (!clashes) continue;
      std::string name;
      for (std::size_t number = i; taken.contains(name) || name.empty(); number += modules.size())
        name = std::string(symbol.name) + "$" + std::to_string(number);
      names.emplace(symbol.name, name);
    }
    files = Rewriter(*modules[i].text, names, files, out).run();
  }
  return out;
}

}  // namespace warpmark::cpu
