#include "compiler/includes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "base/characters.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "compiler/host_headers.hpp"
#include "compiler/shims.hpp"
#include "compiler/source_tokens.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// Tells whether the backslash at `at` joins two lines; `end` becomes the place of the newline.
bool is_splice(std::string_view text, size_t at, size_t& end) {
  end = at + 1;
  while (end < text.size() && is_blank(text[end])) ++end;
  return end < text.size() && text[end] == '\n';
}

// A text after translation phase 2 (a backslash at a line's end joins it with the next one), with
// the offset of each character in the original. Most texts have no such line, and are not copied:
// a toolkit's headers have millions of characters.
class Spliced {
 public:
  explicit Spliced(std::string_view original) : original_(original) {
    size_t end = 0;
    for (size_t at = original.find('\\'); at != std::string_view::npos;
         at = original.find('\\', at + 1)) {
      if (is_splice(original, at, end)) {
        join();
        return;
      }
    }
  }
  Spliced(const Spliced&) = delete;
  Spliced& operator=(const Spliced&) = delete;

  std::string_view text() const { return offsets_.empty() ? original_ : text_; }
  size_t offset(size_t at) const { return offsets_.empty() ? at : offsets_[at]; }

 private:
  void join() {
    for (size_t i = 0, end = 0; i < original_.size(); ++i) {
      if (original_[i] == '\\' && is_splice(original_, i, end)) {
        i = end;
        continue;
      }
      text_ += original_[i];
      offsets_.push_back(i);
    }
    offsets_.push_back(original_.size());
  }

  std::string_view original_;
  std::string text_;             ///< unused without such a line
  std::vector<size_t> offsets_;  ///< one more than characters; none without such a line
};

// Walks a text token by token as a preprocessor does, and stops at include directives.
class IncludeScanner {
 public:
  explicit IncludeScanner(std::string_view original)
      : original_(original), spliced_(original), text_(spliced_.text()), end_(end_of(text_)) {}

  std::vector<IncludeDirective> run() {
    bool line_start = true;
    while (at_ < end_) {
      if (text_[at_] == '\n') {
        line_start = true;
        ++at_;
      } else if (is_blank(text_[at_]) || skip_comment()) {
        if (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      } else if (line_start && skip_hash()) {
        directive();
        line_start = false;
      } else {
        line_start = false;
        skip_token();
      }
    }
    return std::move(found_);
  }

 private:
  // Returns the place behind the last word that a directive could be: most headers include at their
  // top.
  static size_t end_of(std::string_view text) {
    const char* end = text.data();
    for (const std::string_view word : {"include", "import", "embed"}) {
      const char* at = text.data();
      const auto next = [&] {  // several times as fast as string_view's
        return static_cast<const char*>(
            ::memmem(at, static_cast<size_t>(text.end() - at), word.data(), word.size()));
      };
      while (const char* found = next()) end = std::max(end, at = found + word.size());
    }
    return static_cast<size_t>(end - text.data());
  }

  bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  bool skip_comment() {
    if (text_[at_] != '/') return false;
    if (starts("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return true;
    }
    if (!starts("/*")) return false;
    const size_t end = text_.find("*/", at_ + 2);
    at_ = end == std::string_view::npos ? text_.size() : end + 2;
    return true;
  }

  // "#", its digraph and its trigraph.
  bool skip_hash() {
    const char first = text_[at_];
    if (first != '#' && first != '%' && first != '?') return false;
    for (const std::string_view hash : {"#", "%:", "\?\?="}) {
      if (!starts(hash)) continue;
      at_ += hash.size();
      return true;
    }
    return false;
  }

  // To the end of a quoted literal, or of its line if it has none, as in `#if 0` prose.
  void skip_literal(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') {
        ++at_;
      } else if (text_[at_] == quote) {
        ++at_;
        return;
      }
    }
  }

  void skip_raw_string() {
    const size_t open = text_.find('(', at_);
    if (open == std::string_view::npos || open - at_ > 17) return skip_literal('"');
    const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const size_t close = text_.find(end, open);
    at_ = close == std::string_view::npos ? text_.size() : close + end.size();
  }

