// The order of a control-flow graph in which diverged warps reconverge.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmark::cpu {

/// Numbers the nodes of a graph for a scheduler that always runs the lanes of the lowest number.
/// Reverse post-order of the graph, made hierarchical: a loop's nodes stay together, before
/// whatever follows the loop (a plain reverse post-order may put the exit first, and then lanes
/// that leave early run ahead instead of waiting). This is Bourdoncle's weak topological order
/// (1993). `successors[i]` are the nodes behind i; node 0 is the entry. Returns the reachable nodes
/// in order.
std::vector<std::uint32_t> reconvergence_order(
    const std::vector<std::vector<std::uint32_t>>& successors);

/// For each node of a graph, which of `marks` (at most 64 nodes, a bit for each) it lies behind for
/// good: it can be reached from the mark, and the mark can no longer be reached from it.
std::vector<std::uint64_t> behind_for_good(
    const std::vector<std::vector<std::uint32_t>>& successors,
    const std::vector<std::uint32_t>& marks);

/// For each node, numbered by reconvergence_order(), whether it lies in a loop.
std::vector<bool> in_loops(const std::vector<std::vector<std::uint32_t>>& successors);

}  // namespace warpmark::cpu
