// `warpmark new suite`: a suite for each kernel of a file, with the references left to a person.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "base/file.hpp"
#include "base/places.hpp"
#include "base/schemas.hpp"
#include "base/text.hpp"
#include "cli/draft/draft_kernel.hpp"
#include "cli/draft/suite_draft.hpp"
#include "cli/new_kinds.hpp"
#include "compiler/compiler.hpp"
#include "compiler/host_code.hpp"
#include "compiler/includes.hpp"
#include "suite/suite.hpp"
#include "suite/suite_find.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

struct NewSuiteRequest {
  fs::path kernel;                   ///< the .cu file
  fs::path output;                   ///< a folder, or a file *.yaml; "" for the kernel's folder
  std::vector<std::string> entries;  ///< the wanted kernels; empty for all
  std::vector<fs::path> include;     ///< folders of headers
  std::vector<std::string> define;   ///< NAME or NAME=VALUE
  std::vector<std::string> options;  ///< further ones of the compiler
  bool force = false;
};

// The architecture of the CPU device; a signature is the same for all.
constexpr int kArchitecture = 90;

// "scale<float, 4>" gives "scale_float_4".
std::string file_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (fits || c == '-') {
      word += c;
    } else if (!word.empty() && word.back() != '_') {
      word += '_';
    }
  }
  while (word.ends_with('_')) word.pop_back();
  return word.empty() ? "suite" : word;
}

void require_file(const fs::path& file) {
  std::error_code error;
  if (fs::exists(file, error)) return;
  std::vector<std::string> names;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == file.extension()) names.push_back(entry->path().filename());
  }
  const std::string near = nearest(file.filename().string(), names);
  throw usage_error(fmt::format("there is no file `{}`", display_path(file)), {},
                    near.empty()
                        ? "a file with kernels is needed, as in `warpmark new suite saxpy.cu`"
                        : fmt::format("did you mean `{}`?", (file.parent_path() / near).string()));
}

class SuiteMaker {
 public:
  SuiteMaker(const NewSuiteRequest& request, Output& out) : request_(request), out_(out) {
    require_file(request.kernel);
    if (fs::is_directory(request.kernel)) {
      throw usage_error(fmt::format("`{}` is a folder", display_path(request.kernel)), {},
                        "suites are written for the kernels of one file: name it");
    }
    kernel_ = whole_path(request.kernel);
    const fs::path output = whole_path(request.output);
    const bool names_file = output.extension() == ".yaml";
    folder_ = request.output.empty() ? kernel_.parent_path()
              : names_file           ? output.parent_path()
                                     : output;
    if (!folder_.has_filename()) folder_ = folder_.parent_path();
    if (names_file) file_ = output;
    if (std::error_code ignored; fs::exists(folder_, ignored) && !fs::is_directory(folder_)) {
      throw usage_error(fmt::format("`{}` is no folder", display_path(folder_)), {},
                        "-o names a folder, or a file *.yaml");
    }
    source_ = read_file(kernel_);
  }

  ExitCode run() {
    compile();
    choose();
    name_files();
    if (!request_.force) require_new();
    for (const auto& [file, text] : files_) write_file_atomically(file, text);
    report();
    return ExitCode::success;
  }

 private:
  CompileRequest compile_request() const {
    CompileRequest compile;
    compile.source = source_;
    compile.name = relative();
    compile.folder = folder_;
    compile.architecture = kArchitecture;
    for (const fs::path& folder : request_.include)
      compile.include_folders.push_back(whole_path(folder));
    compile.options = compiler_options();
    for (const std::string& entry : request_.entries) {
      if (entry.find('<') != std::string::npos) compile.further_entries.push_back(entry);
    }
    return compile;
  }

  std::vector<std::string> compiler_options() const {
    std::vector<std::string> options;
    for (const std::string& macro : request_.define) options.push_back("-D" + macro);
    options.insert(options.end(), request_.options.begin(), request_.options.end());
    return options;
  }

  // The kernel's file, as the suite names it.
  std::string relative() const { return kernel_.lexically_relative(folder_).generic_string(); }

  void compile() {
    try {
      made_ = Compiler::open().compile(compile_request());
    } catch (const RefusedError& error) {
      throw Error(error.code(), error.message(), error.where(),
                  error.for_cpu() ? host_code_hint() : error.hint());
    }
    if (request_.entries.empty()) guess_instances();
  }

