// Files of memory: making them, and knowing those of other processes.
#include "memory/physical_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "memory/pages.hpp"

namespace warpmark::cpu {
namespace {

// The last page of a file: what it is, for a process that gets its descriptor.
struct Trailer {
  char magic[24] = "warpmark device memory";
  std::uint64_t bytes = 0;
  std::int32_t device = 0;
  std::uint32_t handle_types = 0;
};

// A file that is mapped must not shrink.
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

std::uint64_t trailer_offset(std::uint64_t bytes) {
  return bytes + bytes / 8;
}

}  // namespace

std::shared_ptr<PhysicalMemory> PhysicalMemory::create(int device, std::uint64_t bytes,
                                                       unsigned int handle_types, bool has_values,
                                                       std::uint64_t& account) {
  std::shared_ptr<PhysicalMemory> made(new PhysicalMemory);
  made->file_ = memfd_create("warpmark-physical-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (made->file_ < 0) return nullptr;
  Trailer trailer;
  trailer.bytes = bytes;
  trailer.device = device;
  trailer.handle_types = handle_types;
  const auto end = static_cast<off_t>(trailer_offset(bytes));
  if (ftruncate(made->file_, end + static_cast<off_t>(kHostPage)) != 0 ||
      pwrite(made->file_, &trailer, sizeof trailer, end) != sizeof trailer ||
      fcntl(made->file_, F_ADD_SEALS, kSeals) != 0)
    return nullptr;
  made->device_ = device;
  made->bytes_ = bytes;
  made->handle_types_ = handle_types;
  made->has_values = has_values;
  made->account_ = &account;
  account += bytes;
  return made;
}

std::shared_ptr<PhysicalMemory> PhysicalMemory::import(int descriptor) {
  struct stat status {};
  const int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals || fstat(descriptor, &status) != 0) return nullptr;
  // Size = bytes + bytes / 8 + a page.
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t bytes = size < kHostPage ? 0 : (size - kHostPage) / 9 * 8;
  Trailer trailer, known;
  if (bytes == 0 || bytes % kGranularity != 0 || trailer_offset(bytes) + kHostPage != size ||
      pread(descriptor, &trailer, sizeof trailer, static_cast<off_t>(trailer_offset(bytes))) !=
          sizeof trailer ||
      std::memcmp(trailer.magic, known.magic, sizeof known.magic) != 0 || trailer.bytes != bytes)
    return nullptr;
  std::shared_ptr<PhysicalMemory> made(new PhysicalMemory);
  made->file_ = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (made->file_ < 0) return nullptr;
  made->device_ = trailer.device;
  made->bytes_ = bytes;
  made->handle_types_ = trailer.handle_types;
  return made;
}

std::shared_ptr<PhysicalMemory> PhysicalMemory::part_of(int descriptor, std::uint64_t offset,
                                                        std::uint64_t bytes, int device) {
  std::shared_ptr<PhysicalMemory> made(new PhysicalMemory);
  made->file_ = descriptor;
  made->device_ = device;
  made->offset_ = offset;
  made->bytes_ = bytes;
  return made;
}

PhysicalMemory::~PhysicalMemory() {
  if (file_ >= 0) close(file_);
  if (account_ != nullptr) *account_ -= bytes_;
}

int PhysicalMemory::export_file() const {
  return fcntl(file_, F_DUPFD_CLOEXEC, 0);
}

}  // namespace warpmark::cpu
