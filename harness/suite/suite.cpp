#include "suite/suite.hpp"

namespace warpmark {

std::string_view to_text(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::in:
      return "in";
    case ArgumentKind::inout:
      return "inout";
    case ArgumentKind::out:
      return "out";
    case ArgumentKind::scalar:
      return "scalar";
    case ArgumentKind::scratch:
      return "scratch";
    case ArgumentKind::null:
      return "null";
    case ArgumentKind::pointers:
      return "pointers";
    case ArgumentKind::texture:
      return "texture";
  }
  return "";
}

std::string_view to_text(ToleranceKind kind) {
  switch (kind) {
    case ToleranceKind::exact:
      return "exact";
    case ToleranceKind::ulp:
      return "ulp";
    case ToleranceKind::close:
      return "close";
  }
  return "";
}

std::string_view to_text(NanPolicy policy) {
  return policy == NanPolicy::equal ? "equal" : "forbid";
}

std::string_view to_text(Restore restore) {
  switch (restore) {
    case Restore::never:
      return "never";
    case Restore::batch:
      return "batch";
    case Restore::each:
      return "each";
  }
  return "";
}

const std::vector<std::string>& fault_kinds() {
  static const std::vector<std::string> kKinds = {"illegal_address",
                                                  "misaligned_address",
                                                  "limit",
                                                  "barrier",
                                                  "unsupported_instruction",
                                                  "assert",
                                                  "trap",
                                                  "invalid_pc"};
  return kKinds;
}

// What ends a launch, and what checks find in one that goes on.
const std::vector<std::string>& report_kinds() {
  static const std::vector<std::string> kKinds = [] {
    std::vector<std::string> kinds = fault_kinds();
#define CHECK(name, kind, word, places) kinds.emplace_back(#kind);
#include "warpmark/checks.def"
    return kinds;
  }();
  return kKinds;
}

const std::vector<std::string>& capability_names() {
  static const std::vector<std::string> kNames = {
      "image_ptx", "exact_bounds", "reports", "counters", "deterministic", "checks", "profile"};
  return kNames;
}

const StructType* find_type(const Suite& suite, const std::string& name) {
  for (const StructType& type : suite.types) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

}  // namespace warpmark
