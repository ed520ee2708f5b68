// Work that is recorded once and queued as a whole any number of times.
#pragma once

#include <functional>

#include "driver/handle.hpp"
#include "driver/stream.hpp"

namespace warpmark {

/// A CUDA graph. The objects that it uses (functions, memory) must outlive it.
class Graph {
 public:
  /// True if the driver has the functions that graphs need.
  static bool is_there(const Context& context);

  /// Records the work that `work` queues into `stream`, in its order; none of it runs. Throws
  /// DriverError, exceptions of `work`, or an environment error if the driver has no graphs.
  Graph(const Stream& stream, const std::function<void()>& work);

  /// Queues the whole graph.
  void launch(const Stream& stream) const;

 private:
  UniqueHandle<&DriverTable::graph_exec_destroy> handle_;
};

}  // namespace warpmark
