#include "cli/program/argument_parser.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"

namespace warpmark {
namespace {

constexpr size_t kNamesWidth = 26;  // of the first column of --help

// "warpmark cache clear": the commands that were given.
std::string full_name_of(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : full_name_of(*parent) + " " + app.get_name();
}

// Without one-letter names, to which any other letter would be near.
std::vector<std::string> option_names(const ArgumentParser& parser) {
  std::vector<std::string> names;
  for (const CommandOption& argument : parser.options()) {
    for (std::string& name : argument.names()) {
      if (name.starts_with("--")) names.push_back(std::move(name));
    }
  }
  return names;
}

Error unexpected(const ArgumentParser& parser, const std::string& argument) {
  const bool is_option = argument.size() > 1 && argument[0] == '-';
  const std::string name = argument.substr(0, argument.find('='));
  const bool takes_commands = !parser.subcommand_names().empty();
  const std::string what = is_option ? "option" : takes_commands ? "command" : "argument";
  const std::vector<std::string> known =
      is_option ? option_names(parser) : parser.subcommand_names();
  const std::string near = nearest(is_option ? name : argument, known);
  std::string hint = fmt::format("`{} --help` says what there is", parser.full_name());
  if (!near.empty()) {
    hint = fmt::format("did you mean `{}`?", near);
  } else if (takes_commands && !is_option) {
    hint = "commands: " + join(known, ", ");
  }
  return usage_error(fmt::format("unknown {} `{}` of `{}`", what,
                                 printable(is_option ? name : argument), parser.full_name()),
                     {}, std::move(hint));
}

// CLI11 collects what it could not place; the first of it is what the person has to correct.
Error usage_failure(CLI::App& root, const CLI::ParseError& failure) {
  CLI::App* app = &root;
  for (std::vector<CLI::App*> given = {app}; !given.empty(); given = app->get_subcommands()) {
    app = given.back();
    const std::vector<std::string> extra = app->remaining(false);
    if (!extra.empty()) return unexpected(ArgumentParser(app), extra.front());
  }
  return usage_error(printable(failure.what()), {},
                     fmt::format("see `{} --help`", full_name_of(*app)));
}

}  // namespace

CommandOption CommandOption::required() const {
  option_->required();
  return *this;
}

CommandOption CommandOption::value_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

CommandOption CommandOption::describe(const std::string& help) const {
  option_->description(help);
  return *this;
}

CommandOption CommandOption::value_text(const std::string& text) const {
  option_->option_text(text);
  return *this;
}

CommandOption CommandOption::one_value_each_time() const {
  option_->allow_extra_args(false);
  return *this;
}

CommandOption CommandOption::one_value() const {
  option_->expected(1);
  return *this;
}

CommandOption CommandOption::separated_by(char separator) const {
  option_->delimiter(separator);
  return *this;
}

CommandOption CommandOption::in_range(int least, int most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

CommandOption CommandOption::in_range(double least, double most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

CommandOption CommandOption::check(
    std::function<std::string(const std::string& text)> mistake) const {
  option_->check(std::move(mistake));
  return *this;
}

CommandOption CommandOption::excludes(CommandOption other) const {
  option_->excludes(other.option_);
  return *this;
}

CommandOption CommandOption::hide() const {
  option_->group("");
  return *this;
}

size_t CommandOption::count() const {
  return option_->count();
}

std::vector<std::string> CommandOption::names() const {
  std::vector<std::string> all;
  for (const std::string& name : option_->get_snames()) all.push_back("-" + name);
  for (const std::string& name : option_->get_lnames()) all.push_back("--" + name);
  return all;
}

std::string CommandOption::position_name() const {
  return option_->get_positional() ? option_->get_name(true) : "";
}

bool CommandOption::is_hidden() const {
  return option_->get_group().empty();
}

bool CommandOption::takes_value() const {
  return option_->get_items_expected_max() > 0;
}

ArgumentParser ArgumentParser::add_subcommand(const std::string& name,
                                              const std::string& description) const {
  return ArgumentParser(app_->add_subcommand(name, description));
}

template <typename Value>
CommandOption ArgumentParser::add_option(const std::string& names, Value& value,
                                         const std::string& help) const {
  return CommandOption(app_->add_option(names, value, help));
}

CommandOption ArgumentParser::add_flag(const std::string& names, bool& value,
                                       const std::string& help) const {
  return CommandOption(app_->add_flag(names, value, help));
}

CommandOption ArgumentParser::add_flag(const std::string& names, const std::string& help) const {
  return CommandOption(app_->add_flag(names, help));
}

CommandOption ArgumentParser::add_flag(const std::string& names, std::vector<std::string>& values,
                                       const std::string& help) const {
  return CommandOption(app_->add_flag(names, values, help));
}

CommandOption ArgumentParser::option(const std::string& name) const {
  return CommandOption(app_->get_option(name));
}

void ArgumentParser::require_subcommand(size_t least, size_t most) const {
  app_->require_subcommand(least, most);
}

ArgumentParser ArgumentParser::hide() const {
  app_->group("");
  return *this;
}

bool ArgumentParser::parsed() const {
  return app_->parsed();
}

std::string ArgumentParser::name() const {
  return app_->get_name();
}

std::string ArgumentParser::full_name() const {
  return full_name_of(*app_);
}

std::string ArgumentParser::help() const {
  std::string text = app_->help();
  text.erase(text.find_last_not_of('\n') + 1);  // CLI11 ends with one or two empty lines
  return text + "\n";
}

bool ArgumentParser::is_hidden() const {
  return app_->get_group().empty();
}

std::vector<ArgumentParser> ArgumentParser::subcommands() const {
  std::vector<ArgumentParser> all;
  for (CLI::App* app : app_->get_subcommands([](CLI::App*) { return true; })) all.emplace_back(app);
  return all;
}

std::vector<std::string> ArgumentParser::subcommand_names() const {
  std::vector<std::string> names;
  for (const ArgumentParser& command : subcommands()) {
    if (!command.is_hidden()) names.push_back(command.name());
  }
  return names;
}

std::vector<CommandOption> ArgumentParser::options() const {
  std::vector<CommandOption> all;
  for (CLI::Option* option : app_->get_options([](CLI::Option*) { return true; })) {
    all.emplace_back(option);
  }
  return all;
}

CommandLine::CommandLine(const std::string& description, const std::string& name,
                         const std::string& version)
    : ArgumentParser(nullptr), owned_(std::make_unique<CLI::App>(description, name)) {
  app_ = owned_.get();
  app_->require_subcommand(0, 1);
  app_->get_formatter()->column_width(kNamesWidth);
  if (!version.empty()) app_->set_version_flag("--version", version);
}

CommandLine::~CommandLine() = default;

void CommandLine::set_footer(const std::string& text) {
  app_->footer(text);
}

CommandLine::Request CommandLine::parse(int count, const char* const* arguments) {
  return parse(std::vector<std::string>(arguments + 1, arguments + count));
}

CommandLine::Request CommandLine::parse(std::vector<std::string> words) {
  std::ranges::reverse(words);  // as CLI11 takes a vector
  try {
    app_->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return Request::help;
  } catch (const CLI::CallForVersion&) {
    return Request::version;
  } catch (const CLI::ParseError& failure) {
    throw usage_failure(*app_, failure);
  }
  return Request::command;
}

// The types of values that programs here read.
#define WARPMARK_OPTION_OF(...)                                                       \
  template CommandOption ArgumentParser::add_option(const std::string&, __VA_ARGS__&, \
                                                    const std::string&) const
WARPMARK_OPTION_OF(std::string);
WARPMARK_OPTION_OF(std::vector<std::string>);
WARPMARK_OPTION_OF(std::filesystem::path);
WARPMARK_OPTION_OF(std::vector<std::filesystem::path>);
WARPMARK_OPTION_OF(int);
WARPMARK_OPTION_OF(double);
WARPMARK_OPTION_OF(uint64_t);
WARPMARK_OPTION_OF(std::optional<double>);
WARPMARK_OPTION_OF(std::optional<uint64_t>);
WARPMARK_OPTION_OF(std::optional<std::filesystem::path>);
#undef WARPMARK_OPTION_OF

}  // namespace warpmark
