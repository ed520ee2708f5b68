#include "compiler/ptx_registers.hpp"

#include <algorithm>

#include "ptx/special_registers.hpp"

namespace warpmark {

std::string_view without_digits(std::string_view name) {
  const size_t end = name.find_last_not_of("0123456789");
  return name.substr(0, end == std::string_view::npos ? name.size() : end + 1);
}

const std::vector<std::string>& special_registers() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const cpu::SpecialRegister& one : cpu::special_registers()) {
      std::string name(one.name.substr(0, one.name.find('.')));
      if (one.count != 0 || !name.starts_with('%')) continue;
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return names;
  }();
  return kNames;
}

bool is_special_register(std::string_view name) {
  if (!name.starts_with('%') || name.find('.') != std::string_view::npos) return false;
  const auto& known = special_registers();
  return std::ranges::find(known, name) != known.end() || cpu::special_register(name) != nullptr;
}

}  // namespace warpmark
