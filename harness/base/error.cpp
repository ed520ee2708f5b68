#include "base/error.hpp"

#include "base/log_text.hpp"

namespace warpmark {

std::string Position::text() const {
  std::string out = file;
  if (line > 0) out += ":" + std::to_string(line);
  if (line > 0 && column > 0) out += ":" + std::to_string(column);
  return out;
}

Error::Error(ExitCode code, std::string message, Position where, std::string hint)
    : code_(code),
      message_(shortened(std::move(message))),
      where_(std::move(where)),
      hint_(shortened(std::move(hint))) {
  if (where_.known()) text_ = where_.text() + ": ";
  text_ += "error: " + message_;
  if (!hint_.empty()) text_ += "\n  hint: " + hint_;
}

Error Error::at(const Position& where) const {
  return where_.known() ? *this : Error(code_, message_, where, hint_);
}

}  // namespace warpmark
