// Graphs: nodes of work with dependencies; their executable form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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
  const Node* original = nullptr;  ///< node that this is a clone of
  std::uint64_t number = 0;        ///< in its graph, from 0
  std::vector<void*> pointers;     ///< to a kernel's parameters, for clients that ask for them
};

/// CUuserObject is its address. It calls the client's function when the last reference is gone.
struct UserObject {
  void* pointer = nullptr;
  CUhostFn destroy = nullptr;
  unsigned int references = 0;      ///< the client's references
  std::shared_ptr<UserObject> own;  ///< set while there are references

  UserObject() = default;
  ~UserObject();
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;
};

/// CUgraph is its address.
struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;  ///< in the order in which they were added
  std::uint64_t id = 0;
  std::uint64_t next_node = 0;
  std::weak_ptr<struct GraphExec> instance;  ///< the last executable form
  std::vector<std::shared_ptr<Condition>> conditions;
  std::map<std::shared_ptr<UserObject>, unsigned int> objects;  ///< number of references to each

  Graph();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  Node& add(CUcontext context, Work work, std::vector<Node*> dependencies);
  /// A copy, child graphs included.
  [[nodiscard]] std::unique_ptr<Graph> clone() const;
  /// The nodes so that each comes after what it depends on, otherwise in the order in which they
  /// were added; fewer than there are if there is a cycle.
  [[nodiscard]] std::vector<Node*> sorted() const;
  /// True if nodes allocate or free memory: such a graph has one executable form at a time, no
  /// copies, and keeps its nodes and edges.
  [[nodiscard]] bool has_memory() const;
};

/// CUgraphExec is its address.
struct GraphExec {
  struct Step {
    const Node* node = nullptr;  ///< only compared, it may be gone
    CUcontext context = nullptr;
    Work work;
    bool enabled = true;
    std::vector<std::size_t> dependencies;  ///< steps
    std::vector<std::vector<Step>> bodies;  ///< of a conditional node
  };
  /// In an order that respects dependencies; child graphs are in place of their nodes.
  std::vector<Step> steps;
  unsigned long long flags = 0;
  std::vector<std::shared_ptr<UserObject>> objects;
};

CUgraph handle(Graph* graph);
CUgraphNode handle(const Node* node);
/// The live object of a handle, or null.
Graph* find_graph(CUgraph graph);
Node* find_node(CUgraphNode node);
/// The driver's names for a node with some kind of work.
struct NodeKind {
  CUgraphNodeType type;
  const char* word;  ///< word of cuGraphDebugDotPrint
};
NodeKind kind_of(const Work& work);
/// The user objects of a graph and its children.
void keep_objects(const Graph& graph, std::vector<std::shared_ptr<UserObject>>& kept);
/// The graph's steps; false if there is a cycle.
bool flatten(const Graph& graph, std::vector<GraphExec::Step>& steps);
/// A conditional node of the graph, with its bodies, which are empty; returns their handles.
CUresult conditional_work(Graph& graph, CUDA_CONDITIONAL_NODE_PARAMS& parameters, Work& work);
/// Assigns the conditions of steps their values at the begin of a launch.
void assign_conditions(const std::vector<GraphExec::Step>& steps);
/// Performs the bodies that a conditional node's value selects.
CUresult perform_conditional(Context& context, const GraphExec::Step& step);
/// Makes a node's work from a call's parameters for its kind, which may be null. The later
/// generations of a kernel's parameters may name it by CUkernel.
template <typename Parameters>
CUresult make_work(Context& context, const Parameters* from, KernelWork& work) {
  if (from == nullptr) return CUDA_ERROR_INVALID_VALUE;
  work.function = from->func;
  if constexpr (requires { from->kern; }) {
    if (from->func == nullptr) work.function = reinterpret_cast<CUfunction>(from->kern);
  }
  work.grid = {from->gridDimX, from->gridDimY, from->gridDimZ};
  work.block = {from->blockDimX, from->blockDimY, from->blockDimZ};
  work.shared = from->sharedMemBytes;
  return prepare_kernel(context, work, from->kernelParams, from->extra);
}
template <typename Parameters, typename T>
CUresult make_work(Context&, const Parameters* from, T& work) {
  if (from == nullptr) return CUDA_ERROR_INVALID_VALUE;
  work = T{*from};
  return CUDA_SUCCESS;
}
/// Returns the error of work that is to become a node's. May complete the work.
CUresult check_work(Context& context, Work& work);

}  // namespace warpmark::cpu
