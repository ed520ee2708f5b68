// The one exception of ptx/ and program/: what is wrong with a PTX text, and on which of its lines.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace warpmark::cpu {

/// A PTX text, or one kernel of it, cannot be accepted. `unsupported`: it is valid PTX that
/// this device does not execute yet (CUDA_ERROR_NOT_SUPPORTED); otherwise no device would accept it
/// (CUDA_ERROR_INVALID_PTX).
class PtxError : public std::runtime_error {
 public:
  PtxError(std::uint32_t line, const std::string& what, bool unsupported = false)
      : std::runtime_error("line " + std::to_string(line) + ": " + what),
        line_(line),
        unsupported_(unsupported) {}

  /// The line of the PTX text, counted from 1.
  [[nodiscard]] std::uint32_t line() const { return line_; }
  [[nodiscard]] bool unsupported() const { return unsupported_; }

 private:
  std::uint32_t line_;
  bool unsupported_;
};

}  // namespace warpmark::cpu