  std::string_view skip_name() {
    const size_t start = at_;
    while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  void skip_token() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') return skip_literal(c);
    if (is_digit(c)) {  // a number, whose separators (1'000) start no literal
      while (at_ < text_.size() && (is_word_character(text_[at_]) || text_[at_] == '.' ||
                                    (text_[at_] == '\'' && at_ + 1 < text_.size() &&
                                     is_word_character(text_[at_ + 1])))) {
        ++at_;
      }
      return;
    }
    if (!is_word_character(c)) {
      ++at_;
      return;
    }
    const std::string_view name = skip_name();
    const bool raw = name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R";
    if (raw && at_ < text_.size() && text_[at_] == '"') skip_raw_string();
  }

  void skip_blanks() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || skip_comment())) {
      if (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    }
  }

  void directive() {
    skip_blanks();
    const size_t start = at_;
    const std::string_view word = skip_name();
    IncludeDirective out;
    out.line = line_of(start);
    if (word == "include_next" || word == "import" || word == "embed") {
      out.computed = true;
      found_.push_back(out);
    }
    if (word != "include") return;
    skip_blanks();
    const char open = at_ < text_.size() ? text_[at_] : '\n';
    const char close = open == '<' ? '>' : '"';
    const size_t end = text_.find(close, at_ + 1);
    if ((open == '<' || open == '"') && end < text_.find('\n', at_)) {
      out.name = text_.substr(at_ + 1, end - at_ - 1);
      out.angled = open == '<';
      out.begin = spliced_.offset(at_ + 1);
      out.end = spliced_.offset(end);
      at_ = end + 1;
    } else {
      out.computed = true;
      out.macro = skip_name();
      take_argument(out);
    }
    found_.push_back(out);
  }

  // Takes the argument of a macro with one. A macro with more is left to the preprocessor.
  void take_argument(IncludeDirective& out) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != '(') return;
    const size_t end = text_.find_first_of("(),\n", at_ + 1);
    if (end == std::string_view::npos || text_[end] != ')') {
      out.macro.clear();
      return;
    }
    out.argument = trim(text_.substr(at_ + 1, end - at_ - 1));
    if (out.argument.empty()) out.macro.clear();
    at_ = end + 1;
  }

  // The line of a character of the original; asked for in the text's order.
  int line_of(size_t at) {
    const size_t offset = spliced_.offset(at);
    line_ += static_cast<int>(std::count(original_.begin() + static_cast<ptrdiff_t>(counted_),
                                         original_.begin() + static_cast<ptrdiff_t>(offset), '\n'));
    counted_ = offset;
    return line_;
  }

  std::string_view original_;
  Spliced spliced_;
  std::string_view text_;
  size_t end_;          ///< nothing is found behind it
  int line_ = 1;        ///< of the character at counted_
  size_t counted_ = 0;  ///< offset in the original
  size_t at_ = 0;
  std::vector<IncludeDirective> found_;
};

bool is_below(const fs::path& path, const fs::path& root) {
  const fs::path relative = path.lexically_relative(root);
  return !relative.empty() && *relative.begin() != "..";
}

// Follows includes breadth first. NVRTC finds a header in memory by its spelling alone, wherever it
// is included from; so a spelling that means two files is replaced in the text by a name of its
// own.
class Resolver {
 public:
  explicit Resolver(const IncludeSearch& search)
      : search_(search), folder_(fs::weakly_canonical(search.folder)) {
    for (const fs::path& root : search.roots) roots_.push_back(fs::weakly_canonical(root));
  }

  IncludeClosure run(const std::string& source, const std::string& name) {
    source_ = &source;
    const fs::path folder = (search_.folder / name).lexically_normal().parent_path();
    out_.source = follow(source, folder, name);
    follow_pending();
    resolve_computed();
    // A header of the toolkit, which is not read here, may want any: cuda.h wants <stdlib.h>.
    if (wants_toolkit_) {
      for (const std::string_view shim : shim_names()) {
        visit({std::string(shim), true, false, 0, 0, 0}, {});
      }
    }
    return std::move(out_);
  }

 private:
  // `#include MACRO`, in this folder.
  struct Computed {
    std::string macro, argument, where;
    fs::path folder;
  };
  struct Pending {
    std::string spelling;
    fs::path file;
    std::string text;
  };

