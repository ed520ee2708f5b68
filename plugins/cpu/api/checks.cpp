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
  if (text == "all") text = "memory,init,race,sync";
  if (text == "none") text = "";
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    names.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return choose_checks(names, limits);
}

}  // namespace warpmark::cpu
