#include "runtime/compiled_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace warpmark {

namespace {

constexpr uint64_t kMostAxes = 64;  // NumPy's arrays have at most as many
// Bytes, more than any device has; a compiler of submissions can answer anything.
constexpr uint64_t kMostShared = uint64_t{1} << 30;
constexpr uint64_t kMostScratch = uint64_t{16} << 20;  // bytes for a block
constexpr double kMostOfLaunch = 1 << 30;              // bytes of scratch
constexpr const char* kScratch = "scratch of ";

std::string axis_text(const std::string& array, uint64_t axis) {
  return fmt::format("{}.shape[{}]", array, axis);
}

// Arithmetic for what a parameter is of an array, whose elements lie without gaps.
std::string amount_of(const ParameterSource& source, const Buffer& array, uint64_t axes) {
  const uint64_t itemsize = array.dtype ? array.dtype->bytes : 0;
  if (source.what == "size") return array.name + ".size";
  if (source.what == "itemsize") return std::to_string(itemsize);
  if (source.what == "extent") return axis_text(array.name, source.axis);
  std::string text = std::to_string(itemsize);
  for (uint64_t axis = source.axis + 1; axis < axes; ++axis) {
    text += " * " + axis_text(array.name, axis);
  }
  return text;
}

bool is_amount(const std::string& what) {
  return what == "size" || what == "itemsize" || what == "extent" || what == "stride";
}

// The number of axes that a kernel takes of each argument; 0 if it asks for none.
std::map<uint64_t, uint64_t> axes_of(const Entry& kernel) {
  std::map<uint64_t, uint64_t> axes;
  for (const ParameterSource& source : kernel.sources) {
    uint64_t& most = axes[source.argument];
    if (source.what == "extent") most = std::max(most, source.axis + 1);
  }
  return axes;
}

class Expansion {
 public:
  Expansion(PlannedCase& planned, const LaunchStep& launch, const Entry& kernel)
      : planned_(planned), launch_(launch) {
    for (const ParameterSource& source : kernel.sources) {
      if (source.argument >= launch.arguments.size()) fail(source, "which the suite does not give");
      if (source.axis >= kMostAxes) fail(source, "which cannot have so many axes");
    }
    axes_ = axes_of(kernel);
  }

  std::string argument(const ParameterSource& source) {
    if (source.what == "null") return scalar("null", [](Scalar& made) { made.null = true; });
    if (source.what == "scratch") return scratch(source);
    const std::string& name = launch_.arguments[source.argument];
    if (source.what == "argument") return name;
    const Buffer* array = planned_.plan.find_buffer(name);
    if (array == nullptr || !is_amount(source.what)) fail(source, "which has none");
    const std::string text = amount_of(source, *array, axes_.at(source.argument));
    return scalar(text, [&](Scalar& made) {
      made.dtype = find_dtype("int64");
      made.integer = Symbolic{text, launch_.at};
    });
  }

 private:
  [[noreturn]] void fail(const ParameterSource& source, const std::string& why) const {
    throw verdict_error(
        fmt::format("the compiler of `{}` wants `{}` of argument {}, {}", launch_.entry,
                    printable(source.what), source.argument + 1, why),
        planned_.positions.find(launch_.at));
  }

  // A buffer of its own for each parameter and launch: launches may run at a time.
  std::string scratch(const ParameterSource& source) {
    if (source.bytes == 0 || source.bytes > kMostScratch) fail(source, "of a size that cannot be");
    Buffer made;
    made.name = kScratch + launch_.entry;
    for (size_t more = 2; planned_.plan.find_buffer(made.name) != nullptr; ++more) {
      made.name = fmt::format("{}{} ({})", kScratch, launch_.entry, more);
    }
    made.direction = ArgumentKind::scratch;
    made.dtype = find_dtype("uint8");
    made.shape.assign(launch_.grid.rbegin(), launch_.grid.rend());
    made.shape.emplace_back(static_cast<int64_t>(source.bytes));
    made.at = launch_.at;
    planned_.plan.buffers.push_back(made);
    return made.name;
  }

