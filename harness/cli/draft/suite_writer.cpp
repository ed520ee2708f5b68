#include "cli/draft/suite_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/characters.hpp"
#include "base/file.hpp"
#include "base/places.hpp"
#include "base/schemas.hpp"
#include "base/text.hpp"
#include "cli/draft/suite_draft.hpp"
#include "suite/suite.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

// "scale<float, 4>" gives "scale_float_4".
std::string file_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const bool fits = is_letter(c) || is_digit(c);
    if (fits || c == '-') {
      word += c;
    } else if (!word.empty() && word.back() != '_') {
      word += '_';
    }
  }
  while (word.ends_with('_')) word.pop_back();
  return word.empty() ? "suite" : word;
}

class Writer {
 public:
  Writer(const SuiteWriterRequest& request, Output& out) : request_(request), out_(out) {}

  void run() {
    const Compiler compiler = Compiler::open();
    for (const KernelSource& source : request_.sources) add(compiler, source);
    if (files_.empty()) throw nothing();
    std::sort(files_.begin(), files_.end());
    if (request_.existing == ExistingFiles::refuse) require_new();
    write();
  }

 private:
  // The kernels of one file. Of many files each may fail by itself.
  void add(const Compiler& compiler, const KernelSource& source) {
    try {
      SourceKernels found = source_kernels(compiler, source);
      for (std::string& text : found.left_out) left_out_.push_back(std::move(text));
      name_files(source, found.kernels);
    } catch (const Error& error) {
      if (!request_.many || error.code() == ExitCode::environment) throw;
      const std::string line = error.message().substr(0, error.message().find('\n'));
      left_out_.push_back(fmt::format("{}: {}", display_path(source.file), line));
    }
  }

  Error nothing() const {
    const std::string name = display_path(request_.sources.front().file);
    if (!left_out_.empty()) {
      return usage_error(
          request_.many
              ? fmt::format("no suite can be written: {}", left_out_.front())
              : fmt::format("no suite can be written for {}: {}", name, left_out_.front()));
    }
    return usage_error(
        request_.many ? "no file has a kernel" : fmt::format("{} has no kernel", name), {},
        "a kernel is a `__global__` function");
  }

  void name_files(const KernelSource& source, const std::vector<DraftKernel>& kernels) {
    if (!request_.file.empty() && kernels.size() > 1) {
      throw usage_error(
          fmt::format("{} has {} kernels, and `{}` is one file", display_path(source.file),
                      kernels.size(), display_path(request_.file)),
          {}, "choose one with --kernel, or name a folder");
    }
    // Paths in a suite are relative to its folder.
    std::error_code ignored;
    fs::create_directories(source.folder, ignored);
    const std::string stem = file_word(source.file.stem().string());
    DraftOrigin origin{source.relative(), {}, source.options, source.arch};
    for (const fs::path& folder : source.include) {
      origin.include.push_back(folder.lexically_relative(source.folder).generic_string());
    }
    for (const DraftKernel& kernel : kernels) {
      const std::string word = file_word(kernel.entry);
      const std::string name = kernels.size() == 1      ? stem
                               : word.starts_with(stem) ? word
                                                        : stem + "_" + word;
      fs::path file = request_.file.empty() ? source.folder / (name + ".yaml") : request_.file;
      for (int number = 2; !taken_.insert(file).second; ++number) {
        file = source.folder / fmt::format("{}_{}.yaml", name, number);
      }
      SuiteDraft draft =
          draft_suite(kernel, origin, schema_line(own_places().schemas, "suite", source.folder));
      (void)parse_suite(draft.text, file);  // a suite that does not load must not be written
      files_.push_back({file, std::move(draft.text), !draft.outputs.empty()});
    }
  }

  static bool exists(const fs::path& file) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(file, ignored));
  }

  void require_new() const {
    for (const File& one : files_) {
      if (!exists(one.path)) continue;
      throw usage_error(fmt::format("there is already {}", display_path(one.path)), {},
                        "--force writes over it, --keep leaves it");
    }
  }

  void write() {
    std::vector<const File*> written;
    for (const File& one : files_) {
      if (request_.existing == ExistingFiles::keep && exists(one.path)) continue;
      write_file_atomically(one.path, one.text);
      written.push_back(&one);
      out_.print("{}\n", display_path(one.path));
    }
    out_.flush();
    for (const std::string& text : left_out_) print_error(out_, "warning: left out: " + text);
    if (written.empty()) {
      out_.print("{} there already\n", counted(files_.size(), "suite"));
      return;
    }
    const bool has_outputs = std::any_of(written.begin(), written.end(),
                                         [](const File* one) { return one->has_outputs; });
    out_.print("next: read what is guessed, {}`warpmark check {}`\n",
               has_outputs ? "write the references in the place of TODO, then " : "then ",
               display_path(written.front()->path));
  }

  struct File {
    fs::path path;
    std::string text;
    bool has_outputs = false;
    bool operator<(const File& other) const { return path < other.path; }
  };

  const SuiteWriterRequest& request_;
  Output& out_;
  std::set<fs::path> taken_;
  std::vector<File> files_;
  std::vector<std::string> left_out_;  ///< reasons, one for each kernel or file
};

}  // namespace

void write_suites(const SuiteWriterRequest& request, Output& out) {
  Writer(request, out).run();
}

void list_kernels(const SuiteWriterRequest& request, Output& out) {
  const Compiler compiler = Compiler::open();
  for (const KernelSource& source : request.sources) {
    SourceKernels found;
    try {
      found = source_kernels(compiler, source);
    } catch (const Error& error) {
      if (!request.many || error.code() == ExitCode::environment) throw;
      found.left_out.push_back(error.message().substr(0, error.message().find('\n')));
    }
    out.print("{}\n", display_path(source.file));
    for (const DraftKernel& kernel : found.kernels) {
      out.print("  --kernel '{}'{}\n", printable(kernel.entry),
                kernel.is_guessed ? "  (its arguments are guessed)" : "");
    }
    for (const std::string& text : found.left_out) out.print("  left out: {}\n", text);
  }
}

}  // namespace warpmark
