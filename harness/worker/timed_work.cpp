#include "worker/timed_work.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <span>
#include <vector>

#include "driver/graph.hpp"

namespace warpmark {

namespace {

// The length of hot batches: long enough that an event's resolution (0.5 µs) and its own cost do
// not matter, with few enough launches for a driver's queue (about a thousand).
constexpr double kBatch = 200e-6;
constexpr uint64_t kMostBatch = 200;
constexpr uint64_t kMostQueued = 800;  // launches that a driver takes before it waits for one
// The most runs of a cold graph, where each run has its own buffers.
constexpr uint64_t kMostCopies = 50;
constexpr uint64_t kShareOfFree = 2;  // copies take at most one part of so many of the free memory

uint64_t runs_for(double seconds, double run_s, uint64_t most) {
  if (run_s >= seconds) return 1;
  return std::min(most, static_cast<uint64_t>(std::ceil(seconds / std::max(run_s, seconds / 1e6))));
}

// Runs of the steps, one queued after another.
class Launches : public TimedWork {
 public:
  Launches(bool cold, TimingKernels& kernels, DeviceRun& run, NewState& state, Restore restore,
           double run_s)
      : cold_(cold), kernels_(kernels), run_(run), state_(state), restore_(restore) {
    const size_t steps = std::max<size_t>(run.queued_steps(), 1);
    const uint64_t most = std::max<uint64_t>(kMostBatch / steps, 1);
    if (!cold && restore != Restore::each) batch_ = runs_for(kBatch, run_s, most);
    if (batch_ * steps > kMostQueued) return;
    // A flush takes longer than queueing one run.
    const bool hidden = cold && steps == 1;
    queueing_s_ = hidden ? 0 : kQueueLaunch * static_cast<double>(batch_ * steps + 2);
  }

  void queue_restore(const Stream& stream) override {
    if (cold_) {
      state_.queue(stream);
      state_.queue_demote(stream);
    } else if (restore_ != Restore::never) {
      run_.queue_restore(stream);
    }
  }
  void queue(const Stream& stream) override {
    for (uint64_t i = 0; i < batch_; ++i) run_.queue(stream);
  }
  void queue_empty(const Stream& stream) override {
    for (uint64_t i = 0; i < batch_; ++i) kernels_.queue_empty(stream);
  }

 private:
  bool cold_;
  TimingKernels& kernels_;
  DeviceRun& run_;
  NewState& state_;
  Restore restore_;
};

// A graph of several runs. A cold one has buffers for each of them: all have left the cache when
// the graph starts, and no run finds what another has read.
class GraphOfRuns : public TimedWork {
 public:
  GraphOfRuns(bool cold, const Context& context, TimingKernels& kernels, DeviceRun& run,
              DeviceRun* other, NewState& state, Restore restore, double run_s,
              const Stream& stream)
      : cold_(cold), run_(run), other_(other), state_(state), restore_(restore) {
    queueing_s_ = kQueueGraph;
    if (cold) {
      queue_restore(stream);  // the contents that are copied
      stream.synchronize();
      make_copies(runs_for(kBatch, run_s, kMostCopies), context);
      batch_ = 1 + copies_.size();
    } else if (restore != Restore::each) {
      batch_ = runs_for(kBatch, run_s, kMostBatch);
    }
    graph_.emplace(stream, [&] {
      run_.queue(stream);
      for (uint64_t i = 1; i < batch_; ++i) (cold ? *copies_[i - 1] : run_).queue(stream);
    });
    empty_.emplace(stream, [&] { kernels.queue_empty(stream); });
    // The first launch of a graph also brings it to the device.
    queue_restore(stream);
    queue(stream);
    queue_empty(stream);
    stream.synchronize();
  }

  void queue_restore(const Stream& stream) override {
    if (cold_) {
      state_.queue(stream);
      state_.queue_demote(stream);
      for (const auto& copy : copies_) state_.queue_outputs(*copy, stream);
    } else if (restore_ != Restore::never) {
      run_.queue_restore(stream);
    }
    if (restore_ == Restore::never) return;
    for (const auto& copy : copies_) copy->queue_restore(stream);
  }
  void queue(const Stream& stream) override { graph_->launch(stream); }
  void queue_empty(const Stream& stream) override { empty_->launch(stream); }

