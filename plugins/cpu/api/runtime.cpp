// Launch state of the device's own functions: the heap before, and printed text after a launch.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

std::uint64_t limit_of(const Context& context, CUlimit limit, std::uint64_t otherwise) {
  const auto* set = find_in(context.limits, limit);
  return set == nullptr ? otherwise : *set;
}

// The driver prints with the client's stdio, so that its own output and ours keep their order.
void write(PrintLog& log, std::FILE* to) {
  if (log.texts().empty()) return;
  for (const std::string& text : log.texts()) (void)std::fwrite(text.data(), 1, text.size(), to);
  (void)std::fflush(to);
  log.clear();
}

}  // namespace

void provide_runtime(Context& context, const Program& program, LaunchShape& shape) {
  shape.printf_bytes =
      limit_of(context, CU_LIMIT_PRINTF_FIFO_SIZE, std::uint64_t{7} << 20);  // cuCtxGetLimit's
  context.printed.limit = context.asserted.limit = shape.printf_bytes;
  if (program.uses_heap && context.heap == nullptr) {
    context.heap = std::make_unique<DeviceHeap>(
        context.arena, limit_of(context, CU_LIMIT_MALLOC_HEAP_SIZE, DeviceHeap::kDefaultBytes));
  }
  // Other kernels follow pointers into the heap, too.
  shape.heap = context.heap.get();
}

void flush_output(Context& context) {
  write(context.printed, stdout);
  write(context.asserted, stderr);
}

}  // namespace warpmark::cpu
