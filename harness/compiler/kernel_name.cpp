#include "compiler/kernel_name.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "compiler/signature.hpp"

namespace warpmark {

std::string plain_name(std::string_view demangled) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  std::string text(demangled);
  for (size_t at = text.find(kUnnamed); at != std::string::npos; at = text.find(kUnnamed, at)) {
    text.erase(at, kUnnamed.size());
  }
  const size_t end = std::min(text.find_first_of("(+<"), text.size());
  std::string_view name = trim(std::string_view(text).substr(0, end));
  name.remove_prefix(name.rfind(' ') + 1);  // npos + 1 is 0
  return std::string(name);
}

std::string readable_symbol(const std::string& symbol) {
  const std::string name = plain_name(demangle(symbol));
  return name.empty() ? symbol : name;
}

}  // namespace warpmark
