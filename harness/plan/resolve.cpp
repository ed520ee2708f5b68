// Evaluates what a plan left open until arrays and device were there.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/text.hpp"
#include "plan/plan.hpp"

namespace warpmark {
namespace {

class Resolver {
 public:
  Resolver(const Plan& plan, const Facts& facts, const PositionMap& positions)
      : facts_(facts), positions_(positions) {
    for (const PlanAxis& axis : plan.point) scope_.set(axis.name, axis.value);
    for (const auto& [name, value] : facts.device) scope_.set("device." + name, value);
    for (const Buffer& buffer : plan.buffers) {
      if (buffer.direction != ArgumentKind::out) set_array(buffer.name, nullptr);
    }
  }

  void buffer(Buffer& buffer) {
    if (buffer.direction != ArgumentKind::out) return;
    std::vector<int64_t> shape;
    for (const Size& extent : buffer.shape) {
      if (const auto* value = std::get_if<int64_t>(&extent)) {
        shape.push_back(*value);
        continue;
      }
      const auto& symbolic = std::get<Symbolic>(extent);
      const ArithmeticValue value = evaluate(symbolic);
      if (const auto* tuple = std::get_if<std::vector<int64_t>>(&value)) {
        shape.insert(shape.end(), tuple->begin(), tuple->end());
      } else {
        shape.push_back(count(symbolic, value));
      }
    }
    buffer.shape.assign(shape.begin(), shape.end());
    try {
      set_array(buffer.name, &shape);
    } catch (const Error& error) {
      throw error.at(positions_.find(buffer.at));
    }
  }

  void scalar(Scalar& scalar) {
    const auto* symbolic = scalar.integer ? std::get_if<Symbolic>(&*scalar.integer) : nullptr;
    if (symbolic == nullptr) return;
    scalar.integer = whole(*symbolic);
  }

  void step(LaunchStep& launch) {
    for (Size& size : launch.grid) number(size);
    for (Size& size : launch.block) number(size);
    number(launch.shared);
  }
  void step(CopyStep&) {}
  void step(FillStep&) {}

  void amount(std::optional<Amount>& amount) {
    const auto* symbolic = amount ? std::get_if<Symbolic>(&*amount) : nullptr;
    if (symbolic == nullptr) return;
    const ArithmeticValue value = evaluate(*symbolic);
    if (const auto* number = std::get_if<double>(&value); number != nullptr && *number >= 0) {
      amount = *number;
    } else {
      amount = count(*symbolic, value);
    }
  }

  void use(Use& use) {
    for (Size* size : {&use.start, &use.step}) {
      if (const auto* symbolic = std::get_if<Symbolic>(size)) *size = whole(*symbolic);
    }
    number(use.count);
  }

  const Scope& scope() const { return scope_; }

  void skip(PlannedSkip& rule) {
    const auto* symbolic = std::get_if<Symbolic>(&rule.when);
    if (symbolic == nullptr) return;
    const ArithmeticValue value = evaluate(*symbolic);
    const auto* holds = std::get_if<bool>(&value);
    if (holds == nullptr) {
      throw usage_error(fmt::format("`when` must be True or False, and is {}", to_text(value)),
                        positions_.find(symbolic->at), "compare: n > 100");
    }
    rule.when = *holds;
  }

 private:
  void set_array(const std::string& name, const std::vector<int64_t>* shape) {
    const auto found = facts_.arrays.find(name);
    if (found == facts_.arrays.end()) {
      throw internal_error(fmt::format("the plan's buffer `{}` has no facts to resolve it", name));
    }
    scope_.set_array(name, shape != nullptr ? *shape : found->second.shape,
                     found->second.dtype.bytes);
  }

  ArithmeticValue evaluate(const Symbolic& symbolic) {
    const Expression expression = Expression::parse(symbolic.text, positions_.find(symbolic.at));
    return expression.evaluate(scope_);
  }

