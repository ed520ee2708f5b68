// A notebook that is handed in: files that its cells write.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace warpmark {

/// True for a file NAME.ipynb.
bool is_notebook(const std::filesystem::path& path);

/// The files that a notebook's cells write. A cell with `%%writefile NAME` (or `%%file`) as its first
/// line is such a file, and with `-a` it goes on with it; a cell with `%%warpmark` is the one with
/// the name "". Of several cells for one name the last counts, as when all are run in their order.
struct NotebookFiles {
  /// The most bytes of a notebook, its outputs included.
  static constexpr size_t kMostBytes = size_t{8} << 20;

  std::map<std::string, std::string> texts;  ///< by name; the line of a magic is empty, so that the
                                             ///< others have the numbers that the cell shows
  bool repeated = false;                     ///< a name had several cells
  std::string problem;  ///< why the bytes are no notebook, "is no notebook: …"; "" if they are
};

/// Reads a notebook (nbformat 4, https://nbformat.readthedocs.io) as untrusted bytes.
NotebookFiles read_notebook(std::string_view bytes);

}  // namespace warpmark
