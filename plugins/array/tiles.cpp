#include "tiles.hpp"

#include "codegen/source.hpp"

namespace warpmark::array {

using codegen::text_of;

namespace {

constexpr int64_t kTile = 32;  // a warp reads a row of it

// Lines of a tile, each a warp's at a time; `inside` is done for those within the dimensions.
std::string each_line(const std::string& type, const std::string& row, const std::string& column,
                      const std::string& across, const std::string& along,
                      const std::string& bounds, const std::string& inside) {
  return "#pragma unroll\n"
         "  for (int warpmark_k = 0; warpmark_k < warpmark_each; ++warpmark_k) {\n"
         "    const int warpmark_line = warpmark_k * warpmark_warps + threadIdx.x / 32;\n"
         "    const " +
         type + " " + row + " = warpmark_row + " + across + ";\n    const " + type + " " + column +
         " = warpmark_column + " + along + ";\n    if (warpmark_line < 32 && " + bounds + ") {\n" +
         inside + "    }\n  }\n";
}

}  // namespace

int64_t Tiles::blocks(const std::vector<int64_t>& sizes) const {
  int64_t blocks = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    blocks *= d == row || d == column() ? (sizes[d] + kTile - 1) / kTile : sizes[d];
  }
  return blocks;
}

std::string Tiles::parameters() const {
  std::string text;
  for (size_t d = 0; d < extents.size(); ++d) text += ", const " + index_type + " " + index(d);
  for (size_t s = 0; s < staged.size(); ++s) {
    text += ", const " + staged[s].element + " " + name(s);
  }
  return text;
}

// Where the block's tile starts, and the index in each other dimension.
std::string Tiles::origin() const {
  std::string text = "  long long warpmark_block = blockIdx.x;\n";
  for (size_t d = extents.size(); d-- > 0;) {
    const bool tiled = d == row || d == column();
    const std::string number = std::to_string(d);
    const std::string count = (tiled ? "warpmark_tiles" : "warpmark_extent") + number;
    const std::string name = d == row        ? "warpmark_row"
                             : d == column() ? "warpmark_column"
                                             : index(d);
    text += text_of({"  const long long ", count, " = ", tiled ? "(" : "", extents[d],
                     tiled ? " + 31) / 32" : "", ";\n  const ", index_type, " ", name, " = ",
                     index_type, "(warpmark_block % ", count, ")", tiled ? " * 32" : "",
                     ";\n  warpmark_block /= ", count, ";\n"});
  }
  return text;
}

std::string Tiles::reads(bool transposed) const {
  std::string text;
  for (size_t s = 0; s < staged.size(); ++s) {
    if (staged[s].transposed != transposed) continue;
    text += "      warpmark_" + name(s) +
            (transposed ? "[warpmark_line][warpmark_lane]" : "[warpmark_k]") + " = " +
            staged[s].load + ";\n";
  }
  return text;
}

// The index of the element in all dimensions, the first varying slowest.
std::string Tiles::linear() const {
  std::string text = "static_cast<long long>(" + index(0) + ")";
  for (size_t d = 1; d < extents.size(); ++d) {
    text = text_of({"(", text, ") * ", extents[d], " + ", index(d)});
  }
  return text;
}

std::string Tiles::body(int64_t block, const std::string& arguments) const {
  const std::string bounds =
      index(row) + " < " + extents[row] + " && " + index(column()) + " < " + extents[column()];
  std::string text = "  constexpr int warpmark_warps = " + std::to_string(block / 32) +
                     ", warpmark_each = (32 + warpmark_warps - 1) / warpmark_warps;\n"
                     "  const int warpmark_lane = threadIdx.x % 32;\n" +
                     origin();
  std::string values;
  for (size_t s = 0; s < staged.size(); ++s) {
    const std::string place = "warpmark_" + name(s);
    if (staged[s].transposed) {  // 33 columns: a column of the tile is in 32 banks
      text += "  __shared__ " + staged[s].element + " " + place + "[32][33];\n";
      values += ", " + place + "[warpmark_lane][warpmark_line]";
    } else {
      text += "  " + staged[s].element + " " + place + "[warpmark_each];\n";
      values += ", " + place + "[warpmark_k]";
    }
  }
  text += each_line(index_type, index(row), index(column()), "warpmark_lane", "warpmark_line",
                    bounds, reads(true));
  if (const std::string own = reads(false); !own.empty()) {
    text += each_line(index_type, index(row), index(column()), "warpmark_line", "warpmark_lane",
                      bounds, own);
  }
  std::string indices;
  for (size_t d = 0; d < extents.size(); ++d) indices += ", " + index(d);
  return text + "  __syncthreads();\n" +
         each_line(index_type, index(row), index(column()), "warpmark_line", "warpmark_lane",
                   bounds,
                   "      const long long warpmark_i = " + linear() +
                       ";\n      warpmark_operation(warpmark_i, n, " + arguments + indices +
                       values + ");\n") +
         "}\n";
}

}  // namespace warpmark::array
