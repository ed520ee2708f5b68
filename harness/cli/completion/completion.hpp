// The words that may be at the cursor of a command line, for the completion of shells.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/argument_parser.hpp"

namespace warpmark {

/// A line up to the cursor, in the words that a shell would make of it.
struct CursorLine {
  std::vector<std::string> words;  ///< complete words, with the program's name
  std::string current;             ///< the word at the cursor; "" after a space
};

/// Cuts at spaces outside quotes, and takes quotes and backslashes off. A quote that is still open
/// belongs to the current word.
CursorLine split_line(std::string_view line);

/// The sources of the values of options and arguments.
struct CompletionSources {
  /// All values for an argument: "PATHS", "CONFIG", or the first name of an option, "--case".
  /// `line` has the words before the cursor. Empty for an argument whose values cannot be listed.
  std::function<std::vector<std::string>(const std::string& argument, const CursorLine& line)>
      values;
};

/// The words that could replace the current one and start with it, sorted, each once: subcommands,
/// options, and values. Hidden commands and options are left out.
std::vector<std::string> complete(const ArgumentParser& program, const CursorLine& line,
                                  const CompletionSources& sources);

}  // namespace warpmark
