// Graphs: nodes of work with dependencies; their executable form.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "api/work.hpp"

namespace warpmark::cpu {

/// CUgraphNode is its address. Known to the driver as long as it lives.
struct Node {
  Node(Graph& the_graph, CUcontext the_context, Work the_work);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Graph* graph;
  CUcontext context;
  Work work;
  std::vector<Node*> dependencies;
  const Node* original = nullptr;  ///< that this is a clone of
  std::vector<void*> pointers;     ///< to a kernel's parameters, for who asks for them
};

/// CUgraph is its address.
struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;  ///< in the order in which they were added

  Graph() = default;
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  Node& add(CUcontext context, Work work, std::vector<Node*> dependencies);
  /// A copy, child graphs included.
  [[nodiscard]] std::unique_ptr<Graph> clone() const;
  /// The nodes so that each comes after what it depends on, otherwise in the order in which they
  /// were added; fewer than there are if there is a cycle.
  [[nodiscard]] std::vector<Node*> sorted() const;
};

/// CUgraphExec is its address.
struct GraphExec {
  struct Step {
    const Node* node = nullptr;  ///< only compared, it may be gone
    CUcontext context = nullptr;
    Work work;
    bool enabled = true;
    std::vector<std::size_t> dependencies;  ///< steps
  };
  /// In an order that respects dependencies; child graphs are in place of their nodes.
  std::vector<Step> steps;
  unsigned long long flags = 0;
};

CUgraph handle(Graph* graph);
CUgraphNode handle(const Node* node);
/// The live object of a handle, or null.
Graph* find_graph(CUgraph graph);
Node* find_node(CUgraphNode node);
CUgraphNodeType type_of(const Work& work);
/// The graph's steps; false if there is a cycle.
bool flatten(const Graph& graph, std::vector<GraphExec::Step>& steps);
/// What is wrong with work that is to become a node's; it may be completed.
CUresult check_work(Context& context, Work& work);

}  // namespace warpmark::cpu
