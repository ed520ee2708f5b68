#include "compiler/kernel_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/hex.hpp"
#include "base/json_text.hpp"
#include "base/places.hpp"
#include "base/spawn.hpp"
#include "base/text.hpp"
#include "compiler/compiler_log.hpp"
#include "compiler/confined_program.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Sizes that no compiler's answer needs to exceed; one behind walls can be of any size.
constexpr size_t kMostHint = 2000;
constexpr size_t kMostParameters = 4096;

}  // namespace

fs::path find_compiler_program(const std::string& name) {
  const std::string file = "warpmark-compiler-" + name;
  std::vector<std::string> searched;
  for (const fs::path& folder : library_search_path()) {
    if (::access((folder / file).c_str(), X_OK) == 0) return folder / file;
    searched.push_back(folder.string());
  }
  throw environment_error(
      fmt::format("the suite wants the compiler `{}`, and there is no program {} in {}", name, file,
                  join(searched, ", ")),
      "WARPMARK_PLUGIN_PATH names folders with compilers");
}

namespace {

Json arguments_of(const std::vector<GivenArgument>& arguments) {
  Json all = Json::array();
  for (const GivenArgument& one : arguments) {
    Json json = {{"array", one.array}, {"aligned", one.aligned}, {"one", one.one}};
    if (one.dtype) json["dtype"] = one.dtype->name;
    all.push_back(std::move(json));
  }
  return all;
}

// Behind walls there is no folder.
fs::path folder_of(const CompileRequest& request) {
  return request.confined ? fs::path(kVirtualRoot).parent_path()
                          : fs::absolute(request.folder).lexically_normal();
}

std::string question(const CompileRequest& request) {
  Json json = {{"folder", folder_of(request).string()},
               {"file", request.name},
               {"entry", request.further_entries.at(0)},
               {"options", request.options},
               {"architecture", request.architecture.name()},
               {"arguments", arguments_of(request.further_arguments.at(0))}};
  if (request.confined) json["source"] = request.source;
  return json_line(json);
}

/// A program's answer, and the text of its standard error.
struct Answer {
  Json json;
  std::string said;
};

Answer ask(const std::string& name, const std::string& input) {
  const fs::path program = find_compiler_program(name);
  const TemporaryFolder folder("warpmark-compiler");
  const fs::path in = folder.path() / "in", out = folder.path() / "out",
                 log = folder.path() / "log";
  write_file_atomically(in, input);
  SpawnOptions options;
  const int flags = O_WRONLY | O_CREAT | O_APPEND;
  options.descriptors = {{0, -1, in.string(), O_RDONLY, 0},
                         {1, -1, out.string(), flags, 0600},
                         {2, -1, log.string(), flags, 0600}};
  const int status =
      await_exit(spawn("the compiler " + name, program, {program.string()}, options));
  Answer answer{try_parse_json(read_file(out)), clean_compiler_log(read_file(log))};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && answer.json.is_object()) return answer;
  const bool failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  throw environment_error(fmt::format("the compiler {} {}\n{}", program.string(),
                                      failed ? exit_text(status) : "gave no answer in JSON",
                                      trim(answer.said)));
}

CompileResult compile(const CompileRequest& request, const std::string& input) {
  const SourceAuthor author =
      request.may_have_host_code ? SourceAuthor::submission : SourceAuthor::course;
  const Answer answer = request.confined ? Answer{request.confined->ask(input, author), ""}
                                         : ask(request.program, input);
  const Json& json = answer.json;
  const fs::path folder = folder_of(request);
  const auto text = [&](const char* key) { return json.value(key, std::string()); };
  const auto short_text = [&](const char* key) {
    std::string value = text(key);
    if (value.size() > kMostHint) value = printable(value.substr(0, kMostHint)) + "…";
    return value;
  };
  if (json.contains("missing")) throw environment_error(text("missing"));
  if (json.contains("error")) {
    Position where;
    if (const int line = json.value("line", 0); line > 0) where = {request.name, line, 0};
    throw RefusedError(request.name + " does not compile", without_folder(text("error"), folder),
                       where, short_text("hint"));
  }
  CompileResult result;
  result.ptx = without_folder(text("ptx"), folder);
  // Machine code of a submission's own would not be what is read and checked here.
  if (!request.confined) result.cubin = from_hex(text("cubin"));
  result.log = without_folder(text("log"), folder);
  if (!trim(answer.said).empty()) result.notices.emplace_back(trim(answer.said));
  result.least_shared = json.value("dynamic_shared", uint64_t{0});
  const Json parameters = json.value("parameters", Json::array());
  if (parameters.size() > kMostParameters) {
    throw RefusedError(request.name + " does not compile", "its kernel has too many parameters",
                       Position{});
  }
  for (const Json& one : parameters) {
    result.sources.push_back({one.at("is").get<std::string>().substr(0, kMostHint),
                              one.value("argument", uint64_t{0}), one.value("axis", uint64_t{0}),
                              one.value("bytes", uint64_t{0})});
  }
  return result;
}

}  // namespace

CompileResult compile_by_program(const CompileRequest& request) {
  if (request.further_entries.size() != 1) {
    throw usage_error(fmt::format(
        "{} compiles one kernel of a file, and the suite launches {} of {}: {}", request.program,
        request.further_entries.size(), request.name, join(request.further_entries, ", ")));
  }
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::string, CompileResult>;
  const std::string input = question(request);
  const std::string key = fmt::format("{}\n{}\n{}\n{}", request.program, request.may_have_host_code,
                                      request.source, input);
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  CompileResult result;
  try {
    result = compile(request, input);
  } catch (const Json::exception& error) {
    throw environment_error(fmt::format("the compiler {} gave an answer of another form: {}",
                                        request.program, error.what()));
  } catch (const std::invalid_argument&) {
    throw environment_error("the compiler " + request.program + " gave no hexadecimal cubin");
  }
  return known.emplace(key, std::move(result)).first->second;
}

}  // namespace warpmark
