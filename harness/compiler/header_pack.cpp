#include "compiler/header_pack.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpmark {

namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

// A text is its length, eight bytes, and its bytes.
void append(std::string& all, std::string_view text) {
  const uint64_t size = text.size();
  all.append(reinterpret_cast<const char*>(&size), sizeof size);
  all.append(text);
}

class Texts {
 public:
  explicit Texts(std::string_view all) : all_(all) {}
  [[nodiscard]] bool ended() const { return all_.empty(); }
  std::string next() {
    uint64_t size = 0;
    if (all_.size() < sizeof size) throw internal_error("a pack of headers is cut off");
    std::memcpy(&size, all_.data(), sizeof size);
    all_.remove_prefix(sizeof size);
    if (all_.size() < size) throw internal_error("a pack of headers is cut off");
    std::string text(all_.substr(0, size));
    all_.remove_prefix(size);
    return text;
  }

 private:
  std::string_view all_;
};

}  // namespace

UniqueFd pack_headers(const std::vector<Header>& headers) {
  std::string all;
  for (const Header& header : headers) {
    append(all, header.spelling);
    append(all, header.text);
    append(all, header.path);
  }
  UniqueFd file(::memfd_create("warpmark-headers", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return file;
  for (size_t written = 0; written < all.size();) {
    const ssize_t count = ::write(file.get(), all.data() + written, all.size() - written);
    if (count <= 0) return {};
    written += static_cast<size_t>(count);
  }
  if (::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) return {};
  return file;
}

std::vector<Header> unpack_headers(int file) {
  struct stat status {};
  if (::fcntl(file, F_GET_SEALS) != kSeals || ::fstat(file, &status) != 0) {
    throw internal_error("a pack of headers came that others may change");
  }
  const auto size = static_cast<size_t>(status.st_size);
  std::vector<Header> headers;
  if (size == 0) return headers;
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (mapped == MAP_FAILED) throw internal_error("a pack of headers cannot be mapped");
  Texts texts({static_cast<const char*>(mapped), size});
  while (!texts.ended()) {
    Header header;
    header.spelling = texts.next();
    header.text = texts.next();
    header.path = texts.next();
    headers.push_back(std::move(header));
  }
  ::munmap(mapped, size);
  return headers;
}

}  // namespace warpmark
