// Finds the headers that a source may include by reading it, because NVRTC reports no dependencies.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warpmark {

/// A header to hand over in memory.
struct Header {
  std::string spelling;  ///< the name under which NVRTC asks for it
  std::string text;
  std::string path;        ///< relative to the suite's folder, "" for a shim
  bool handed_in = false;  ///< part of a submission
};

struct IncludeClosure {
  std::string source;                        ///< the source, with ambiguous spellings made unique
  std::vector<Header> headers;               ///< in the order of their discovery
  std::string not_cacheable;                 ///< why the set is not known for certain; "" if it is
  std::vector<std::filesystem::path> files;  ///< that were read, without links
};

struct IncludeSearch {
  std::filesystem::path folder;                ///< the suite's folder; quoted includes start here
  std::vector<std::filesystem::path> folders;  ///< searched next, for both forms
  std::vector<std::filesystem::path> roots;    ///< if not empty, only files below these are read
  std::string virtual_root;                    ///< prefix of paths in `#line`
  /// True to give each file one name, as a compiler does that opens files: else `#pragma once` does
  /// not hold for a file with two spellings, and a quoted "mma.h" is also what a header of the
  /// toolkit gets for <mma.h>. Directives are changed to these names. False if the closure serves
  /// texts whose directives stay.
  bool one_name_each = false;
  /// Texts in place of files, by their paths relative to the suite's folder.
  std::map<std::string, std::string> replaced = {};
};

/// The headers outside the toolkit that `source`, a file `name` relative to the folder, may
/// include, and the headers that these include. Headers that are not found are left to NVRTC, which
/// knows the toolkit, or reports them.
IncludeClosure resolve_includes(const std::string& source, const std::string& name,
                                const IncludeSearch& search);

/// Selects from `all` the headers that `source` may reach, in the same order; all of them if only
/// the preprocessor knows. Passing some hundred unused headers takes longer than a compile.
std::vector<Header> reachable_headers(const std::string& source, const std::vector<Header>& all);

}  // namespace warpmark
