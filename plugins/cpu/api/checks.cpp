#include "api/checks.hpp"

#include <algorithm>

namespace warpmark::cpu {

std::string choose_checks(const std::vector<std::string>& names, Limits& limits) {
  Checks checks;
  bool leaks = false;
  for (const std::string& name : names) {
    bool known = name == "memory" || name == "leak";
    leaks = leaks || name == "leak";
#define CHECK(check, kind, word, places) \
  if (name == #check) known = checks.check = true;
#include "warpmark/checks.def"
    if (!known) return name.empty() ? "\"\"" : name;
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
    if (name == "all") {
      names.emplace_back("memory");
#define CHECK(check, kind, word, places) names.emplace_back(#check);
#include "warpmark/checks.def"
    } else {
      names.emplace_back(name);
    }
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return choose_checks(names, limits);
}

}  // namespace warpmark::cpu
