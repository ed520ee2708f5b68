// The arguments of the program and of its subcommands: a front over CLI11, whose header takes
// seconds to compile, so that one file includes it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpmark {

/// An option, a flag or a positional argument. Copies refer to the same argument; each setter
/// returns it, so that calls chain.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}

  CommandOption required() const;
  /// Sets the name of the value in --help: "FILE"; "" for none.
  CommandOption value_name(const std::string& name) const;
  /// Replaces the help text.
  CommandOption describe(const std::string& help) const;
  /// Sets the text that --help prints in place of the value's name, default and so on: "S (default
  /// 120)".
  CommandOption value_text(const std::string& text) const;
  /// For a list: each time that the option is given it takes one value.
  CommandOption one_value_each_time() const;
  /// For a list: the option may be given once, with one value.
  CommandOption one_value() const;
  /// For a list: this character separates values, too.
  CommandOption separated_by(char separator) const;
  CommandOption in_range(int least, int most) const;
  CommandOption in_range(double least, double most) const;
  /// `mistake` returns the fault of a text, or "".
  CommandOption check(std::function<std::string(const std::string& text)> mistake) const;
  /// The two cannot both be given.
  CommandOption excludes(CommandOption other) const;
  /// Leaves the option out of --help and of completion.
  CommandOption hide() const;

  /// The number of times that the option was given.
  size_t count() const;
  /// "-k" and "--select"; none for a positional argument.
  std::vector<std::string> names() const;
  /// "PATHS"; "" if it is not positional.
  std::string position_name() const;
  bool is_hidden() const;
  bool takes_value() const;

 private:
  CLI::Option* option_;
};

/// The arguments and the subcommands of one command. Copies refer to the same command.
class ArgumentParser {
 public:
  explicit ArgumentParser(CLI::App* app) : app_(app) {}

  ArgumentParser add_subcommand(const std::string& name, const std::string& description) const;
  /// `names` is "-k,--select", or "PATHS" for a positional argument. Parsing writes to `value`,
  /// which has to live until then; `value` keeps its contents if the argument is not given. `Value`
  /// is one of the types that argument_parser.cpp lists at its end.
  template <typename Value>
  CommandOption add_option(const std::string& names, Value& value,
                           const std::string& help = "") const;
  CommandOption add_flag(const std::string& names, bool& value, const std::string& help = "") const;
  CommandOption add_flag(const std::string& names, const std::string& help) const;
  /// A flag whose value may be left out: "--sanitize{memcheck}".
  CommandOption add_flag(const std::string& names, std::vector<std::string>& values,
                         const std::string& help) const;
  /// The argument that was added with this name.
  CommandOption option(const std::string& name) const;
  /// Sets the least and the greatest number of subcommands that may be given.
  void require_subcommand(size_t least, size_t most) const;
  /// Leaves the command out of --help, of completion and of suggestions in messages.
  ArgumentParser hide() const;

  /// True if the command line named this command.
  bool parsed() const;
  std::string name() const;
  /// The name after those of the commands that it is part of: "warpmark cache clear".
  std::string full_name() const;
  /// The help of the subcommand that was parsed, if there is one.
  std::string help() const;
  bool is_hidden() const;
  std::vector<ArgumentParser> subcommands() const;
  /// The names of the subcommands that are not hidden.
  std::vector<std::string> subcommand_names() const;
  /// Options, flags and positional arguments, with --help.
  std::vector<CommandOption> options() const;

 protected:
  CLI::App* app_;
};

/// The whole command line of a program.
class CommandLine : public ArgumentParser {
 public:
  /// The action that a parsed line asks for.
  enum class Request { command, help, version };

  /// --version is an option only if there is a version.
  CommandLine(const std::string& description, const std::string& name,
              const std::string& version = "");
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// The last lines of the program's --help; subcommands that were added before do not print it.
  void set_footer(const std::string& text);
  /// `arguments` starts with the program's name. Throws a usage error, which suggests what a
  /// misspelt word may have meant.
  Request parse(int count, const char* const* arguments);
  /// `words` leave out the program's name.
  Request parse(std::vector<std::string> words);

 private:
  std::unique_ptr<CLI::App> owned_;
};

}  // namespace warpmark