  // Compiles templates without an instance with arguments that are guessed, as far as the compiler
  // takes them.
  void guess_instances() {
    CompileRequest guessed = compile_request();
    for (const DeclaredKernel& kernel : declared_kernels(source_)) {
      if (!kernel.is_template || is_instantiated(kernel.name)) continue;
      const std::string instance = guessed_instance(kernel);
      if (instance.empty()) continue;
      guessed.further_entries.push_back(instance);
      guessed_.insert(kernel.name);
    }
    if (guessed.further_entries.empty() || try_to_compile(guessed)) return;
    CompileRequest good = compile_request();
    for (const std::string& instance : guessed.further_entries) {
      CompileRequest more = good;
      more.further_entries.push_back(instance);
      if (try_to_compile(more)) good = more;
    }
  }

  bool try_to_compile(const CompileRequest& request) {
    try {
      made_ = Compiler::open().compile(request);
      return true;
    } catch (const Error& error) {
      if (error.code() != ExitCode::verdict) throw;
      return false;
    }
  }

  std::string host_code_hint() const {
    for (const HostCode& one : find_host_code(source_)) {
      if (one.kind == HostCodeKind::function) continue;
      return fmt::format(
          "line {} is for the CPU (`{}`): put such code into another file, or between `#ifndef "
          "__CUDACC_RTC__` and `#endif`",
          one.line, printable(one.name));
    }
    return "put code for the CPU between `#ifndef __CUDACC_RTC__` and `#endif`";
  }

  void choose() {
    for (const std::string& wanted : request_.entries) {
      CompileRequest asked = compile_request();
      asked.entry = wanted;
      require_instance(wanted);
      add(made_.entry(asked));
    }
    if (request_.entries.empty()) {
      for (const Entry& entry : made_.entries) add(entry);
      for (const DeclaredKernel& kernel : declared_kernels(source_)) {
        if (kernel.is_template && !is_instantiated(kernel.name)) add_template(kernel);
      }
    }
    if (!kernels_.empty()) return;
    const std::string name = display_path(kernel_);
    if (left_out_.empty()) {
      throw usage_error(fmt::format("{} has no kernel", name), {},
                        "a kernel is a `__global__` function");
    }
    throw usage_error(fmt::format("no suite can be written for {}: {}", name, left_out_.front()));
  }

  void require_instance(const std::string& wanted) const {
    if (wanted.find('<') != std::string::npos) return;
    for (const DeclaredKernel& kernel : declared_kernels(source_)) {
      if (!kernel.is_template || kernel.name != wanted || is_instantiated(wanted)) continue;
      throw usage_error(template_text(kernel));
    }
  }

  static std::string template_text(const DeclaredKernel& kernel) {
    return fmt::format("`{}` is a template: name an instance, as in --kernel '{}<float>'",
                       kernel.text, kernel.name);
  }

  bool is_instantiated(const std::string& name) const {
    return std::any_of(made_.entries.begin(), made_.entries.end(), [&](const Entry& entry) {
      const std::string called = entry.called();
      const std::string plain = called.substr(0, called.find('<'));
      return plain.substr(plain.rfind(':') + 1) == name;
    });
  }

  void add_template(const DeclaredKernel& kernel) { left_out_.push_back(template_text(kernel)); }

  void add(const Entry& entry) {
    if (headers_.empty()) read_headers();
    std::vector<std::string_view> sources = {source_};
    for (const Header& header : headers_) sources.push_back(header.text);
    DraftKernel kernel = draft_kernel(entry, made_, sources);
    const std::string obstacle = launch_obstacle(kernel);
    kernel.is_guessed = guessed_.contains(kernel.entry.substr(0, kernel.entry.find('<')));
    if (obstacle.empty()) {
      kernels_.push_back(std::move(kernel));
    } else {
      left_out_.push_back(fmt::format("`{}`: {}", printable(kernel.entry), obstacle));
    }
  }

  // Reads the headers, which may have kernels and types.
  void read_headers() {
    IncludeSearch search;
    search.folder = folder_;
    for (const fs::path& folder : request_.include) search.folders.push_back(whole_path(folder));
    headers_ = resolve_includes(source_, relative(), search).headers;
    std::erase_if(headers_, [](const Header& header) { return header.path.empty(); });
  }

