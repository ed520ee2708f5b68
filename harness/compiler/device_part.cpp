#include "compiler/device_part.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "compiler/host_code.hpp"
#include "compiler/source_tokens.hpp"

namespace warpmark {

namespace {

constexpr size_t kMostParts = 100'000;

class Cutter {
 public:
  Cutter(std::string_view source, int first_line)
      : lines_(split(std::string(source), '\n')),
        tokens_(source_tokens(source)),
        first_line_(first_line) {
    for (const HostCode& one : find_host_code(source, kMostParts)) {
      if (one.kind == HostCodeKind::include) cut_include(one);
      if (one.last_line > 0) cut_lines(one);
    }
    // `using namespace std;` needs std, even if nothing of it is used.
    const auto uses_std = [&](const std::string& line) {
      return line.find("using namespace std") != std::string::npos;
    };
    const auto found = std::find_if(lines_.begin(), lines_.end(), uses_std);
    if (found != lines_.end() && !part_.left_out.empty()) *found = "namespace std {} " + *found;
  }

  DevicePart take() {
    part_.source = join(lines_, "\n");
    return std::move(part_);
  }

 private:
  std::string& line(int number) { return lines_.at(static_cast<size_t>(number) - 1); }

  void cut_include(const HostCode& include) {
    part_.left_out.push_back(fmt::format("#include <{}>", include.name));
    line(include.line).clear();
  }

  // True if each `#if` in the lines ends there.
  bool keeps_conditions_whole(const HostCode& one) const {
    int depth = 0;
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      const SourceToken& token = tokens_[i];
      if (!token.directive || token.text != "#") continue;
      if (token.line < one.first_line || token.line > one.last_line) continue;
      const std::string& word = tokens_[i + 1].text;
      if (word.starts_with("if")) ++depth;
      if (word == "endif") --depth;
      if (depth < 0 || (depth == 0 && word.starts_with("el"))) return false;
    }
    return depth == 0;
  }

  int shown(int number) const { return number + first_line_ - 1; }

  std::string said_of(const HostCode& one) const {
    if (one.kind == HostCodeKind::variable) {
      return fmt::format("the variable of `{}` in line {}", one.name, shown(one.line));
    }
    if (one.kind == HostCodeKind::prototype) {
      return fmt::format("the prototype of {}() in line {}", one.name, shown(one.line));
    }
    return fmt::format("{}() in lines {} to {}", one.name, shown(one.first_line),
                       shown(one.last_line));
  }

  // The line of `constexpr` before a function; 0 if there is none.
  int constexpr_line(const HostCode& one) const {
    const auto found = std::find_if(tokens_.begin(), tokens_.end(), [&](const SourceToken& token) {
      return token.text == "constexpr" && token.line >= one.first_line && token.line <= one.line;
    });
    return found == tokens_.end() ? 0 : found->line;
  }

  void cut_lines(const HostCode& one) {
    if (!one.alone || !keeps_conditions_whole(one)) return;
    // Device code may compute with such a function at compile time, which NVRTC allows only if it is
    // annotated.
    const bool function = one.kind == HostCodeKind::function;
    if (const int number = function ? constexpr_line(one) : 0; number > 0) {
      std::string& text = line(number);
      text.insert(text.find("constexpr"), "__host__ __device__ ");
      return;
    }
    part_.left_out.push_back(said_of(one));
    part_.names.push_back(one.name);
    for (int number = one.first_line; number <= one.last_line; ++number) line(number).clear();
  }

  std::vector<std::string> lines_;
  std::vector<SourceToken> tokens_;
  int first_line_;  ///< line of the source in its file
  DevicePart part_;
};

}  // namespace

DevicePart device_part(std::string_view source, int first_line) {
  return Cutter(source, first_line).take();
}

}  // namespace warpmark
