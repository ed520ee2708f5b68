// Recording a stream's work into a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "api/mistake.hpp"
#include "api/state.hpp"
#include "api/work.hpp"

namespace warpmark::cpu {

/// One capture; the streams that take part in it share it.
struct Capture {
  std::unique_ptr<Graph> made;  ///< null if it records into a graph of the client's
  Graph* graph = nullptr;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::uint64_t id = 0;
  std::thread::id thread;
  const Stream* origin = nullptr;
  std::vector<const Node*> left;  ///< last nodes of streams that were destroyed
  bool invalid = false;
  bool finished = false;  ///< events may still name it; its nodes may be gone
};

/// Returns whether the stream takes part in a capture.
bool capturing(Context& context, CUstream stream);
/// Takes a stream that is about to be destroyed out of its capture. A capture cannot end without
/// the stream that began it, and the work of any other stream must still be joined before the end.
void leave_capture(const Stream& stream);
/// Adds a node behind what the stream has recorded.
CUresult record(Context& context, Stream& stream, Work work);
/// Removes a node, or a whole graph, that is about to be destroyed from the memory of streams and
/// events.
void forget_node(const Node* node);
void forget_graph(const Graph* graph);
/// An error if work in the legacy default stream would wait for a stream that is capturing.
CUresult check_implicit(Context& context, CUstream stream);
/// Runs a call that returns when its work is done, as in the legacy default stream.
template <typename Perform>
CUresult at_once(const char* name, Perform perform_it) {
  return with_reports(name, Waits::yes, [&](Context& context) -> CUresult {
    const CUresult result = check_implicit(context, nullptr);
    return result != CUDA_SUCCESS ? result : perform_it(context);
  });
}
/// Fails, and invalidates the captures, if a stream of the context is capturing: for calls that
/// wait for all work of the context.
CUresult refuse_while_capturing(Context& context);
/// The same for calls that may wait without saying so (allocation); these are allowed in relaxed
/// captures, in thread-local captures of another thread, and if this thread asked for it.
CUresult refuse_unsafe(Context& context);
/// The same for a call that waits for one stream.
CUresult refuse_to_wait(Context& context, CUstream stream);

}  // namespace warpmark::cpu
