// Weak topological order by repeated strongly connected components, without recursion on the graph.
#include "program/flow.hpp"

#include <algorithm>

namespace warpmark::cpu {
namespace {

constexpr std::uint32_t kUnseen = 0xffffffff;
// Loops nested deeper than this keep a plain order inside: it stays correct, and bounds the time
// and stack that a hostile graph can take.
constexpr int kDeepest = 200;

class Ordering {
 public:
  explicit Ordering(const std::vector<std::vector<std::uint32_t>>& successors)
      : successors_(successors),
        region_(successors.size(), 0),
        index_(successors.size(), kUnseen),
        low_(successors.size(), 0),
        on_stack_(successors.size(), 0) {}

  std::vector<std::uint32_t> run() {
    order(0, 0, 0);
    return std::move(result_);
  }

 private:
  struct Visit {
    std::uint32_t node, edge;
  };

  // Appends the nodes of `region` that are reachable from `entry`, ignoring edges back to `entry`
  // (which are what made the region a loop; of the whole graph there is nothing to ignore).
  void order(std::uint32_t entry, std::uint32_t region, int depth) {
    std::vector<std::vector<std::uint32_t>> components = components_from(entry, region, depth > 0);
    // Tarjan's algorithm finds components in reverse topological order.
    for (auto component = components.rbegin(); component != components.rend(); ++component) {
      if (component->size() == 1) {
        result_.push_back(component->front());
        continue;
      }
      // The header is the node that the search reached first, the last that Tarjan's stack
      // releases.
      const std::uint32_t header = component->back();
      const std::uint32_t inner = ++regions_;
      if (depth >= kDeepest) {
        result_.insert(result_.end(), component->rbegin(), component->rend());
        continue;
      }
      for (const std::uint32_t node : *component) region_[node] = inner;
      order(header, inner, depth + 1);
    }
  }

  std::vector<std::vector<std::uint32_t>> components_from(std::uint32_t entry, std::uint32_t region,
                                                          bool loop) {
    std::vector<std::vector<std::uint32_t>> components;
    std::vector<std::uint32_t> stack, seen;
    std::vector<Visit> visits;
    std::uint32_t counter = 0;
    const auto enter = [&](std::uint32_t node) {
      index_[node] = low_[node] = counter++;
      on_stack_[node] = 1;
      stack.push_back(node);
      seen.push_back(node);
      visits.push_back({node, 0});
    };
    enter(entry);
    while (!visits.empty()) {
      Visit& visit = visits.back();
      const std::uint32_t node = visit.node;
      if (visit.edge < successors_[node].size()) {
        const std::uint32_t next = successors_[node][visit.edge++];
        if (region_[next] != region || (loop && next == entry)) continue;
        if (index_[next] == kUnseen) {
          enter(next);
        } else if (on_stack_[next] != 0) {
          low_[node] = std::min(low_[node], index_[next]);
        }
        continue;
      }
      visits.pop_back();
      if (!visits.empty())
        low_[visits.back().node] = std::min(low_[visits.back().node], low_[node]);
      if (low_[node] == index_[node]) {
        std::vector<std::uint32_t>& component = components.emplace_back();
        std::uint32_t member;
        do {
          member = stack.back();
          stack.pop_back();
          on_stack_[member] = 0;
          component.push_back(member);
        } while (member != node);
      }
    }
    for (const std::uint32_t node : seen) index_[node] = kUnseen;
    return components;
  }

  const std::vector<std::vector<std::uint32_t>>& successors_;
  std::vector<std::uint32_t> region_, index_, low_;
  std::vector<std::uint8_t> on_stack_;
  std::uint32_t regions_ = 0;
  std::vector<std::uint32_t> result_;
};

}  // namespace

std::vector<std::uint32_t> reconvergence_order(
    const std::vector<std::vector<std::uint32_t>>& successors) {
  if (successors.empty()) return {};
  return Ordering(successors).run();
}

std::vector<std::uint64_t> behind_for_good(
    const std::vector<std::vector<std::uint32_t>>& successors,
    const std::vector<std::uint32_t>& marks) {
  std::vector<std::vector<std::uint32_t>> predecessors(successors.size());
  for (std::uint32_t node = 0; node < successors.size(); ++node) {
    for (const std::uint32_t next : successors[node]) predecessors[next].push_back(node);
  }
  std::vector<std::uint64_t> result(successors.size());
  std::vector<std::uint32_t> waiting;
  // The nodes that edges lead to from `mark`, which is one itself only in a loop.
  const auto spread = [&](std::uint32_t mark,
                          const std::vector<std::vector<std::uint32_t>>& edges) {
    std::vector<bool> reached(edges.size());
    waiting = edges[mark];
    while (!waiting.empty()) {
      const std::uint32_t node = waiting.back();
      waiting.pop_back();
      if (reached[node]) continue;
      reached[node] = true;
      waiting.insert(waiting.end(), edges[node].begin(), edges[node].end());
    }
    return reached;
  };
  for (std::size_t bit = 0; bit < marks.size() && bit < 64; ++bit) {
    const std::vector<bool> after = spread(marks[bit], successors);
    const std::vector<bool> before = spread(marks[bit], predecessors);
    for (std::size_t node = 0; node < result.size(); ++node) {
      if (after[node] && !before[node]) result[node] |= std::uint64_t{1} << bit;
    }
  }
  return result;
}

std::vector<bool> in_loops(const std::vector<std::vector<std::uint32_t>>& successors) {
  // Loops are contiguous in this order: an edge back goes over all nodes of one.
  std::vector<bool> result(successors.size());
  std::uint32_t first = 0xffffffff;
  for (auto node = static_cast<std::uint32_t>(successors.size()); node-- > 0;) {
    for (const std::uint32_t next : successors[node]) {
      if (next <= node) first = std::min(first, next);
    }
    result[node] = first <= node;
    if (first == node) first = 0xffffffff;
  }
  return result;
}

}  // namespace warpmark::cpu
