// The last store to each byte of some memory, by running to the present point again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "debug/goals.hpp"

namespace warpmark::debugging {

class Writers {
 public:
  explicit Writers(WatchedMemory memory);

  const WatchedMemory& memory() const { return memory_; }
  /// Forgets what earlier launches have stored to memory of the block or the thread.
  void begin_launch();
  /// Stores of the statement before a position.
  void add(const std::vector<warpmark_debug_store>& stores, const RunPosition& position,
           const LaunchText& text);
  /// For each element, or run of elements that one statement has written: who, where and when.
  std::string table(const RunPosition& now) const;

 private:
  struct Writer {
    RunPosition position;  ///< of the statement
    std::array<uint32_t, 3> block{}, block_size{};
    uint32_t thread = 0;  ///< its number in the block
    SourcePlace place;
  };
  struct Run;

  /// The number of an element's writer, from 1; 0: none.
  uint32_t writer_of(uint64_t element) const;

  WatchedMemory memory_;
  std::string name_;              ///< of the array, or of the whole memory
  uint64_t begin_ = 0;            ///< the index of the first element, of a part of an array
  std::vector<uint64_t> counts_;  ///< of elements in each dimension of an array
  uint64_t element_bytes_ = 1;
  std::vector<Writer> writers_;
  std::vector<uint32_t> last_;  ///< by byte: a number among the writers, from 1
};

/// "(5,0,0)", of a thread by its number in a block.
std::string thread_text(uint32_t number, const std::array<uint32_t, 3>& block);

}  // namespace warpmark::debugging
