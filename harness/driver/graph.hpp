// Work that is recorded once and queued as a whole any number of times.
#pragma once

#include <functional>

#include "driver/handle.hpp"
#include "driver/stream.hpp"

namespace warpmark {

struct GraphTraits {
  using Handle = CUgraphExec;
  static void release(const Context& context, Handle handle) noexcept;
};

/// A CUDA graph. What it uses (functions, memory) must outlive it.
class Graph {
 public:
  /// Whether the driver has what graphs need.
  static bool is_there(const Context& context);

  /// Records what `work` queues into `stream`, in its order; nothing of it runs. Throws DriverError,
  /// what `work` throws, or an environment error if the driver has no graphs.
  Graph(const Stream& stream, const std::function<void()>& work);

  /// Queues all of it.
  void launch(const Stream& stream) const;

 private:
  UniqueHandle<GraphTraits> handle_;
};

}  // namespace warpmark
