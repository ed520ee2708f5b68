#include "cli/program/command_line.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/own_program.hpp"
#include "results/reproduce.hpp"

namespace warpmark {

std::string command_line(const std::vector<std::string>& left_out) {
  std::vector<std::string> words;
  try {
    words = own_arguments();
  } catch (const Error&) {
    return "warpmark";
  }
  std::string line;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto found = std::ranges::find(left_out, word.substr(0, word.find('=')));
    if (found == left_out.end()) {
      line += (line.empty() ? "" : " ") + shell_word(word);
    } else if (word == *found) {
      ++i;  // its value
    }
  }
  return line;
}

}  // namespace warpmark
