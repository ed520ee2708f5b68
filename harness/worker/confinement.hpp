// What untrusted source and what is made of it are confined by, as the front asks for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmark {

/// A header that confined source may include, under this spelling.
struct ConfinedHeader {
  std::string spelling;  ///< as between the quotes or brackets
  std::string text;
};

/// With it a session has two workers for what one does without: one compiles and opens no device,
/// one runs and never loads NVRTC. Both are in a sandbox before they see the submission: resource
/// limits, Landlock, seccomp, each proved by trying it.
struct Confinement {
  /// false goes on where neither Landlock nor seccomp holds; DeviceFacts::sandbox says what does.
  bool required = true;
  uint64_t compile_bytes = uint64_t{512} << 20;  ///< address space; less where memory is short
  double compile_cpu_s = 20;
  double compile_s = 60;  ///< wall clock: a compile can sleep
  std::vector<ConfinedHeader> headers;
  /// Of the toolkit, as written between brackets: these, and what they include.
  std::vector<std::string> toolkit_headers;
  /// The run worker times, too: what it needs for that is ready before it enters the sandbox.
  bool times = false;

  /// What may come back of a compile, in bytes; a longer log is cut, a longer image refused.
  static constexpr uint64_t kMostLog = 64 << 10;
  static constexpr uint64_t kMostImage = 16 << 20;
};

}  // namespace warpmark
