// Events that several processes share. Work is executed when it is submitted, so that an event is
// reached when it is recorded, in whatever process.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <set>

#include "api/ipc.hpp"
#include "api/owner.hpp"
#include "api/shared_event.hpp"
#include "api/state.hpp"
#include "memory/pages.hpp"

namespace warpmark::cpu {
namespace {

using Count = std::atomic<std::uint64_t>;
static_assert(Count::is_always_lock_free);

// The process's events: a table of names, and a page for each event behind it.
class EventFile {
 public:
  EventFile() {
    file_ = memfd_create("warpmark-shared-events", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file_ < 0) return;
    constexpr std::uint64_t size = ExportTable::kBytes + kMost * kHostPage;
    void* table = MAP_FAILED;
    if (ftruncate(file_, size) == 0 && fcntl(file_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
      table = mmap(nullptr, ExportTable::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (table == MAP_FAILED) {
      close(file_);
      file_ = -1;
      return;
    }
    names_.begin(static_cast<std::byte*>(table), file_);
  }

  // The offset of a page that nobody has; 0 if there is none.
  std::uint64_t take() {
    if (file_ < 0) return 0;
    for (std::uint64_t offset = ExportTable::kBytes; taken_.size() < kMost; offset += kHostPage) {
      if (taken_.insert(offset).second) return offset;
    }
    return 0;
  }
  void give_back(std::uint64_t offset) {
    names_.remove(offset);
    taken_.erase(offset);
  }
  bool name(std::uint64_t offset, Export& name) { return names_.add(offset, kHostPage, 0, name); }
  [[nodiscard]] int file() const { return file_; }

 private:
  static constexpr std::uint64_t kMost = 4096;
  int file_ = -1;
  ExportTable names_;
  std::set<std::uint64_t> taken_;
};

EventFile& own_events() {
  static auto* const file = new EventFile;  // lives as long as the driver
  return *file;
}

Count* map_count(int file, std::uint64_t offset) {
  void* page = mmap(nullptr, kHostPage, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                    static_cast<off_t>(offset));
  return page == MAP_FAILED ? nullptr : static_cast<Count*>(page);
}

}  // namespace

std::shared_ptr<SharedEvent> SharedEvent::create() {
  const std::uint64_t offset = own_events().take();
  Count* count = offset == 0 ? nullptr : map_count(own_events().file(), offset);
  if (count == nullptr) {
    if (offset != 0) own_events().give_back(offset);
    return nullptr;
  }
  count->store(0);
  std::shared_ptr<SharedEvent> made(new SharedEvent);
  made->count_ = count;
  made->offset_ = offset;
  return made;
}

std::shared_ptr<SharedEvent> SharedEvent::open(const Export& name, bool& own) {
  const ExportedRange range = find_export(name);
  own = range.own;
  if (range.file < 0) return nullptr;
  Count* count = range.bytes == kHostPage ? map_count(range.file, range.offset) : nullptr;
  close(range.file);
  if (count == nullptr) return nullptr;
  std::shared_ptr<SharedEvent> made(new SharedEvent);
  made->count_ = count;
  return made;
}

SharedEvent::~SharedEvent() {
  munmap(count_, kHostPage);
  if (offset_ != 0) own_events().give_back(offset_);
}

bool SharedEvent::name(Export& name) const {
  return offset_ != 0 && own_events().name(offset_, name);
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event) {
  return with_owner("cuIpcGetEventHandle", Waits::no, event, [&](Context& context) -> CUresult {
    const Event* found = find_in(context.events, event);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Export name;
    if (found->shared == nullptr || !found->shared->name(name))
      return fail(CUDA_ERROR_INVALID_HANDLE,
                  "the event was not created here with CU_EVENT_INTERPROCESS");
    *handle = handle_of<CUipcEventHandle>(name);
    return CUDA_SUCCESS;
  });
}

CUresult cuIpcOpenEventHandle(CUevent* result, CUipcEventHandle handle) {
  return with_context("cuIpcOpenEventHandle", Waits::no, [&](Context& context) -> CUresult {
    if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
    bool own = false;
    const Export name = export_of(handle);
    if (name.magic != Export::kMagic)
      return fail(CUDA_ERROR_MAP_FAILED, "the handle is not one of cuIpcGetEventHandle");
    std::shared_ptr<SharedEvent> shared = SharedEvent::open(name, own);
    if (own) return fail(CUDA_ERROR_INVALID_CONTEXT, "the handle is of this process's own event");
    if (shared == nullptr)
      return fail(CUDA_ERROR_INVALID_HANDLE,
                  "the handle is that of no live event of a process that lives");
    auto event = std::make_unique<Event>();
    event->context = &context;
    event->flags = unsigned{CU_EVENT_DISABLE_TIMING} | unsigned{CU_EVENT_INTERPROCESS};
    event->shared = std::move(shared);
    *result = reinterpret_cast<CUevent>(event.get());
    context.events.emplace(*result, std::move(event));
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
