#include "compiler/device_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "base/text.hpp"
#include "compiler/declarations.hpp"
#include "compiler/host_headers.hpp"
#include "compiler/source_tokens.hpp"

namespace warpmark {

namespace {

// The execution and memory spaces of a declaration, as bits.
using Spaces = unsigned;
constexpr Spaces kKernel = 1, kDevice = 2, kHost = 4, kMemory = 8, kConstexpr = 16;

Spaces space_of(std::string_view word) {
  static const std::map<std::string_view, Spaces> kWords = {
      {"__global__", kKernel},   {"__device__", kDevice},  {"__host__", kHost},
      {"__constant__", kMemory}, {"__shared__", kMemory},  {"__managed__", kMemory},
      {"constexpr", kConstexpr}, {"consteval", kConstexpr}};
  const auto found = kWords.find(word);
  return found == kWords.end() ? 0 : found->second;
}

// A macro of a header that is not at hand: C10_HOST_DEVICE, CUTLASS_DEVICE.
Spaces space_of_unknown(const std::string& word) {
  const bool is_capitals = std::ranges::none_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
  if (!is_capitals || word.find("DEVICE") == std::string::npos) return 0;
  return kDevice | (word.find("HOST") == std::string::npos ? 0 : kHost);
}

struct Macro {
  std::vector<std::string> words;  ///< of all its definitions, of functions for the CPU as well
  Spaces spaces = 0;
  bool is_known = false;  ///< `spaces` is
};

// A text with its tokens and declarations.
struct Parsed {
  const DeviceText* given = nullptr;
  std::vector<SourceToken> tokens;
  std::vector<Declaration> declarations;
  std::vector<std::pair<int, int>> shifts;  ///< of line numbers, from a line on, by `#line`
};

// A declaration at namespace scope, or a type within a class.
struct Node {
  Parsed* in = nullptr;
  Declaration* declaration = nullptr;
  Spaces spaces = 0;
  bool kept = false;
};

// A change of a text.
struct Edit {
  size_t begin = 0, end = 0;  ///< bytes that become blanks
  std::string before;         ///< put there
  bool in_macro = false;      ///< part of a `#define`, whose lines stay joined
};

class Cutter {
 public:
  Cutter(const std::vector<DeviceText>& texts, const DeviceNeeds& needs) : needs_(needs) {
    for (const DeviceText& text : texts) {
      Parsed& parsed = parsed_.emplace_back();
      parsed.given = &text;
      parsed.tokens = source_tokens(text.text);
      read_directives(parsed);
    }
    for (Parsed& parsed : parsed_) {
      parsed.declarations = declarations_of(parsed.tokens);
      collect(parsed, parsed.declarations);
    }
    for (Node& node : nodes_) {
      for (const std::string& name : node.declaration->names) by_name_[name].push_back(&node);
    }
  }

  DevicePart run() {
    mention("operator");  // it is called without its name
    for (const std::string& wanted : needs_.wanted) {
      for (const SourceToken& token : source_tokens(wanted)) mention(token.text);
    }
    for (Node& node : nodes_) {
      part_.has_kernel = part_.has_kernel || (node.spaces & kKernel) != 0;
      if (is_root(node)) keep(node);
    }
    while (!open_.empty()) {
      const std::string word = std::move(open_.front());
      open_.pop_front();
      follow(word);
    }
    for (Parsed& parsed : parsed_) part_.texts.push_back(cut(parsed));
    return std::move(part_);
  }

 private:
  // Macros, and numbers of lines.
  void read_directives(Parsed& parsed) {
    const std::vector<SourceToken>& tokens = parsed.tokens;
    for (size_t i = 0; i + 2 < tokens.size(); ++i) {
      if (!tokens[i].opens) continue;
      if (tokens[i + 1].text == "line" && tokens[i + 2].kind == TokenKind::number) {
        int given = 1;
        const std::string& digits = tokens[i + 2].text;
        std::from_chars(digits.data(), digits.data() + digits.size(), given);
        parsed.shifts.emplace_back(tokens[i].line + 1, given - tokens[i].line - 1);
      }
      if (tokens[i + 1].text == "define" && tokens[i + 2].kind == TokenKind::word) {
        Macro& macro = macros_[tokens[i + 2].text];
        for (size_t at = i + 3; at < tokens.size() && tokens[at].directive && !tokens[at].opens;
             ++at) {
          if (tokens[at].kind == TokenKind::word) macro.words.push_back(tokens[at].text);
        }
      }
    }
  }

