#include "api/loaded_text.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "machine/handlers.hpp"
#include "program/check_module.hpp"
#include "ptx/device_functions.hpp"

namespace warpmark::cpu {
namespace {

// Limits of what is kept beyond the loads that use it. The parts of a parsed text take about ten
// times its bytes.
constexpr std::size_t kMostTexts = 16, kMostBytes = std::size_t{2} << 20;
constexpr std::size_t kMostPlacements = 4;
// Programs that the check of a text has decoded are kept if they are so few: large libraries have
// hundreds of kernels, of which a program uses some.
constexpr std::ptrdiff_t kMostChecked = 8;

std::shared_ptr<KernelCode> code_of(Program program) {
  auto code = std::make_shared<KernelCode>();
  code->checked = std::move(program);
  bind(code->checked, handlers(Watch::bounds));
  return code;
}

}  // namespace

LoadedText::LoadedText(std::string text) : module_(parse_with_device_functions(std::move(text))) {}

void LoadedText::check(const Placement& placement) {
  if (checked_) return;
  Placed& here = placed(placement);
  const bool few = std::ranges::count_if(module_.functions, &Function::entry) <= kMostChecked;
  check_module(module_, placement, [&](const Function& function, Program program) {
    if (few) here.kernels.emplace(&function, code_of(std::move(program)));
  });
  checked_ = true;
}

std::shared_ptr<KernelCode> LoadedText::code(const Function& function, const Placement& placement) {
  std::shared_ptr<KernelCode>& code = placed(placement).kernels[&function];
  if (code == nullptr) code = code_of(decode(module_, function, placement));
  return code;
}

LoadedText::Placed& LoadedText::placed(const Placement& placement) {
  Key key{placement.shared_window, placement.local_window, placement.param_window,
          placement.code_window, placement.stack_bytes};
  for (const Variable& variable : module_.variables) {
    if (variable.space != Space::shared) key.push_back(placement.variable(variable.name));
  }
  const auto found = std::ranges::find(placements_, key, &Placed::key);
  if (found != placements_.end()) {
    placements_.splice(placements_.begin(), placements_, found);
  } else {
    placements_.push_front({std::move(key), {}});
    if (placements_.size() > kMostPlacements) placements_.pop_back();
  }
  return placements_.front();
}

std::shared_ptr<LoadedText> LoadedTexts::get(std::string text) {
  const auto found = std::ranges::find(known_, text, &Known::text);
  if (found != known_.end()) {
    known_.splice(known_.begin(), known_, found);
    return known_.front().loaded;
  }
  auto loaded = std::make_shared<LoadedText>(text);
  if (text.size() > kMostBytes) return loaded;
  known_.push_front({std::move(text), loaded});
  std::size_t bytes = 0;
  auto last = known_.begin();
  for (std::size_t count = 0; last != known_.end() && count < kMostTexts; ++last, ++count) {
    bytes += last->text.size();
    if (bytes > kMostBytes) break;
  }
  known_.erase(last, known_.end());
  return loaded;
}

}  // namespace warpmark::cpu
