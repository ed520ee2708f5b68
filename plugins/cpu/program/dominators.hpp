// Which nodes of a graph every way to another one passes.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmark::cpu {

/// The tree of dominators: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
class Dominators {
 public:
  static constexpr std::uint32_t kUnreached = 0xffffffff;

  /// `successors[i]` are the nodes behind i.
  Dominators(const std::vector<std::vector<std::uint32_t>>& successors, std::uint32_t root);

  /// Every way from the root to a node passes `first`. True for a node without a way.
  [[nodiscard]] bool dominates(std::uint32_t first, std::uint32_t node) const;
  /// The last node that every way to a node passes before it; kUnreached without a way, the root for
  /// itself.
  [[nodiscard]] std::uint32_t parent(std::uint32_t node) const {
    return order_[node] == kUnreached ? kUnreached : nodes_[places_[order_[node]].parent];
  }
  /// The nodes that are reached, each behind its parent.
  [[nodiscard]] const std::vector<std::uint32_t>& nodes() const { return nodes_; }

 private:
  struct Place {
    std::uint32_t parent = kUnreached;
    std::uint32_t begin = 0, size = 1, next = 0;  // in an order in which subtrees are ranges
  };
  void number(const std::vector<std::vector<std::uint32_t>>& successors, std::uint32_t root);
  [[nodiscard]] std::uint32_t common(std::uint32_t one, std::uint32_t other) const;
  void find_parents(const std::vector<std::vector<std::uint32_t>>& successors);
  void place();

  std::vector<std::uint32_t> order_;  // by node, its place in nodes_
  std::vector<std::uint32_t> nodes_;  // that are reached
  std::vector<Place> places_;         // in the order of nodes_
};

}  // namespace warpmark::cpu
