// Looking up handles.
#pragma once

#include <memory>

namespace warpmark::cpu {

/// The value of a key in a map, dereferenced if the values are pointers; null if there is none.
template <typename Map, typename Key>
[[nodiscard]] auto* find_in(Map& map, const Key& key) {
  const auto found = map.find(key);
  if constexpr (requires { *found->second; })
    return found == map.end() ? nullptr : std::to_address(found->second);
  else
    return found == map.end() ? nullptr : &found->second;
}

}  // namespace warpmark::cpu
