// Executable graphs: instantiated, launched, updated.
#include <algorithm>
#include <utility>

#include "api/capture.hpp"
#include "api/graph.hpp"
#include "api/mistake.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {

namespace {

// Appends the steps of a graph; `before` are steps that its roots wait for. Gives back the steps
// that nothing in it waits for.
bool append(const Graph& graph, const std::vector<std::size_t>& before,
            std::vector<GraphExec::Step>& steps, std::vector<std::size_t>& leaves) {
  const std::vector<Node*> order = graph.sorted();
  if (order.size() != graph.nodes.size()) return false;
  std::map<const Node*, std::vector<std::size_t>> ends;  // the steps that stand for a node
  for (const Node* node : order) {
    std::vector<std::size_t> dependencies;
    for (const Node* each : node->dependencies)
      dependencies.insert(dependencies.end(), ends[each].begin(), ends[each].end());
    if (node->dependencies.empty()) dependencies = before;
    // A child graph begins with a step of its own, which can be switched off or found empty.
    const std::size_t index = steps.size();
    GraphExec::Step step;
    step.node = node;
    step.context = node->context;
    step.dependencies = std::move(dependencies);
    const auto* child = std::get_if<ChildWork>(&node->work);
    if (child == nullptr) step.work = node->work;
    if (const auto* conditional = std::get_if<ConditionalWork>(&node->work)) {
      for (const auto& body : conditional->bodies) {
        std::vector<std::size_t> last;
        if (!append(*body, {}, step.bodies.emplace_back(), last)) return false;
      }
    }
    steps.push_back(std::move(step));
    std::vector<std::size_t> inner;
    if (child != nullptr && !append(*child->graph, {index}, steps, inner)) return false;
    ends[node] = inner.empty() ? std::vector<std::size_t>{index} : inner;
  }
  for (const Node* node : order) {
    const bool leaf = std::ranges::none_of(order, [&](const Node* other) {
      return std::ranges::find(other->dependencies, node) != other->dependencies.end();
    });
    if (leaf) leaves.insert(leaves.end(), ends[node].begin(), ends[node].end());
  }
  return true;
}

GraphExec* find_exec(CUgraphExec exec) {
  return find_in(driver().executables, exec);
}

// Bodies of conditional nodes have what a GPU does by itself.
bool bodies_can_run(const std::vector<GraphExec::Step>& steps, bool body) {
  return std::ranges::all_of(steps, [&](const GraphExec::Step& step) {
    const bool good = is_any<EmptyWork, KernelWork, CopyWork, FillWork, ConditionalWork>(step.work);
    return (good || !body) && std::ranges::all_of(step.bodies, [](const auto& inner) {
             return bodies_can_run(inner, true);
           });
  });
}

CUresult instantiate(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  return initialised("cuGraphInstantiate", [&]() -> CUresult {
    Graph* found = find_graph(graph);
    constexpr unsigned long long known = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                         CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                                         CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    if (exec == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0) return CUDA_ERROR_NOT_SUPPORTED;
    if ((flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
    if (found->has_memory() && !found->instance.expired()) return CUDA_ERROR_NOT_SUPPORTED;
    auto made = std::make_shared<GraphExec>();
    made->flags = flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;  // as driver 580 tells
    if (!flatten(*found, made->steps)) return CUDA_ERROR_INVALID_VALUE;     // a cycle
    keep_objects(*found, made->objects);
    if (!bodies_can_run(made->steps, false))
      return fail(CUDA_ERROR_NOT_SUPPORTED,
                  "a conditional node's body has kernels, copies, fills, and graphs of these");
    found->instance = made;
    *exec = reinterpret_cast<CUgraphExec>(made.get());
    driver().executables.emplace(*exec, std::move(made));
    return CUDA_SUCCESS;
  });
}

// The step of an executable graph that came from a node.
GraphExec::Step* step_of(std::vector<GraphExec::Step>& steps, CUgraphNode node) {
  for (GraphExec::Step& step : steps) {
    if (handle(step.node) == node) return &step;
    for (std::vector<GraphExec::Step>& body : step.bodies) {
      if (GraphExec::Step* found = step_of(body, node); found != nullptr) return found;
    }
  }
  return nullptr;
}
GraphExec::Step* step_of(CUgraphExec exec, CUgraphNode node) {
  GraphExec* found = find_exec(exec);
  return found == nullptr ? nullptr : step_of(found->steps, node);
}

template <typename T, typename From>
CUresult change_step(const char* name, CUgraphExec exec, CUgraphNode node, CUcontext named,
                     const From* from) {
  return initialised(name, [&]() -> CUresult {
    GraphExec::Step* step = step_of(exec, node);
    if (step == nullptr || !std::holds_alternative<T>(step->work)) return CUDA_ERROR_INVALID_VALUE;
    Context* context = driver().find(named != nullptr ? named : step->context);
    if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    Work made = T{};
    CUresult result = make_work(*context, from, std::get<T>(made));
    if (result == CUDA_SUCCESS) result = check_work(*context, made);
    if (result == CUDA_SUCCESS) step->work = std::move(made);
    return result;
  });
}

template <typename Parameters>
CUresult change_kernel(CUgraphExec exec, CUgraphNode node, const Parameters* from) {
  if (from == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_step<KernelWork>("cuGraphExecKernelNodeSetParams", exec, node, nullptr, from);
}

// Compares the shapes of two lists of steps. Sets `node` to the node that does not fit.
CUgraphExecUpdateResult compare(const std::vector<GraphExec::Step>& old,
                                const std::vector<GraphExec::Step>& steps, CUgraphNode& node) {
  if (steps.size() != old.size()) return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    node = handle(steps[i].node);
    if (steps[i].work.index() != old[i].work.index())
      return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    if (steps[i].dependencies != old[i].dependencies ||
        steps[i].bodies.size() != old[i].bodies.size())
      return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    if (steps[i].context != old[i].context)
      return CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;
    for (std::size_t j = 0; j < steps[i].bodies.size(); ++j) {
      const auto result = compare(old[i].bodies[j], steps[i].bodies[j], node);
      if (result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return result;
    }
  }
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

void take_over(std::vector<GraphExec::Step>& old, std::vector<GraphExec::Step>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    old[i].work = std::move(steps[i].work);
    for (std::size_t j = 0; j < steps[i].bodies.size(); ++j)
      take_over(old[i].bodies[j], steps[i].bodies[j]);
  }
}

// Takes over the work of another graph of the same shape.
CUgraphExecUpdateResult update(GraphExec& exec, const Graph& graph, CUgraphNode& node) {
  std::vector<GraphExec::Step> steps;
  if (!flatten(graph, steps)) return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  const CUgraphExecUpdateResult result = compare(exec.steps, steps, node);
  if (result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return result;
  node = nullptr;
  take_over(exec.steps, steps);
  exec.objects.clear();
  keep_objects(graph, exec.objects);
  return result;
}

// Checks that the memory that a launch allocates is free, and that the memory that it frees is
// allocated. Frees memory of the previous launch first if the executable was instantiated so.
CUresult prepare_memory(const GraphExec& exec) {
  std::set<std::uint64_t> allocated;  // by the steps before
  for (const GraphExec::Step& step : exec.steps) {
    Context* context = driver().find(step.context);
    if (context == nullptr) continue;
    if (const auto* work = std::get_if<AllocateWork>(&step.work)) {
      const std::uint64_t address = work->memory->address;
      allocated.insert(address);
      if (!context->graph_live.contains(address)) continue;
      if ((exec.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) == 0)
        return fail(CUDA_ERROR_INVALID_VALUE,
                    "memory that the graph allocates was not freed since its last launch");
      free_of_graph(*context, address);
    } else if (const auto* freed = std::get_if<FreeWork>(&step.work)) {
      if (allocated.erase(freed->address) == 0 && !context->graph_live.contains(freed->address))
        return fail(CUDA_ERROR_INVALID_VALUE, "the graph frees memory that is not allocated");
    }
  }
  return CUDA_SUCCESS;
}

// A copy of an executable graph as a graph, to be a child of one that is being captured.
std::shared_ptr<Graph> as_graph(const GraphExec& exec) {
  auto graph = std::make_shared<Graph>();
  std::vector<Node*> made;
  for (const GraphExec::Step& step : exec.steps) {
    std::vector<Node*> before;
    for (const std::size_t each : step.dependencies) before.push_back(made[each]);
    made.push_back(&graph->add(step.context, step.enabled ? step.work : Work{}, std::move(before)));
  }
  return graph;
}

}  // namespace

bool flatten(const Graph& graph, std::vector<GraphExec::Step>& steps) {
  std::vector<std::size_t> leaves;
  return append(graph, {}, steps, leaves);
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  // An upload needs a stream, which only parameters have.
  if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0) return CUDA_ERROR_INVALID_VALUE;
  return instantiate(exec, graph, flags);
}
CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = instantiate(exec, graph, parameters->flags);
  parameters->hErrNode_out = nullptr;
  parameters->result_out = result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                                                  : CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
  return result;
}
// The forms of CUDA 10 and 11 return the node that is wrong, and a text.
CUresult cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode* node, char* text,
                               size_t bytes) {
  if (node != nullptr) *node = nullptr;
  if (text != nullptr && bytes != 0) *text = '\0';
  return instantiate(exec, graph, 0);
}
CUresult cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, CUgraphNode* node, char* text,
                            size_t bytes) {
  return cuGraphInstantiate_v2(exec, graph, node, text, bytes);
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return initialised("cuGraphExecDestroy", [&]() -> CUresult {
    return driver().executables.erase(exec) == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t* flags) {
  return initialised("cuGraphExecGetFlags", [&]() -> CUresult {
    const GraphExec* found = find_exec(exec);
    return found == nullptr ? CUDA_ERROR_INVALID_VALUE : give(flags, found->flags);
  });
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  return with_owner("cuGraphUpload", Waits::no, stream, [&](Context& context) -> CUresult {
    if (find_exec(exec) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return valid_stream(context, stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  std::shared_ptr<GraphExec> running;
  CUresult result =
      with_owner("cuGraphLaunch", Waits::no, stream, [&](Context& context) -> CUresult {
        const auto found = driver().executables.find(exec);
        if (found == driver().executables.end()) return CUDA_ERROR_INVALID_VALUE;
        if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
        if (capturing(context, stream)) {
          const auto& steps = found->second->steps;
          if (std::ranges::any_of(steps,
                                  [](const GraphExec::Step& step) { return !step.bodies.empty(); }))
            return CUDA_ERROR_NOT_SUPPORTED;
          auto child = as_graph(*found->second);
          if (child->has_memory()) return CUDA_ERROR_NOT_SUPPORTED;
          return submit(context, stream, ChildWork{std::move(child)});
        }
        const CUresult allowed = check_implicit(context, stream);
        if (allowed != CUDA_SUCCESS) return allowed;
        const CUresult ready = prepare_memory(*found->second);
        if (ready == CUDA_SUCCESS) {
          running = found->second;
          assign_conditions(running->steps);
        }
        return ready;
      });
  if (result != CUDA_SUCCESS || running == nullptr) return result;
  for (std::size_t next = 0; result == CUDA_SUCCESS && next < running->steps.size();) {
    // Host functions run between the others, and without the lock.
    CUDA_HOST_NODE_PARAMS call{};
    result = initialised("cuGraphLaunch", [&]() -> CUresult {
      for (; next < running->steps.size() && call.fn == nullptr; ++next) {
        const GraphExec::Step& step = running->steps[next];
        Context* context = driver().find(step.context);
        if (context == nullptr) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
        if (context->pending != CUDA_SUCCESS || !step.enabled) continue;
        if (const auto* host = std::get_if<HostWork>(&step.work)) {
          call = host->call;
          continue;
        }
        const CUresult outcome = step.bodies.empty() ? perform(*context, step.work)
                                                     : perform_conditional(*context, step);
        if (outcome != CUDA_SUCCESS) return report_refusal(*context, "cuGraphLaunch", outcome);
      }
      return CUDA_SUCCESS;
    });
    if (call.fn != nullptr) call.fn(call.userData);
  }
  return result;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info) {
  return initialised("cuGraphExecUpdate", [&]() -> CUresult {
    GraphExec* found = find_exec(exec);
    const Graph* other = find_graph(graph);
    if (found == nullptr || other == nullptr || info == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUgraphNode node = nullptr;
    *info = {};
    info->result = update(*found, *other, node);
    info->errorNode = node;
    return info->result == CU_GRAPH_EXEC_UPDATE_SUCCESS ? CUDA_SUCCESS
                                                        : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  });
}
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode* node,
                           CUgraphExecUpdateResult* why) {
  CUgraphExecUpdateResultInfo info{};
  const CUresult result = cuGraphExecUpdate_v2(exec, graph, &info);
  if (node != nullptr) *node = info.errorNode;
  if (why != nullptr) *why = info.result;
  return result;
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS_v2* from) {
  return change_kernel(exec, node, from);
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS_v1* from) {
  return change_kernel(exec, node, from);
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D* from, CUcontext context) {
  return change_step<CopyWork>("cuGraphExecMemcpyNodeSetParams", exec, node, context, from);
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS* from, CUcontext context) {
  return change_step<FillWork>("cuGraphExecMemsetNodeSetParams", exec, node, context, from);
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS* from) {
  return change_step<HostWork>("cuGraphExecHostNodeSetParams", exec, node, nullptr, from);
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return change_step<RecordWork>("cuGraphExecEventRecordNodeSetEvent", exec, node, nullptr, &event);
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return change_step<WaitWork>("cuGraphExecEventWaitNodeSetEvent", exec, node, nullptr, &event);
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled) {
  return initialised("cuGraphNodeSetEnabled", [&]() -> CUresult {
    GraphExec::Step* step = step_of(exec, node);
    // Only the three kinds that do something on the device can be switched.
    if (step == nullptr || !is_any<KernelWork, CopyWork, FillWork>(step->work))
      return CUDA_ERROR_INVALID_VALUE;
    step->enabled = enabled != 0;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int* enabled) {
  return initialised("cuGraphNodeGetEnabled", [&]() -> CUresult {
    const GraphExec::Step* step = step_of(exec, node);
    return step == nullptr ? CUDA_ERROR_INVALID_VALUE : give(enabled, step->enabled ? 1 : 0);
  });
}

}  // extern "C"