  // A scalar of the plan by this name, added if there is none.
  template <typename Fill>
  std::string scalar(const std::string& name, const Fill& fill) {
    if (planned_.plan.find_scalar(name) == nullptr) {
      Scalar made;
      made.name = name;
      made.at = launch_.at;
      fill(made);
      planned_.plan.scalars.push_back(std::move(made));
    }
    return name;
  }

  PlannedCase& planned_;
  const LaunchStep& launch_;
  std::map<uint64_t, uint64_t> axes_;
};

// The block that a suite of Triton's has without `block`: the warps of its option.
std::array<Size, 3> block_of_warps(const Unit& unit) {
  int64_t warps = 4;
  for (std::string_view option : unit.options) {
    if (option.starts_with("-D")) option.remove_prefix(2);
    constexpr std::string_view kWarps = "num_warps=";
    if (!option.starts_with(kWarps)) continue;
    option.remove_prefix(kWarps.size());
    std::from_chars(option.data(), option.data() + option.size(), warps);
  }
  return {32 * warps, int64_t{1}, int64_t{1}};
}

// Calls `use(launch, unit, kernel)` for each launch of a plan whose kernel a program compiled, its
// unit and that kernel. What a worker says of other kernels may come from a submission, and is not asked.
template <typename Planned, typename Use>
void each_launch(Planned& planned, const Signatures& compiled, const Use& use) {
  const std::vector<size_t> kernels = planned.plan.kernels().of_launch;
  size_t launches = 0;
  for (auto& step : planned.plan.steps) {
    auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    const Entry& kernel = compiled.kernels.at(kernels[launches++]);
    const Unit& unit = planned.plan.units.at(launch->unit);
    if (!unit.compiler.empty() && unit.compiler != "nvcc") use(*launch, unit, kernel);
  }
}

}  // namespace

void follow_compilers(PlannedCase& planned, const Signatures& compiled) {
  each_launch(planned, compiled, [&](LaunchStep& launch, const Unit& unit, const Entry& kernel) {
    // Triton gives warps of their own to parts of loops (warp_specialize), beside those of the option.
    const std::array<uint64_t, 3>& block = kernel.bounds.block;
    if (unit.compiler == "triton" && block[0] != 0 && launch.block == block_of_warps(unit)) {
      std::ranges::transform(block, launch.block.begin(),
                             [](uint64_t threads) { return Size{static_cast<int64_t>(threads)}; });
    }
    if (launch.shared == Size{int64_t{0}}) {
      launch.shared = static_cast<int64_t>(std::min(kernel.bounds.least_dynamic, kMostShared));
    }
    if (kernel.sources.empty()) return;
    Expansion expansion(planned, launch, kernel);
    std::vector<std::string> arguments;
    for (const ParameterSource& source : kernel.sources) {
      arguments.push_back(expansion.argument(source));
    }
    launch.arguments = std::move(arguments);
  });
}

void check_axes(const PlannedCase& planned, const Signatures& compiled, const CaseInputs& inputs) {
  each_launch(planned, compiled, [&](const LaunchStep& launch, const Unit&, const Entry& kernel) {
    for (const auto& [argument, axes] : axes_of(kernel)) {
      if (axes == 0) continue;
      const auto found = inputs.arrays.find(launch.arguments.at(argument));
      if (found == inputs.arrays.end()) continue;
      const Shape& shape = found->second.shape();
      if (shape.size() == axes) continue;
      throw verdict_error(
          fmt::format("`{}` is compiled for `{}` with {}, which has the shape {}", launch.entry,
                      found->first, axes == 1 ? "one axis" : fmt::format("{} axes", axes),
                      shape_text(shape)),
          planned.positions.find(launch.at));
    }
  });
}

void check_scratch(const PlannedCase& planned) {
  for (const Buffer& buffer : planned.plan.buffers) {
    if (!buffer.name.starts_with(kScratch)) continue;
    double bytes = 1;
    for (const Size& extent : buffer.shape) bytes *= static_cast<double>(resolved(extent));
    if (bytes <= kMostOfLaunch) continue;
    throw verdict_error(
        fmt::format("the compiler wants {:.3g} bytes as the {}, and the most is {:.3g}", bytes,
                    buffer.name, kMostOfLaunch),
        planned.positions.find(buffer.at));
  }
}

}  // namespace warpmark
