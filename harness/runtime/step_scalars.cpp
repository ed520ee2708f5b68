#include "runtime/step_scalars.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpmark {

void split_numbers(PlannedCase& planned, const Signatures& compiled) {
  Plan& plan = planned.plan;
  using Type = std::pair<std::string, uint64_t>;  // as far as is known, and its bytes
  std::map<std::string, Type> type_of;            // of the first parameter that takes a scalar
  const std::vector<size_t> kernels = plan.kernels().of_launch;
  size_t launches = 0;
  for (Step& step : plan.steps) {
    auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    const std::vector<EntryParameter>& parameters =
        compiled.kernels.at(kernels[launches++]).parameters;
    for (size_t i = 0; i < launch->arguments.size() && i < parameters.size(); ++i) {
      const Scalar* scalar = plan.find_scalar(launch->arguments[i]);
      const bool is_of_step = scalar != nullptr && scalar->at.starts_with("/launch");
      if (!is_of_step || scalar->dtype) continue;
      const Type type{parameters[i].type, parameters[i].bytes};
      if (type_of.try_emplace(scalar->name, type).first->second == type) continue;
      const std::string name =
          fmt::format("{} ({})", scalar->name,
                      type.first.empty() ? fmt::format("{} bytes", type.second) : type.first);
      if (plan.find_scalar(name) == nullptr) {
        Scalar other = *scalar;
        other.name = name;
        plan.scalars.push_back(std::move(other));
      }
      launch->arguments[i] = name;
    }
  }
}

}  // namespace warpmark
