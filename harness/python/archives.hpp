// Archives from strangers, unpacked by Python's own zipfile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "python/interpreter.hpp"

namespace warpmark {

struct ArchiveLimits {
  uint64_t files = 10'000;
  uint64_t file_bytes = uint64_t{16} << 20;  ///< longer files are cut one byte behind
  uint64_t bytes = uint64_t{512} << 20;      ///< of all that is unpacked
};

struct Unpacked {
  std::string problem;                ///< "is no zip archive that can be read …"; "" for none
  std::vector<std::string> left_out;  ///< "`../x.cu` leads out of the archive"
};

/// Unpacks the regular files of a zip file into a new folder, below which all of them lie. Links,
/// encrypted files and names that lead elsewhere are left out. What can be no source, header, notebook,
/// archive or metadata of an export is there without its contents. A bomb costs what the limits allow. Throws an environment
/// error for what is no fault of the archive: a full disk.
Unpacked unpack_zip(Interpreter& python, const std::filesystem::path& archive,
                    const std::filesystem::path& folder, const ArchiveLimits& limits = {});

}  // namespace warpmark
