// NVRTC as a table of functions: finding the library, its version and the toolkit's headers.
#pragma once

#include <nvrtc.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/architecture.hpp"

namespace warpmark {

struct NvrtcTable {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration
#define NVRTC_FUNCTION(name) decltype(&::name) name = nullptr;
#include "compiler/nvrtc_functions.def"
#undef NVRTC_FUNCTION
};

/// The places where NVRTC is looked for; the program uses `from_environment`.
struct NvrtcSearch {
  std::string library;      ///< WARPMARK_NVRTC: this file or nothing
  std::string cuda_home;    ///< WARPMARK_CUDA_HOME: below this folder or nothing
  std::string deps;         ///< NVRTC that came with the program (base/places.hpp)
  bool loader_path = true;  ///< libnvrtc.so.13, .12, then unversioned
  std::vector<std::string> system{"/usr/local/cuda", "/opt/cuda"};

  static NvrtcSearch from_environment();
};

/// The folders of the toolkit's headers beside a library: in a toolkit, or in NVIDIA's wheels, which
/// have them in several; or below the folder that the user named. The first has cuda_runtime.h.
std::vector<std::string> toolkit_folders(const std::filesystem::path& library,
                                         const std::string& cuda_home);

/// The library's answers, which stay the same as long as its file does.
struct NvrtcFacts {
  int major = 0;
  int minor = 0;
  std::vector<int> architectures;  ///< empty if it does not say
  std::string headers_version;  ///< the toolkit's CUDART_VERSION, as in "13000"; "" without headers
};

/// NVRTC. A library whose answers are known from before is opened when something is compiled, as
/// that takes 10 ms, and most kernels come from the cache. It is never closed: it leaves threads and
/// allocations behind.
class Nvrtc {
 public:
  /// Throws an environment error that lists the searched places with advice, or names a version
  /// that is too old (before 12.4).
  static std::shared_ptr<const Nvrtc> open(
      const NvrtcSearch& search = NvrtcSearch::from_environment());
  /// A table made by the caller, as tests do.
  static std::shared_ptr<const Nvrtc> from_table(const NvrtcTable& table, std::string name,
                                                 std::vector<std::string> include_folders = {});

  /// Throws an environment error if the library cannot be opened, or lacks a function.
  const NvrtcTable& table() const;
  int major() const { return facts_.major; }
  int minor() const { return facts_.minor; }
  std::string version() const;
  /// The properties of NVRTC that decide the output: its version, the library's size (patch
  /// releases share a version but not a size) and the headers' version.
  std::string fingerprint() const;
  /// The library's file.
  const std::string& path() const { return path_; }
  /// The toolkit's header folders, to be given with -I; empty if there are none beside the library.
  const std::vector<std::string>& include_folders() const { return include_folders_; }

  /// Throws an environment error if it cannot compile for this, with the supported architectures.
  void check_architecture(const Architecture& architecture) const;

 private:
  Nvrtc(std::string path, std::vector<std::string> include_folders, NvrtcFacts facts,
        std::optional<NvrtcTable> table);

  std::string path_;
  std::vector<std::string> include_folders_;
  NvrtcFacts facts_;
  mutable std::once_flag opening_;
  mutable std::optional<NvrtcTable> table_;
};

}  // namespace warpmark
