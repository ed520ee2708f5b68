// `warpmark new suite`: a suite for each kernel of a file, with the references left to a person.
#include <filesystem>
#include <memory>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/draft/compile_commands.hpp"
#include "cli/draft/suite_writer.hpp"
#include "cli/new_kinds.hpp"
#include "suite/suite_find.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

struct NewSuiteRequest {
  std::vector<fs::path> files;       ///< the .cu files
  fs::path output;                   ///< a folder, or a file *.yaml; "" for the kernel's folder
  fs::path commands;                 ///< compile_commands.json or its folder
  std::vector<std::string> entries;  ///< the wanted kernels; empty for all
  std::vector<fs::path> include;     ///< folders of headers
  std::vector<std::string> define;   ///< NAME or NAME=VALUE
  std::vector<std::string> options;  ///< further ones of the compiler
  std::string arch;                  ///< "sm_90a"; "" for none
  bool list = false, keep = false, force = false;
};

void require_file(const fs::path& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) {
    throw usage_error(fmt::format("`{}` is a folder", display_path(file)), {},
                      "suites are written for the kernels of files: name them");
  }
  if (file.extension().string().starts_with(".py")) {
    throw usage_error(fmt::format("`{}` is Python, not CUDA C++", display_path(file)), {},
                      "docs/pytorch.md has suites for kernels of Triton and Numba to copy");
  }
  if (fs::exists(file, error)) return;
  std::vector<std::string> names;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == file.extension()) names.push_back(entry.path().filename());
  }
  const std::string near = nearest(file.filename().string(), names);
  throw usage_error(fmt::format("there is no file `{}`", display_path(file)), {},
                    near.empty()
                        ? "a file with kernels is needed, as in `warpmark new suite saxpy.cu`"
                        : fmt::format("did you mean `{}`?", (file.parent_path() / near).string()));
}

// The files with what the project's build says about each.
std::vector<CompileCommand> asked_files(const NewSuiteRequest& request) {
  std::vector<CompileCommand> built;
  if (!request.commands.empty()) built = read_compile_commands(request.commands);
  if (request.files.empty()) {
    if (built.empty()) throw usage_error("FILE is required", {}, "or --compile-commands");
    return built;
  }
  std::vector<CompileCommand> asked;
  for (const fs::path& file : request.files) {
    require_file(file);
    CompileCommand one{whole_path(file), {}, {}};
    for (const CompileCommand& known : built) {
      std::error_code ignored;
      if (known.file == one.file || fs::equivalent(known.file, one.file, ignored)) one = known;
    }
    if (!built.empty() && one.include.empty() && one.options.empty()) {
      // A header's kernels are compiled with the files that include it.
      one.include = built.front().include;
      one.options = built.front().options;
    }
    asked.push_back(std::move(one));
  }
  return asked;
}

SuiteWriterRequest writer_request(const NewSuiteRequest& request) {
  SuiteWriterRequest made;
  made.existing = request.force  ? ExistingFiles::overwrite
                  : request.keep ? ExistingFiles::keep
                                 : ExistingFiles::refuse;
  const fs::path output = whole_path(request.output);
  const bool names_file = output.extension() == ".yaml";
  if (names_file) made.file = output;
  for (const CompileCommand& asked : asked_files(request)) {
    KernelSource source;
    source.file = asked.file;
    source.folder = request.output.empty() ? asked.file.parent_path()
                    : names_file           ? output.parent_path()
                                           : output;
    if (!source.folder.has_filename()) source.folder = source.folder.parent_path();
    if (std::error_code ignored;
        fs::exists(source.folder, ignored) && !fs::is_directory(source.folder)) {
      throw usage_error(fmt::format("`{}` is no folder", display_path(source.folder)), {},
                        "-o names a folder, or a file *.yaml");
    }
    source.entries = request.entries;
    source.include = asked.include;
    for (const fs::path& folder : request.include) {
      source.include.push_back(whole_path(folder));
      if (std::error_code ignored; fs::is_directory(folder, ignored)) continue;
      throw usage_error(fmt::format("there is no folder `{}`", display_path(folder)), {},
                        "--include names folders of headers");
    }
    source.options = asked.options;
    for (const std::string& macro : request.define) source.options.push_back("-D" + macro);
    source.options.insert(source.options.end(), request.options.begin(), request.options.end());
    source.arch = request.arch;
    made.sources.push_back(std::move(source));
  }
  made.many = made.sources.size() > 1;
  return made;
}

}  // namespace

Command new_suite_command(const ArgumentParser& kinds) {
  const auto request = std::make_shared<NewSuiteRequest>();
  const ArgumentParser suite = kinds.add_subcommand(
      "suite",
      "Write a suite for each kernel of a file: arguments from its parameters, sizes and\n"
      "launch as a guess, references as TODO");
  suite.add_option("FILE", request->files, "Files with kernels, as in saxpy.cu").value_name("");
  suite
      .add_option("-o,--output", request->output,
                  "A folder, or for one kernel a file *.yaml; else beside FILE")
      .value_name("WHERE");
  suite
      .add_option("--kernel", request->entries,
                  "This kernel only, or this instance of a template; may be repeated")
      .value_name("NAME")
      .one_value_each_time();
  suite
      .add_option("-p,--compile-commands", request->commands,
                  "A compile_commands.json or its folder: include folders and macros of FILE, or\n"
                  "of every .cu file in it if there is no FILE")
      .value_name("PATH");
  suite.add_option("--include", request->include, "A folder of headers; may be repeated")
      .value_name("DIR")
      .one_value_each_time();
  suite.add_option("--define", request->define, "A macro; may be repeated")
      .value_name("NAME[=VALUE]")
      .one_value_each_time();
  suite.add_option("--options", request->options, "An option of the compiler; may be repeated")
      .value_name("OPTION")
      .one_value_each_time();
  suite
      .add_option(
          "--arch", request->arch,
          "The architecture to compile for, as sm_90a; else that of the device that runs it")
      .value_name("NAME");
  suite.add_flag("--list", request->list, "Only list the kernels, with the --kernel of each");
  const CommandOption keep =
      suite.add_flag("--keep", request->keep, "Leave suites that are there, and write the others");
  suite.add_flag("--force", request->force, "Overwrite existing files").excludes(keep);
  return {suite, [request](Output& out) {
            const SuiteWriterRequest asked = writer_request(*request);
            request->list ? list_kernels(asked, out) : write_suites(asked, out);
            return ExitCode::success;
          }};
}

}  // namespace warpmark
