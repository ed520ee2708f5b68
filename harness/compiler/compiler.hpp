// Compiles one translation unit with NVRTC, through the disk cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "compiler/cache.hpp"
#include "compiler/includes.hpp"
#include "compiler/nvrtc.hpp"
#include "compiler/signature.hpp"

namespace warpmark {

/// Stands before every name that NVRTC gets, and is taken out of all that it makes. NVRTC puts the
/// working directory before relative names in line information, so that equal input would give
/// different bytes in different folders; absolute names it leaves alone.
inline constexpr std::string_view kVirtualRoot = "/suite/";

/// Where lines of a generated source come from, until the next region.
struct SourceRegion {
  int64_t line = 0;  ///< of the source, from 1
  Position origin;   ///< of that line; unknown if the lines from there on are generated
};

/// What a source is, and who compiles it.
enum class SourceLanguage : uint8_t {
  cuda,   ///< CUDA C++, by NVRTC
  nvcc,   ///< CUDA C++ of a file, by nvcc
  ptx,    ///< compiled already
  binary  ///< the same for machines: a cubin or a fatbin
};

struct CompileRequest {
  std::string source;
  SourceLanguage language = SourceLanguage::cuda;
  /// Relative to `folder`: what errors, `__FILE__` and line information call the source.
  std::string name;
  std::filesystem::path folder;  ///< of the suite; quoted includes are relative to the source in it
  std::vector<std::filesystem::path> include_folders;
  /// If not empty, headers are read from below these folders only.
  std::vector<std::filesystem::path> header_roots;
  /// If given, the only headers there are: no file is opened, by us or by NVRTC.
  std::shared_ptr<const std::vector<Header>> headers = {};
  /// Where the source stands if it is part of another file (`source: |` of a suite).
  Position origin;
  std::vector<SourceRegion> regions;                         ///< by ascending line
  std::vector<std::pair<std::string, std::string>> defines;  ///< "T", "float" gives -DT=float
  std::string prologue = {};  ///< lines before the source, which do not count
  std::string standard = "c++17";
  std::vector<std::string> options;  ///< of the suite; not the architecture
  int architecture = 0;              ///< 90 compiles for sm_90
  /// The wanted kernel. One with template arguments, as `scale<float, N>`, is instantiated by this;
  /// macros in it are expanded.
  std::string entry;
  std::vector<GivenArgument> arguments;      ///< of the wanted kernel, to tell overloads apart
  std::vector<std::string> further_entries;  ///< wanted of the same unit
  std::vector<std::string> variables;        ///< of the module, that the host is to reach
  std::vector<LayoutQuestion> layouts;       ///< structs to be laid out
  bool relocatable = false;                  ///< to be linked with other units: -rdc=true
  bool use_cache = true;
};

struct CompileResult {
  std::string cubin;
  std::string ptx;  ///< no absolute path of this machine is in it; "" of a binary
  std::string log;  ///< the compiler's own text with ptxas's resource usage; also on a cache hit
  std::vector<Entry> entries;
  std::map<std::string, std::string> instances;  ///< symbols of requested template instances
  std::vector<VariableFacts> variables;          ///< those of the request
  std::vector<LayoutFacts> layouts;              ///< of the request's questions
  bool from_cache = false;
  std::string not_cacheable;          ///< why it was not cached; "" if it could be
  std::vector<std::string> left_out;  ///< code for the CPU (device_part)
  std::vector<std::string> notices;   ///< damaged or unwritable cache: reported, not errors

  /// What the compiler said beyond resource usage: warnings; often "".
  std::string warnings() const;
  /// The wanted kernel; throws the verdict error of find_entry(entries, …). Of a binary it is what
  /// the request calls it, without parameters: the driver knows these once it is loaded.
  Entry entry(const CompileRequest& request) const;
};

/// That the compiler, or the linker of several units, refused a source for what stands in it: a
/// verdict error. Options that do not exist and instances that cannot be made are none.
class RefusedError : public Error {
 public:
  /// `log` is what it said; "FIRST LINE\nLOG" is the message.
  RefusedError(const std::string& first_line, const std::string& log, const Position& where,
               const std::string& hint = {}, bool for_cpu = false)
      : Error(ExitCode::verdict, first_line + "\n" + log, where, hint), for_cpu_(for_cpu) {}
  /// Whether the first error is about code for the CPU.
  bool for_cpu() const { return for_cpu_; }

 private:
  bool for_cpu_;
};

class Compiler {
 public:
  Compiler(std::shared_ptr<const Nvrtc> nvrtc, CompileCache cache)
      : nvrtc_(std::move(nvrtc)), cache_(std::move(cache)) {}

  /// NVRTC and cache folder as the environment says. Opening NVRTC takes about 5 ms with the
  /// library in the page cache, so the version that the cache key needs is always asked of itself.
  static Compiler open() { return {Nvrtc::open(), CompileCache(CompileCache::default_folder())}; }

  /// A file with code for the CPU, which NVRTC refuses, is compiled without it. Throws a RefusedError
  /// if the source does not compile, with the compiler's text and the place
  /// of its first error; a verdict error if an option or the instance of a template is at fault; an environment error if NVRTC cannot serve; a usage error if an option is
  /// ours to set. May be called from several threads.
  CompileResult compile(const CompileRequest& request) const;

  const Nvrtc& nvrtc() const { return *nvrtc_; }
  const CompileCache& cache() const { return cache_; }

 private:
  CompileResult compile_whole(const CompileRequest& request) const;

  std::shared_ptr<const Nvrtc> nvrtc_;
  CompileCache cache_;
};

}  // namespace warpmark