  // The line directive keeps the machine's folders out of everything that NVRTC makes.
  std::string in_virtual_root(std::string_view name, std::string_view text) const {
    return fmt::format("#line 1 \"{}{}\"\n{}", search_.virtual_root, name, text);
  }

  std::string display(const fs::path& file) const {
    const fs::path relative = file.lexically_relative(folder_);
    return relative.empty() ? file.filename().string() : relative.string();
  }

  std::string follow(std::string text, const fs::path& folder, const std::string& shown) {
    std::vector<IncludeDirective> directives = scan_includes(text);
    // From the last to the first, so that replacing one leaves the offsets of the others.
    std::vector<std::pair<IncludeDirective, std::string>> replacements;
    for (const IncludeDirective& directive : directives) {
      if (directive.computed) {
        computed_.push_back({directive.macro, directive.argument,
                             fmt::format("{}:{}", shown, directive.line), folder});
        continue;
      }
      const std::string spelling = visit(directive, folder);
      if (spelling != directive.name) replacements.emplace_back(directive, spelling);
    }
    for (auto it = replacements.rbegin(); it != replacements.rend(); ++it) {
      text.replace(it->first.begin, it->first.end - it->first.begin, it->second);
    }
    return text;
  }

  void follow_pending() {
    // follow() appends to the list that this walks.
    for (; followed_ < pending_.size(); ++followed_) {
      const Pending next = pending_[followed_];
      const std::string shown = display(next.file);
      const std::string text = follow(next.text, next.file.parent_path(), shown);
      out_.headers.push_back({next.spelling, in_virtual_root(shown, text), shown});
    }
  }

  // Reads the macros of texts that came since. Few closures ask for one, so that texts are taken
  // apart only here.
  void read_macros() {
    for (; macros_of_ <= pending_.size(); ++macros_of_) {
      read_macros(macros_of_ == 0 ? *source_ : pending_[macros_of_ - 1].text);
    }
  }

  // The macros that are a header's name, in quotes or brackets, and those that are a part of a path.
  void read_macros(const std::string& text) {
    if (text.find("define") == std::string::npos) return;
    const std::vector<SourceToken> tokens = source_tokens(text);
    for (size_t i = 0; i + 3 < tokens.size(); ++i) {
      if (!tokens[i].opens || tokens[i + 1].text != "define") continue;
      const size_t behind = tokens[i + 2].end;
      const std::string rest = std::string(
          trim(std::string_view(text).substr(behind, text.find('\n', behind) - behind)));
      if (!rest.empty() && text[behind] != '(' && std::ranges::all_of(rest, is_of_path))
        parts_[tokens[i + 2].text].insert(rest);
      IncludeDirective meaning;
      size_t body = i + 3;
      if (text[behind] == '(' && i + 6 < tokens.size() && tokens[i + 5].text == ")") {
        meaning.argument = tokens[i + 4].text;
        body = i + 6;
      }
      read_meaning(text, tokens, body, meaning);
      macros_[tokens[i + 2].text].push_back(std::move(meaning));
    }
  }

  // The name that a macro's body is, which begins at a token; "" if it is none.
  static void read_meaning(const std::string& text, const std::vector<SourceToken>& tokens,
                           size_t body, IncludeDirective& meaning) {
    const bool is_last =
        body + 1 == tokens.size() || !tokens[body + 1].directive || tokens[body + 1].opens;
    if (tokens[body].kind == TokenKind::literal && is_last) {
      const std::string_view name = tokens[body].text;
      meaning.name = name.size() > 2 ? name.substr(1, name.size() - 2) : "";
    } else if (tokens[body].text == "<" && tokens[body].directive) {
      meaning.angled = true;
      const size_t begin = tokens[body].end;
      const size_t end = text.find_first_of(">\n", begin);
      if (end != std::string::npos && text[end] == '>')
        meaning.name = text.substr(begin, end - begin);
    }
  }

  // A macro's name with its argument in it; "" if it is not to be called so.
  static std::string called(const IncludeDirective& meaning, const std::string& argument) {
    if (meaning.argument.empty() != argument.empty()) return "";
    if (argument.empty() || !meaning.angled) return argument.empty() ? meaning.name : "";
    std::string name;
    for (size_t at = 0; at < meaning.name.size();) {
      size_t end = at;
      while (end < meaning.name.size() && is_word_character(meaning.name[end])) ++end;
      end = std::max(end, at + 1);
      const std::string word = meaning.name.substr(at, end - at);
      name += word == meaning.argument ? argument : word;
      at = end;
    }
    return name;
  }

