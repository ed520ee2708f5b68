// Nodes of each kind: adding them, and reading and changing what they do.
#include <algorithm>
#include <utility>

#include "api/graph.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {

CUgraphNodeType type_of(const Work& work) {
  struct Visitor {
    CUgraphNodeType operator()(const EmptyWork&) const { return CU_GRAPH_NODE_TYPE_EMPTY; }
    CUgraphNodeType operator()(const KernelWork&) const { return CU_GRAPH_NODE_TYPE_KERNEL; }
    CUgraphNodeType operator()(const CopyWork&) const { return CU_GRAPH_NODE_TYPE_MEMCPY; }
    CUgraphNodeType operator()(const FillWork&) const { return CU_GRAPH_NODE_TYPE_MEMSET; }
    CUgraphNodeType operator()(const HostWork&) const { return CU_GRAPH_NODE_TYPE_HOST; }
    CUgraphNodeType operator()(const ChildWork&) const { return CU_GRAPH_NODE_TYPE_GRAPH; }
    CUgraphNodeType operator()(const RecordWork&) const { return CU_GRAPH_NODE_TYPE_EVENT_RECORD; }
    CUgraphNodeType operator()(const WaitWork&) const { return CU_GRAPH_NODE_TYPE_WAIT_EVENT; }
    CUgraphNodeType operator()(const AllocateWork&) const { return CU_GRAPH_NODE_TYPE_MEM_ALLOC; }
    CUgraphNodeType operator()(const FreeWork&) const { return CU_GRAPH_NODE_TYPE_MEM_FREE; }
    CUgraphNodeType operator()(const ConditionalWork&) const {
      return CU_GRAPH_NODE_TYPE_CONDITIONAL;
    }
    CUgraphNodeType operator()(const ValueWork&) const { return CU_GRAPH_NODE_TYPE_BATCH_MEM_OP; }
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
  if (const auto* freed = std::get_if<FreeWork>(&work))
    return context.graph_memory.contains(freed->address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  if (const auto* host = std::get_if<HostWork>(&work))
    return host->function == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  const CUevent event = std::holds_alternative<RecordWork>(work) ? std::get<RecordWork>(work).event
                        : std::holds_alternative<WaitWork>(work) ? std::get<WaitWork>(work).event
                                                                 : nullptr;
  if (std::holds_alternative<RecordWork>(work) || std::holds_alternative<WaitWork>(work))
    return context.events.contains(event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

namespace {

// The context of a node: one that the call names, or the current one.
CUresult context_for(CUcontext named, Context*& context) {
  if (named == nullptr) return current_context(Waits::no, context);
  context = driver().find(named);
  return context == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

// Kernel parameters as both generations of the struct give them.
template <typename Parameters>
CUresult kernel_work(Context& context, const Parameters& from, KernelWork& work) {
  work.function = from.func;
  work.grid = {from.gridDimX, from.gridDimY, from.gridDimZ};
  work.block = {from.blockDimX, from.blockDimY, from.blockDimZ};
  work.shared = from.sharedMemBytes;
  return prepare_kernel(context, work, from.kernelParams, from.extra);
}

CUfunction function_of(const CUDA_KERNEL_NODE_PARAMS_v2& from) {
  return from.func != nullptr ? from.func : reinterpret_cast<CUfunction>(from.kern);
}

CUresult kernel_work_v2(Context& context, CUDA_KERNEL_NODE_PARAMS_v2 from, KernelWork& work) {
  from.func = function_of(from);
  return kernel_work(context, from, work);
}

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
          std::find(before.begin(), before.end(), each) != before.end())
        return CUDA_ERROR_INVALID_VALUE;
      before.push_back(each);
    }
    Context* context = nullptr;
    CUresult result = context_for(named, context);
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

template <typename T, typename Body>
CUresult with(const char* name, CUgraphNode node, Body body) {
  return initialised(name, [&]() -> CUresult {
    Node* found = find_node(node);
    T* work = found == nullptr ? nullptr : std::get_if<T>(&found->work);
    return work == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*found, *work);
  });
}

// Replaces a node's work by what `make` says, which must be of the same kind.
template <typename T, typename Make>
CUresult change(const char* name, CUgraphNode node, Make make) {
  return with<T>(name, node, [&](Node& found, T& work) -> CUresult {
    Context* context = driver().find(found.context);
    if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    T made{};
    CUresult result = make(*context, made);
    Work checked = made;
    if (result == CUDA_SUCCESS) result = check_work(*context, checked);
    if (result == CUDA_SUCCESS) work = std::move(made);
    return result;
  });
}

template <typename Parameters>
void describe(Node& node, const KernelWork& work, Parameters& to) {
  to = {};
  to.func = work.function;
  to.gridDimX = work.grid[0];
  to.gridDimY = work.grid[1];
  to.gridDimZ = work.grid[2];
  to.blockDimX = work.block[0];
  to.blockDimY = work.block[1];
  to.blockDimZ = work.block[2];
  to.sharedMemBytes = work.shared;
  node.pointers.clear();
  Context* context = driver().find(node.context);
  const Kernel* kernel = context == nullptr ? nullptr : find_kernel(*context, work.function);
  if (kernel == nullptr) return;
  auto* bytes = const_cast<std::byte*>(work.parameters.data());
  for (const Parameter& parameter : kernel->function->parameters)
    node.pointers.push_back(bytes + parameter.offset);
  to.kernelParams = node.pointers.empty() ? nullptr : node.pointers.data();
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                 size_t count, const CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add("cuGraphAddKernelNode", node, graph, dependencies, count, parameters->ctx,
             [&](Context& context, Work& work) {
               return kernel_work_v2(context, *parameters, work.emplace<KernelWork>());
             });
}
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add("cuGraphAddKernelNode", node, graph, dependencies, count, nullptr,
             [&](Context& context, Work& work) {
               return kernel_work(context, *parameters, work.emplace<KernelWork>());
             });
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                              size_t count, const CUDA_MEMCPY3D* copy, CUcontext named) {
  return add("cuGraphAddMemcpyNode", node, graph, dependencies, count, named,
             [&](Context&, Work& work) {
               if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
               work = CopyWork{*copy};
               return CUDA_SUCCESS;
             });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS* fill, CUcontext named) {
  return add("cuGraphAddMemsetNode", node, graph, dependencies, count, named,
             [&](Context&, Work& work) {
               if (fill == nullptr || fill->width == 0 || fill->height == 0)
                 return CUDA_ERROR_INVALID_VALUE;
               work = FillWork{*fill};
               return CUDA_SUCCESS;
             });
}

CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                            size_t count, const CUDA_HOST_NODE_PARAMS* host) {
  return add("cuGraphAddHostNode", node, graph, dependencies, count, nullptr,
             [&](Context&, Work& work) {
               if (host == nullptr) return CUDA_ERROR_INVALID_VALUE;
               work = HostWork{host->fn, host->userData};
               return CUDA_SUCCESS;
             });
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
  return add("cuGraphAddEventRecordNode", node, graph, dependencies, count, nullptr,
             [&](Context&, Work& work) {
               work = RecordWork{event};
               return CUDA_SUCCESS;
             });
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                 size_t count, CUevent event) {
  return add("cuGraphAddEventWaitNode", node, graph, dependencies, count, nullptr,
             [&](Context&, Work& work) {
               work = WaitWork{event};
               return CUDA_SUCCESS;
             });
}

// The general form: a struct that says itself what kind of node it is for.
CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                        size_t count, CUgraphNodeParams* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  switch (number_in(parameters->type)) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      const auto& from = parameters->kernel;
      CUDA_KERNEL_NODE_PARAMS_v2 to{};
      to.func = from.func;
      to.kern = from.kern;
      to.ctx = from.ctx;
      to.gridDimX = from.gridDimX;
      to.gridDimY = from.gridDimY;
      to.gridDimZ = from.gridDimZ;
      to.blockDimX = from.blockDimX;
      to.blockDimY = from.blockDimY;
      to.blockDimZ = from.blockDimZ;
      to.sharedMemBytes = from.sharedMemBytes;
      to.kernelParams = from.kernelParams;
      to.extra = from.extra;
      return cuGraphAddKernelNode_v2(node, graph, dependencies, count, &to);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return cuGraphAddMemcpyNode(node, graph, dependencies, count, &parameters->memcpy.copyParams,
                                  parameters->memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      const auto& from = parameters->memset;
      CUDA_MEMSET_NODE_PARAMS to{};
      to.dst = from.dst;
      to.pitch = from.pitch;
      to.value = from.value;
      to.elementSize = from.elementSize;
      to.width = from.width;
      to.height = from.height;
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
  return with<AllocateWork>("cuGraphMemAllocNodeGetParams", node,
                            [&](Node&, AllocateWork& work) -> CUresult {
                              if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
                              *to = work.parameters;
                              return CUDA_SUCCESS;
                            });
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* to) {
  return with<FreeWork>("cuGraphMemFreeNodeGetParams", node,
                        [&](Node&, FreeWork& work) -> CUresult {
                          if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
                          *to = work.address;
                          return CUDA_SUCCESS;
                        });
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2* to) {
  return with<KernelWork>("cuGraphKernelNodeGetParams", node,
                          [&](Node& found, KernelWork& work) -> CUresult {
                            if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
                            describe(found, work, *to);
                            to->ctx = found.context;
                            return CUDA_SUCCESS;
                          });
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* to) {
  return with<KernelWork>("cuGraphKernelNodeGetParams", node,
                          [&](Node& found, KernelWork& work) -> CUresult {
                            if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
                            describe(found, work, *to);
                            return CUDA_SUCCESS;
                          });
}
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2* from) {
  return change<KernelWork>(
      "cuGraphKernelNodeSetParams", node, [&](Context& context, KernelWork& work) {
        return from == nullptr ? CUDA_ERROR_INVALID_VALUE : kernel_work_v2(context, *from, work);
      });
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* from) {
  return change<KernelWork>(
      "cuGraphKernelNodeSetParams", node, [&](Context& context, KernelWork& work) {
        return from == nullptr ? CUDA_ERROR_INVALID_VALUE : kernel_work(context, *from, work);
      });
}

