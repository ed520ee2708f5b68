#include "runtime/inputs_ahead.hpp"

#include <exception>
#include <utility>

#include "base/clock.hpp"

namespace warpmark {

namespace {

// The types of all arguments; nothing if a kernel's are needed.
std::optional<ArgumentTypes> types_of(const Plan& plan) {
  ArgumentTypes types;
  for (const Scalar& scalar : plan.scalars) {
    if (!scalar.dtype || scalar.tensor_map) return std::nullopt;
    types.dtypes.emplace(scalar.name, *scalar.dtype);
    types.counts.emplace(scalar.name, scalar.count.value_or(1));
  }
  for (const Buffer& buffer : plan.buffers) {
    if (!buffer.dtype) return std::nullopt;
    types.dtypes.emplace(buffer.name, *buffer.dtype);
  }
  return types;
}

}  // namespace

InputsAhead::Made InputsAhead::made_now(Interpreter& python, const PlannedCase& planned,
                                        const ArgumentTypes& types, const GeneratorKey& key) const {
  const auto start = Clock::now();
  CaseInputs inputs = evaluate_inputs(python, planned, types, key, others_);
  return {std::move(inputs), seconds_since(start)};
}

void InputsAhead::expect(const Case& which, std::shared_ptr<const PlannedCase> planned,
                         uint64_t seed) {
  key_ = {seed, which.suite->name, which.id, "", 0};
  planned_ = std::move(planned);
}

void InputsAhead::make(Interpreter& python) {
  const auto planned = std::exchange(planned_, nullptr);
  if (planned == nullptr) return;
  const std::optional<ArgumentTypes> types = types_of(planned->plan);
  if (!types) return;
  try {
    python.require_numpy();
    made_ = made_now(python, *planned, *types, key_);
    planned_ = planned;
  } catch (const std::exception&) {
  }
}

InputsAhead::Made InputsAhead::take_or_make(Interpreter& python, const PlannedCase& ready,
                                            const ArgumentTypes& types, const GeneratorKey& key) {
  if (auto made = take(ready, types, key)) return std::move(*made);
  return made_now(python, ready, types, key);
}

std::optional<InputsAhead::Made> InputsAhead::take(const PlannedCase& ready,
                                                   const ArgumentTypes& types,
                                                   const GeneratorKey& key) {
  std::optional<Made> made = std::exchange(made_, std::nullopt);
  if (!made || key.message() != key_.message()) return std::nullopt;
  const Plan &plan = planned_->plan, &now = ready.plan;
  const CaseInputs& inputs = made->inputs;
  if (plan.scalars != now.scalars || plan.buffers != now.buffers || inputs.dtypes != types.dtypes ||
      inputs.counts != types.counts)
    return std::nullopt;
  static_cast<ArgumentTypes&>(made->inputs) = types;
  return made;
}

void InputsAhead::forget() {
  made_.reset();
  planned_.reset();
}

}  // namespace warpmark
