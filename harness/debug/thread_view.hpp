// One function of one thread of a stopped launch, to look at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "debug/debug_info.hpp"
#include "debug/launch_text.hpp"

namespace warpmark::debugging {

/// An array of a kernel may be larger than what anybody wants to see.
constexpr uint64_t kMostBytes = uint64_t{64} << 20;

/// The thing that is looked at: a lane of a warp of the stopped block, and which of its functions.
struct Focus {
  uint32_t warp = 0, lane = 0;
  uint32_t frame = 0;  ///< 0 is the innermost
  uint32_t call = 0;   ///< of the functions that are inlined in the frame's, 0 is the innermost
};

/// Copyable; holds as long as the launch stands still.
class ThreadView {
 public:
  using Variables = std::function<std::vector<Variable>(uint32_t statement)>;

  ThreadView(const warpmark_debug_view& view, const warpmark_debug_point& point,
             const LaunchText& text, const Variables& variables, Focus focus)
      : view_(&view), point_(&point), text_(&text), variables_(&variables), focus_(focus) {}

  const LaunchText& text() const { return *text_; }
  const Focus& focus() const { return focus_; }
  const std::array<uint32_t, 3> block() const {
    return {point_->block[0], point_->block[1], point_->block[2]};
  }

  /// Where the thread is; state 0 if there is none.
  warpmark_debug_lane where() const;
  /// The statements of its functions, innermost first.
  std::vector<uint32_t> frames() const;
  /// Where the variables of the focused one begin in the thread's local memory.
  uint64_t frame_base() const;
  /// The statement of the focused frame; nothing if the thread has left.
  std::optional<uint32_t> statement() const;

  /// Nothing if these bytes are not all in one allocation of the space (WARPMARK_DEBUG_…).
  std::optional<std::vector<std::byte>> read(uint32_t space, uint64_t address,
                                             uint64_t bytes) const;
  /// A register's bytes; nothing if the function does not use it.
  std::optional<std::vector<std::byte>> read_register(const std::string& name) const;
  std::vector<std::string> registers() const;
  /// The variables that are seen here: innermost first.
  std::vector<Variable> variables() const;
  /// "x + 12", of an address of global memory with a label; "" for others.
  std::string pointer_text(uint64_t address, uint64_t element_bytes) const;

 private:
  std::vector<warpmark_debug_frame> all_frames() const;

  const warpmark_debug_view* view_;
  const warpmark_debug_point* point_;
  const LaunchText* text_;
  const Variables* variables_;
  Focus focus_;
};

}  // namespace warpmark::debugging
