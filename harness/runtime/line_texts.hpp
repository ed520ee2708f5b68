// Lines of the texts that were handed to the compiler, by the names and numbers that PTX has for them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/artifacts.hpp"

namespace warpmark {

/// A text that was handed to the compiler. Lines are shown from these alone: a file that PTX names
/// is never opened.
struct SourceText {
  std::string name;  ///< name of the file, as the compiler called it: "doublify.cu"
  std::string text;
  int64_t first_line = 1;  ///< number of the text's first line in that file; more than 1 for texts
                           ///< of a suite
  std::filesystem::path file = {};  ///< of a header
};

/// The texts of a unit under the names and lines that line information has for them. A generated
/// source is in pieces: text from the suite belongs to the suite's file.
std::vector<SourceText> source_texts(const UnitArtifacts& unit);

/// True if PTX calls a source by that name: the compiler may have put a folder before it.
bool is_named(const std::string& file, const std::string& source);

/// Gives each object of a device's report or sample that names a line its text as `text`, and the
/// texts of the lines `to` and `other` as `to_text` and `other_text`. Others stay as they are.
void add_line_texts(nlohmann::ordered_json& json, const std::vector<SourceText>& sources);

}  // namespace warpmark
