// Macros that name headers: `#define HEADER "a.h"` and `#define PART dir/file`.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/include_scan.hpp"

namespace warpmark {

/// All that the definitions of a macro in some texts may mean, taken or not. A text is read only
/// where it defines a macro that is asked for: most closures ask for none.
class IncludeMacros {
 public:
  /// The text must stay where it is.
  void add(std::string_view text) { texts_.push_back(text); }

  /// The headers that `#include MACRO` may name: `name` and `angled`, with the macro's parameter as
  /// `argument`. A name is "" where only the preprocessor knows. Empty if no text defines it.
  const std::vector<IncludeDirective>& headers_of(const std::string& macro) {
    return known(macro).headers;
  }
  /// The parts of a path that a word may stand for.
  const std::set<std::string>& parts_of(const std::string& word) { return known(word).parts; }

 private:
  struct Meaning {
    std::vector<IncludeDirective> headers;
    std::set<std::string> parts;
    size_t read = 0;  ///< of its definitions
  };

  const Meaning& known(const std::string& macro);
  void index(std::string_view text);
  static void read_definition(const std::string& line, Meaning& meaning);

  std::vector<std::string_view> texts_;
  size_t indexed_ = 0;  ///< of them
  /// The texts from the hash of each definition on.
  std::unordered_map<std::string_view, std::vector<std::string_view>> definitions_;
  std::map<std::string, Meaning> meanings_;
};

}  // namespace warpmark
