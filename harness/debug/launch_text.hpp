// The code of a launch as its device describes it: statements with their lines.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "warpmark/device.h"

namespace warpmark::debugging {

/// A place in a source; line 0 means that none is known.
struct SourcePlace {
  std::string file;
  uint32_t line = 0;
  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

/// A call that was inlined.
struct InlinedCall {
  SourcePlace place;
  std::string function;
};

/// One statement of the PTX.
struct StatementText {
  std::string function;  ///< that it is in, or was inlined into: "twice", "twice<float>"
  std::string symbol;    ///< its name in the PTX
  std::string inside;    ///< the inlined function that it is of, if that is known
  SourcePlace place;
  std::string text;
  bool code = true;                  ///< something is executed for it
  std::vector<InlinedCall> inlined;  ///< innermost first
};

struct KernelParameter {
  std::string name;
  uint64_t offset = 0, bytes = 0;
};

struct LaunchText {
  /// Reads all but the statements at a point. Throws an internal error for what is no description.
  static LaunchText read(const warpmark_debug_view& view, const warpmark_debug_point& point);
  void read_statements(const warpmark_debug_view& view, const warpmark_debug_point& point);

  std::string kernel;
  uint64_t number = 0;  ///< of the launch; set by who reads
  uint64_t module = 0;  ///< a number of the text that the kernel is of
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  bool rotates = false;  ///< blocks take turns before they have ended
  std::vector<KernelParameter> parameters;
  std::vector<KernelParameter> shared;  ///< variables in shared memory
  uint64_t shared_window = 0;           ///< the address of shared memory, for pointers
  std::vector<StatementText> statements;
  bool has_lines = false;  ///< of any statement

  /// True while the function of a statement, which is not inlined, has not gone on to another line
  /// than its first: its parameters may not be in their registers yet.
  bool in_prologue(uint32_t statement) const;

  uint32_t threads() const { return block[0] * block[1] * block[2]; }
  uint32_t warps() const { return (threads() + 31) / 32; }
  /// The file of the text that a name means: its whole path, or the end of one; "" if there is none.
  std::string find_file(const std::string& name) const;
  /// The next line, from `line` on, with code; 0 if there is none.
  uint32_t next_line(const std::string& file, uint32_t line) const;
  /// Where to stop for a line: in each function, and each place that it was inlined into, the first
  /// statement with code.
  std::vector<uint32_t> starts_of(const SourcePlace& place) const;
  /// The first statement with code of the kernel.
  std::vector<uint32_t> starts_of_kernel() const;
  /// The same for a function by its name: behind its prologue, if it has more lines.
  std::vector<uint32_t> starts_of_function(const std::string& name) const;
};

}  // namespace warpmark::debugging
