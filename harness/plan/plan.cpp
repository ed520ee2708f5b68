#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

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

std::string LaunchStep::title() const {
  const std::string called = fmt::format("`{}`", name.empty() ? entry : name);
  return round.empty() ? called : fmt::format("{} ({})", called, round);
}

const std::string& Plan::holder(const std::string& name) const {
  const auto found = std::ranges::find(renamed, name, &Renamed::name);
  return found == renamed.end() ? name : found->buffer;
}

Plan::Kernels Plan::kernels() const {
  // Arguments are a part of the key, since they tell overloads apart (compiler/signature.hpp).
  using Key = std::tuple<size_t, std::string, std::string>;
  std::map<Key, size_t> known;
  Kernels kernels;
  for (const Step& step : steps) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    std::string given;
    for (const std::string& argument : launch->arguments) {
      const Buffer* buffer = find_buffer(argument);
      const auto& dtype = buffer != nullptr ? buffer->dtype : find_scalar(argument)->dtype;
      given += fmt::format("{} {},", buffer != nullptr ? "array" : "scalar",
                           dtype ? dtype->name : std::string_view());
    }
    const auto [found, first] =
        known.try_emplace({launch->unit, launch->entry, given}, kernels.distinct.size());
    if (first) kernels.distinct.push_back(launch);
    kernels.of_launch.push_back(found->second);
  }
  return kernels;
}

int64_t resolved(const Size& size) {
  if (const auto* value = std::get_if<int64_t>(&size)) return *value;
  throw internal_error(
      fmt::format("`{}` of a plan was used before it was resolved", std::get<Symbolic>(size).text));
}

}  // namespace warpmark
