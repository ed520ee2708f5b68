#include "ptx/special_registers.hpp"

#include <algorithm>
#include <iterator>

#include "ptx/lexer.hpp"

namespace warpmark::cpu {
namespace {

constexpr SpecialRegister kRegisters[] = {
#define SPECIAL(name, target, bits, value) {name, "", 0, target, bits, Special::value},
#define SAME(name, target, bits, value) {name, "", 0, target, bits, Special::value},
#define NUMBERED(stem, count, suffix, target, bits, value) \
  {stem, suffix, count, target, bits, Special::value},
#include "ptx/special_registers.def"
};

}  // namespace

std::span<const SpecialRegister> special_registers() {
  return kRegisters;
}

const SpecialRegister* special_register(std::string_view name) {
  const auto* const found = std::ranges::find_if(kRegisters, [&](const SpecialRegister& one) {
    if (one.count == 0) return one.name == name;
    const std::size_t around = one.name.size() + one.suffix.size();
    return name.size() > around && name.starts_with(one.name) && name.ends_with(one.suffix) &&
           is_number_below(name.substr(one.name.size(), name.size() - around), one.count);
  });
  return found == std::end(kRegisters) ? nullptr : found;
}

}  // namespace warpmark::cpu
