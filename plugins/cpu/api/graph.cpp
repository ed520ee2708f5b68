// Graphs as a structure: nodes, dependencies, clones; the calls that look at it.
#include "api/graph.hpp"

#include <algorithm>
#include <utility>

#include "api/capture.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {

Node::Node(Graph& the_graph, CUcontext the_context, Work the_work)
    : graph(&the_graph), context(the_context), work(std::move(the_work)) {
  driver().nodes.insert(this);
  if (const auto* child = std::get_if<ChildWork>(&work))
    driver().child_graphs.insert(child->graph.get());
  if (const auto* conditional = std::get_if<ConditionalWork>(&work)) {
    for (const auto& body : conditional->bodies) driver().child_graphs.insert(body.get());
  }
}
Node::~Node() {
  driver().nodes.erase(this);
  forget_node(this);
}
Graph::Graph() : id(driver().next_graph++) {}
Graph::~Graph() {
  driver().child_graphs.erase(this);
  forget_graph(this);
}

Node& Graph::add(CUcontext context, Work work, std::vector<Node*> dependencies) {
  nodes.push_back(std::make_unique<Node>(*this, context, std::move(work)));
  nodes.back()->dependencies = std::move(dependencies);
  nodes.back()->number = next_node++;
  return *nodes.back();
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  copy->conditions = conditions;
  copy->objects = objects;
  std::map<const Node*, Node*> twins;
  for (const auto& node : nodes) {
    Work work = node->work;
    if (auto* child = std::get_if<ChildWork>(&work)) child->graph = child->graph->clone();
    if (auto* conditional = std::get_if<ConditionalWork>(&work)) {
      for (std::size_t i = 0; i < conditional->bodies.size(); ++i) {
        conditional->bodies[i] = conditional->bodies[i]->clone();
        conditional->handles[i] = handle(conditional->bodies[i].get());
      }
    }
    Node& twin = copy->add(node->context, std::move(work), {});
    twin.original = node.get();
    twins[node.get()] = &twin;
  }
  for (const auto& node : nodes) {
    for (const Node* before : node->dependencies)
      twins[node.get()]->dependencies.push_back(twins.at(before));
  }
  return copy;
}

std::vector<Node*> Graph::sorted() const {
  std::vector<Node*> order;
  std::set<const Node*> placed;
  // Passes over what is left keep the order in which nodes were added.
  for (bool progress = true; progress && order.size() < nodes.size();) {
    progress = false;
    for (const auto& node : nodes) {
      if (placed.contains(node.get())) continue;
      const bool ready = std::ranges::all_of(
          node->dependencies, [&](const Node* before) { return placed.contains(before); });
      if (!ready) continue;
      order.push_back(node.get());
      placed.insert(node.get());
      progress = true;
    }
  }
  return order;
}

bool Graph::has_memory() const {
  return std::ranges::any_of(
      nodes, [](const auto& node) { return is_any<AllocateWork, FreeWork>(node->work); });
}

CUgraph handle(Graph* graph) {
  return reinterpret_cast<CUgraph>(graph);
}
CUgraphNode handle(const Node* node) {
  return reinterpret_cast<CUgraphNode>(const_cast<Node*>(node));
}

Graph* find_graph(CUgraph graph) {
  if (Graph* found = find_in(driver().graphs, graph)) return found;
  auto* child = reinterpret_cast<Graph*>(graph);
  if (driver().child_graphs.contains(child)) return child;
  // The graph that a capture is making.
  for (const auto& [handle, context] : driver().contexts) {
    const auto made_by = [&](const Stream& stream) {
      return stream.capture != nullptr && stream.capture->graph == child;
    };
    if (made_by(context->per_thread_stream)) return child;
    for (const auto& [key, stream] : context->streams) {
      if (made_by(*stream)) return child;
    }
  }
  return nullptr;
}

Node* find_node(CUgraphNode node) {
  auto* found = reinterpret_cast<Node*>(node);
  return driver().nodes.contains(found) ? found : nullptr;
}

namespace {

template <typename Body>
CUresult with_graph(const char* name, CUgraph graph, Body body) {
  return initialised(name, [&]() -> CUresult {
    Graph* found = find_graph(graph);
    return found == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*found);
  });
}
template <typename Body>
CUresult with_node(const char* name, CUgraphNode node, Body body) {
  return initialised(name, [&]() -> CUresult {
    Node* found = find_node(node);
    return found == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*found);
  });
}

// How graphs return lists: without a place for the items, only their number; otherwise as many as
// fit, and null for the rest. Edges have no data, if the client asks for it.
CUresult list(const std::vector<const Node*>& nodes, CUgraphNode* to, CUgraphEdgeData* data,
              std::size_t* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (data != nullptr) std::fill_n(data, std::min(*count, nodes.size()), CUgraphEdgeData{});
  if (to == nullptr) {
    *count = nodes.size();
    return CUDA_SUCCESS;
  }
  for (std::size_t i = 0; i < *count; ++i) to[i] = i < nodes.size() ? handle(nodes[i]) : nullptr;
  *count = std::min(*count, nodes.size());
  return CUDA_SUCCESS;
}

