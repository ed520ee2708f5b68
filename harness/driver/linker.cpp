#include "driver/linker.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace warpmark {

bool Linker::is_there(const Context& context) {
  const DriverTable& table = context.table();
  return table.link_create && table.link_add_data && table.link_complete && table.link_destroy;
}

Linker::Linker(const std::shared_ptr<const Context>& context) {
  const ScopedContext current(*context);
  CUlinkState state = nullptr;
  context->driver().call(
      context->table().link_create, [&] { return "a linker, " + context->identify(); },
      logs_.count(), logs_.options(), logs_.values(), &state);
  handle_ = {context, state};
}

void Linker::add(std::string_view image, const std::string& name) {
  const Context& context = *handle_.context();
  const ScopedContext current(context);
  // A cubin is an ELF file. A GPU takes PTX, too, of an earlier architecture than its own.
  const bool ptx = !image.starts_with("\177ELF");
  names_ += (names_.empty() ? "" : ", ") + name;
  // PTX is a text, whose terminator counts; and the driver's parameter is not const.
  std::string bytes(image);
  const auto& call = context.table().link_add_data;
  check(call.pointer(handle_.get(), ptx ? CU_JIT_INPUT_PTX : CU_JIT_INPUT_CUBIN, bytes.data(),
                     bytes.size() + (ptx ? 1 : 0), name.c_str(), 0, nullptr, nullptr),
        call.symbol);
}

std::string Linker::complete() {
  const Context& context = *handle_.context();
  const ScopedContext current(context);
  void* image = nullptr;
  size_t bytes = 0;
  const auto& call = context.table().link_complete;
  check(call.pointer(handle_.get(), &image, &bytes), call.symbol);
  // The image is the link state's own, which ends with this.
  return {static_cast<const char*>(image), bytes};
}

std::string Linker::log() const {
  const std::string errors = printable(trim(logs_.errors()));
  return errors.empty() ? printable(trim(logs_.info())) : errors;
}

std::string Linker::identify() const {
  return fmt::format("link of {}, {}", names_, handle_.context()->identify());
}

void Linker::check(CUresult result, const char* symbol) const {
  if (result == CUDA_SUCCESS) return;
  throw handle_.context()->driver().failure(result, symbol, identify(), log());
}

}  // namespace warpmark
