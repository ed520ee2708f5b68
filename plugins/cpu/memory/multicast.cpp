#include "memory/multicast.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>

namespace warpmark::cpu {

Multicast::~Multicast() {
  for (const Piece& piece : pieces_) munmap(piece.host, piece.bytes);
}

bool Multicast::has(int device) const {
  return std::ranges::find(devices_, device) != devices_.end();
}

bool Multicast::bind(std::uint64_t offset, const std::shared_ptr<PhysicalMemory>& memory,
                     std::uint64_t memory_offset, std::uint64_t bytes) {
  const bool taken = std::ranges::any_of(pieces_, [&](const Piece& piece) {
    return piece.device == memory->device() && offset < piece.offset + piece.bytes &&
           piece.offset < offset + bytes;
  });
  if (taken) return false;
  void* host = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory->file(),
                    static_cast<off_t>(memory->offset() + memory_offset));
  if (host == MAP_FAILED) return false;
  pieces_.push_back({memory->device(), offset, bytes, memory, static_cast<std::byte*>(host)});
  return true;
}

bool Multicast::unbind(int device, std::uint64_t offset, std::uint64_t bytes) {
  std::uint64_t found = 0;
  const auto inside = [&](const Piece& piece) {
    return piece.device == device && piece.offset >= offset &&
           piece.offset + piece.bytes <= offset + bytes;
  };
  for (const Piece& piece : pieces_) found += inside(piece) ? piece.bytes : 0;
  if (found == 0 || found != bytes) return false;
  for (const Piece& piece : pieces_) {
    if (inside(piece)) munmap(piece.host, piece.bytes);
  }
  pieces_.erase(std::remove_if(pieces_.begin(), pieces_.end(), inside), pieces_.end());
  return true;
}

std::vector<std::byte*> Multicast::at(std::uint64_t offset, std::uint64_t bytes) const {
  std::vector<std::byte*> all;
  for (const int device : devices_) {
    const auto piece = std::ranges::find_if(pieces_, [&](const Piece& one) {
      return one.device == device && offset >= one.offset &&
             offset + bytes <= one.offset + one.bytes;
    });
    if (piece == pieces_.end()) return {};
    all.push_back(piece->host + (offset - piece->offset));
  }
  return all;
}

bool MulticastMappings::overlaps(std::uint64_t address, std::uint64_t bytes) const {
  return std::ranges::any_of(mappings_, [&](const auto& entry) {
    const Mapping& mapping = entry.second;
    return address < mapping.address + mapping.bytes && mapping.address < address + bytes;
  });
}

bool MulticastMappings::map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset,
                            const std::shared_ptr<Multicast>& object) {
  if (overlaps(address, bytes)) return false;
  mappings_[address] = {address, bytes, offset, object, {}};
  return true;
}

bool MulticastMappings::unmap(std::uint64_t address, std::uint64_t bytes) {
  const auto found = mappings_.find(address);
  if (found == mappings_.end() || found->second.bytes != bytes) return false;
  mappings_.erase(found);
  return true;
}

MulticastMappings::Mapping* MulticastMappings::holder(std::uint64_t address, std::uint64_t bytes) {
  auto next = mappings_.upper_bound(address);
  if (next == mappings_.begin()) return nullptr;
  Mapping& mapping = std::prev(next)->second;
  const std::uint64_t offset = address - mapping.address;
  return offset < mapping.bytes && bytes <= mapping.bytes - offset ? &mapping : nullptr;
}

std::vector<std::byte*> MulticastMappings::find(int device, std::uint64_t address,
                                                std::uint64_t bytes) {
  Mapping* mapping = holder(address, bytes);
  if (mapping == nullptr || mapping->access.at(static_cast<std::size_t>(device)) == 0) return {};
  return mapping->object->at(mapping->offset + (address - mapping->address), bytes);
}

}  // namespace warpmark::cpu
