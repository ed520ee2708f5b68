#include "compiler/includes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/characters.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "compiler/host_headers.hpp"
#include "compiler/include_macros.hpp"
#include "compiler/include_scan.hpp"
#include "compiler/shims.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// Both without links, dots and slashes that repeat.
bool is_below(const fs::path& path, const fs::path& root) {
  const std::string& whole = path.native();
  const size_t length = root.native().size();
  return length > 0 && whole.starts_with(root.native()) &&
         (whole.size() == length || root.native().ends_with('/') || whole[length] == '/');
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
    macros_.add(source);
    const fs::path folder = (search_.folder / name).lexically_normal().parent_path();
    out_.source = follow("", source, folder, name);
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
    std::string text;  ///< as it is in the file
  };

  // The line directive keeps the machine's folders out of everything that NVRTC makes.
  std::string in_virtual_root(std::string_view name, std::string_view text) const {
    return fmt::format("#line 1 \"{}{}\"\n{}", search_.virtual_root, name, text);
  }

  std::string display(const fs::path& file) const {
    const fs::path relative = file.lexically_relative(folder_);
    return relative.empty() ? file.filename().string() : relative.string();
  }

  // The text behind `before`, with other names in its directives where they have one.
  std::string follow(std::string before, std::string_view text, const fs::path& folder,
                     const std::string& shown) {
    size_t copied = 0;
    const auto copy_up_to = [&](size_t end) {
      before += text.substr(copied, end - copied);
      copied = end;
    };
    before.reserve(before.size() + text.size());
    for (const IncludeDirective& directive : scan_includes(text)) {
      if (directive.computed) {
        computed_.push_back({directive.macro, directive.argument,
                             fmt::format("{}:{}", shown, directive.line), folder});
        continue;
      }
      const std::string spelling = visit(directive, folder);
      if (spelling == directive.name) continue;
      copy_up_to(directive.begin);
      before += spelling;
      copied = directive.end;
    }
    copy_up_to(text.size());
    return before;
  }

  void follow_pending() {
    // follow() appends to the list that this walks.
    for (; followed_ < pending_.size(); ++followed_) {
      const Pending& next = pending_[followed_];
      const std::string shown = display(next.file);
      macros_.add(next.text);
      std::string text =
          follow(in_virtual_root(shown, ""), next.text, next.file.parent_path(), shown);
      out_.headers.push_back({next.spelling, std::move(text), shown});
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
      const Computed one = computed_[i];
      const std::vector<IncludeDirective> headers = macros_.headers_of(one.macro);
      bool is_known = !headers.empty();
      for (IncludeDirective directive : headers) {
        directive.name = called(directive, one.argument);
        is_known = is_known && !directive.name.empty();
        if (!directive.name.empty()) visit_meanings(directive, one.folder);
      }
      if (!is_known && out_.not_cacheable.empty()) {
        out_.not_cacheable = one.where + " includes a name that only the preprocessor knows";
      }
    }
    computed_.clear();
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

  std::vector<std::string> meanings(const IncludeDirective& directive) {
    constexpr size_t kMost = 64;
    std::vector<std::string> open = {directive.name}, made;
    for (size_t i = 0; directive.angled && i < open.size() && open.size() < kMost; ++i) {
      const std::string name = open[i];
      bool expands = false;
      for (size_t begin = 0, end = 0; begin < name.size() && !expands; begin = end + 1) {
        end = begin;
        while (end < name.size() && is_word_character(name[end])) ++end;
        const std::set<std::string>& parts = macros_.parts_of(name.substr(begin, end - begin));
        expands = !parts.empty();
        for (const std::string& part : parts)
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

  // The spelling under which this include is to be asked for. Thousands of directives of a toolkit
  // name a few hundred headers.
  std::string visit(const IncludeDirective& directive, const fs::path& folder) {
    const bool depends = !directive.angled && !folder.empty();
    std::string key = (depends ? folder.native() : "") + (directive.angled ? "<" : "\"");
    key += directive.name;
    const auto known = visited_.find(key);
    if (known != visited_.end()) return known->second;
    std::string spelling = visit_first(directive, folder);
    visited_.emplace(std::move(key), spelling);
    return spelling;
  }

  std::string visit_first(const IncludeDirective& directive, const fs::path& folder) {
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
      out_.files.push_back(*file);
      const auto other = search_.replaced.find(display(*file));
      pending_.push_back(
          {spelling, *file, other == search_.replaced.end() ? read_file(*file) : other->second});
    }
    return spelling;
  }

  // The file without links on the way, if it is one. A folder's own way is asked for once: a
  // toolkit has hundreds of headers in some dozen folders.
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
      std::optional<fs::path> real = real_file(candidate);
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
  std::map<fs::path, std::string> names_;                 ///< the first spelling of each file
  std::unordered_map<std::string, std::string> visited_;  ///< spellings, by how they are asked for
  std::deque<Pending> pending_;
  size_t followed_ = 0;  ///< of them
  std::vector<Computed> computed_;
  IncludeMacros macros_;  ///< of the source and the texts that were followed
  std::set<std::string> aliases_;
  bool wants_toolkit_ = false;
};

}  // namespace

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
  headers.reserve(reached.size());
  for (const size_t i : reached) headers.push_back(all[i]);
  return headers;
}

}  // namespace warpmark
