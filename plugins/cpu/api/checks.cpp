#include "api/checks.hpp"

#include <algorithm>

namespace warpmark::cpu {

std::string choose_checks(const std::vector<std::string>& names, Limits& limits) {
  Checks checks;
  bool leaks = false;
  for (const std::string& name : names) {
    if (name == "init")
      checks.init = true;
    else if (name == "race")
      checks.race = true;
    else if (name == "sync")
      checks.sync = true;
    else if (name == "leak")
      leaks = true;
    else if (name != "memory")
      return name.empty() ? "\"\"" : name;
  }
  limits.checks = checks;
  limits.leaks = leaks;
  limits.exact_bounds = !names.empty();
  return "";
}

std::string choose_checks(std::string_view text, Limits& limits) {
  std::vector<std::string> names;
  if (text == "none") text = "";
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view name = text.substr(0, comma);
    if (name == "all")
      names.insert(names.end(), {"memory", "init", "race", "sync"});
    else
      names.emplace_back(name);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return choose_checks(names, limits);
}

}  // namespace warpmark::cpu