// Getting, setting on a node: the three kinds whose parameters are one struct.
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* to) {
  return with<CopyWork>("cuGraphMemcpyNodeGetParams", node, [&](Node&, CopyWork& work) -> CUresult {
    if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *to = work.copy;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* from) {
  return change<CopyWork>("cuGraphMemcpyNodeSetParams", node, [&](Context&, CopyWork& work) {
    if (from == nullptr) return CUDA_ERROR_INVALID_VALUE;
    work.copy = *from;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* to) {
  return with<FillWork>("cuGraphMemsetNodeGetParams", node, [&](Node&, FillWork& work) -> CUresult {
    if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *to = work.fill;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* from) {
  return change<FillWork>("cuGraphMemsetNodeSetParams", node, [&](Context&, FillWork& work) {
    if (from == nullptr) return CUDA_ERROR_INVALID_VALUE;
    work.fill = *from;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* to) {
  return with<HostWork>("cuGraphHostNodeGetParams", node, [&](Node&, HostWork& work) -> CUresult {
    if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *to = {work.function, work.user};
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* from) {
  return change<HostWork>("cuGraphHostNodeSetParams", node, [&](Context&, HostWork& work) {
    if (from == nullptr) return CUDA_ERROR_INVALID_VALUE;
    work = {from->fn, from->userData};
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  return with<ChildWork>("cuGraphChildGraphNodeGetGraph", node,
                         [&](Node&, ChildWork& work) -> CUresult {
                           if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
                           *graph = handle(work.graph.get());
                           return CUDA_SUCCESS;
                         });
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event) {
  return with<RecordWork>("cuGraphEventRecordNodeGetEvent", node,
                          [&](Node&, RecordWork& work) -> CUresult {
                            if (event == nullptr) return CUDA_ERROR_INVALID_VALUE;
                            *event = work.event;
                            return CUDA_SUCCESS;
                          });
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return change<RecordWork>("cuGraphEventRecordNodeSetEvent", node,
                            [&](Context&, RecordWork& work) {
                              work.event = event;
                              return CUDA_SUCCESS;
                            });
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event) {
  return with<WaitWork>("cuGraphEventWaitNodeGetEvent", node,
                        [&](Node&, WaitWork& work) -> CUresult {
                          if (event == nullptr) return CUDA_ERROR_INVALID_VALUE;
                          *event = work.event;
                          return CUDA_SUCCESS;
                        });
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return change<WaitWork>("cuGraphEventWaitNodeSetEvent", node, [&](Context&, WaitWork& work) {
    work.event = event;
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
