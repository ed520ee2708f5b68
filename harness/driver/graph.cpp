#include "driver/graph.hpp"

namespace warpmark {

bool Graph::is_there(const Context& context) {
  const DriverTable& table = context.table();
  return table.stream_begin_capture && table.stream_end_capture && table.graph_instantiate &&
         table.graph_launch && table.graph_exec_destroy && table.graph_destroy;
}

Graph::Graph(const Stream& stream, const std::function<void()>& work) {
  const std::shared_ptr<const Context>& context = stream.context();
  const Driver& driver = context->driver();
  const DriverTable& table = context->table();
  const auto object = [&] { return "graph in a stream of " + context->identify(); };
  const ScopedContext current(*context);
  driver.call(table.stream_begin_capture, object, stream.get(), CU_STREAM_CAPTURE_MODE_RELAXED);
  CUgraph graph = nullptr;
  try {
    work();
  } catch (...) {
    // The stream is usable again only when its capture has ended.
    table.stream_end_capture.pointer(stream.get(), &graph);
    const UniqueHandle<&DriverTable::graph_destroy> dropped(context, graph);
    throw;
  }
  driver.call(table.stream_end_capture, object, stream.get(), &graph);
  const UniqueHandle<&DriverTable::graph_destroy> recorded(context, graph);
  CUgraphExec executable = nullptr;
  driver.call(table.graph_instantiate, object, &executable, graph, 0ULL);
  driver.expect(executable, table.graph_instantiate, object);
  handle_ = {context, executable};
}

void Graph::launch(const Stream& stream) const {
  const Context& owner = *handle_.context();
  owner.call(
      &DriverTable::graph_launch, [&] { return "graph of " + owner.identify(); }, handle_.get(),
      stream.get());
}

}  // namespace warpmark
