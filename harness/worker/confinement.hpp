// The confinement of untrusted source and its compiled code, as the front requests it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmark {

/// A header that confined source may include, under this spelling.
struct ConfinedHeader {
  std::string spelling;  ///< as written between the quotes or brackets
  std::string text;
};

/// A confined session has two workers in place of one: one compiles and opens no device, one runs
/// and never loads NVRTC. Both are in a sandbox before they see the submission: resource limits,
/// Landlock, seccomp, each proved by trying it.
struct Confinement {
  /// False to continue even if neither Landlock nor seccomp holds; DeviceFacts::sandbox lists the
  /// mechanisms that hold.
  bool required = true;
  /// Address space in addition to that of the warm compiler; less where memory is short.
  uint64_t compile_bytes = uint64_t{512} << 20;
  double compile_cpu_s = 20;
  double compile_s = 60;              ///< wall clock: a compile can sleep
  std::vector<std::string> programs;  ///< compilers of kernels in other languages: "triton"
  bool assembles = false;  ///< PTX may have to become machine code, if there is nvJitLink
  std::vector<ConfinedHeader> headers;
  /// Headers of the toolkit, as written between brackets: these may be included, with the headers
  /// that they include.
  std::vector<std::string> toolkit_headers;
  std::string cache;  ///< the folder of the compile cache, for headers; "" for none
  /// The run worker times, too: everything that it needs for that is ready before it enters the
  /// sandbox.
  bool times = false;

  /// The largest results of a compile, in bytes; a longer log is cut, a longer image refused.
  static constexpr uint64_t kMostLog = 64 << 10;
  static constexpr uint64_t kMostImage = 16 << 20;
};

}  // namespace warpmark