  int64_t whole(const Symbolic& symbolic) {
    const ArithmeticValue value = evaluate(symbolic);
    const auto* integer = std::get_if<int64_t>(&value);
    if (integer != nullptr) return *integer;
    throw usage_error(
        fmt::format("`{}` is {}: a whole number is needed", symbolic.text, to_text(value)),
        positions_.find(symbolic.at));
  }

  int64_t count(const Symbolic& symbolic, const ArithmeticValue& value) {
    const auto* integer = std::get_if<int64_t>(&value);
    if (integer != nullptr && *integer >= 0) return *integer;
    throw usage_error(fmt::format("`{}` is {}: a whole number, 0 or more, is needed", symbolic.text,
                                  to_text(value)),
                      positions_.find(symbolic.at));
  }

  void number(Size& size) {
    const auto* symbolic = std::get_if<Symbolic>(&size);
    if (symbolic != nullptr) size = count(*symbolic, evaluate(*symbolic));
  }

  const Facts& facts_;
  const PositionMap& positions_;
  Scope scope_;
};

// The value of a size, if the scope decides it.
std::optional<int64_t> value_in(const Size& size, const Scope& scope,
                                const PositionMap& positions) {
  if (const auto* value = std::get_if<int64_t>(&size)) return *value;
  const auto& symbolic = std::get<Symbolic>(size);
  const Folded folded = Expression::parse(symbolic.text, positions.find(symbolic.at)).fold(scope);
  const auto* value = folded.value ? std::get_if<int64_t>(&*folded.value) : nullptr;
  if (value == nullptr) return std::nullopt;
  return *value;
}

// The last of the elements; what leaves int64 is past the end of any buffer.
int64_t last_element(int64_t start, int64_t step, int64_t count) {
  int64_t span = 0, last = 0;
  if (__builtin_mul_overflow(step, count - 1, &span) ||
      __builtin_add_overflow(start, span, &last)) {
    return step < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  }
  return last;
}

bool must_be_launched(const Plan& plan) {
  if (plan.fault || plan.report) return false;
  return std::none_of(plan.skip.begin(), plan.skip.end(), [](const PlannedSkip& rule) {
    const auto* holds = std::get_if<bool>(&rule.when);
    return holds != nullptr && *holds;
  });
}

}  // namespace

void check_uses(const Plan& plan, const Scope& scope, const PositionMap& positions) {
  if (!must_be_launched(plan)) return;
  for (const Use& use : plan.uses) {
    const ArithmeticValue* size = scope.find(use.buffer + ".size");
    const std::optional<int64_t> start = value_in(use.start, scope, positions);
    const std::optional<int64_t> step = value_in(use.step, scope, positions);
    const std::optional<int64_t> count = value_in(use.count, scope, positions);
    if (size == nullptr || !start || !step || !count || *count <= 0) continue;
    const auto elements = std::get<int64_t>(*size);
    const int64_t last = last_element(*start, *step, *count);
    const auto [least, most] = std::minmax(*start, last);
    if (least >= 0 && most < elements) continue;
    throw usage_error(
        fmt::format("`{}` has {} element{}, and those from {} to {} are used: {}", use.buffer,
                    elements, elements == 1 ? "" : "s", *start, last, use.by),
        positions.find(use.at), "give it as many elements, or narrow what is used of it");
  }
}

Plan resolve(Plan plan, const Facts& facts, const PositionMap& positions) {
  Resolver resolver(plan, facts, positions);
  for (Buffer& buffer : plan.buffers) resolver.buffer(buffer);
  for (Scalar& scalar : plan.scalars) resolver.scalar(scalar);
  for (Step& step : plan.steps) {
    std::visit([&](auto& one) { resolver.step(one); }, step);
  }
  resolver.amount(plan.bytes);
  resolver.amount(plan.flops);
  for (PlannedSkip& rule : plan.skip) resolver.skip(rule);
  for (Use& use : plan.uses) resolver.use(use);
  check_uses(plan, resolver.scope(), positions);
  return plan;
}

}  // namespace warpmark
