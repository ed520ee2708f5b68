// The output of kernels' printf: texts in order, bounded by the launch's FIFO.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace warpmark::cpu {

/// Texts of printf, oldest first. As in CUDA's circular buffer the oldest make room for new ones;
/// here a text takes the bytes that it has when it is printed.
class PrintLog {
 public:
  std::uint64_t limit = std::uint64_t{1} << 20;  ///< bytes

  void add(std::string text) {
    if (text.empty() || text.size() > limit) return;
    bytes_ += text.size();
    texts_.push_back(std::move(text));
    for (; bytes_ > limit; texts_.pop_front()) bytes_ -= texts_.front().size();
  }
  /// Appends the texts of another log.
  void add(PrintLog&& other) {
    for (std::string& text : other.texts_) add(std::move(text));
    other.clear();
  }
  void clear() {
    texts_.clear();
    bytes_ = 0;
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const std::deque<std::string>& texts() const { return texts_; }

 private:
  std::deque<std::string> texts_;
  std::uint64_t bytes_ = 0;
};

}  // namespace warpmark::cpu
