// Kernels of our own that timing needs: they read, fill, digest, wait, do nothing, multiply and add,
// or read the clock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/dtype.hpp"
#include "compiler/compiler.hpp"
#include "driver/kernel.hpp"
#include "driver/memory.hpp"

namespace warpmark {

class TimingKernels {
 public:
  /// Compiles and loads the kernels. Throws exceptions of the compiler and the driver.
  TimingKernels(const std::shared_ptr<Context>& context, const Compiler& compiler,
                int architecture);
  /// Loads code that is compiled already, for a process without a compiler.
  TimingKernels(const std::shared_ptr<Context>& context, const std::string& image,
                int architecture);
  /// The code of the kernels, in the form that the device loads.
  static std::string image(const Device& device, const Compiler& compiler, int architecture);

  /// Queues reading every whole 16 bytes of `memory`, once.
  void queue_read(const DeviceMemory& memory, const Stream& stream);

  /// Queues a wait of about `seconds`, at most 10 ms. It ends by itself whatever the host does,
  /// unlike a kernel that waits for the host, which may deadlock (a launch that loads code lazily
  /// waits for the device to be idle).
  void queue_wait(double seconds, const Stream& stream);

  /// Queues a kernel that does nothing.
  void queue_empty(const Stream& stream);

  /// The places of an array's rows in its memory, in bytes, as in protocol::BufferBytes.
  struct Rows {
    uint64_t lead = 0, row = 0, pitch = 0;
    uint8_t gap = 0;  ///< value of every byte outside of rows, if `pitch` is not 0
  };
  /// Queues filling the rows with random bytes from `seed`.
  void queue_fill(const DeviceMemory& memory, const Rows& rows, uint64_t seed,
                  const Stream& stream);

  /// Queues adding a digest of the bytes of `memory` to the uint64 at `into`. Other bytes, and
  /// another `seed`, have another digest, except for one pair in 2^64.
  void queue_digest(const DeviceMemory& memory, uint64_t seed, CUdeviceptr into,
                    const Stream& stream);

  /// Queues filling the shared memory of every multiprocessor, which keeps what the last kernel left
  /// in it.
  void queue_scrub(uint32_t value, const Stream& stream);

  /// Queues making the lines of `memory` in the last-level cache ordinary ones, which a flush
  /// evicts: a kernel may have asked the cache to keep them (`evict_last`). Nothing on devices
  /// before sm_80.
  void queue_demote(const DeviceMemory& memory, const Stream& stream);

  /// Queues fused multiply-adds of the plain cores, `rounds` times some, as many at a time as the
  /// device can do. Returns the number of operations, two for each; 0, and nothing is queued, for a
  /// type that the device multiplies otherwise.
  double queue_fma(const DType& dtype, unsigned int rounds, const Stream& stream);

  /// Waits for the stream and reads the clock of a multiprocessor, in MHz: cycles over the time by
  /// `%globaltimer`, for about a millisecond. Nothing if one of the two clocks does not advance.
  std::optional<double> clock_mhz(const Stream& stream);

  /// Queues reads of twice the size of the last-level cache, so that it holds nothing of a case.
  /// They leave it full of clean lines; those of a memset would be written back while the next
  /// kernel is timed. Nothing if the device has no such cache.
  void queue_flush(const Stream& stream);
  /// Works for some milliseconds, so that the clocks of an idle device rise, and waits for the end.
  void wake_device(const Stream& stream);
  /// The device memory that flushing takes.
  uint64_t flush_bytes() const { return flush_bytes_; }

 private:
  TimingKernels(std::shared_ptr<Context> context, const Module& module);
  /// The number of blocks for threads that each take some of the items in turn.
  unsigned int blocks_for(uint64_t items) const;

  std::shared_ptr<Context> context_;
  Function read_, wait_, empty_, fill_, digest_, scrub_, demote_, clock_;
  Function fma_float64_, fma_float32_, fma_float16_;
  bool multiplies_halves_ = true;
  unsigned int read_blocks_ = 0, fma_blocks_ = 0;
  uint64_t flush_bytes_ = 0;
  LaunchConfig scrubbed_;
  DeviceMemory sink_;
  std::optional<DeviceMemory> flushed_;  ///< made when first needed
};

}  // namespace warpmark
