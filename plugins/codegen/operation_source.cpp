#include "codegen/operation_source.hpp"

namespace warpmark::codegen {

using plugin::Json;

namespace {

// Accumulators whose size only the compiler knows.
constexpr int64_t kMostBytes = 64;

// Names such as INFINITY and INT_MIN come from headers that a neutral element takes for granted.
bool names_a_limit(const std::string& neutral) {
  for (const char* name : {"INFINITY", "NAN", "_MAX", "_MIN", "HUGE_VAL"}) {
    if (neutral.find(name) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

const char* limit_headers(const ReductionOperation& operation) {
  return names_a_limit(operation.neutral)
             ? "#include <float.h>\n#include <limits.h>\n#include <math.h>\n"
             : "";
}

// A type that does not fit is reported at the suite's line as well. The empty line is for an
// expression that ends in a backslash.
void add_returned(SourceText& text, const std::string& type, const std::string& expression,
                  const std::string& pointer, const std::string& before, const std::string& after) {
  for (const std::string& part :
       {"  return " + before + "static_cast<" + type + ">(", expression}) {
    if (pointer.empty()) {
      text.add(part);
    } else {
      text.add_from(part, pointer);
    }
  }
  text.add("\n)" + after + ";");
}

void add_operation(SourceText& text, const ReductionOperation& operation, const Json& kernel) {
  text.add_from("using accumulator = " + operation.accumulator + ";", operation.accumulator_at);
  const std::string type = operation.type();
  if (!operation.combined.empty()) {
    text.add("using warpmark_combined = " + operation.combined + ";");
  }
  text.add("static_assert(__is_trivially_copyable(" + type + ") && sizeof(" + type +
           ") <= " + std::to_string(4 * slot_words(operation)) +
           ",\n              \"an accumulator is copied by its bytes, and has " +
           std::to_string(kMostBytes) + " of them at the most\");");
  if (operation.neutral_given) {
    const std::string& neutral = operation.neutral_line;
    text.add_from("static_assert(" +
                      (operation.integer_accumulator
                           ? "warpmark::keeps<accumulator>(" + neutral + ")"
                           : "warpmark::converts<accumulator, decltype(" + neutral + ")>") +
                      ", \"the neutral element must be a value of the accumulator's type, " +
                      expanded_type(operation.accumulator, kernel) + "\");",
                  "/kernel/neutral");
  }
  text.add("__device__ __forceinline__ " + type + " warpmark_neutral() {");
  if (operation.combined.empty()) {
    add_returned(text, type, operation.neutral, operation.neutral_given ? "/kernel/neutral" : "");
  } else {
    text.add("  return " + operation.neutral + ";");
  }
  text.add(
      "}\n"
      "struct warpmark_reduce {\n"
      "__device__ __forceinline__ " +
      type + " operator()(const " + type + " a, const " + type + " b) const {");
  add_returned(text, type, operation.reduce, "/kernel/reduce");
  text.add("}\n};");
}

int64_t slot_words(const ReductionOperation& operation) {
  const int64_t bytes = operation.accumulator_bytes > 0 ? operation.accumulator_bytes : kMostBytes;
  return (bytes + 3) / 4;
}

}  // namespace warpmark::codegen
