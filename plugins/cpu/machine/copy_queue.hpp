// Queues of asynchronous copies, in pieces of memory that the queues of a block share.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "memory/async_copy.hpp"

namespace warpmark::cpu {

/// A record, or the first bytes of a piece, will be used soon. Many copies take more memory than a
/// processor's caches hold.
inline void fetch_ahead(const void* record) {
  constexpr std::size_t kLine = 64;
  for (std::size_t at = 0; at < sizeof(AsyncCopy); at += kLine)
    __builtin_prefetch(static_cast<const std::byte*>(record) + at, 1);
}

/// Room for copies that one queue has one after another.
struct CopyPiece {
  static constexpr std::uint32_t kCopies = 8;
  CopyPiece* next = nullptr;
  std::array<AsyncCopy, kCopies> copies;
};

/// The pieces of a block's queues. Those that are given back are taken again, so that no copy costs
/// an allocation.
class CopyPool {
 public:
  CopyPiece* take() {
    if (free_ == nullptr) {
      pieces_.push_back(std::make_unique<CopyPiece>());
      return pieces_.back().get();
    }
    CopyPiece* piece = std::exchange(free_, free_->next);
    piece->next = nullptr;
    if (free_ != nullptr) fetch_ahead(free_);
    return piece;
  }
  void give(CopyPiece* piece) { piece->next = std::exchange(free_, piece); }
  /// No queue has any piece any more. Those beyond `most` bytes are returned to the system.
  void reset(std::uint64_t most) {
    pieces_.resize(std::min<std::size_t>(pieces_.size(), most / sizeof(CopyPiece)));
    free_ = nullptr;
    for (const std::unique_ptr<CopyPiece>& piece : pieces_) give(piece.get());
  }

 private:
  std::vector<std::unique_ptr<CopyPiece>> pieces_;
  CopyPiece* free_ = nullptr;
};

/// Copies in the order in which they came. Each call has the same pool.
class CopyQueue {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] AsyncCopy& front() { return first_->copies[begin_]; }

  void push_back(CopyPool& pool, AsyncCopy&& copy) {
    if (first_ == nullptr) {
      first_ = last_ = pool.take();
    } else if (end_ == CopyPiece::kCopies) {
      last_ = last_->next = pool.take();
      end_ = 0;
    }
    last_->copies[end_++] = std::move(copy);
    ++size_;
    if (end_ < CopyPiece::kCopies) fetch_ahead(&last_->copies[end_]);
  }
  void pop_front(CopyPool& pool) {
    // A piece that waits to be used again must not keep the memory that its records own.
    front().flight.reset();
    front().plan.reset();
    ++begin_;
    --size_;
    if (begin_ + 1 < CopyPiece::kCopies)
      fetch_ahead(&first_->copies[begin_ + 1]);
    else if (first_->next != nullptr)
      fetch_ahead(first_->next);
    if (size_ > 0 && begin_ < CopyPiece::kCopies) return;
    CopyPiece* const rest = size_ == 0 ? nullptr : first_->next;
    pool.give(std::exchange(first_, rest));
    begin_ = 0;
    if (size_ == 0) end_ = 0;
  }

  /// Calls body(copy) for each, until it returns false.
  template <typename Body>
  void each_while(Body body) {
    std::uint32_t at = begin_;
    std::size_t left = size_;
    for (CopyPiece* piece = first_; left > 0; piece = piece->next, at = 0) {
      for (; at < CopyPiece::kCopies && left > 0; ++at, --left) {
        if (!body(piece->copies[at])) return;
      }
    }
  }
  template <typename Body>
  void each(Body body) {
    each_while([&](AsyncCopy& copy) {
      body(copy);
      return true;
    });
  }
  /// Takes out the copies of which leaves(copy) is true, after body(copy). The others keep their
  /// order.
  template <typename Leaves, typename Body>
  void take_out(CopyPool& pool, Leaves leaves, Body body) {
    bool any = false;
    each_while([&](const AsyncCopy& copy) { return !(any = leaves(copy)); });
    if (!any) return;
    CopyQueue others;
    for (; !empty(); pop_front(pool)) {
      if (leaves(front()))
        body(front());
      else
        others.push_back(pool, std::move(front()));
    }
    *this = others;
  }

 private:
  CopyPiece *first_ = nullptr, *last_ = nullptr;
  std::uint32_t begin_ = 0, end_ = 0;  ///< in the first piece, and in the last one
  std::size_t size_ = 0;
};

}  // namespace warpmark::cpu