  Spaces spaces_of_word(const std::string& word) {
    if (const Spaces own = space_of(word)) return own;
    const auto found = macros_.find(word);
    if (found == macros_.end()) return space_of_unknown(word);
    Macro& macro = found->second;
    if (!macro.is_known) {
      macro.is_known = true;  // first, because a macro may name itself
      for (const std::string& inner : macro.words) macro.spaces |= spaces_of_word(inner);
    }
    return macro.spaces;
  }

  // The spaces in the head of a declaration: a lambda in a body has its own.
  Spaces spaces_of(const Parsed& in, const Declaration& one) {
    Spaces spaces = 0;
    for (size_t i = one.first; i < one.body; ++i) {
      const SourceToken& token = in.tokens[i];
      if (token.kind == TokenKind::word && !token.directive) spaces |= spaces_of_word(token.text);
    }
    return spaces;
  }

  void collect(Parsed& in, std::vector<Declaration>& declarations) {
    for (Declaration& one : declarations) {
      if (one.kind == DeclarationKind::scope) {
        collect(in, one.members);
      } else {
        nodes_.push_back({&in, &one, spaces_of(in, one), false});
        collect_nested(in, one);
      }
    }
  }

  // Types within classes are kept if something names them.
  void collect_nested(Parsed& in, Declaration& outer) {
    for (Declaration& one : outer.members) {
      if (!is_nested_type(one)) continue;
      nodes_.push_back({&in, &one, 0, false});
      nested_[&one] = &nodes_.back();
      collect_nested(in, one);
    }
  }

  // A class with a name and members, without an object of it.
  static bool is_nested_type(const Declaration& one) {
    return one.kind == DeclarationKind::type && !one.members.empty() && one.names.size() == 1;
  }
  bool is_kept(const Declaration& member) const {
    const auto nested = nested_.find(&member);
    return nested == nested_.end() || nested->second->kept;
  }

  bool is_root(const Node& node) const {
    // A macro may make any name.
    const bool is_made = macros_.contains(node.in->tokens[node.declaration->first].text);
    if (is_made && (node.spaces & kDevice) != 0) {
      return is_usable(*node.in, *node.declaration, node.spaces);
    }
    if (node.declaration->kind == DeclarationKind::type) return false;
    if ((node.spaces & (kKernel | kMemory)) != 0) return true;
    // nvcc refuses a mistake in any device function of a source.
    return node.spaces == kDevice && node.in->given->name.empty();
  }

  bool runs_on_device(Spaces spaces) const {
    return (spaces & (kKernel | kDevice | kMemory)) != 0 ||
           (needs_.default_device && (spaces & kHost) == 0);
  }

  // True if kernels can use the declaration, if they reach it.
  bool is_usable(const Parsed& in, const Declaration& one, Spaces spaces) const {
    // Device code never instantiates what is for both sides and takes types of the CPU.
    const bool is_for_both = one.kind == DeclarationKind::function && (spaces & kHost) != 0;
    if (runs_on_device(spaces)) return !is_for_both || !needs_host_std(in, one.first, one.body);
    switch (one.kind) {
      case DeclarationKind::function:
        // A guide to a class's arguments is no function.
        return (spaces & kConstexpr) != 0 || (one.body == one.last && is_guide(in, one));
      case DeclarationKind::macro:
        return false;
      case DeclarationKind::variable:
        return is_constant(in, one) && !needs_host_std(in, one.first, one.last);
      default:
        return true;
    }
  }

  static bool has_word(const Parsed& in, size_t first, size_t last,
                       std::initializer_list<std::string_view> words) {
    for (size_t i = first; i < last; ++i) {
      if (std::ranges::find(words, in.tokens[i].text) != words.end()) return true;
    }
    return false;
  }

  // Device code can use the value of a constant, and no other variable of the CPU.
  static bool is_constant(const Parsed& in, const Declaration& one) {
    return has_word(in, one.first, one.last, {"const", "constexpr", "concept", "extern"});
  }

