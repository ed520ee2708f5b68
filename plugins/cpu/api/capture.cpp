// Recording streams into graphs: the rules, and the calls that begin and end it.
#include "api/capture.hpp"

#include <algorithm>
#include <utility>

#include "api/graph.hpp"
#include "api/owner.hpp"

namespace warpmark::cpu {
namespace {

// How this thread's unsafe calls are taken: cuThreadExchangeStreamCaptureMode.
thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

template <typename Body>
void for_each_capturing(Context& context, Body body) {
  if (context.per_thread_stream.capture != nullptr) body(context.per_thread_stream);
  for (const auto& [handle, stream] : context.streams) {
    if (stream->capture != nullptr) body(*stream);
  }
}

void forget(Context& context, const Capture& capture) {
  std::vector<Stream*> streams;
  for_each_capturing(context, [&](Stream& stream) {
    if (stream.capture.get() == &capture) streams.push_back(&stream);
  });
  for (Stream* stream : streams) {
    stream->capture = nullptr;
    stream->last.clear();
  }
}

CUresult begin(const char* name, CUstream stream, CUgraph into, const CUgraphNode* dependencies,
               std::size_t count, CUstreamCaptureMode mode, bool own) {
  return with_owner(name, Waits::no, stream, [&](Context& context) -> CUresult {
    if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
    if (number_in(mode) > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    Stream* found = find_stream(context, stream);
    if (found == nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;  // the legacy one
    if (found->capture != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
    auto capture = std::make_shared<Capture>();
    std::vector<Node*> last;
    if (own) {
      capture->made = std::make_unique<Graph>();
      capture->graph = capture->made.get();
    } else {
      capture->graph = find_graph(into);
      if (capture->graph == nullptr || (count != 0 && dependencies == nullptr))
        return CUDA_ERROR_INVALID_VALUE;
      for (std::size_t i = 0; i < count; ++i) {
        Node* node = find_node(dependencies[i]);
        if (node == nullptr || node->graph != capture->graph) return CUDA_ERROR_INVALID_VALUE;
        last.push_back(node);
      }
    }
    capture->mode = mode;
    capture->id = driver().next_id++;
    capture->thread = std::this_thread::get_id();
    capture->origin = found;
    found->last = std::move(last);
    found->capture = std::move(capture);
    return CUDA_SUCCESS;
  });
}

// The nodes that some stream of the capture has not joined into its origin.
bool unjoined(Context& context, const Stream& origin) {
  std::set<const Node*> reached;
  std::vector<const Node*> open(origin.last.begin(), origin.last.end());
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (!reached.insert(node).second) continue;
    open.insert(open.end(), node->dependencies.begin(), node->dependencies.end());
  }
  const auto& left = origin.capture->left;
  bool missing =
      std::ranges::any_of(left, [&](const Node* node) { return !reached.contains(node); });
  for_each_capturing(context, [&](Stream& stream) {
    if (stream.capture != origin.capture) return;
    for (const Node* node : stream.last) missing = missing || !reached.contains(node);
  });
  return missing;
}

CUstreamCaptureStatus status_of(const Stream* stream) {
  if (stream == nullptr || stream->capture == nullptr) return CU_STREAM_CAPTURE_STATUS_NONE;
  return stream->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                  : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

struct CaptureInfo {
  CUstreamCaptureStatus* status;
  cuuint64_t* id;
  CUgraph* graph;
  const CUgraphNode** dependencies;
  std::size_t* count;
  const CUgraphEdgeData** edges;
};

CUresult info(CUstream stream, const CaptureInfo& to) {
  return with_owner("cuStreamGetCaptureInfo", Waits::no, stream, [&](Context& context) -> CUresult {
    if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
    if (to.status == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (find_stream(context, stream) == nullptr) {
      const CUresult result = check_implicit(context, stream);
      if (result != CUDA_SUCCESS) return result;
    }
    const Stream* found = find_stream(context, stream);
    *to.status = status_of(found);
    if (*to.status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
    if (to.id != nullptr) *to.id = found->capture->id;
    if (to.graph != nullptr) *to.graph = handle(found->capture->graph);
    static_assert(sizeof(CUgraphNode) == sizeof(Node*));  // NOLINT(bugprone-sizeof-expression)
    if (to.dependencies != nullptr)
      *to.dependencies = reinterpret_cast<const CUgraphNode*>(found->last.data());
    if (to.edges != nullptr) *to.edges = nullptr;
    if (to.count != nullptr) *to.count = found->last.size();
    return CUDA_SUCCESS;
  });
}

CUresult update(CUstream stream, const CUgraphNode* dependencies, std::size_t count,
                unsigned int flags) {
  return with_owner(
      "cuStreamUpdateCaptureDependencies", Waits::no, stream, [&](Context& context) -> CUresult {
        if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
        Stream* found = find_stream(context, stream);
        if (status_of(found) == CU_STREAM_CAPTURE_STATUS_NONE) return CUDA_ERROR_ILLEGAL_STATE;
        if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (count != 0 && dependencies == nullptr))
          return CUDA_ERROR_INVALID_VALUE;
        std::vector<Node*> nodes;
        if (flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES) nodes = found->last;
        for (std::size_t i = 0; i < count; ++i) {
          Node* node = find_node(dependencies[i]);
          if (node == nullptr || node->graph != found->capture->graph)
            return CUDA_ERROR_INVALID_VALUE;
          if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
        }
        found->last = std::move(nodes);
        return CUDA_SUCCESS;
      });
}

}  // namespace

void leave_capture(const Stream& stream) {
  if (stream.capture == nullptr) return;
  Capture& capture = *stream.capture;
  if (capture.origin == &stream) capture.invalid = true;
  capture.left.insert(capture.left.end(), stream.last.begin(), stream.last.end());
}

void forget_node(const Node* node) {
  for (const auto& [handle, context] : driver().contexts) {
    for_each_capturing(*context, [&](Stream& stream) {
      std::erase(stream.last, node);
      std::erase(stream.capture->left, node);
    });
    for (const auto& [key, event] : context->events) std::erase(event->nodes, node);
  }
}

void forget_graph(const Graph* graph) {
  for (const auto& [handle, context] : driver().contexts) {
    for_each_capturing(*context, [&](Stream& stream) {
      if (stream.capture->graph != graph) return;
      stream.capture->invalid = true;
      stream.last.clear();
    });
  }
}

bool capturing(Context& context, CUstream stream) {
  return status_of(find_stream(context, stream)) != CU_STREAM_CAPTURE_STATUS_NONE;
}

CUresult record(Context& context, Stream& stream, Work work) {
  Capture& capture = *stream.capture;
  if (capture.invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  const CUresult result = check_work(context, work);
  if (result != CUDA_SUCCESS) {
    capture.invalid = true;
    return result;
  }
  Node& node = capture.graph->add(reinterpret_cast<CUcontext>(&context), std::move(work),
                                  std::move(stream.last));
  stream.last = {&node};
  return CUDA_SUCCESS;
}

CUresult check_implicit(Context& context, CUstream stream) {
  if (find_stream(context, stream) != nullptr) return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  for_each_capturing(context, [&](Stream& other) {
    if ((other.flags & CU_STREAM_NON_BLOCKING) != 0 || &other == &context.per_thread_stream) return;
    other.capture->invalid = true;
    result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  });
  return result;
}

CUresult refuse_while_capturing(Context& context) {
  CUresult result = CUDA_SUCCESS;
  for_each_capturing(context, [&](Stream& stream) {
    stream.capture->invalid = true;
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  });
  return result;
}

CUresult refuse_unsafe(Context& context) {
  if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  for_each_capturing(context, [&](Stream& stream) {
    Capture& capture = *stream.capture;
    const bool mine = capture.thread == std::this_thread::get_id();
    const bool matters = mine ? capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED
                              : capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                                    thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (!matters) return;
    capture.invalid = true;
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  });
  return result;
}

CUresult refuse_to_wait(Context& context, CUstream stream) {
  Stream* found = find_stream(context, stream);
  if (found == nullptr) return check_implicit(context, stream);
  if (found->capture == nullptr) return CUDA_SUCCESS;
  found->capture->invalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return begin("cuStreamBeginCapture", stream, nullptr, nullptr, 0, mode, true);
}
CUresult cuStreamBeginCapture(CUstream stream) {
  return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                     const CUgraphNode* dependencies, const CUgraphEdgeData*,
                                     size_t count, CUstreamCaptureMode mode) {
  return begin("cuStreamBeginCaptureToGraph", stream, graph, dependencies, count, mode, false);
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return with_owner("cuStreamEndCapture", Waits::no, stream, [&](Context& context) -> CUresult {
    if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
    Stream* found = find_stream(context, stream);
    if (found == nullptr || found->capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
    const std::shared_ptr<Capture> capture = found->capture;
    // A client that recorded into its own graph has that graph already.
    if (graph == nullptr && capture->made != nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (graph != nullptr) *graph = nullptr;
    if (capture->origin != found) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
        capture->thread != std::this_thread::get_id())
      return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    const bool missing = unjoined(context, *found);
    forget(context, *capture);
    capture->finished = true;
    if (capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (missing) {
      capture->invalid = true;
      return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    }
    if (graph != nullptr) *graph = handle(capture->graph);
    if (capture->made != nullptr) driver().graphs.emplace(*graph, std::move(capture->made));
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return info(stream, {status, nullptr, nullptr, nullptr, nullptr, nullptr});
}
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id) {
  return info(stream, {status, id, nullptr, nullptr, nullptr, nullptr});
}
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** dependencies,
                                   size_t* count) {
  return info(stream, {status, id, graph, dependencies, count, nullptr});
}
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** dependencies,
                                   const CUgraphEdgeData** edges, size_t* count) {
  return info(stream, {status, id, graph, dependencies, count, edges});
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* dependencies, size_t count,
                                           unsigned int flags) {
  return update(stream, dependencies, count, flags);
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* dependencies,
                                              const CUgraphEdgeData*, size_t count,
                                              unsigned int flags) {
  return update(stream, dependencies, count, flags);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  if (mode == nullptr || number_in(*mode) > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, thread_mode);
  return CUDA_SUCCESS;
}

}  // extern "C"