  // Headers that macros name: all that any definition of one may mean. A compiler asks for them by
  // what the macro says.
  void resolve_computed() {
    for (size_t i = 0; i < computed_.size(); ++i) {  // a header that is found may have further ones
      read_macros();
      const Computed one = computed_[i];
      const auto found = macros_.find(one.macro);
      bool is_known = !one.macro.empty() && found != macros_.end();
      if (is_known) {
        for (IncludeDirective directive : found->second) {
          directive.name = called(directive, one.argument);
          is_known = is_known && !directive.name.empty();
          if (!directive.name.empty()) visit_meanings(directive, one.folder);
        }
      }
      if (!is_known && out_.not_cacheable.empty()) {
        out_.not_cacheable = one.where + " includes a name that only the preprocessor knows";
      }
    }
    computed_.clear();
  }

  static bool is_of_path(char c) {
    return is_word_character(c) || c == '/' || c == '.' || c == '-';
  }

  // A name in brackets may be made of macros, as <ROOT/detail/policy.h> is. All that any definition
  // may make of it and that there is are meant; as it stands, if there is none.
  void visit_meanings(const IncludeDirective& directive, const fs::path& folder) {
    bool any = false;
    for (const std::string& name : meanings(directive)) {
      IncludeDirective one = directive;
      one.name = name;
      if (!locate(one, folder)) continue;
      any = true;
      visit_alias(one, folder);
    }
    if (!any) visit_alias(directive, folder);
  }

  std::vector<std::string> meanings(const IncludeDirective& directive) const {
    constexpr size_t kMost = 64;
    std::vector<std::string> open = {directive.name}, made;
    for (size_t i = 0; directive.angled && i < open.size() && open.size() < kMost; ++i) {
      const std::string name = open[i];
      bool expands = false;
      for (size_t begin = 0, end = 0; begin < name.size() && !expands; begin = end + 1) {
        end = begin;
        while (end < name.size() && is_word_character(name[end])) ++end;
        const auto found = parts_.find(name.substr(begin, end - begin));
        if (found == parts_.end()) continue;
        expands = true;
        for (const std::string& part : found->second)
          open.push_back(name.substr(0, begin) + part + name.substr(end));
      }
      if (!expands) made.push_back(name);
    }
    return made;
  }

  void visit_alias(const IncludeDirective& directive, const fs::path& folder) {
    const std::string spelling = visit(directive, folder);
    follow_pending();
    if (spelling == directive.name || !aliases_.insert(directive.name).second) return;
    out_.headers.push_back({directive.name, fmt::format("#include \"{}\"\n", spelling), ""});
  }

  // The spelling under which this include is to be asked for.
  std::string visit(const IncludeDirective& directive, const fs::path& folder) {
    const std::optional<fs::path> file = locate(directive, folder);
    // Their real headers are for nvcc.
    const auto stand_in = find_stand_in(directive.name);
    if (stand_in && !(file && is_below(*file, folder_))) {
      if (spellings_.emplace(directive.name, fs::path()).second) {
        out_.headers.push_back({directive.name, in_virtual_root(directive.name, *stand_in), ""});
        for (const IncludeDirective& inner : scan_includes(*stand_in)) visit(inner, {});
      }
      return directive.name;
    }
    if (!file) {
      if (const auto shim = find_shim(directive.name);
          shim && !spellings_.contains(directive.name)) {
        spellings_[directive.name] = fs::path();
        out_.headers.push_back({directive.name, in_virtual_root(directive.name, *shim), ""});
        for (const IncludeDirective& inner : scan_includes(*shim)) visit(inner, {});
      } else if (!shim) {
        wants_toolkit_ = true;
      }
      return directive.name;
    }
    const auto [known, is_new] = names_.try_emplace(*file);
    if (search_.one_name_each && !is_new) return known->second;
    std::string spelling = directive.name;
    const auto taken = spellings_.find(spelling);
    const bool is_quoted = search_.one_name_each && !directive.angled;
    if (is_quoted || (taken != spellings_.end() && taken->second != *file)) {
      spelling = search_.virtual_root + display(*file);
    }
    known->second = spelling;
    if (spellings_.emplace(spelling, *file).second) {
      const auto other = search_.replaced.find(display(*file));
      pending_.push_back(
          {spelling, *file, other == search_.replaced.end() ? read_file(*file) : other->second});
    }
    return spelling;
  }