  static bool is_guide(const Parsed& in, const Declaration& one) {
    for (size_t i = one.first; i + 2 < one.last; ++i) {
      if (in.tokens[i].text == ")" && in.tokens[i + 1].text == "-" && in.tokens[i + 2].text == ">")
        return true;
    }
    return false;
  }

  // True if it names a part of std that device code does not have.
  static bool needs_host_std(const Parsed& in, size_t first, size_t last) {
    for (size_t i = first; i + 2 < last; ++i) {
      if (in.tokens[i].text == "std" && in.tokens[i + 1].text == "::" &&
          is_host_std(in.tokens[i + 2].text)) {
        return true;
      }
    }
    return false;
  }

  // True if a member of a class that is kept stays in it.
  bool stays(const Parsed& in, const Declaration& member) {
    const Spaces spaces = spaces_of(in, member);
    if (member.kind == DeclarationKind::type)
      return !needs_host_std(in, member.first, member.last) || member.body != member.last;
    if (member.kind == DeclarationKind::function) {
      const bool is_given = in.tokens[member.last - 1].text == ";" &&
                            member.last - member.first > 3 &&
                            (in.tokens[member.last - 2].text == "default" ||
                             in.tokens[member.last - 2].text == "delete");
      return is_given || is_usable(in, member, spaces) || is_virtual(in, member);
    }
    if (member.kind == DeclarationKind::macro) return runs_on_device(spaces);
    if (member.kind == DeclarationKind::variable && in.tokens[member.first].text == "static")
      return is_usable(in, member, spaces);
    return true;
  }

  // Leaving it out would change the layout of the class.
  static bool is_virtual(const Parsed& in, const Declaration& member) {
    return has_word(in, member.first, member.body, {"virtual"});
  }

  void mention(const std::string& word) {
    if (mentioned_.insert(word).second) open_.push_back(word);
  }

  void follow(const std::string& word) {
    if (const auto macro = macros_.find(word); macro != macros_.end()) {
      for (const std::string& inner : macro->second.words) mention(inner);
    }
    const auto found = by_name_.find(word);
    if (found == by_name_.end()) return;
    for (Node* node : found->second) {
      if (is_usable(*node->in, *node->declaration, node->spaces)) keep(*node);
    }
  }

  void keep(Node& node) {
    if (node.kept) return;
    node.kept = true;
    mention_words(*node.in, *node.declaration);
  }

  void mention_words(const Parsed& in, const Declaration& one) {
    if (one.kind != DeclarationKind::type || one.members.empty()) {
      return mention_between(in, one.first, one.last);
    }
    size_t at = one.first;
    for (const Declaration& member : one.members) {
      mention_between(in, at, member.first);
      if (!nested_.contains(&member) && stays(in, member)) mention_words(in, member);
      at = member.last;
    }
    mention_between(in, at, one.last);
  }

  void mention_between(const Parsed& in, size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      if (in.tokens[i].kind == TokenKind::word && !in.tokens[i].directive)
        mention(in.tokens[i].text);
    }
  }

  std::string cut(Parsed& parsed) {
    edits_.clear();
    cut_includes(parsed);
    cut_macros(parsed);
    for (const Node& node : nodes_) {
      if (node.in == &parsed && !nested_.contains(node.declaration)) cut(parsed, node);
    }
    return edited(parsed);
  }

  void cut_includes(const Parsed& parsed) {
    const std::vector<SourceToken>& tokens = parsed.tokens;
    for (size_t i = 0; i + 2 < tokens.size(); ++i) {
      if (!tokens[i].opens || tokens[i + 1].text != "include") continue;
      const SourceToken& name = tokens[i + 2];
      if (name.kind != TokenKind::header) continue;
      const bool angled = parsed.given->text[name.begin - 1] == '<';
      if (!needs_.lacks_header(name.text, angled)) continue;
      edits_.push_back({tokens[i].begin, name.end + 1, ""});
      part_.headers.push_back(name.text);
      say(parsed, angled ? fmt::format("#include <{}>", name.text)
                         : fmt::format("#include \"{}\"", name.text));
    }
  }

