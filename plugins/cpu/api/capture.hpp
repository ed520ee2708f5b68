// Recording a stream's work into a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

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
  bool invalid = false;
};

/// Whether the stream takes part in a capture.
bool capturing(Context& context, CUstream stream);
/// Adds a node behind what the stream has recorded.
CUresult record(Context& context, Stream& stream, Work work);
/// An error if work in the legacy default stream would wait for a stream that is capturing.
CUresult check_implicit(Context& context, CUstream stream);
/// An error, which spoils the captures, if a stream of the context is capturing: for calls that
/// wait for all of its work.
CUresult refuse_while_capturing(Context& context);
/// The same for calls that may wait without saying so (allocation); these are allowed in relaxed
/// captures, in another thread's that is its own affair, and if this thread asked for it.
CUresult refuse_unsafe(Context& context);
/// The same for a call that waits for one stream.
CUresult refuse_to_wait(Context& context, CUstream stream);

}  // namespace warpmark::cpu
