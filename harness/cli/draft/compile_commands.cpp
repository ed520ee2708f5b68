#include "cli/draft/compile_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "suite/suite_find.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDatabase = "compile_commands.json";

// An option with its value in the same word or in the next one.
struct Known {
  const char* name;
  const char* written;  ///< as NVRTC takes it, in front of the value; null for a folder of headers
};
constexpr std::array kKnown = {Known{"-I", nullptr},
                               Known{"-isystem", nullptr},
                               Known{"-iquote", nullptr},
                               Known{"--include-path", nullptr},
                               Known{"--system-include", nullptr},
                               Known{"-D", "-D"},
                               Known{"--define-macro", "-D"},
                               Known{"-U", "-U"},
                               Known{"--undefine-macro", "-U"},
                               Known{"-std", "-std="},
                               Known{"--std", "-std="},
                               Known{"--fmad", "--fmad="},
                               Known{"-fmad", "--fmad="},
                               Known{"--ftz", "--ftz="},
                               Known{"-ftz", "--ftz="},
                               Known{"--prec-div", "--prec-div="},
                               Known{"-prec-div", "--prec-div="},
                               Known{"--prec-sqrt", "--prec-sqrt="},
                               Known{"-prec-sqrt", "--prec-sqrt="},
                               Known{"--maxrregcount", "--maxrregcount="},
                               Known{"-maxrregcount", "--maxrregcount="}};
// Options whose value is the next word and means nothing to NVRTC: it must not be read as an option.
constexpr std::array kSkipped = {"-o",
                                 "-Xcompiler",
                                 "-gencode",
                                 "-arch",
                                 "-Xptxas",
                                 "-Xlinker",
                                 "-ccbin",
                                 "-x",
                                 "-MF",
                                 "-MT",
                                 "-MQ",
                                 "-code",
                                 "--output-file",
                                 "--compiler-options",
                                 "-include",
                                 "--pre-include",
                                 "-Xcudafe",
                                 "-diag-suppress",
                                 "--generate-code",
                                 "-forward-unknown-to-host-compiler-with",
                                 "-Xfatbin",
                                 "-Xnvlink",
                                 "--options-file"};

class CommandReader {
 public:
  CommandReader(fs::path folder, const std::vector<std::string>& words)
      : folder_(std::move(folder)), words_(words) {}

  CompileCommand read() {
    for (size_t i = 0; i < words_.size(); ++i) {
      if (std::ranges::find(kSkipped, words_[i]) != kSkipped.end()) {
        ++i;
      } else if (words_[i] == "--use_fast_math" || words_[i] == "-use_fast_math") {
        command_.options.emplace_back("--use_fast_math");
      } else {
        option(i);
      }
    }
    return std::move(command_);
  }

 private:
  void option(size_t& i) {
    const std::string& word = words_[i];
    for (const Known& known : kKnown) {
      const std::string name = known.name;
      if (!word.starts_with(name)) continue;
      std::string value = word.substr(name.size());
      const bool is_letter = name.size() == 2;
      if (value.empty()) {
        if (i + 1 == words_.size()) return;
        value = words_[++i];
      } else if (value.starts_with('=')) {
        value.erase(0, 1);
      } else if (!is_letter) {
        continue;  // another option that begins like this one
      }
      return take(known, value);
    }
  }

  void take(const Known& known, const std::string& value) {
    if (known.written != nullptr) {
      command_.options.push_back(known.written + value);
      return;
    }
    for (const std::string& one : split(value, ',')) {
      const fs::path folder = (folder_ / one).lexically_normal();
      // Compilers ignore a folder that is not there.
      if (std::error_code ignored; !fs::is_directory(folder, ignored)) continue;
      auto& all = command_.include;
      if (std::ranges::find(all, folder) == all.end()) all.push_back(folder);
    }
  }

  fs::path folder_;  ///< where the command is run
  const std::vector<std::string>& words_;
  CompileCommand command_;
};

std::string text_of(const nlohmann::json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<CompileCommand> read_entry(const nlohmann::json& entry, const fs::path& database) {
  if (!entry.is_object()) return std::nullopt;
  const std::string file = text_of(entry, "file");
  if (!file.ends_with(".cu")) return std::nullopt;
  const fs::path folder = database.parent_path() / text_of(entry, "directory");
  std::vector<std::string> words;
  if (const auto list = entry.find("arguments"); list != entry.end() && list->is_array()) {
    for (const nlohmann::json& word : *list) {
      if (word.is_string()) words.push_back(word.get<std::string>());
    }
  } else {
    words = shell_words(text_of(entry, "command"));
  }
  CompileCommand command = CommandReader(folder, words).read();
  command.file = (folder / file).lexically_normal();
  return command;
}

}  // namespace

std::vector<std::string> shell_words(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  bool is_open = false;
  char quote = 0;
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (is_open) words.push_back(std::exchange(word, {}));
      is_open = false;
      continue;
    }
    is_open = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      word += command[++i];
    } else {
      word += c;
    }
  }
  if (is_open) words.push_back(word);
  return words;
}

std::vector<CompileCommand> read_compile_commands(const fs::path& path) {
  std::error_code error;
  const fs::path file = whole_path(fs::is_directory(path, error) ? path / kDatabase : path);
  if (!fs::exists(file, error)) {
    throw usage_error(fmt::format("there is no file `{}`", display_path(file)), {},
                      "CMake writes compile_commands.json with "
                      "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
  }
  const nlohmann::json all = nlohmann::json::parse(read_file(file), nullptr, false);
  if (!all.is_array()) {
    throw usage_error(fmt::format("`{}` is no compile_commands.json", display_path(file)), {},
                      "it is a JSON array with an object for each file");
  }
  std::vector<CompileCommand> commands;
  for (const nlohmann::json& entry : all) {
    std::optional<CompileCommand> command = read_entry(entry, file);
    if (!command) continue;
    const bool is_known =
        std::ranges::any_of(commands, [&](const auto& one) { return one.file == command->file; });
    if (!is_known) commands.push_back(std::move(*command));
  }
  if (commands.empty()) {
    throw usage_error(fmt::format("`{}` has no .cu file", display_path(file)), {},
                      "name a file, as in `warpmark new suite saxpy.cu`");
  }
  return commands;
}

}  // namespace warpmark
