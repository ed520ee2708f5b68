#include "plan/plan.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace warpmark {

const Buffer* Plan::find_buffer(const std::string& name) const {
  for (const Buffer& buffer : buffers) {
    if (buffer.name == name) return &buffer;
  }
  return nullptr;
}

const Scalar* Plan::find_scalar(const std::string& name) const {
  for (const Scalar& scalar : scalars) {
    if (scalar.name == name) return &scalar;
  }
  return nullptr;
}

int64_t resolved(const Size& size) {
  if (const auto* value = std::get_if<int64_t>(&size)) return *value;
  throw internal_error(
      fmt::format("`{}` of a plan was used before it was resolved", std::get<Symbolic>(size).text));
}

}  // namespace warpmark