  // Leaves functions for the CPU out of macros that make kernels as well.
  void cut_macros(const Parsed& parsed) {
    const std::vector<SourceToken>& tokens = parsed.tokens;
    for (size_t i = 0; i + 3 < tokens.size(); ++i) {
      if (!tokens[i].opens || tokens[i + 1].text != "define") continue;
      size_t end = i + 3;
      while (end < tokens.size() && tokens[end].directive && !tokens[end].opens) ++end;
      if ((spaces_of_word(tokens[i + 2].text) & kKernel) == 0) continue;
      size_t begin = i + 3;
      if (tokens[begin].text == "(" && tokens[begin].begin == tokens[i + 2].end) {
        while (begin < end && tokens[begin].text != ")") ++begin;
        ++begin;
      }
      Parsed body;
      body.tokens.assign(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                         tokens.begin() + static_cast<std::ptrdiff_t>(end));
      for (SourceToken& token : body.tokens) token.directive = false;
      const size_t before = edits_.size();
      for (const Declaration& one : declarations_of(body.tokens)) cut_in_macro(body, one);
      if (edits_.size() == before) continue;
      say(parsed, fmt::format("functions in the macro {} in line {}", tokens[i + 2].text,
                              line_of(parsed, i + 2)));
    }
  }

  void cut_in_macro(const Parsed& body, const Declaration& one) {
    if (one.kind != DeclarationKind::function || !is_whole(body, one)) return;
    if ((spaces_of(body, one) & (kKernel | kDevice | kConstexpr)) != 0) return;
    edits_.push_back({body.tokens[one.first].begin, body.tokens[one.last - 1].end, "", true});
  }

  void cut(const Parsed& in, const Node& node) {
    const Declaration& one = *node.declaration;
    if (one.kind == DeclarationKind::using_namespace) return open_namespace(in, one);
    const bool is_harmless = one.kind == DeclarationKind::assertion && mentions_kept_only(in, one);
    if (is_harmless) return;
    if (!node.kept) return leave_out(in, one, node.spaces);
    share(in, one, node.spaces);
    cut_members(in, one);
  }

  void cut_members(const Parsed& in, const Declaration& one) {
    if (one.kind != DeclarationKind::type) return;
    for (const Declaration& member : one.members) {
      if (stays(in, member) && is_kept(member)) {
        share(in, member, spaces_of(in, member));
        cut_members(in, member);
      } else {
        leave_out(in, member, 0);
      }
    }
  }

  // A `constexpr` function becomes one of both sides: device code may use it at compile time, which
  // NVRTC allows only if it is annotated.
  void share(const Parsed& in, const Declaration& one, Spaces spaces) {
    if (one.kind != DeclarationKind::function || runs_on_device(spaces)) return;
    if ((spaces & kConstexpr) == 0) return;
    for (size_t i = one.first; i < one.body; ++i) {
      if (in.tokens[i].text != "constexpr" || in.tokens[i].directive) continue;
      edits_.push_back({in.tokens[i].begin, in.tokens[i].begin, "__host__ __device__ "});
      return;
    }
  }

  // `using namespace a::b;` needs the namespace, even if nothing of it is used.
  void open_namespace(const Parsed& in, const Declaration& one) {
    std::string open, close;
    for (size_t i = one.first + 2; i < one.last; ++i) {
      const SourceToken& token = in.tokens[i];
      if (token.kind != TokenKind::word || token.directive) continue;
      const auto found = by_name_.find(token.text);  // an alias has a declaration
      if (found != by_name_.end()) return;
      open += "namespace " + token.text + " { ";
      close += "} ";
    }
    const size_t begin = in.tokens[one.first].begin;
    edits_.push_back({begin, begin, open + close});
  }

  bool mentions_kept_only(const Parsed& in, const Declaration& one) const {
    if (needs_host_std(in, one.first, one.last)) return false;
    for (size_t i = one.first; i < one.last; ++i) {
      const auto found = by_name_.find(in.tokens[i].text);
      if (in.tokens[i].kind != TokenKind::word || found == by_name_.end()) continue;
      const bool any =
          std::ranges::any_of(found->second, [](const Node* node) { return node->kept; });
      if (!any) return false;
    }
    return true;
  }

  // False for what no compiler takes: its error is for the author.
  static bool is_whole(const Parsed& in, const Declaration& one) {
    const std::string& last = in.tokens[one.last - 1].text;
    if (one.kind == DeclarationKind::macro) return true;
    return last == ";" || (last == "}" && one.kind == DeclarationKind::function);
  }

