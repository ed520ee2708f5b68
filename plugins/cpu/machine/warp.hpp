// One warp while it runs: its diverged fragments, its memories and its calls.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "inspect/observer.hpp"
#include "memory/lanes.hpp"

namespace warpmark::cpu {

/// Which of an instruction's handlers lanes need: 1 if all are active. By arithmetic: a processor
/// waits long for a number of which a comparison has stored a byte.
inline std::size_t handler_of(std::uint32_t mask) {
  return static_cast<std::size_t>((std::uint64_t{mask} + 1) >> 32);
}

/// Lanes of a warp that are at the beginning of the same block of the control-flow graph.
struct Fragment {
  enum class Wait : std::uint8_t { none, barrier, warp, collect, cluster, held };
  std::uint32_t node = 0;  ///< of Program::blocks
  std::uint32_t mask = 0;
  Wait wait = Wait::none;
  /// Number of the barrier, or the lane mask of bar.warp.sync; for a fragment that does not wait:
  /// the number of the node's instructions that it has executed.
  std::uint32_t key = 0;
  std::uint64_t yielded = 0;  ///< when it last let others run: a number of the Scheduler's yields_
  bool released = false;      ///< it has been held back before the node long enough

  Fragment() = default;
  Fragment(std::uint32_t its_node, std::uint32_t lanes) : node(its_node), mask(lanes) {}
  // Each member by itself: a processor waits long for what it reads at once and was written in parts.
  Fragment(const Fragment& other) { *this = other; }
  Fragment& operator=(const Fragment& other) {
    copy(node, other.node);
    copy(mask, other.mask);
    copy(wait, other.wait);
    copy(released, other.released);
    copy(key, other.key);
    copy(yielded, other.yielded);
    return *this;
  }

  /// True if it waits for other threads, not only because the schedule holds it back.
  [[nodiscard]] bool waits() const { return wait != Wait::none && wait != Wait::held; }

 private:
  template <typename T>
  static void copy(T& to, T from) {
    __asm__("" : "+r"(from));  // or the compiler joins two copies
    to = from;
  }
};

/// One warp of a block.
struct Warp {
  Lanes lanes;
  std::uint32_t live = 0;             ///< lanes that have not exited
  std::uint32_t cluster_arrived = 0;  ///< live lanes for which the cluster's barrier waits on
  std::uint64_t instructions = 0;     ///< if traffic is counted
  std::uint64_t waited = 0;           ///< instructions of others that it waited for, likewise
  std::vector<Fragment> fragments;    ///< disjoint; those that wait included
  std::vector<Region> sites;
  WarpDefinedness* definedness = nullptr;        ///< of its registers, if a check follows values
  std::array<std::uint64_t, 32> stack_top{};     ///< first free byte of local memory
  std::array<std::vector<std::byte>, 32> saved;  ///< registers of recursive calls

  /// Instructions along the longest chain that led here.
  [[nodiscard]] std::uint64_t clock() const { return instructions + waited; }

  /// The 32-bit register of the first lane of `mask`.
  [[nodiscard]] std::uint32_t value(std::uint32_t slot, std::uint32_t mask) const {
    return read_lane<std::uint32_t>(lanes.registers, slot,
                                    static_cast<std::uint32_t>(std::countr_zero(mask)));
  }
  /// The lanes of `mask` whose register is that of the first of them.
  [[nodiscard]] std::uint32_t lanes_like_first(std::uint32_t slot, std::uint32_t mask) const {
    std::uint32_t alike = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
      alike |= value(slot, rest) == value(slot, mask) ? rest & -rest : 0;
    return alike;
  }
  /// True if the lanes need not wait: all live lanes of each one's mask, in this register, are in
  /// `mask`.
  [[nodiscard]] bool all_meet(std::uint32_t mask, std::uint32_t slot) const {
    std::uint32_t wanted = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) wanted |= value(slot, rest);
    return (wanted & live & ~mask) == 0;
  }
  /// Adds lanes, to those that are at the same place for the same reason.
  void add(const Fragment& fragment) {
    for (Fragment& other : fragments) {
      if (other.node == fragment.node && other.wait == fragment.wait && other.key == fragment.key) {
        other.mask |= fragment.mask;
        other.yielded = std::max(other.yielded, fragment.yielded);
        return;
      }
    }
    fragments.push_back(fragment);
  }
  void remove(std::vector<Fragment>::iterator fragment) {
    if (fragment + 1 != fragments.end()) *fragment = fragments.back();
    fragments.pop_back();
  }
  /// Takes the fragment of the current lanes, which keep running together with those that joined
  /// them. Returns false if they wait.
  bool take_own(Fragment& current) {
    const auto mine = std::find_if(fragments.begin(), fragments.end(), [&](const Fragment& one) {
      return one.wait == Fragment::Wait::none && (one.mask & current.mask) != 0;
    });
    if (mine == fragments.end()) return false;
    current = *mine;
    remove(mine);
    return true;
  }
  /// Ends the wait of those fragments for which `over(fragment)` is true.
  template <typename Over>
  void release(Over over) {
    if (fragments.size() == 1) {  // most often: none to join, and nothing to allocate
      if (over(fragments[0])) fragments[0].wait = Fragment::Wait::none;
      return;
    }
    std::vector<Fragment> before;
    before.swap(fragments);
    for (Fragment& fragment : before) {
      if (over(fragment)) fragment.wait = Fragment::Wait::none;
      add(fragment);
    }
  }
};

/// The greatest of all warps' clocks.
inline std::uint64_t latest_clock(const std::vector<Warp>& warps) {
  std::uint64_t latest = 0;
  for (const Warp& warp : warps) latest = std::max(latest, warp.clock());
  return latest;
}

}  // namespace warpmark::cpu
