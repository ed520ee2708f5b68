// The modifiers of asynchronous instructions, which stand in any order.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace warpmark::cpu {

/// The modifiers of an asynchronous copy, store or reduction: NVIDIA's assembler takes them in any
/// order, but that of two state spaces, of which the first is the destination's.
class AsyncWords {
 public:
  enum Slot : std::uint8_t {
    to,
    from,
    completion,
    operation,
    type,
    vector,
    noftz,
    multicast,
    hint,
    level,
    dimensions,
    mode,
    order,
    scope,
    slots
  };
  /// `modifiers` stand behind the instruction's own words: global.shared::cta.bulk_group.
  explicit AsyncWords(std::string_view modifiers);

  /// Every modifier is one of these instructions'.
  [[nodiscard]] bool known() const { return known_; }
  /// Two of them exclude each other.
  [[nodiscard]] bool twice() const { return twice_; }
  /// The modifier of a kind, "" if there is none; rest() no longer counts it.
  std::string_view take(Slot slot);
  /// There are modifiers that nobody took.
  [[nodiscard]] bool rest() const;

 private:
  std::array<std::string_view, slots> seen_;
  bool known_ = true, twice_ = false;
};

inline bool is_shared(std::string_view space) {
  return space == "shared" || space == "shared::cta" || space == "shared::cluster";
}

}  // namespace warpmark::cpu
