// Compiles one translation unit with NVRTC, through the disk cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/architecture.hpp"
#include "base/error.hpp"
#include "base/places.hpp"
#include "compiler/cache.hpp"
#include "compiler/includes.hpp"
#include "compiler/nvrtc.hpp"
#include "compiler/signature.hpp"

namespace warpmark {

class ConfinedProgram;

/// The prefix of every name that NVRTC gets, which is removed from all of its output. NVRTC puts
/// the working directory before relative names in line information, so that equal input would give
/// different bytes in different folders; it leaves absolute names alone.
inline constexpr std::string_view kVirtualRoot = "/suite/";

/// The origin of lines of a generated source, up to the next region.
struct SourceRegion {
  int64_t line = 0;  ///< line of the source, from 1
  Position origin;   ///< place of that line; unknown if the lines from there on are generated
};

/// The language of a source, and its compiler.
enum class SourceLanguage : uint8_t {
  cuda,   ///< CUDA C++, by NVRTC
  nvcc,   ///< CUDA C++ of a file, by nvcc
  other,  ///< of a file, by the program of `CompileRequest::program`
  ptx,    ///< PTX, not compiled further
  binary  ///< machine code: a cubin or a fatbin
};

struct CompileRequest {
  std::string source;
  SourceLanguage language = SourceLanguage::cuda;
  std::string program = {};                        ///< name of a compiler, "triton"
  std::shared_ptr<ConfinedProgram> confined = {};  ///< that program, where the source is untrusted
  /// The name of the source in errors, `__FILE__` and line information, relative to `folder`.
  std::string name;
  std::filesystem::path folder;  ///< folder of the suite; quoted includes are relative to the
                                 ///< source in it
  std::vector<std::filesystem::path> include_folders;
  /// If not empty, headers are read only from below these folders.
  std::vector<std::filesystem::path> header_roots;
  /// Texts in place of headers, by their paths relative to `folder`; not with `headers`.
  std::map<std::string, std::string> replaced = {};
  /// If given, the only headers: no file is opened, by us or by NVRTC.
  std::shared_ptr<const std::vector<Header>> headers = {};
  /// The place of the source if it is part of another file (`source: |` of a suite).
  Position origin;
  std::vector<SourceRegion> regions;                         ///< by ascending line
  std::vector<std::pair<std::string, std::string>> defines;  ///< "T", "float" gives -DT=float
  std::string prologue = {};         ///< lines before the source, which are not counted
  std::vector<std::string> options;  ///< options of the suite (suite_options.hpp)
  Architecture architecture;
  /// The wanted kernel. A name with template arguments, as `scale<float, N>`, instantiates the
  /// template; macros in it are expanded.
  std::string entry;
  std::vector<GivenArgument> arguments;      ///< arguments of the wanted kernel, to tell overloads
                                             ///< apart
  std::vector<std::string> further_entries;  ///< further kernels wanted of the same unit
  std::vector<std::vector<GivenArgument>> further_arguments = {};  ///< of each of them
  std::vector<std::string> variables;   ///< variables of the module that the host needs to
                                        ///< reach
  std::vector<LayoutQuestion> layouts;  ///< structs whose layout is wanted
  bool device_part = false;  ///< without code for the CPU, of the project's headers as well
  /// With `headers`: a source that is refused is compiled without its code for the CPU, as it is
  /// without `headers`. With `confined`: it is a submission's, and not the course's.
  bool may_have_host_code = false;
  /// For kernels of a program, and PTX: the machine code is made here. It needs an assembler.
  bool assembles = false;
  bool relocatable = false;  ///< to be linked with other units: -rdc=true
  bool use_cache = true;
};

struct CompileResult {
  std::string cubin;
  std::string ptx;  ///< has no absolute path of this machine; "" for a binary
  std::string log;  ///< the compiler's own text with ptxas's resource usage; also on a cache hit
  std::vector<Entry> entries;
  std::map<std::string, std::string> instances;  ///< symbols of requested template instances
  std::vector<VariableFacts> variables;          ///< the variables of the request
  std::vector<LayoutFacts> layouts;              ///< answers to the request's questions
  bool from_cache = false;
  std::string not_cacheable;                  ///< why it was not cached; "" if it could be
  std::vector<std::string> left_out;          ///< code for the CPU (device_part)
  uint64_t least_shared = 0;                  ///< KernelBounds::least_dynamic of its kernels
  std::vector<ParameterSource> sources = {};  ///< Entry::sources of its kernels
  std::vector<std::string> notices;           ///< damaged or unwritable cache: reported, not errors

  /// The text of the compiler besides resource usage: warnings; often "".
  std::string warnings() const;
  /// The wanted kernel; throws the verdict error of find_entry(entries, …). For a binary it is the
  /// request's name, without parameters: the driver knows these once the binary is loaded.
  Entry entry(const CompileRequest& request) const;
};

/// A compiler, or the linker of several units, refused a source for its contents: a verdict error.
/// Unknown options and instances that cannot be made are other errors.
class RefusedError : public Error {
 public:
  /// `log` is the compiler's text; "FIRST LINE\nLOG" is the message.
  RefusedError(const std::string& first_line, const std::string& log, const Position& where,
               const std::string& hint = {}, bool for_cpu = false)
      : Error(ExitCode::verdict, first_line + "\n" + log, where, hint), for_cpu_(for_cpu) {}
  /// The same error with another hint.
  static RefusedError with_hint(const RefusedError& error, const std::string& hint) {
    const size_t line = error.message().find('\n');
    return {error.message().substr(0, line), error.message().substr(line + 1), error.where(), hint,
            error.for_cpu()};
  }
  /// True if the first error is about code for the CPU.
  bool for_cpu() const { return for_cpu_; }

 private:
  bool for_cpu_;
};

class Assembler;

class Compiler {
 public:
  Compiler(std::shared_ptr<const Nvrtc> nvrtc, CompileCache cache)
      : nvrtc_(std::move(nvrtc)), cache_(std::move(cache)) {}

  /// Opens the NVRTC and the cache folder that the environment names. Opening NVRTC takes about 5
  /// ms with the library in the page cache, so NVRTC itself is always asked for the version that
  /// the cache key needs.
  static Compiler open() { return {Nvrtc::open(), CompileCache(cache_folder())}; }

  /// A file with code for the CPU, which NVRTC refuses, is compiled without it. Throws a
  /// RefusedError if the source does not compile, with the compiler's text and the place of its
  /// first error; a verdict error if an option or the instance of a template is at fault; an
  /// environment error if NVRTC cannot serve; a usage error for an option that only the harness may
  /// set. May be called from several threads.
  CompileResult compile(const CompileRequest& request) const;

  /// The assembler for requests that want one.
  void add(std::shared_ptr<const Assembler> assembler) { assembler_ = std::move(assembler); }

  const Nvrtc& nvrtc() const { return *nvrtc_; }
  const CompileCache& cache() const { return cache_; }

 private:
  CompileResult compile_by_nvrtc(const CompileRequest& request) const;
  CompileResult assembled(CompileResult made, const CompileRequest& request) const;
  CachedCompilation compile_as_for_nvcc(const CompileRequest& request,
                                        const RefusedError& error) const;

  std::shared_ptr<const Nvrtc> nvrtc_;
  CompileCache cache_;
  std::shared_ptr<const Assembler> assembler_;
};

}  // namespace warpmark
