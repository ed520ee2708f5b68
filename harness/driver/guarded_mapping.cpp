#include "driver/guarded_mapping.hpp"

#include <utility>

namespace warpmark {

namespace {

CUmemAllocationProp properties(const Context& context) {
  CUmemAllocationProp wanted = {};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.location.id = context.device().handle();
  return wanted;
}

}  // namespace

bool GuardedMapping::is_there(const Context& context) {
  const DriverTable& table = context.table();
  return table.mem_get_allocation_granularity && table.mem_create && table.mem_release &&
         table.mem_address_reserve && table.mem_address_free && table.mem_map && table.mem_unmap &&
         table.mem_set_access &&
         context.device().attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) != 0;
}

GuardedMapping::GuardedMapping(std::shared_ptr<const Context> context, size_t bytes,
                               const std::function<std::string()>& object)
    : context_(std::move(context)) {
  const ScopedContext current(*context_);
  const Driver& driver = context_->driver();
  const DriverTable& table = context_->table();
  const CUmemAllocationProp wanted = properties(*context_);
  driver.call(table.mem_get_allocation_granularity, object, &page_, &wanted,
              CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  if (page_ == 0) throw internal_error("the driver's memory has pages of no bytes");
  bytes_ = (bytes + page_ - 1) / page_ * page_;
  try {
    driver.call(table.mem_create, object, &pages_, bytes_, &wanted, 0ULL);
    driver.call(table.mem_address_reserve, object, &reserved_, bytes_ + 2 * page_, size_t{0},
                CUdeviceptr{0}, 0ULL);
    driver.call(table.mem_map, object, reserved_ + page_, bytes_, size_t{0}, pages_, 0ULL);
    begin_ = reserved_ + page_;
    set_access(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  } catch (...) {
    release();
    throw;
  }
}

void GuardedMapping::release() const noexcept {
  context_->run_for_release([this] {
    const Driver& driver = context_->driver();
    const DriverTable& table = context_->table();
    if (begin_ != 0) driver.release(table.mem_unmap, begin_, bytes_);
    if (reserved_ != 0) driver.release(table.mem_address_free, reserved_, bytes_ + 2 * page_);
    if (pages_ != 0) driver.release(table.mem_release, pages_);
  });
}

void GuardedMapping::set_access(CUmemAccess_flags flags) const {
  CUmemAccessDesc access = {};
  access.location = properties(*context_).location;
  access.flags = flags;
  context_->driver().call(
      context_->table().mem_set_access, [this] { return context_->identify(); }, begin_, bytes_,
      &access, size_t{1});
}

void GuardedMapping::forbid_writes() {
  const ScopedContext current(*context_);
  set_access(CU_MEM_ACCESS_FLAGS_PROT_READ);
}

}  // namespace warpmark
