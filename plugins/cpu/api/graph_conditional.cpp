// Conditional nodes of graphs: what kernels say of a condition decides which bodies run.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "api/graph.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

unsigned int value_of(const Condition& condition) {
  unsigned int value = 0;
  if (const Context* owner = driver().find(condition.context))
    std::memcpy(&value, owner->arena.host(condition.address), sizeof value);
  return value;
}

void assign(const Condition& condition) {
  if (const Context* owner = driver().find(condition.context))
    std::memcpy(owner->arena.host(condition.address), &condition.initial, sizeof condition.initial);
}

CUresult perform_all(const std::vector<GraphExec::Step>& steps) {
  for (const GraphExec::Step& step : steps) {
    Context* context = driver().find(step.context);
    if (context == nullptr) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (context->pending != CUDA_SUCCESS || !step.enabled) continue;
    const CUresult result =
        step.bodies.empty() ? perform(*context, step.work) : perform_conditional(*context, step);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

}  // namespace

Condition::~Condition() {
  Context* owner = driver().find(context);
  if (owner != nullptr && owner->id == context_id) owner->arena.free(address);
}

CUresult conditional_work(Graph& graph, CUDA_CONDITIONAL_NODE_PARAMS& parameters, Work& work) {
  const unsigned int type = number_in(parameters.type);
  const unsigned int most = type == CU_GRAPH_COND_TYPE_IF      ? 2
                            : type == CU_GRAPH_COND_TYPE_WHILE ? 1
                                                               : 1 << 16;
  const auto condition = std::ranges::find_if(
      graph.conditions, [&](const auto& one) { return one->address == parameters.handle; });
  if (type > CU_GRAPH_COND_TYPE_SWITCH || parameters.size == 0 || parameters.size > most ||
      condition == graph.conditions.end())
    return CUDA_ERROR_INVALID_VALUE;
  for (const auto& node : graph.nodes) {  // a handle is one node's
    const auto* other = std::get_if<ConditionalWork>(&node->work);
    if (other != nullptr && other->condition == *condition) return CUDA_ERROR_INVALID_VALUE;
  }
  ConditionalWork made;
  made.condition = *condition;
  made.type = type;
  for (unsigned int i = 0; i < parameters.size; ++i) {
    made.bodies.push_back(std::make_shared<Graph>());
    made.handles.push_back(handle(made.bodies.back().get()));
  }
  parameters.phGraph_out = made.handles.data();  // which moves with the vector
  work = std::move(made);
  return CUDA_SUCCESS;
}

void assign_conditions(const std::vector<GraphExec::Step>& steps) {
  for (const GraphExec::Step& step : steps) {
    const auto* work = std::get_if<ConditionalWork>(&step.work);
    if (work != nullptr && work->condition->assigned) assign(*work->condition);
    for (const std::vector<GraphExec::Step>& body : step.bodies) assign_conditions(body);
  }
}

CUresult perform_conditional(Context& context, const GraphExec::Step& step) {
  const auto& work = std::get<ConditionalWork>(step.work);
  const auto begin = std::chrono::steady_clock::now();
  unsigned int value = value_of(*work.condition);
  if (work.type == CU_GRAPH_COND_TYPE_IF) value = value != 0 ? 0 : 1;
  if (work.type != CU_GRAPH_COND_TYPE_WHILE)
    return value < step.bodies.size() ? perform_all(step.bodies[value]) : CUDA_SUCCESS;
  // A loop that no kernel ends is ended as a kernel that does not end is.
  const std::uint64_t limit = context.launch_limits.wall_limit_ms;
  for (; value != 0 && context.pending == CUDA_SUCCESS; value = value_of(*work.condition)) {
    const CUresult result = perform_all(step.bodies[0]);
    if (result != CUDA_SUCCESS) return result;
    const auto taken = std::chrono::steady_clock::now() - begin;
    if (limit != 0 && taken > std::chrono::milliseconds(limit))
      context.pending = CUDA_ERROR_LAUNCH_TIMEOUT;
  }
  return CUDA_SUCCESS;
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* condition, CUgraph graph,
                                        CUcontext named, unsigned int initial, unsigned int flags) {
  return initialised("cuGraphConditionalHandleCreate", [&]() -> CUresult {
    Graph* found = find_graph(graph);
    if (condition == nullptr || found == nullptr || (flags & ~CU_GRAPH_COND_ASSIGN_DEFAULT) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    Context* context = driver().find(named);
    if (context == nullptr) {
      const CUresult result =
          named == nullptr ? current_context(Waits::no, context) : CUDA_ERROR_INVALID_CONTEXT;
      if (result != CUDA_SUCCESS) return result;
    }
    const std::uint64_t address = context->arena.allocate(sizeof initial);
    if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    context->arena.set_values(address, sizeof initial, true);
    context->arena.find(address)->label = "condition";
    auto made = std::make_shared<Condition>();
    made->context = reinterpret_cast<CUcontext>(context);
    made->context_id = context->id;
    made->address = address;
    made->initial = initial;
    made->assigned = (flags & CU_GRAPH_COND_ASSIGN_DEFAULT) != 0;
    if (made->assigned) assign(*made);
    *condition = address;
    found->conditions.push_back(std::move(made));
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
