// A file that a command writes.
#pragma once

#include <filesystem>
#include <string>

namespace warpmark {

/// An option and the file that it names; "" for none.
struct OutputFile {
  std::string option;
  std::filesystem::path file;
};

}  // namespace warpmark
