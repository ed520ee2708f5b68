#include "api/race_order.hpp"

#include <string_view>

namespace warpmark::cpu {
namespace {

using PlaceOf = std::function<std::string(std::uint32_t)>;

// Names the read of the release that comes after a race's other access, and what that read lacks.
std::string relaxed_text(const Fault& fault, const Program& program, const PlaceOf& place_of) {
  const Statement* statement = program.statement(fault.relaxed.statement);
  const std::string place = place_of(fault.relaxed.statement);
  const InstructionFacts* facts = statement == nullptr ? nullptr : statement->facts;
  const bool atomic = facts != nullptr && facts->mnemonic == Mnemonic::atom;
  const bool waits = facts != nullptr && facts->mnemonic == Mnemonic::mbarrier;
  const bool acquires =
      facts != nullptr && (facts->has(Modifier::acquire) || facts->has(Modifier::acq_rel) ||
                           (waits && !facts->has(Modifier::relaxed)));
  const std::string what = "the " +
                           std::string(atomic  ? "atomic operation"
                                       : waits ? "wait for the mbarrier"
                                               : "load") +
                           (place.empty() ? "" : " at " + place);
  if (fault.relaxed.warning)
    return "and " + what + (acquires ? " acquires for its own block only" : " is relaxed") +
           ": the memory model wants an acquire there, or a fence behind it in the same thread, in "
           "front of the barrier";
  if (acquires)
    return "and " + what + " acquires in a scope that does not hold the other thread: nothing " +
           (fault.write ? "orders the two" : "makes the write visible") + "; use a wider scope";
  return "and " + what + " is relaxed: nothing " +
         (fault.write ? "orders the two" : "makes the write visible") +
         "; use memory_order_acquire, or a fence after it";
}

// Names the arrival, flag or fence of one lane in front of which its warp has not met.
std::string by_lane_text(const Fault& fault, const Program& program, const PlaceOf& place_of) {
  const std::string place = place_of(fault.released);
  const Statement* statement = program.statement(fault.released);
  const bool arrives = statement != nullptr && statement->facts->mnemonic == Mnemonic::mbarrier;
  return std::string("and no __syncwarp() lies between it and where another lane of its warp ") +
         (arrives ? "arrives" : "releases") + " for it" + (place.empty() ? "" : ", at " + place) +
         ": the memory model puts them in order only by one";
}

bool by_barrier(const Fault& fault) {
  return fault.warning && fault.relaxed.warning;
}

}  // namespace

const char* race_name(const Fault& fault) {
  return fault.by_lane()     ? "order-by-lane"
         : fault.unfenced    ? "proxy-order"
         : fault.decides     ? "order-decides"
         : fault.in_step     ? "warp-synchronous"
         : by_barrier(fault) ? "order-by-barrier"
                             : nullptr;
}

bool is_harmless(const Fault& fault) {
  return fault.warning && race_name(fault) == nullptr;
}

std::string race_head(const Fault& fault) {
  return fault.by_lane()      ? "order by one lane: "
         : fault.unfenced     ? "order without a proxy fence: "
         : fault.decides      ? "order of threads decides: "
         : fault.in_step      ? "warp-synchronous code: "
         : by_barrier(fault)  ? "order by a barrier alone: "
         : is_harmless(fault) ? "harmless race: "
                              : "race: ";
}

std::string race_order(const Fault& fault, const Program& program, const PlaceOf& place_of) {
  if (fault.by_lane()) return by_lane_text(fault, program, place_of);
  if (fault.unfenced)
    return "and no fence.proxy.async lies between the two: the copy may come before the read";
  if (fault.decides)
    return "and which of them comes first decides the value: both are atomic or volatile, and "
           "nothing puts them in order";
  if (fault.in_step)
    return "and only lanes that run in step put them in order, which no GPU since sm_70 promises: "
           "use __syncwarp() between them";
  if (std::string_view(fault.hazard).starts_with("fetch"))
    return "and fetches show what was there before the launch";
  if (fault.relaxed.known) return relaxed_text(fault, program, place_of);
  return fault.detail.empty() ? "and nothing puts them in order" : fault.detail;
}

}  // namespace warpmark::cpu
