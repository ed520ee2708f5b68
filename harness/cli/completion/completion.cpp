#include "cli/completion/completion.hpp"

#include <algorithm>

namespace warpmark {
namespace {

// The subcommand that the words lead to; what is no name of one is an argument.
ArgumentParser command_of(const ArgumentParser& program, const std::vector<std::string>& words) {
  ArgumentParser command = program;
  for (size_t i = 1; i < words.size(); ++i) {
    for (const ArgumentParser& one : command.subcommands()) {
      if (one.name() == words[i]) {
        command = one;
        break;
      }
    }
  }
  return command;
}

// The last name, "--select" of "-k,--select", of the option that is called so and takes a value;
// "" if there is none.
std::string option_with_value(const ArgumentParser& command, const std::string& name) {
  for (const CommandOption& option : command.options()) {
    const std::vector<std::string> all = option.names();
    if (std::ranges::find(all, name) == all.end()) continue;
    return option.takes_value() ? all.back() : "";
  }
  return "";
}

}  // namespace

CursorLine split_line(std::string_view line) {
  CursorLine split;
  char quote = 0;
  bool inside = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      inside = true;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      split.current += line[++i];
      inside = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (inside) split.words.push_back(std::move(split.current));
      split.current.clear();
      inside = false;
    } else {
      split.current += c;
      inside = true;
    }
  }
  return split;
}

std::vector<std::string> complete(const ArgumentParser& program, const CursorLine& line,
                                  const CompletionSources& sources) {
  if (line.words.empty()) return {};  // the program's own name is the shell's to complete
  const ArgumentParser command = command_of(program, line.words);
  const std::string& current = line.current;
  std::vector<std::string> all;
  const auto add_values = [&](const std::string& argument, const std::string& prefix) {
    for (const std::string& value : sources.values(argument, line)) all.push_back(prefix + value);
  };
  const size_t equals = current.find('=');
  const std::string before = option_with_value(command, line.words.back());
  if (!before.empty()) {
    add_values(before, "");
  } else if (current.starts_with("--") && equals != std::string::npos) {
    const std::string option = option_with_value(command, current.substr(0, equals));
    if (!option.empty()) add_values(option, current.substr(0, equals + 1));
  } else if (current.starts_with("-")) {
    for (const CommandOption& option : command.options()) {
      if (option.is_hidden()) continue;
      for (std::string& name : option.names()) all.push_back(std::move(name));
    }
  } else {
    for (const ArgumentParser& one : command.subcommands()) {
      if (!one.is_hidden()) all.push_back(one.name());
    }
    for (const CommandOption& argument : command.options()) {
      const std::string name = argument.position_name();
      if (!name.empty()) add_values(name, "");
    }
  }
  std::erase_if(all, [&](const std::string& word) { return !word.starts_with(current); });
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace warpmark