CUresult edges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
               std::size_t* count) {
  return with_graph("cuGraphGetEdges", graph, [&](Graph& found) -> CUresult {
    std::vector<const Node*> sources, targets;
    for (const auto& node : found.nodes) {
      for (const Node* before : node->dependencies) {
        sources.push_back(before);
        targets.push_back(node.get());
      }
    }
    if (count == nullptr || (from == nullptr) != (to == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    std::size_t room = *count;
    const CUresult result = list(sources, from, from == nullptr ? nullptr : data, &room);
    return result != CUDA_SUCCESS ? result : list(targets, to, nullptr, count);
  });
}

CUresult dependencies_of(CUgraphNode node, CUgraphNode* to, CUgraphEdgeData* data,
                         std::size_t* count) {
  return with_node("cuGraphNodeGetDependencies", node, [&](Node& found) -> CUresult {
    const std::vector<const Node*> all(found.dependencies.begin(), found.dependencies.end());
    return list(all, to, data, count);
  });
}

CUresult dependents_of(CUgraphNode node, CUgraphNode* to, CUgraphEdgeData* data,
                       std::size_t* count) {
  return with_node("cuGraphNodeGetDependentNodes", node, [&](Node& found) -> CUresult {
    std::vector<const Node*> all;
    for (const auto& other : found.graph->nodes) {
      const std::vector<Node*>& before = other->dependencies;
      if (std::ranges::find(before, &found) != before.end()) all.push_back(other.get());
    }
    return list(all, to, data, count);
  });
}

CUresult change_edges(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                      std::size_t count, bool add) {
  return with_graph("cuGraphAddDependencies", graph, [&](Graph& found) -> CUresult {
    if (count != 0 && (from == nullptr || to == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    if (!add && found.has_memory()) return CUDA_ERROR_NOT_SUPPORTED;
    // All of them are looked at before the first is changed.
    for (std::size_t i = 0; i < count; ++i) {
      const Node* source = find_node(from[i]);
      const Node* target = find_node(to[i]);
      if (source == nullptr || target == nullptr || source == target || source->graph != &found ||
          target->graph != &found)
        return CUDA_ERROR_INVALID_VALUE;
      const bool there =
          std::ranges::find(target->dependencies, source) != target->dependencies.end();
      if (there == add) return CUDA_ERROR_INVALID_VALUE;
    }
    for (std::size_t i = 0; i < count; ++i) {
      Node* target = find_node(to[i]);
      if (add)
        target->dependencies.push_back(find_node(from[i]));
      else
        std::erase(target->dependencies, find_node(from[i]));
    }
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuGraphCreate(CUgraph* graph, unsigned int flags) {
  return initialised("cuGraphCreate", [&]() -> CUresult {
    if (graph == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    auto made = std::make_unique<Graph>();
    *graph = handle(made.get());
    driver().graphs.emplace(*graph, std::move(made));
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return initialised("cuGraphDestroy", [&]() -> CUresult {
    return driver().graphs.erase(graph) == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
}

CUresult cuGraphClone(CUgraph* clone, CUgraph original) {
  return with_graph("cuGraphClone", original, [&](Graph& found) -> CUresult {
    if (clone == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (found.has_memory()) return CUDA_ERROR_NOT_SUPPORTED;
    std::unique_ptr<Graph> made = found.clone();
    *clone = handle(made.get());
    driver().graphs.emplace(*clone, std::move(made));
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphNodeFindInClone(CUgraphNode* twin, CUgraphNode original, CUgraph clone) {
  return with_graph("cuGraphNodeFindInClone", clone, [&](Graph& found) -> CUresult {
    if (twin == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (const auto& node : found.nodes) {
      if (node->original == nullptr || handle(node->original) != original) continue;
      *twin = handle(node.get());
      return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return with_graph("cuGraphGetNodes", graph, [&](Graph& found) -> CUresult {
    std::vector<const Node*> all;
    for (const auto& node : found.nodes) all.push_back(node.get());
    return list(all, nodes, nullptr, count);
  });
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return with_graph("cuGraphGetRootNodes", graph, [&](Graph& found) -> CUresult {
    std::vector<const Node*> all;
    for (const auto& node : found.nodes) {
      if (node->dependencies.empty()) all.push_back(node.get());
    }
    return list(all, nodes, nullptr, count);
  });
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  return edges(graph, from, to, nullptr, count);
}
CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to,
                            CUgraphEdgeData* data, size_t* count) {
  return edges(graph, from, to, data, count);
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes, size_t* count) {
  return dependencies_of(node, nodes, nullptr, count);
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* data,
                                       size_t* count) {
  return dependencies_of(node, nodes, data, count);
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes, size_t* count) {
  return dependents_of(node, nodes, nullptr, count);
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* nodes,
                                         CUgraphEdgeData* data, size_t* count) {
  return dependents_of(node, nodes, data, count);
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                size_t count) {
  return change_edges(graph, from, to, count, true);
}
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData*, size_t count) {
  return change_edges(graph, from, to, count, true);
}
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   size_t count) {
  return change_edges(graph, from, to, count, false);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData*, size_t count) {
  return change_edges(graph, from, to, count, false);
}

CUresult cuGraphDestroyNode(CUgraphNode node) {
  return with_node("cuGraphDestroyNode", node, [&](Node& found) -> CUresult {
    Graph& graph = *found.graph;
    if (graph.has_memory()) return CUDA_ERROR_NOT_SUPPORTED;
    for (const auto& other : graph.nodes) std::erase(other->dependencies, &found);
    std::erase_if(graph.nodes, [&](const auto& each) { return each.get() == &found; });
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  return with_node("cuGraphNodeGetType", node,
                   [&](Node& found) { return give(type, kind_of(found.work).type); });
}

}  // extern "C"
