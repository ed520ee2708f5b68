// Where the values of a JSON document came from: JSON Pointer to place in a suite file.
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"

namespace warpmark {

/// One token of a JSON Pointer, escaped as RFC 6901 section 3 says ("~" is "~0", "/" is "~1").
std::string pointer_token(const std::string& token);

/// Maps JSON Pointers (RFC 6901) into a case to places in the suite file.
class PositionMap {
 public:
  void set(std::string pointer, Position where) { places_[std::move(pointer)] = std::move(where); }
  /// The place of a text's first character, where that of its pointer is the key's.
  void set_text(std::string pointer, Position where) {
    texts_[std::move(pointer)] = std::move(where);
  }
  /// The place of the pointer, else of its nearest parent, else of the whole.
  Position find(std::string pointer) const;
  /// The place of the text's first character, else find(pointer).
  Position find_text(const std::string& pointer) const;

 private:
  std::map<std::string, Position> places_, texts_;
};

}  // namespace warpmark
