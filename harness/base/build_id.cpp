#include "base/build_id.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/hex.hpp"

namespace warpmark {

namespace {

constexpr uint64_t kMostBytes = 1 << 16;  // of notes: linkers write some hundred

template <class T>
bool read_at(std::ifstream& file, uint64_t offset, T* into, size_t count) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(
      file.read(reinterpret_cast<char*>(into), static_cast<std::streamsize>(count * sizeof(T))));
}

size_t padded(size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

// The build ID among notes: each has three words, its owner's name and its content, both padded.
std::string id_among(std::string_view notes) {
  Elf64_Nhdr note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes.remove_prefix(sizeof note);
    const size_t name = padded(note.n_namesz);
    if (name + note.n_descsz > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(0, 4) == std::string_view("GNU\0", 4)) {
      return to_hex(notes.substr(name, note.n_descsz));
    }
    notes.remove_prefix(std::min(name + padded(note.n_descsz), notes.size()));
  }
  return "";
}

}  // namespace

std::string build_id(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header;
  if (!read_at(file, 0, &header, 1) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return "";
  }
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!read_at(file, header.e_phoff, segments.data(), segments.size())) return "";
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostBytes) continue;
    std::string notes(segment.p_filesz, '\0');
    if (!read_at(file, segment.p_offset, notes.data(), notes.size())) return "";
    const std::string id = id_among(notes);
    if (!id.empty()) return id;
  }
  return "";
}

}  // namespace warpmark
