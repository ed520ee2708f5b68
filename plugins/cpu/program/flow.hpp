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

}  // namespace warpmark::cpu
