// Nodes of each kind: adding them, and reading and changing what they do.
#include <algorithm>
#include <utility>

#include "api/graph.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {

NodeKind kind_of(const Work& work) {
  struct Visitor {
    NodeKind operator()(const EmptyWork&) const { return {CU_GRAPH_NODE_TYPE_EMPTY, "EMPTY"}; }
    NodeKind operator()(const KernelWork&) const { return {CU_GRAPH_NODE_TYPE_KERNEL, "KERNEL"}; }
    NodeKind operator()(const CopyWork&) const { return {CU_GRAPH_NODE_TYPE_MEMCPY, "MEMCPY"}; }
    NodeKind operator()(const FillWork&) const { return {CU_GRAPH_NODE_TYPE_MEMSET, "MEMSET"}; }
    NodeKind operator()(const HostWork&) const { return {CU_GRAPH_NODE_TYPE_HOST, "HOST"}; }
    NodeKind operator()(const ChildWork&) const { return {CU_GRAPH_NODE_TYPE_GRAPH, "EMPTY"}; }
    NodeKind operator()(const RecordWork&) const {
      return {CU_GRAPH_NODE_TYPE_EVENT_RECORD, "EVENT_RECORD"};
    }
    NodeKind operator()(const WaitWork&) const {
      return {CU_GRAPH_NODE_TYPE_WAIT_EVENT, "EVENT_WAIT"};
    }
    NodeKind operator()(const AllocateWork&) const {
      return {CU_GRAPH_NODE_TYPE_MEM_ALLOC, "MEM_ALLOC"};
    }
    NodeKind operator()(const FreeWork&) const { return {CU_GRAPH_NODE_TYPE_MEM_FREE, "MEM_FREE"}; }
    NodeKind operator()(const ConditionalWork&) const {
      return {CU_GRAPH_NODE_TYPE_CONDITIONAL, "CONDITIONAL"};
    }
    NodeKind operator()(const ValueWork&) const {
      return {CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, "BATCH_MEM_OP"};
    }
  };
  return std::visit(Visitor{}, work);
}

namespace {

// While nodes are checked, memory of graphs counts as being there: it will be in a launch.
class WithGraphMemory {
 public:
  explicit WithGraphMemory(const Context& context) {
    for (const auto& [address, weak] : context.graph_memory) {
      const auto memory = weak.lock();
      if (memory == nullptr || memory->allocation->live) continue;
      memory->allocation->live = true;
      shown_.push_back(memory->allocation);
    }
  }
  ~WithGraphMemory() {
    for (Allocation* allocation : shown_) allocation->live = false;
  }
  WithGraphMemory(const WithGraphMemory&) = delete;
  WithGraphMemory& operator=(const WithGraphMemory&) = delete;

 private:
  std::vector<Allocation*> shown_;
};

}  // namespace

CUresult check_work(Context& context, Work& work) {
  const WithGraphMemory shown(context);
  if (const auto* copy = std::get_if<CopyWork>(&work)) return check_copy(context, copy->copy);
  if (const auto* fill = std::get_if<FillWork>(&work)) return check_fill(context, fill->fill);
  const auto known = [](bool is) { return is ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; };
  if (const auto* freed = std::get_if<FreeWork>(&work))
    return known(context.graph_memory.contains(freed->address));
  if (const auto* host = std::get_if<HostWork>(&work)) return known(host->call.fn != nullptr);
  if (const auto* made = std::get_if<RecordWork>(&work))
    return known(context.events.contains(made->event));
  if (const auto* waits = std::get_if<WaitWork>(&work))
    return known(context.events.contains(waits->event));
  return CUDA_SUCCESS;
}

namespace {

// The one way in: `make` turns the call's parameters into work.
template <typename Make>
CUresult add(const char* name, CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
             std::size_t count, CUcontext named, Make make) {
  return initialised(name, [&]() -> CUresult {
    Graph* found = find_graph(graph);
    if (node == nullptr || found == nullptr || (count != 0 && dependencies == nullptr))
      return CUDA_ERROR_INVALID_VALUE;
    std::vector<Node*> before;
    for (std::size_t i = 0; i < count; ++i) {
      Node* each = find_node(dependencies[i]);
      if (each == nullptr || each->graph != found ||
          std::ranges::find(before, each) != before.end())
        return CUDA_ERROR_INVALID_VALUE;
      before.push_back(each);
    }
    Context* context = nullptr;
    CUresult result = named_context(named, context);
    if (result != CUDA_SUCCESS) return result;
    Work work;
    result = make(*context, work);
    if (result == CUDA_SUCCESS) result = check_work(*context, work);
    if (result != CUDA_SUCCESS) return result;
    *node = handle(
        &found->add(reinterpret_cast<CUcontext>(context), std::move(work), std::move(before)));
    return CUDA_SUCCESS;
  });
}

template <typename T, typename From>
CUresult add_as(const char* name, CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                std::size_t count, CUcontext named, const From* from) {
  return add(name, node, graph, dependencies, count, named, [&](Context& context, Work& work) {
    return make_work(context, from, work.emplace<T>());
  });
}

template <typename T, typename Body>
CUresult with(const char* name, CUgraphNode node, Body body) {
  return initialised(name, [&]() -> CUresult {
    Node* found = find_node(node);
    T* work = found == nullptr ? nullptr : std::get_if<T>(&found->work);
    return work == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*found, *work);
  });
}

