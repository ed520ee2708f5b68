// What several processes know of an event.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "memory/exports.hpp"

namespace warpmark::cpu {

/// How often an event was recorded, in any process: a word of memory that they share.
class SharedEvent {
 public:
  /// Null if the system has no memory, or there are too many.
  static std::shared_ptr<SharedEvent> create();
  /// Another process's; null if there is none of the name. `own` tells that it is this one's.
  static std::shared_ptr<SharedEvent> open(const Export& name, bool& own);
  ~SharedEvent();
  SharedEvent(const SharedEvent&) = delete;
  SharedEvent& operator=(const SharedEvent&) = delete;

  /// False of another process's event, and if there is no room for more names.
  bool name(Export& name) const;
  void record() { count_->fetch_add(1, std::memory_order_acq_rel); }
  [[nodiscard]] bool recorded() const { return count_->load(std::memory_order_acquire) != 0; }

 private:
  SharedEvent() = default;
  std::atomic<std::uint64_t>* count_ = nullptr;  ///< a page of its own
  std::uint64_t offset_ = 0;                     ///< in this process's file; 0: another's
};

}  // namespace warpmark::cpu
