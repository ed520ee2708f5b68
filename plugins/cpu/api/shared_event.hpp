// The state of an event that several processes share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "memory/exports.hpp"

namespace warpmark::cpu {

/// Counts how often an event was recorded, in any process, in a word of shared memory.
class SharedEvent {
 public:
  /// Null if the system has no memory, or there are too many.
  static std::shared_ptr<SharedEvent> create();
  /// Opens another process's event; null if there is none of that name. Sets `own` if it is this
  /// process's event.
  static std::shared_ptr<SharedEvent> open(const Export& name, bool& own);
  ~SharedEvent();
  SharedEvent(const SharedEvent&) = delete;
  SharedEvent& operator=(const SharedEvent&) = delete;

  /// Gives the event's name. Returns false for another process's event, and if there is no room for
  /// more names.
  bool name(Export& name) const;
  void record() { count_->fetch_add(1, std::memory_order_acq_rel); }
  [[nodiscard]] bool recorded() const { return count_->load(std::memory_order_acquire) != 0; }

 private:
  SharedEvent() = default;
  std::atomic<std::uint64_t>* count_ = nullptr;  ///< in a separate page
  std::uint64_t offset_ = 0;                     ///< in this process's file; 0: another's
};

}  // namespace warpmark::cpu