// Replaces a node's work by what `from` says, which must be of the same kind.
template <typename T, typename From>
CUresult change(const char* name, CUgraphNode node, const From* from) {
  return with<T>(name, node, [&](Node& found, T& work) -> CUresult {
    Context* context = driver().find(found.context);
    if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    Work made = T{};
    CUresult result = make_work(*context, from, std::get<T>(made));
    if (result == CUDA_SUCCESS) result = check_work(*context, made);
    if (result == CUDA_SUCCESS) work = std::move(std::get<T>(made));
    return result;
  });
}

template <typename T, typename Value>
CUresult read(const char* name, CUgraphNode node, Value* to, Value T::*member) {
  return with<T>(name, node, [&](Node&, T& work) { return give(to, work.*member); });
}

// The parameters of either generation.
template <typename Parameters>
CUresult kernel_parameters(CUgraphNode node, Parameters* to) {
  return with<KernelWork>(
      "cuGraphKernelNodeGetParams", node, [&](Node& found, KernelWork& work) -> CUresult {
        if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
        *to = {};
        to->func = work.function;
        to->gridDimX = work.grid[0];
        to->gridDimY = work.grid[1];
        to->gridDimZ = work.grid[2];
        to->blockDimX = work.block[0];
        to->blockDimY = work.block[1];
        to->blockDimZ = work.block[2];
        to->sharedMemBytes = work.shared;
        if constexpr (requires { to->ctx; }) to->ctx = found.context;
        found.pointers.clear();
        Context* context = driver().find(found.context);
        const Kernel* kernel = context == nullptr ? nullptr : find_kernel(*context, work.function);
        if (kernel == nullptr) return CUDA_SUCCESS;
        for (const Parameter& parameter : kernel->function->parameters)
          found.pointers.push_back(work.parameters.data() + parameter.offset);
        to->kernelParams = found.pointers.empty() ? nullptr : found.pointers.data();
        return CUDA_SUCCESS;
      });
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                 size_t count, const CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_as<KernelWork>("cuGraphAddKernelNode", node, graph, dependencies, count,
                            parameters->ctx, parameters);
}
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_as<KernelWork>("cuGraphAddKernelNode", node, graph, dependencies, count, nullptr,
                            parameters);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                              size_t count, const CUDA_MEMCPY3D* copy, CUcontext named) {
  return add_as<CopyWork>("cuGraphAddMemcpyNode", node, graph, dependencies, count, named, copy);
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS* fill, CUcontext named) {
  return add("cuGraphAddMemsetNode", node, graph, dependencies, count, named,
             [&](Context& context, Work& work) {
               if (fill != nullptr && (fill->width == 0 || fill->height == 0))
                 return CUDA_ERROR_INVALID_VALUE;
               return make_work(context, fill, work.emplace<FillWork>());
             });
}

CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                            size_t count, const CUDA_HOST_NODE_PARAMS* host) {
  return add_as<HostWork>("cuGraphAddHostNode", node, graph, dependencies, count, nullptr, host);
}

CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                             size_t count) {
  return add("cuGraphAddEmptyNode", node, graph, dependencies, count, nullptr,
             [](Context&, Work&) { return CUDA_SUCCESS; });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                  size_t count, CUgraph child) {
  return add("cuGraphAddChildGraphNode", node, graph, dependencies, count, nullptr,
             [&](Context&, Work& work) {
               const Graph* found = find_graph(child);
               if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
               if (found->has_memory()) return CUDA_ERROR_NOT_SUPPORTED;
               work = ChildWork{found->clone()};
               return CUDA_SUCCESS;
             });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph,
                                   const CUgraphNode* dependencies, size_t count, CUevent event) {
  return add_as<RecordWork>("cuGraphAddEventRecordNode", node, graph, dependencies, count, nullptr,
                            &event);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                 size_t count, CUevent event) {
  return add_as<WaitWork>("cuGraphAddEventWaitNode", node, graph, dependencies, count, nullptr,
                          &event);
}

