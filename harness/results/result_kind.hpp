// Which of the files that Warpmark writes a file is.
#pragma once

#include <filesystem>
#include <optional>

namespace warpmark {

enum class ResultKind {
  journal,
  junit,
  google_benchmark,
  baseline,
  device_reports  ///< of warpmark-cpu
};

/// Told by how the file begins; nothing for another file. Throws a usage error for what cannot
/// be read.
std::optional<ResultKind> result_kind(const std::filesystem::path& file);

}  // namespace warpmark
