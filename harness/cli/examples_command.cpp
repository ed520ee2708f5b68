// `warpmark examples`: what came with the program to be copied, and copies of it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/file.hpp"
#include "base/places.hpp"
#include "base/text.hpp"
#include "cli/draft/examples.hpp"
#include "cli/program/command.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

struct ExampleRequest {
  std::string name;
  fs::path out = ".";
  bool path = false;
};

void list_examples(const fs::path& data, Output& out) {
  const std::vector<Example> all = examples(data);
  if (all.empty()) {
    throw environment_error("there are no examples in " + display_path(data),
                            "the program was copied without the rest of its folder");
  }
  size_t width = 0;
  for (const Example& one : all) width = std::max(width, one.name.size());
  for (const Example& one : all) out.print("{:{}}  {}\n", one.name, width, printable(one.about));
}

// Writes all files, or none if one of them is there.
void copy_example(const ExampleRequest& request, const Places& places, Output& out) {
  const std::vector<ExampleFile> files = example_files(places.data, request.name);
  for (const ExampleFile& file : files) {
    std::error_code ignored;
    const fs::path to = request.out / file.place;
    if (fs::exists(fs::symlink_status(to, ignored))) {
      throw usage_error(
          fmt::format("there is already {}", display_path(to)), {},
          "existing files are not overwritten: copy into another folder, with -o DIR");
    }
  }
  for (const ExampleFile& file : files) {
    const fs::path to = request.out / file.place;
    write_file_atomically(to, copied_text(file.source, places.schemas, to.parent_path()));
    out.print("{}\n", display_path(to));
  }
}

}  // namespace

Command examples_command(const ArgumentParser& program) {
  const auto request = std::make_shared<ExampleRequest>();
  const ArgumentParser app = program.add_subcommand(
      "examples", "Copy a suite, a course, a run configuration or a CI file, or list them");
  app.add_option("EXAMPLE", request->name,
                 "suites/doublify, examples/ci/github.yml …; without one they are listed")
      .value_name("");
  const CommandOption folder =
      app.add_option("-o,--output", request->out, "The folder to copy into (default: this one)")
          .value_name("DIR");
  app.add_flag("--path", request->path, "Only where it is, or where all are").excludes(folder);
  return {app, [request](Output& out) {
            const Places places = own_places();
            if (request->path) {
              if (!request->name.empty()) example_files(places.data, request->name);  // it is known
              out.print("{}\n", (places.data / request->name).lexically_normal().string());
            } else if (request->name.empty()) {
              list_examples(places.data, out);
            } else {
              copy_example(*request, places, out);
            }
            return ExitCode::success;
          }};
}

}  // namespace warpmark
