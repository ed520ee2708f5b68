#include "program/dominators.hpp"

#include <algorithm>

namespace warpmark::cpu {

Dominators::Dominators(const std::vector<std::vector<std::uint32_t>>& successors,
                       std::uint32_t root)
    : order_(successors.size(), kUnreached) {
  number(successors, root);
  places_.resize(nodes_.size());
  find_parents(successors);
  place();
}

bool Dominators::dominates(std::uint32_t first, std::uint32_t node) const {
  if (order_[node] == kUnreached) return true;
  if (order_[first] == kUnreached) return false;
  const Place &above = places_[order_[first]], &below = places_[order_[node]];
  return above.begin <= below.begin && below.begin < above.begin + above.size;
}

// Numbers nodes so that the way to a node comes before it but for the ways back of loops.
void Dominators::number(const std::vector<std::vector<std::uint32_t>>& successors,
                        std::uint32_t root) {
  struct Open {
    std::uint32_t node, seen;
  };
  std::vector<Open> open = {{root, 0}};
  std::vector<bool> known(successors.size());
  known[root] = true;
  while (!open.empty()) {
    const std::vector<std::uint32_t>& next = successors[open.back().node];
    if (open.back().seen == next.size()) {
      nodes_.push_back(open.back().node);
      open.pop_back();
      continue;
    }
    const std::uint32_t node = next[open.back().seen++];
    if (known[node]) continue;
    known[node] = true;
    open.push_back({node, 0});
  }
  std::reverse(nodes_.begin(), nodes_.end());
  for (std::uint32_t at = 0; at < nodes_.size(); ++at) order_[nodes_[at]] = at;
}

std::uint32_t Dominators::common(std::uint32_t one, std::uint32_t other) const {
  while (one != other) {
    std::uint32_t& later = one > other ? one : other;
    later = places_[later].parent;
  }
  return one;
}

void Dominators::find_parents(const std::vector<std::vector<std::uint32_t>>& successors) {
  std::vector<std::vector<std::uint32_t>> before(nodes_.size());  // by places in nodes_
  for (std::uint32_t at = 0; at < nodes_.size(); ++at) {
    for (const std::uint32_t next : successors[nodes_[at]]) before[order_[next]].push_back(at);
  }
  places_[0].parent = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t at = 1; at < nodes_.size(); ++at) {
      std::uint32_t parent = kUnreached;
      for (const std::uint32_t from : before[at]) {
        if (places_[from].parent == kUnreached) continue;
        parent = parent == kUnreached ? from : common(parent, from);
      }
      changed = changed || places_[at].parent != parent;
      places_[at].parent = parent;
    }
  }
}

void Dominators::place() {
  for (std::size_t at = nodes_.size(); at-- > 1;)
    places_[places_[at].parent].size += places_[at].size;
  places_[0].next = 1;
  for (std::size_t at = 1; at < nodes_.size(); ++at) {
    Place& parent = places_[places_[at].parent];
    places_[at].begin = parent.next;
    places_[at].next = parent.next + 1;
    parent.next += places_[at].size;
  }
}

}  // namespace warpmark::cpu
