// A kernel that goes through two dimensions in tiles, so that views along either are read in rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmark::array {

/// A view along the columns of what a kernel writes along its rows (a transposed matrix) costs a
/// transaction of memory for each element. A block takes a tile of 32 by 32 elements instead: it
/// reads such views along their own rows into shared memory, and all else along the rows of the
/// result, before it writes anything.
struct Tiles {
  /// Elements that a block has read before it computes the first one.
  struct Staged {
    std::string element;      ///< type in memory
    std::string load;         ///< an expression over the indices i0, i1 and so on
    bool transposed = false;  ///< contiguous along `row`, not along the last dimension
  };

  std::string index_type;            ///< of the indices
  std::vector<std::string> extents;  ///< of each dimension, an expression
  size_t row = 0;                    ///< the tile's rows; its columns are the last dimension
  std::vector<Staged> staged;

  /// The name that the expression has for a staged element.
  static std::string name(size_t staged) { return "staged_" + std::to_string(staged); }
  /// Blocks for dimensions of these sizes.
  int64_t blocks(const std::vector<int64_t>& sizes) const;
  /// The operation's parameters after its arrays: the indices and the staged elements.
  std::string parameters() const;
  /// The kernel's body for `block` threads; `arguments` are the operation's arrays and scalars at
  /// the index `warpmark_i`.
  std::string body(int64_t block, const std::string& arguments) const;

 private:
  std::string index(size_t dimension) const { return "i" + std::to_string(dimension); }
  size_t column() const { return extents.size() - 1; }
  std::string origin() const;
  std::string reads(bool transposed) const;
  std::string linear() const;
};

}  // namespace warpmark::array