  // The file without links on the way, if it is one. A folder's own way is asked for once: thousands
  // of directives of a toolkit lead to a few hundred files in some dozen folders.
  std::optional<fs::path> real_file(const fs::path& candidate) {
    std::error_code code;
    const fs::file_status status = fs::symlink_status(candidate, code);
    if (code || !fs::exists(status)) return std::nullopt;
    if (!fs::is_regular_file(status)) {
      const fs::path real = fs::weakly_canonical(candidate, code);
      if (code || !fs::is_regular_file(real, code)) return std::nullopt;
      return real;
    }
    const fs::path folder = candidate.parent_path();
    const auto [known, is_new] = folders_.try_emplace(folder.string());
    if (is_new) known->second = fs::weakly_canonical(folder, code);
    if (code) return std::nullopt;
    return known->second / candidate.filename();
  }

  std::optional<fs::path> locate(const IncludeDirective& directive, const fs::path& folder) {
    std::vector<fs::path> candidates;
    if (!directive.angled && !folder.empty()) {
      candidates.push_back(folder / directive.name);
      candidates.push_back(search_.folder / directive.name);
    }
    for (const fs::path& other : search_.folders) candidates.push_back(other / directive.name);
    for (const fs::path& candidate : candidates) {
      const std::optional<fs::path> real = real_file(candidate);
      if (!real) continue;
      bool allowed = roots_.empty();
      for (const fs::path& root : roots_) allowed = allowed || is_below(*real, root);
      if (allowed) return real;
    }
    return std::nullopt;
  }

  const IncludeSearch& search_;
  fs::path folder_;  ///< of the suite, without links
  std::vector<fs::path> roots_;
  std::map<std::string, fs::path> folders_;  ///< without links, by how they are written
  IncludeClosure out_;
  std::map<std::string, fs::path> spellings_;
  std::map<fs::path, std::string> names_;  ///< the first spelling of each file
  std::vector<Pending> pending_;
  size_t followed_ = 0;  ///< of them
  const std::string* source_ = nullptr;
  std::vector<Computed> computed_;
  size_t macros_of_ = 0;  ///< texts whose macros were read: the source, then pending ones
  std::map<std::string, std::vector<IncludeDirective>> macros_;
  std::map<std::string, std::set<std::string>> parts_;  ///< parts of paths that macros may be
  std::set<std::string> aliases_;
  bool wants_toolkit_ = false;
};

}  // namespace

std::vector<IncludeDirective> scan_includes(std::string_view text) {
  return IncludeScanner(text).run();
}

IncludeClosure resolve_includes(const std::string& source, const std::string& name,
                                const IncludeSearch& search) {
  return Resolver(search).run(source, name);
}

std::vector<Header> reachable_headers(const std::string& source, const std::vector<Header>& all) {
  // A name that is asked about, or put together, is in no directive.
  if (source.find("has_include") != std::string::npos || source.find("##") != std::string::npos) {
    return all;
  }
  std::map<std::string_view, size_t> by_spelling;
  for (size_t i = 0; i < all.size(); ++i) by_spelling.emplace(all[i].spelling, i);
  std::set<size_t> reached;
  std::vector<size_t> open;
  bool computed = false;
  const auto follow = [&](std::string_view text) {
    for (const IncludeDirective& directive : scan_includes(text)) {
      computed = computed || directive.computed;
      const auto found = by_spelling.find(directive.name);
      if (found != by_spelling.end() && reached.insert(found->second).second) {
        open.push_back(found->second);
      }
    }
  };
  follow(source);
  while (!open.empty() && !computed) {
    const size_t next = open.back();
    open.pop_back();
    follow(all[next].text);
  }
  if (computed) return all;
  std::vector<Header> headers;
  for (const size_t i : reached) headers.push_back(all[i]);
  return headers;
}

}  // namespace warpmark
