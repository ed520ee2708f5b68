// A fatbin with PTX, made by hand. The layout is that of nvcc's --fatbin, as a dump of one shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpmark::test {

inline constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000;  ///< flags

struct FatbinPart {
  std::string ptx;  ///< or what it was compressed to
  std::uint32_t architecture = 75;
  std::uint64_t flags = 0x11;
  std::size_t bytes = 0;  ///< of the text, if it is compressed
};

inline std::string fatbin(const std::vector<FatbinPart>& parts) {
  const auto put = [](std::string& to, auto value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  std::string content;
  for (const FatbinPart& part : parts) {
    const std::string body = part.ptx + std::string(8 - part.ptx.size() % 8, '\0');
    std::string entry;
    put(entry, std::uint16_t{1});  // PTX
    put(entry, std::uint16_t{0x0101});
    put(entry, std::uint32_t{72});
    put(entry, std::uint64_t{body.size()});
    put(entry, static_cast<std::uint32_t>(part.bytes == 0 ? 0 : part.ptx.size()));
    put(entry, std::uint32_t{64});
    put(entry, std::uint16_t{0});
    put(entry, std::uint16_t{7});
    put(entry, part.architecture);
    put(entry, std::uint64_t{0});
    put(entry, part.flags);
    put(entry, std::uint64_t{0});
    put(entry, std::uint64_t{part.bytes});
    entry.resize(72);
    content += entry + body;
  }
  std::string all;
  put(all, std::uint32_t{0xba55ed50});
  put(all, std::uint16_t{1});
  put(all, std::uint16_t{16});
  put(all, std::uint64_t{content.size()});
  return all + content;
}

inline std::string fatbin(const std::string& ptx, std::uint64_t flags = 0x11) {
  return fatbin(std::vector<FatbinPart>{{ptx, 75, flags}});
}

}  // namespace warpmark::test
