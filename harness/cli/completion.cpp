#include "cli/completion.hpp"

#include <algorithm>

namespace warpmark {
namespace {

// The subcommand that the words lead to; what is no name of one is an argument.
const CLI::App& command_of(const CLI::App& program, const std::vector<std::string>& words) {
  const CLI::App* command = &program;
  for (size_t i = 1; i < words.size(); ++i) {
    for (const CLI::App* one : command->get_subcommands([](const CLI::App*) { return true; })) {
      if (one->get_name() == words[i]) {
        command = one;
        break;
      }
    }
  }
  return *command;
}

std::vector<std::string> names(const CLI::Option& option) {
  std::vector<std::string> all;
  for (const std::string& name : option.get_snames()) all.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) all.push_back("--" + name);
  return all;
}

const CLI::Option* find_option(const CLI::App& command, const std::string& name) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string> all = names(*option);
    if (std::find(all.begin(), all.end(), name) != all.end()) return option;
  }
  return nullptr;
}

bool takes_value(const CLI::Option* option) {
  return option != nullptr && option->get_items_expected_max() > 0;
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

std::vector<std::string> complete(const CLI::App& program, const CursorLine& line,
                                  const CompletionSources& sources) {
  if (line.words.empty()) return {};  // the program's own name is the shell's to complete
  const CLI::App& command = command_of(program, line.words);
  const std::string& current = line.current;
  std::vector<std::string> all;
  const auto add_values = [&](const std::string& argument, const std::string& prefix) {
    for (const std::string& value : sources.values(argument, line)) all.push_back(prefix + value);
  };
  const size_t equals = current.find('=');
  const CLI::Option* before = find_option(command, line.words.back());
  if (takes_value(before)) {
    add_values(names(*before).back(), "");
  } else if (current.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* option = find_option(command, current.substr(0, equals));
    if (takes_value(option)) add_values(names(*option).back(), current.substr(0, equals + 1));
  } else if (current.starts_with("-")) {
    for (const CLI::Option* option : command.get_options()) {
      if (option->get_group().empty()) continue;
      for (std::string& name : names(*option)) all.push_back(std::move(name));
    }
  } else {
    for (const CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; })) {
      if (!one->get_group().empty()) all.push_back(one->get_name());
    }
    for (const CLI::Option* option : command.get_options()) {
      if (option->get_positional()) add_values(option->get_name(true), "");
    }
  }
  std::erase_if(all, [&](const std::string& word) { return !word.starts_with(current); });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace warpmark
