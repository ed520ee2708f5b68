#include "runtime/wide_indices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "base/arithmetic.hpp"
#include "base/text.hpp"
#include "compiler/index_wrap.hpp"
#include "compiler/signature.hpp"
#include "runtime/requests.hpp"
#include "suite/case.hpp"

namespace warpmark {

namespace {

constexpr int64_t kInts = int64_t{1} << 31;  // more than an int counts

std::optional<int64_t> whole(const ArithmeticValue& value) {
  const auto* number = std::get_if<int64_t>(&value);
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

// The integer that a kernel gets, as far as arithmetic over axes tells.
std::optional<int64_t> number_of(const Scalar& scalar, const Scope& scope) {
  if (scalar.integer) {
    const auto* number = std::get_if<int64_t>(&*scalar.integer);
    return number != nullptr ? std::optional(*number) : std::nullopt;
  }
  if (scalar.null || scalar.value.function) return std::nullopt;
  try {
    const Folded folded = Expression::parse(scalar.value.text, {}).fold(scope);
    return folded.value ? whole(*folded.value) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // it is Python's
  }
}

std::optional<std::array<uint64_t, 3>> known_sizes(const std::array<Size, 3>& sizes) {
  std::array<uint64_t, 3> known{};
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto* number = std::get_if<int64_t>(&sizes.at(i));
    if (number == nullptr || *number < 1) return std::nullopt;
    known.at(i) = static_cast<uint64_t>(*number);
  }
  return known;
}

std::optional<EvaluatedLaunch> evaluated(const LaunchStep& step, const Plan& plan,
                                         const Scope& scope) {
  const auto grid = known_sizes(step.grid);
  const auto block = known_sizes(step.block);
  if (!grid || !block) return std::nullopt;
  EvaluatedLaunch launch{"", *grid, *block, {}};
  for (const std::string& name : step.arguments) {
    EvaluatedLaunch::Argument& argument = launch.arguments.emplace_back();
    if (const Scalar* scalar = plan.find_scalar(name)) {
      argument.value = number_of(*scalar, scope);
    } else {
      argument.is_array = plan.find_buffer(name) != nullptr;
    }
  }
  return launch;
}

double product(const std::array<uint64_t, 3>& sizes) {
  return static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]) *
         static_cast<double>(sizes[2]);
}

// The least multiple of a number that is at least `least`, so that what divides the one divides the
// other.
int64_t multiple_from(int64_t number, int64_t least) {
  return (least + number - 1) / number * number;
}

std::string place_text(const std::array<uint64_t, 3>& place) {
  return fmt::format("({}, {}, {})", place[0], place[1], place[2]);
}

// A place in a file of the suite; generated code has none.
Position place_of(const WrappedIndex& found, const Case& which) {
  if (found.place.line == 0) return {};
  Position where{found.place.file, found.place.line, 0};
  std::error_code code;
  if (!std::filesystem::is_regular_file(which.suite->folder / where.file, code)) return {};
  return in_suite(where, *which.suite);
}

}  // namespace

bool may_have_wide_indices(const Case& which, const PlannedCase& planned) {
  const Scope scope = which.scope();
  for (const Step& step : planned.plan.steps) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    const auto known = evaluated(*launch, planned.plan, scope);
    if (!known) continue;
    double elements = 1;
    for (const EvaluatedLaunch::Argument& argument : known->arguments) {
      if (argument.value && *argument.value > 1) elements *= static_cast<double>(*argument.value);
    }
    if (elements >= static_cast<double>(kInts)) return true;
    if (product(known->grid) * product(known->block) >= static_cast<double>(kInts)) return true;
  }
  return false;
}

std::vector<Case> beyond_32_bits(const Case& which, const PlannedCase& planned,
                                 const CaseArtifacts& made) {
  const Plan::Kernels kernels = planned.plan.kernels();
  std::set<std::string> axes;
  for (size_t i = 0; i < kernels.distinct.size() && i < made.kernels.size(); ++i) {
    const LaunchStep& step = *kernels.distinct[i];
    const std::vector<Entry> entries = scan_entries(made.units.at(step.unit).ptx);
    const auto entry = std::ranges::find(entries, made.kernels[i], &Entry::name);
    if (entry == entries.end()) continue;
    for (size_t j = 0; j < step.arguments.size() && j < entry->parameters.size(); ++j) {
      const Scalar* scalar = planned.plan.find_scalar(step.arguments[j]);
      if (scalar == nullptr || scalar->integer || entry->parameters[j].bytes != 8) continue;
      axes.emplace(trim(scalar->value.text));
    }
  }
  std::vector<Case> larger;
  for (size_t i = 0; i < which.point.size(); ++i) {
    const std::optional<int64_t> number = whole(which.point[i].value);
    const bool zipped = std::ranges::any_of(which.suite->axes,
                                            [](const Axis& axis) { return axis.zip.has_value(); });
    if (!axes.contains(which.point[i].name) || !number || *number < 1 || zipped) continue;
    for (const int64_t least : {kInts, 2 * kInts}) {
      std::vector<PointValue> point = which.point;
      point[i].value = multiple_from(*number, least + 1);
      point[i].label = to_text(point[i].value);
      Case one = case_at(which.suite, std::move(point), which.contents);
      if (!one.skip) larger.push_back(std::move(one));
    }
  }
  return larger;
}

std::vector<Error> wrapped_indices(const Case& which, const PlannedCase& planned,
                                   const CaseArtifacts& made) {
  const Scope scope = which.scope();
  const Plan::Kernels kernels = planned.plan.kernels();
  std::vector<Error> warnings;
  std::set<size_t> told;
  size_t launches = 0;
  for (const Step& step : planned.plan.steps) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    const size_t kernel = kernels.of_launch.at(launches++);
    std::optional<EvaluatedLaunch> known = evaluated(*launch, planned.plan, scope);
    if (!known || kernel >= made.kernels.size() || told.contains(kernel)) continue;
    known->symbol = made.kernels[kernel];
    const auto found = wrapped_index(made.units.at(launch->unit).ptx, *known);
    if (!found) continue;
    told.insert(kernel);
    const Position own = place_of(*found, which);
    std::string of;
    if (found->argument) of = fmt::format(" of `{}`", launch->arguments.at(*found->argument));
    warnings.push_back(usage_error(
        fmt::format("{}: `{}` computes an index{} in 32 bits, which do not hold {} in thread {} of "
                    "block {}: it becomes {}",
                    which.id, launch->entry, of, found->meant, place_text(found->thread),
                    place_text(found->block), found->computed),
        own.known() ? own : planned.positions.find("/kernel/entry"),
        "compute it in 64 bits, as in `size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x`"));
  }
  return warnings;
}

}  // namespace warpmark
