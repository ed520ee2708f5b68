#include "worker/initial_value.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace warpmark {

namespace {

// The bytes that a thread reads at a time.
constexpr size_t kPiece = size_t{8} << 20;

}  // namespace

InitialValue::InitialValue(SharedMemory mapped) : mapped_(std::move(mapped)) {}

InitialValue::InitialValue(UniqueFd memory, SharedMemory::Place place, size_t bytes)
    : memory_(std::move(memory)), place_(place), size_(bytes) {}

uint64_t InitialValue::identity() const {
  // No file has such a number.
  constexpr uint64_t kRead = uint64_t{1} << 63;
  return mapped_ ? mapped_->identity() : kRead | place_.number;
}

std::span<std::byte> InitialValue::bytes() const {
  if (mapped_) return mapped_->bytes();
  if (!copy_) {
    SharedMemory made = SharedMemory::create_readable(size_);
    read(0, made.bytes());
    copy_ = std::move(made);
  }
  return copy_->bytes();
}

void InitialValue::upload_to(DeviceMemory& buffer,
                             const std::shared_ptr<const Context>& context) const {
  const size_t pieces = ranges_of(buffer.bytes(), kPiece).size();
  const SharedMemory pages = SharedMemory::create_readable(pieces * kPiece);
  HostRegistration locked;
  try {
    if (context->table().mem_host_register) locked = {context, pages.bytes().data(), pages.size()};
  } catch (const DriverError& error) {
    if (error.sticky()) throw;  // otherwise the copies are only slower
  }
  // Threads read only: all calls of the driver are this thread's.
  for (size_t at = 0; at < buffer.bytes(); at += pages.size()) {
    const std::span<std::byte> part =
        pages.bytes().first(std::min(pages.size(), buffer.bytes() - at));
    in_parallel(ranges_of(part.size(), kPiece), [&](size_t /*number*/, Range range) {
      read(at + range.begin, part.subspan(range.begin, range.end - range.begin));
    });
    buffer.upload(part, at);
  }
}

// The call between processes is three times as fast as the file (0.02 s for a gigabyte by 16 threads),
// and where processes may not trace each other it is refused.
void InitialValue::read(size_t from, std::span<std::byte> to) const {
  const iovec into{to.data(), to.size()};
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  const iovec of{reinterpret_cast<void*>(place_.address + from), to.size()};
  const ssize_t all = ::process_vm_readv(place_.process, &into, 1, &of, 1, 0);
  if (all == static_cast<ssize_t>(to.size())) return;
  while (!to.empty()) {
    const ssize_t count =
        ::pread(memory_.get(), to.data(), to.size(), static_cast<off_t>(place_.address + from));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw environment_error(std::string("cannot read an input from the front's memory: ") +
                              (count < 0 ? std::strerror(errno) : "it is gone"));
    }
    from += static_cast<size_t>(count);
    to = to.subspan(static_cast<size_t>(count));
  }
}

}  // namespace warpmark
