#include "runtime/case_fit.hpp"

#include <fmt/format.h>

#include <variant>

#include "base/architecture.hpp"
#include "base/byte_pair.hpp"
#include "base/text.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/case_dialogue.hpp"

namespace warpmark {

void check_requirements(const PlannedCase& planned, const DeviceFacts& facts, Outcome& outcome) {
  for (const std::string& wanted : planned.plan.requirements) {
    if (!facts.has(wanted)) {
      end_skipped(outcome, fmt::format("needs {}, which {} does not have", wanted, facts.name),
                  planned.positions.find("/requires/" + wanted));
    }
  }
}

void check_architecture(const PlannedCase& planned, const DeviceFacts& facts, bool confined,
                        Outcome& outcome) {
  if (planned.plan.arch.empty()) return;
  const Architecture target = parse_architecture(planned.plan.arch);
  const int there = facts.architecture;
  const bool as_ptx = facts.has("image_ptx");
  if (as_ptx || !confined ? target.ptx_runs_on(there) : target.cubin_runs_on(there)) return;
  end_skipped(outcome,
              fmt::format("is compiled for {}, and {} has compute capability {}: without `arch` it "
                          "is compiled for {}",
                          target.name(), facts.name, capability_text(there), facts.target),
              planned.positions.find("/kernel/arch"));
}

void check_counting(const PlannedCase& planned, const DeviceFacts& facts, bool required,
                    Outcome& outcome) {
  const Plan& plan = planned.plan;
  const bool expects = !plan.counters.empty() || plan.composites.any();
  if (!expects || facts.has("profile")) return;
  if (required) {
    end_skipped(outcome, fmt::format("expects counters, which {} does not have", facts.name),
                planned.positions.find("/expect"));
  }
  outcome.notices.push_back(fmt::format(
      "the counters that it expects are not judged, only its outputs: {} does not count",
      facts.name));
}

void end_misfit(const PlannedCase& planned, const protocol::Misfit& misfit, Outcome& outcome) {
  if (misfit.text.empty()) return;
  const std::vector<Step>& steps = planned.plan.steps;
  const bool known = misfit.step && *misfit.step < steps.size();
  const auto* launch = known ? std::get_if<LaunchStep>(&steps[*misfit.step]) : nullptr;
  const Position where =
      planned.positions.find(launch != nullptr ? launch->at : std::string("/arguments"));
  if (!misfit.anywhere) end_skipped(outcome, misfit.text, where);
  end_case(outcome, FailureKind::launch,
           verdict_error("no CUDA device can launch this: " + misfit.text, where));
}

void end_small_variable(const PlannedCase& planned, const CaseInputs& inputs,
                        const std::optional<protocol::SmallVariable>& variable, Outcome& outcome) {
  const Buffer* buffer = variable ? planned.plan.find_buffer(variable->name) : nullptr;
  if (buffer == nullptr || buffer->symbol.empty()) return;
  const DType& dtype = inputs.dtypes.at(buffer->name);
  const auto elements = static_cast<uint64_t>(element_count(buffer_shape(*buffer, inputs)));
  const Position where = planned.positions.find(buffer->at);
  if (!variable->bytes) {
    end_case(outcome, FailureKind::signature,
             verdict_error(fmt::format("the variable `{}` is not in the module", buffer->symbol),
                           where, "what no kernel uses may be left out by the compiler"));
  }
  if (*variable->bytes >= elements * dtype.bytes) return;
  const uint64_t there = *variable->bytes / dtype.bytes;
  end_case(outcome, FailureKind::signature,
           verdict_error(fmt::format("the variable `{}` has {} element{}, and the suite gives {}",
                                     buffer->symbol, there, there == 1 ? "" : "s", elements),
                         where));
}

void check_memory(const PlannedCase& ready, const CaseInputs& inputs, const DeviceFacts& facts,
                  CaseArtifacts* artifacts, Outcome& outcome) {
  uint64_t bytes = 0;
  try {
    bytes = buffer_bytes(ready, inputs);
  } catch (const Error& error) {
    end_unready(outcome, FailureKind::input, error);
  }
  const auto over = [&](uint64_t allowed, const std::string& whose, const std::string& where) {
    if (bytes <= allowed) return;
    const auto [taken, most] = format_byte_pair(bytes, allowed);
    end_skipped(outcome, fmt::format("its buffers take {}, and {} {}", taken, whose, most),
                ready.positions.find(where));
  };
  if (const auto limit = ready.plan.limits.memory_mib) {
    const uint64_t allowed = static_cast<uint64_t>(*limit) << 20;
    over(allowed, "`limits.memory_mib` allows", "/limits/memory_mib");
    // The buffers alone are the suite's own doing, the code's variables are not.
    const uint64_t own = artifacts != nullptr ? artifacts->static_bytes : 0;
    if (own > allowed - bytes) {
      artifacts->excess = {bytes + own, allowed};
      end_case(outcome, FailureKind::limit,
               verdict_error(
                   fmt::format("its buffers take {} and the kernel's own variables {}, and "
                               "`limits.memory_mib` allows {}",
                               format_bytes(bytes), format_bytes(own), format_bytes(allowed))));
    }
  }
  const auto device = facts.attributes.find("memory_bytes");
  if (device != facts.attributes.end()) {
    over(static_cast<uint64_t>(device->second), facts.name + " has", "/arguments");
  }
}

}  // namespace warpmark
