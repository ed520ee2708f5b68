#include "grade/feedback/launch_facts.hpp"

#include <algorithm>

namespace warpmark {

namespace {

std::optional<int64_t> known(const Size& size) {
  const auto* number = std::get_if<int64_t>(&size);
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

std::vector<int64_t> shape_of(const Buffer& buffer) {
  std::vector<int64_t> shape;
  for (const Size& size : buffer.shape) {
    const auto number = known(size);
    if (!number) return {};
    shape.push_back(*number);
  }
  return shape;
}

}  // namespace

const LaunchFacts::Argument* LaunchFacts::find(const std::string& name) const {
  const auto found = std::ranges::find(arguments, name, &Argument::name);
  return found == arguments.end() ? nullptr : &*found;
}

LaunchFacts launch_facts(const Plan& plan) {
  LaunchFacts facts;
  for (const Step& step : plan.steps) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    facts.entry = launch->entry;
    for (size_t i = 0; i < 3; ++i) {
      facts.grid.at(i) = known(launch->grid.at(i)).value_or(0);
      facts.block.at(i) = known(launch->block.at(i)).value_or(0);
    }
    for (const std::string& name : launch->arguments) {
      LaunchFacts::Argument argument{name};
      if (const Buffer* buffer = plan.find_buffer(name)) {
        argument.array = true;
        argument.output = buffer->direction == ArgumentKind::out;
        argument.written = argument.output || buffer->direction == ArgumentKind::inout;
        argument.shape = shape_of(*buffer);
        if (buffer->dtype) argument.type = buffer->dtype->c_name;
      } else if (const Scalar* scalar = plan.find_scalar(name)) {
        argument.number = known_integer(*scalar, plan);
      }
      facts.arguments.push_back(std::move(argument));
    }
    break;
  }
  return facts;
}

}  // namespace warpmark