  void leave_out(const Parsed& in, const Declaration& one, Spaces spaces) {
    if (!is_whole(in, one)) return;
    edits_.push_back({in.tokens[one.first].begin, in.tokens[one.last - 1].end, ""});
    const int first = line_of(in, one.first), last = line_of(in, one.last - 1);
    const std::string& file = in.given->name;
    for (const std::string& each : one.names) {
      part_.names.emplace(each, fmt::format("line {}{}", first, file.empty() ? "" : " of " + file));
    }
    const std::string name = one.names.empty() ? "" : one.names.front();
    if (one.kind == DeclarationKind::function && (spaces & kDevice) == 0) {
      say(in, one.body == one.last ? fmt::format("the prototype of {}() in line {}", name, first)
              : first == last      ? fmt::format("{}() in line {}", name, first)
                                   : fmt::format("{}() in lines {} to {}", name, first, last));
    } else if (one.kind == DeclarationKind::variable) {
      say(in, fmt::format("the variable `{}` in line {}", name, first));
    } else if (one.kind == DeclarationKind::macro) {
      say(in, fmt::format("{}(…) in line {}", name, first));
    }
  }

  void say(const Parsed& in, const std::string& what) {
    part_.left_out.push_back(in.given->name.empty() ? what : what + " of " + in.given->name);
  }

  // The number that compilers give the token's line.
  static int line_of(const Parsed& in, size_t token) {
    int line = in.tokens[token].line;
    for (const auto& [from, shift] : in.shifts) {
      if (from > in.tokens[token].line) break;
      line = in.tokens[token].line + shift;
    }
    return line;
  }

  // Line ends stay, and directives that are no includes.
  std::string edited(const Parsed& parsed) {
    std::ranges::sort(edits_, {}, &Edit::begin);
    const std::string& text = parsed.given->text;
    part_.is_changed = part_.is_changed || !edits_.empty();
    std::string out;
    size_t at = 0, token = 0;
    for (const Edit& edit : edits_) {
      out.append(text, at, edit.begin - at);
      out += edit.before;
      at = std::max(at, edit.begin);
      if (edit.in_macro) {
        for (; at < edit.end; ++at) {
          const bool joins = text[at] == '\\' && (text[at + 1] == '\n' || text[at + 1] == '\r');
          out += joins || text[at] == '\n' ? text[at] : ' ';
        }
        continue;
      }
      while (token < parsed.tokens.size() && parsed.tokens[token].begin < edit.begin) ++token;
      const bool is_directive = token < parsed.tokens.size() && parsed.tokens[token].opens &&
                                parsed.tokens[token].begin == edit.begin;
      while (at < edit.end) {
        while (token < parsed.tokens.size() &&
               (parsed.tokens[token].end <= at || !parsed.tokens[token].directive)) {
          ++token;
        }
        const bool holds =
            !is_directive && token < parsed.tokens.size() && parsed.tokens[token].begin < edit.end;
        const size_t until = holds ? std::max(at, parsed.tokens[token].begin) : edit.end;
        for (; at < until; ++at) out += text[at] == '\n' ? '\n' : ' ';
        if (!holds) break;
        size_t end = token + 1;  // behind the directive
        while (end < parsed.tokens.size() && parsed.tokens[end].directive &&
               !parsed.tokens[end].opens)
          ++end;
        const size_t stop = parsed.tokens[end - 1].end;
        out.append(text, at, stop - at);
        at = stop;
        token = end;
      }
    }
    return out.append(text, at);
  }

  const DeviceNeeds& needs_;
  std::deque<Parsed> parsed_;
  std::unordered_map<std::string, Macro> macros_;
  std::deque<Node> nodes_;
  std::unordered_map<const Declaration*, Node*> nested_;  ///< types within classes
  std::unordered_map<std::string, std::vector<Node*>> by_name_;
  std::unordered_set<std::string> mentioned_;
  std::deque<std::string> open_;  ///< mentioned, and not followed yet
  std::vector<Edit> edits_;       ///< of the text that is cut
  DevicePart part_;
};

}  // namespace

DevicePart device_part(const std::vector<DeviceText>& texts, const DeviceNeeds& needs) {
  return Cutter(texts, needs).run();
}

}  // namespace warpmark
