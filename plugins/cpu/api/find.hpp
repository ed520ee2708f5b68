// Looking up handles.
#pragma once

#include <memory>

namespace warpmark::cpu {

/// What a map has for a key, behind the pointer if it has pointers; null if it has nothing.
template <typename Map, typename Key>
[[nodiscard]] auto* find_in(Map& map, const Key& key) {
  const auto found = map.find(key);
  if constexpr (requires { *found->second; })
    return found == map.end() ? nullptr : std::to_address(found->second);
  else
    return found == map.end() ? nullptr : &found->second;
}

}  // namespace warpmark::cpu
