// The headers of a toolkit together in one file of the cache: to find and read each of some hundred
// takes longer than to compile a kernel.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compiler/cache.hpp"
#include "compiler/includes.hpp"

namespace warpmark {

class HeaderPack {
 public:
  /// The pack of what `asked` names: all that decides which headers there are, but the files.
  HeaderPack(const CompileCache& cache, const std::string& asked);

  /// Nothing if there is no pack, or if one of its files, a folder with one, or this program has
  /// changed since.
  std::optional<std::vector<Header>> read() const;
  /// Keeps headers with the files that they were read from. If it cannot be written there is none.
  void write(const std::vector<Header>& headers,
             const std::vector<std::filesystem::path>& files) const;

 private:
  std::filesystem::path path_;  ///< "" without a cache
};

}  // namespace warpmark
