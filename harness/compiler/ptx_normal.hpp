// The instructions of a PTX text without what a compiler numbers and an author names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

/// The tokens of all bodies: opcodes with their modifiers, special registers and punctuation as they
/// are; other registers, labels, names and numbers each as one word of their kind. Takes any bytes,
/// in linear time.
std::vector<std::string> normalised_ptx(std::string_view ptx);

}  // namespace warpmark
