#include "support/fake_driver.hpp"

#include <stdexcept>

#include "support/fake_driver_state.hpp"

namespace warpmark {

namespace {

FakeDriver* g_fake = nullptr;  // the driver API has no place for a `this`

}  // namespace

FakeDriver& fake() {
  if (g_fake == nullptr) throw std::logic_error("a fake driver function outlived its FakeDriver");
  return *g_fake;
}

size_t offset_of(const FakeDriver& driver, const std::string& name) {
  size_t offset = 0;
  for (const auto& [other, bytes] : driver.variables) {
    if (other == name) break;
    offset += bytes.size();
  }
  return offset;
}

FakeDriver::FakeDriver() : state_(std::make_unique<State>()) {
  if (g_fake != nullptr) throw std::logic_error("one FakeDriver at a time");
  g_fake = this;
  attributes = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 0x7fffffff},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 227 * 1024},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 4},
  };
}

FakeDriver::~FakeDriver() {
  g_fake = nullptr;
}

std::map<std::string, int> FakeDriver::live() const {
  std::map<std::string, int> counts;
  for (const auto& [handle, object] : state_->objects) ++counts[object->kind];
  return counts;
}

int FakeDriver::current_contexts() const {
  return static_cast<int>(state_->stack.size());
}

void FakeDriver::add_timing_kernels() {
  kernels["warpmark_read"] = {{{0, 8}, {8, 8}, {16, 8}}};
  kernels["warpmark_wait"] = {{{0, 8}}};
  kernels["warpmark_empty"] = {{}};
  kernels["warpmark_fill"] = {{{0, 8}, {8, 8}, {16, 8}, {24, 8}, {32, 8}, {40, 8}, {48, 4}}};
  kernels["warpmark_digest"] = {{{0, 8}, {8, 8}, {16, 8}, {24, 8}}};
  kernels["warpmark_scrub"] = {{{0, 4}, {4, 4}}};
  kernels["warpmark_demote"] = {{{0, 8}, {8, 8}}};
  kernels["warpmark_clock"] = {{{0, 8}, {8, 8}}};
  for (const char* of : {"warpmark_fma_float32", "warpmark_fma_float16"})
    kernels[of] = {{{0, 4}, {4, 4}, {8, 4}, {16, 8}}};
  kernels["warpmark_fma_float64"] = {{{0, 8}, {8, 8}, {16, 4}, {24, 8}}};
}

void FakeDriver::fail(const std::string& symbol, CUresult result, int nth) {
  state_->failures[symbol] = {nth, result};
}

std::byte* FakeDriver::variable(const std::string& name) const {
  return state_->last_module->bytes.data() + offset_of(*this, name);
}

std::shared_ptr<Driver> FakeDriver::driver() {
  std::shared_ptr<Driver> made = Driver::from_table(table(), "the fake driver", extension);
  made->init();
  return made;
}

DriverTable FakeDriver::table() {
  return load_driver_table(&lookup, "the fake driver");
}

}  // namespace warpmark
