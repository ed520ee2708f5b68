#include "driver/launch.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace warpmark {

std::string LaunchConfig::text() const {
  return fmt::format("grid {}x{}x{}, block {}x{}x{}", grid[0], grid[1], grid[2], block[0], block[1],
                     block[2]);
}

void KernelArguments::add_bytes(const void* value, size_t bytes) {
  const size_t offset = values_.size();
  values_.resize(offset + (bytes + sizeof(Unit) - 1) / sizeof(Unit));
  if (bytes > 0) std::memcpy(values_.data() + offset, value, bytes);
  arguments_.push_back({offset, bytes});
}

void KernelArguments::check(const std::vector<ParameterLayout>& parameters,
                            const std::string& kernel) const {
  if (parameters.size() != arguments_.size()) {
    throw verdict_error(fmt::format("the kernel `{}` has {} parameter{}, but {} argument{} given",
                                    kernel, parameters.size(), parameters.size() == 1 ? "" : "s",
                                    arguments_.size(), arguments_.size() == 1 ? " is" : "s are"));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].bytes == arguments_[i].bytes) continue;
    throw verdict_error(
        fmt::format("parameter {} of the kernel `{}` has {} bytes, but its argument has {}", i + 1,
                    kernel, parameters[i].bytes, arguments_[i].bytes));
  }
}

std::vector<void*> KernelArguments::addresses() {
  std::vector<void*> out;
  out.reserve(arguments_.size());
  for (const Slot& slot : arguments_) out.push_back(values_.data() + slot.offset);
  return out;
}

}  // namespace warpmark
