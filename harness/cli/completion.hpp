// What may stand where the cursor is in a command line, for the completion of shells.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/argument_parser.hpp"

namespace warpmark {

/// A line up to the cursor, in the words that a shell would make of it.
struct CursorLine {
  std::vector<std::string> words;  ///< whole ones, with the program's name
  std::string current;             ///< the one at the cursor; "" after a space
};

/// Cuts at spaces outside quotes, and takes quotes and backslashes off. One that is still open
/// belongs to the current word.
CursorLine split_line(std::string_view line);

/// Where the values of options and arguments come from.
struct CompletionSources {
  /// All values for an argument: "PATHS", "CONFIG", or the first name of an option, "--case".
  /// `words` are those in front of the cursor. Nothing for what cannot be listed.
  std::function<std::vector<std::string>(const std::string& argument, const CursorLine& line)>
      values;
};

/// The words that could stand in the place of the current one and start with it, sorted, each once:
/// subcommands, options, and values. Hidden commands and options are left out.
std::vector<std::string> complete(const ArgumentParser& program, const CursorLine& line,
                                  const CompletionSources& sources);

}  // namespace warpmark
