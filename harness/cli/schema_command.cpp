// `warpmark schema`: the JSON Schemas of what people and programs read and write, for editors.
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/places.hpp"
#include "base/schemas.hpp"
#include "base/text.hpp"
#include "cli/program/command.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

std::string title(const fs::path& file) {
  const nlohmann::json schema = try_parse_json(read_file(file));
  return schema.is_object() ? schema.value("title", "") : "";
}

fs::path file_of(const std::string& name) {
  const fs::path schemas = own_places().schemas;
  if (auto file = schema_file(schemas, name)) return *file;
  const std::vector<std::string> known = schema_names(schemas);
  const std::string near = nearest(name, known);
  throw usage_error(fmt::format("there is no schema `{}`", printable(name)), {},
                    near.empty() ? "the schemas are: " + join(known, ", ")
                                 : fmt::format("did you mean `{}`?", near));
}

struct Request {
  std::string name;
  bool path = false, line = false;
};

void print_schema(const Request& request, Output& out) {
  const fs::path file = file_of(request.name);
  if (request.path) {
    out.print("{}\n", file.string());
  } else if (request.line) {
    out.write(schema_line(own_places().schemas, request.name, "."));
  } else {
    out.write(read_file(file));
  }
}

void list_schemas(const Request& request, Output& out) {
  const std::vector<std::string> names = schema_names(own_places().schemas);
  if (request.path || request.line) {
    throw usage_error("--path and --line need the name of a schema", {},
                      "the schemas are: " + join(names, ", "));
  }
  for (const std::string& name : names) out.print("{:10}  {}\n", name, title(file_of(name)));
}

}  // namespace

Command schema_command(const ArgumentParser& program) {
  const auto request = std::make_shared<Request>();
  const ArgumentParser app =
      program.add_subcommand("schema", "Print a JSON Schema, for editors, or list them");
  app.add_option("SCHEMA", request->name, "suite, assignment, run …; without one they are listed")
      .value_name("");
  const CommandOption path = app.add_flag("--path", request->path, "Only where its file is");
  app.add_flag("--line", request->line,
               "Only the line for a YAML file in this folder that names it")
      .excludes(path);
  return {app, [request](Output& out) {
            const fs::path schemas = own_places().schemas;
            if (schema_names(schemas).empty()) {
              throw environment_error("there are no schemas in " + display_path(schemas),
                                      "the program was copied without the rest of its folder");
            }
            if (request->name.empty()) {
              list_schemas(*request, out);
            } else {
              print_schema(*request, out);
            }
            return ExitCode::success;
          }};
}

}  // namespace warpmark
