#include "compiler/header_pack.hpp"

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_facts.hpp"
#include "base/sha256.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFormat = "warpmark headers 1";

// The process's own program, which has headers of its own, and rules by which it finds others.
fs::path program() {
  std::error_code code;
  return fs::read_symlink("/proc/self/exe", code);
}

// Against damage only, and by the same program: a cryptographic one takes as long as the headers.
uint64_t sum_of(std::string_view texts) {
  return std::hash<std::string_view>()(texts);
}

}  // namespace

HeaderPack::HeaderPack(const CompileCache& cache, const std::string& asked) {
  if (!cache.enabled()) return;
  path_ = cache.header_pack_path(
      sha256_hex(std::string(kFormat) + "\n" + program().string() + "\n" + asked));
}

std::optional<std::vector<Header>> HeaderPack::read() const {
  std::error_code code;
  if (path_.empty() || !fs::exists(path_, code)) return std::nullopt;
  try {
    const std::string bytes = read_file(path_);
    const size_t end = bytes.find('\n');
    if (end == std::string::npos) return std::nullopt;
    const auto index = nlohmann::json::parse(bytes.begin(), bytes.begin() + static_cast<long>(end));
    for (const nlohmann::json& one : index.at("read")) {
      if (file_facts(one.at(0).get<std::string>()) != one.at(1).get<std::string>())
        return std::nullopt;
    }
    std::vector<Header> headers;
    size_t at = end + 1;
    for (const nlohmann::json& one : index.at("headers")) {
      const auto size = one.at(2).get<size_t>();
      if (size > bytes.size() - at) return std::nullopt;
      headers.push_back({one.at(0), bytes.substr(at, size), one.at(1)});
      at += size;
    }
    if (at != bytes.size()) return std::nullopt;
    if (sum_of(std::string_view(bytes).substr(end + 1)) != index.at("sum")) return std::nullopt;
    return headers;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void HeaderPack::write(const std::vector<Header>& headers,
                       const std::vector<fs::path>& files) const {
  if (path_.empty()) return;
  // A new file in a folder may come before one that was read.
  std::set<fs::path> read(files.begin(), files.end());
  for (const fs::path& file : files) read.insert(file.parent_path());
  read.insert(program());
  nlohmann::json index = {{"read", nlohmann::json::array()}, {"headers", nlohmann::json::array()}};
  for (const fs::path& one : read) index["read"].push_back({one.string(), file_facts(one)});
  std::string texts;
  for (const Header& header : headers) {
    index["headers"].push_back({header.spelling, header.path, header.text.size()});
    texts += header.text;
  }
  index["sum"] = sum_of(texts);
  try {
    write_file_atomically(path_, index.dump() + "\n" + texts);
  } catch (const nlohmann::json::exception&) {
    return;  // a path that is no UTF-8
  } catch (const Error&) {
    return;
  }
}

}  // namespace warpmark
