#include "debug/elf_image.hpp"

#include <elf.h>

#include <cstring>
#include <vector>

namespace warpmark::debugging {
namespace {

void append(std::string& image, const void* from, size_t bytes) {
  image.append(static_cast<const char*>(from), bytes);
}

}  // namespace

std::string elf_image(const Sections& sections) {
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> headers(1);  // the first is none
  std::string image(sizeof(Elf64_Ehdr), '\0');
  const auto add = [&](const std::string& name, uint32_t type, const std::string& bytes) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<uint32_t>(names.size());
    header.sh_type = type;
    header.sh_addralign = 1;
    header.sh_offset = image.size();
    header.sh_size = bytes.size();
    names += name + '\0';
    image += bytes;
    headers.push_back(header);
  };
  for (const auto& [name, bytes] : sections) add(name, SHT_PROGBITS, bytes);
  const std::string own = ".shstrtab";
  add(own, SHT_STRTAB, names + own + '\0');
  image.resize((image.size() + 7) / 8 * 8);
  Elf64_Ehdr file{};
  std::memcpy(file.e_ident, ELFMAG, SELFMAG);
  file.e_ident[EI_CLASS] = ELFCLASS64;
  file.e_ident[EI_DATA] = ELFDATA2LSB;
  file.e_ident[EI_VERSION] = EV_CURRENT;
  file.e_type = ET_EXEC;
  file.e_machine = EM_X86_64;  // of CUDA's libdw knows nothing, and it need not
  file.e_version = EV_CURRENT;
  file.e_ehsize = sizeof file;
  file.e_shoff = image.size();
  file.e_shentsize = sizeof(Elf64_Shdr);
  file.e_shnum = static_cast<uint16_t>(headers.size());
  file.e_shstrndx = static_cast<uint16_t>(headers.size() - 1);
  for (const Elf64_Shdr& header : headers) append(image, &header, sizeof header);
  std::memcpy(image.data(), &file, sizeof file);
  return image;
}

}  // namespace warpmark::debugging
