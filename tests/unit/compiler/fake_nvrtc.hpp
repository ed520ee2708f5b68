// An NVRTC in memory: makes PTX from marker lines and records what it was given.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/nvrtc.hpp"

namespace warpmark {

/// Stands behind an Nvrtc for its life; one at a time. Each line "KERNEL name" of a source becomes
/// an entry with one pointer parameter; a source with "ERROR" does not compile.
class FakeNvrtc {
 public:
  FakeNvrtc();
  ~FakeNvrtc();
  FakeNvrtc(const FakeNvrtc&) = delete;
  FakeNvrtc& operator=(const FakeNvrtc&) = delete;

  std::shared_ptr<const Nvrtc> nvrtc();

  int major = 13;
  int minor = 0;
  nvrtcResult compile_result = NVRTC_SUCCESS;
  std::string log;               ///< of a success
  std::atomic<int> compiles{0};  ///< of main programs, not of signatures
  std::atomic<int> live{0};      ///< programs alive
  std::vector<std::string> options;
  std::map<std::string, std::string> headers;
  std::string source;
  std::string name;
};

}  // namespace warpmark