 private:
  void make_copies(uint64_t runs, const Context& context) {
    const uint64_t room = context.memory_info().free / kShareOfFree;
    const uint64_t most = room / std::max<uint64_t>(1, run_.bytes());
    for (uint64_t i = 1; i < runs && i <= most; ++i) {
      copies_.push_back(other_ != nullptr && i % 2 == 1 ? other_->copy() : run_.copy());
      if (restore_ != Restore::never) copies_.back()->keep_initial();
    }
  }

  bool cold_;
  DeviceRun& run_;
  DeviceRun* other_;
  NewState& state_;
  Restore restore_;
  std::vector<std::unique_ptr<DeviceRun>> copies_;  ///< they outlive the graph
  std::optional<Graph> graph_, empty_;
};

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};

// A copy of all inputs to the device, or of all results from it.
class Transfer : public TimedWork {
 public:
  Transfer(TimingMode mode, const std::shared_ptr<Context>& context, DeviceRun& run,
           const std::vector<BufferMemory>& memory)
      : uploads_(mode == TimingMode::upload || mode == TimingMode::pageable_upload) {
    if (uploads_) {
      add_inputs(run, memory);
    } else {
      add_results(run);
    }
    uint64_t bytes = 0;
    for (const Copy& copy : copies_) bytes += copy.host.size();
    moved_bytes_ = bytes;
    const bool locked = mode == TimingMode::upload || mode == TimingMode::download;
    if (!locked) return;
    for (const Copy& copy : copies_)
      pages_.emplace_back(context, copy.host.data(), copy.host.size());
    queueing_s_ = kQueueLaunch * static_cast<double>(copies_.size() + 2);
  }

  void queue_restore(const Stream& /*stream*/) override {}
  void queue(const Stream& stream) override {
    for (const Copy& copy : copies_) {
      if (uploads_) {
        copy.buffer->upload(std::span<const std::byte>(copy.host), stream);
      } else {
        copy.buffer->download(copy.host, stream);
      }
    }
  }

 private:
  struct Copy {
    DeviceMemory* buffer;
    std::span<std::byte> host;
  };

  // The copied inputs are the case's own values, so that other modes find the values they would
  // have found.
  void add_inputs(DeviceRun& run, const std::vector<BufferMemory>& memory) {
    for (const auto& [buffer, index] : run.inputs()) {
      if (buffer->bytes() > 0)
        copies_.push_back({buffer, memory[index].initial->bytes().first(buffer->bytes())});
    }
  }

  void add_results(DeviceRun& run) {
    constexpr size_t kPage = 4096;
    for (const auto& [buffer, index] : run.results()) {
      if (buffer->bytes() == 0) continue;
      const size_t whole = (buffer->bytes() + kPage - 1) / kPage * kPage;
      host_.emplace_back(static_cast<std::byte*>(std::aligned_alloc(kPage, whole)));
      if (host_.back() == nullptr) throw std::bad_alloc();
      std::fill_n(host_.back().get(), whole, std::byte{0});  // so that each page exists
      copies_.push_back({buffer, {host_.back().get(), buffer->bytes()}});
    }
  }

  bool uploads_;
  std::vector<Copy> copies_;
  std::vector<std::unique_ptr<std::byte, Free>> host_;
  std::vector<HostRegistration> pages_;  ///< they go before `host_`
};

}  // namespace

std::unique_ptr<TimedWork> make_timed_work(TimingMode mode, const std::shared_ptr<Context>& context,
                                           TimingKernels& kernels, DeviceRun& run, DeviceRun* other,
                                           NewState& state, Restore restore,
                                           const std::vector<BufferMemory>& memory, double run_s,
                                           const Stream& stream) {
  if (is_transfer(mode)) return std::make_unique<Transfer>(mode, context, run, memory);
  const bool cold = is_cold(mode);
  if (!is_graph(mode)) return std::make_unique<Launches>(cold, kernels, run, state, restore, run_s);
  return std::make_unique<GraphOfRuns>(cold, *context, kernels, run, other, state, restore, run_s,
                                       stream);
}

}  // namespace warpmark