// The general form: a struct that says itself what kind of node it is for.
CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                        size_t count, CUgraphNodeParams* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  switch (number_in(parameters->type)) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return add_as<KernelWork>("cuGraphAddKernelNode", node, graph, dependencies, count,
                                parameters->kernel.ctx, &parameters->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return cuGraphAddMemcpyNode(node, graph, dependencies, count, &parameters->memcpy.copyParams,
                                  parameters->memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      const auto& from = parameters->memset;
      const CUDA_MEMSET_NODE_PARAMS to{from.dst,         from.pitch, from.value,
                                       from.elementSize, from.width, from.height};
      return cuGraphAddMemsetNode(node, graph, dependencies, count, &to, from.ctx);
    }
    case CU_GRAPH_NODE_TYPE_HOST: {
      const CUDA_HOST_NODE_PARAMS to{parameters->host.fn, parameters->host.userData};
      return cuGraphAddHostNode(node, graph, dependencies, count, &to);
    }
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return cuGraphAddChildGraphNode(node, graph, dependencies, count, parameters->graph.graph);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
      const auto& from = parameters->alloc;
      CUDA_MEM_ALLOC_NODE_PARAMS to{};
      to.poolProps = from.poolProps;
      to.accessDescs = from.accessDescs;
      to.accessDescCount = from.accessDescCount;
      to.bytesize = from.bytesize;
      const CUresult result = cuGraphAddMemAllocNode(node, graph, dependencies, count, &to);
      parameters->alloc.dptr = to.dptr;
      return result;
    }
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return add("cuGraphAddNode", node, graph, dependencies, count, parameters->conditional.ctx,
                 [&](Context&, Work& work) {
                   return conditional_work(*find_graph(graph), parameters->conditional, work);
                 });
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return cuGraphAddMemFreeNode(node, graph, dependencies, count, parameters->free.dptr);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return cuGraphAddEmptyNode(node, graph, dependencies, count);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return cuGraphAddEventWaitNode(node, graph, dependencies, count, parameters->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return cuGraphAddEventRecordNode(node, graph, dependencies, count,
                                       parameters->eventRecord.event);
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}
CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                           const CUgraphEdgeData*, size_t count, CUgraphNodeParams* parameters) {
  return cuGraphAddNode(node, graph, dependencies, count, parameters);
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                size_t count, CUDA_MEM_ALLOC_NODE_PARAMS* parameters) {
  return add("cuGraphAddMemAllocNode", node, graph, dependencies, count, nullptr,
             [&](Context& context, Work& work) -> CUresult {
               if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
               AllocateWork made;
               const CUresult result = reserve(context, *parameters, made);
               if (result == CUDA_SUCCESS) parameters->dptr = made.memory->address;
               work = std::move(made);
               return result;
             });
}
CUresult cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                               size_t count, CUdeviceptr address) {
  return add("cuGraphAddMemFreeNode", node, graph, dependencies, count, nullptr,
             [&](Context&, Work& work) -> CUresult {
               for (const auto& other : find_graph(graph)->nodes) {
                 const auto* freed = std::get_if<FreeWork>(&other->work);
                 if (freed != nullptr && freed->address == address) return CUDA_ERROR_INVALID_VALUE;
               }
               work = FreeWork{address};
               return CUDA_SUCCESS;
             });
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* to) {
  return read("cuGraphMemAllocNodeGetParams", node, to, &AllocateWork::parameters);
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* to) {
  return read("cuGraphMemFreeNodeGetParams", node, to, &FreeWork::address);
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2* to) {
  return kernel_parameters(node, to);
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* to) {
  return kernel_parameters(node, to);
}
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2* from) {
  return change<KernelWork>("cuGraphKernelNodeSetParams", node, from);
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* from) {
  return change<KernelWork>("cuGraphKernelNodeSetParams", node, from);
}

// Getting, setting on a node: the three kinds whose parameters are one struct.
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* to) {
  return read("cuGraphMemcpyNodeGetParams", node, to, &CopyWork::copy);
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* from) {
  return change<CopyWork>("cuGraphMemcpyNodeSetParams", node, from);
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* to) {
  return read("cuGraphMemsetNodeGetParams", node, to, &FillWork::fill);
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* from) {
  return change<FillWork>("cuGraphMemsetNodeSetParams", node, from);
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* to) {
  return read("cuGraphHostNodeGetParams", node, to, &HostWork::call);
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* from) {
  return change<HostWork>("cuGraphHostNodeSetParams", node, from);
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  return with<ChildWork>("cuGraphChildGraphNodeGetGraph", node, [&](Node&, ChildWork& work) {
    return give(graph, handle(work.graph.get()));
  });
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event) {
  return read("cuGraphEventRecordNodeGetEvent", node, event, &RecordWork::event);
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return change<RecordWork>("cuGraphEventRecordNodeSetEvent", node, &event);
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event) {
  return read("cuGraphEventWaitNodeGetEvent", node, event, &WaitWork::event);
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return change<WaitWork>("cuGraphEventWaitNodeSetEvent", node, &event);
}

}  // extern "C"