  void name_files() {
    if (!file_.empty() && kernels_.size() > 1) {
      throw usage_error(
          fmt::format("{} has {} kernels, and `{}` is one file", display_path(kernel_),
                      kernels_.size(), display_path(request_.output)),
          {}, "choose one with --kernel, or name a folder");
    }
    std::error_code ignored;
    fs::create_directories(folder_, ignored);  // paths of a suite's files are relative to this
                                               // folder
    const std::string stem = file_word(kernel_.stem().string());
    std::set<fs::path> taken;
    for (const DraftKernel& kernel : kernels_) {
      const std::string word = file_word(kernel.entry);
      std::string name = kernels_.size() == 1     ? stem
                         : word.starts_with(stem) ? word
                                                  : stem + "_" + word;
      fs::path file = file_.empty() ? folder_ / (name + ".yaml") : file_;
      for (int number = 2; !taken.insert(file).second; ++number) {
        file = folder_ / fmt::format("{}_{}.yaml", name, number);
      }
      std::vector<std::string> include;
      for (const fs::path& folder : request_.include)
        include.push_back(whole_path(folder).lexically_relative(folder_).generic_string());
      SuiteDraft draft =
          draft_suite(kernel, relative(), schema_line(own_places().schemas, "suite", folder_),
                      include, compiler_options());
      (void)parse_suite(draft.text, file);  // a suite that does not load must not be written
      outputs_ += draft.outputs.size();
      files_.emplace_back(file, std::move(draft.text));
    }
    std::sort(files_.begin(), files_.end());
  }

  void require_new() const {
    for (const auto& [file, text] : files_) {
      std::error_code ignored;
      if (!fs::exists(fs::symlink_status(file, ignored))) continue;
      throw usage_error(fmt::format("there is already {}", display_path(file)), {},
                        "--force writes over it");
    }
  }

  void report() {
    for (const auto& [file, text] : files_) out_.print("{}\n", display_path(file));
    out_.flush();
    for (const std::string& text : left_out_) print_error(out_, "warning: left out: " + text);
    const std::string first = display_path(files_.front().first);
    if (outputs_ > 0) {
      out_.print(
          "next: read what is guessed, write the references in the place of TODO, then "
          "`warpmark check {}`\n",
          first);
    } else {
      out_.print("next: read what is guessed, then `warpmark check {}`\n", first);
    }
  }

  const NewSuiteRequest& request_;
  Output& out_;
  fs::path kernel_, folder_, file_;
  std::string source_;
  CompileResult made_;
  std::set<std::string> guessed_;  ///< templates whose arguments are guessed
  std::vector<Header> headers_;
  std::vector<DraftKernel> kernels_;
  std::vector<std::string> left_out_;  ///< reasons, one for each kernel
  std::vector<std::pair<fs::path, std::string>> files_;
  size_t outputs_ = 0;
};

}  // namespace

Command new_suite_command(const ArgumentParser& kinds) {
  const auto request = std::make_shared<NewSuiteRequest>();
  const ArgumentParser suite = kinds.add_subcommand(
      "suite",
      "Write a suite for each kernel of a file: arguments from its parameters, sizes and\n"
      "launch as a guess, references as TODO");
  suite.add_option("FILE", request->kernel, "The file with the kernels, as in saxpy.cu")
      .required()
      .value_name("");
  suite
      .add_option("-o,--output", request->output,
                  "A folder, or for one kernel a file *.yaml; else beside FILE")
      .value_name("WHERE");
  suite
      .add_option("--kernel", request->entries,
                  "This kernel only, or this instance of a template; may be repeated")
      .value_name("NAME")
      .one_value_each_time();
  suite.add_option("--include", request->include, "A folder of headers; may be repeated")
      .value_name("DIR")
      .one_value_each_time();
  suite.add_option("--define", request->define, "A macro; may be repeated")
      .value_name("NAME[=VALUE]")
      .one_value_each_time();
  suite.add_option("--options", request->options, "An option of the compiler; may be repeated")
      .value_name("OPTION")
      .one_value_each_time();
  suite.add_flag("--force", request->force, "Overwrite existing files");
  return {suite, [request](Output& out) { return SuiteMaker(*request, out).run(); }};
}

}  // namespace warpmark
