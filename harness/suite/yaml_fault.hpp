// The cause of a YAML error as the lines show it: yaml-cpp names the place where it gave up.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpmark {

/// A mistake in the lines of a file; line and column count from 1.
struct YamlFault {
  int line = 0;
  int column = 0;
  std::string what;
  std::string hint;
};

/// The first mistake of quotes, brackets or indentation in the lines up to `last_line`, from 1, where
/// a parser failed. Only for files that did not parse: it knows no more of YAML than suites use.
std::optional<YamlFault> find_yaml_fault(const std::vector<std::string>& lines, int last_line);

}  // namespace warpmark
