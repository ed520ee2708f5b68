// Chooses the handlers for the processor and binds them to programs.
#include <memory>

#include "machine/lanes.hpp"

namespace warpmark::cpu {
namespace {

bool processor_has(int level) {
  __builtin_cpu_init();
  switch (level) {
    case 2:
      return true;  // the whole library is built for this level
    case 3:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    case 4:
      return processor_has(3) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    default:
      return false;
  }
}

HandlerTable make_table(int level, bool exact_bounds) {
  HandlerTable table;
#define LEVEL(v)               \
  v::fill_registers(table);    \
  v::fill_integers(table);     \
  v::fill_reals(table);        \
  v::fill_conversions(table);  \
  v::fill_small_floats(table); \
  v::fill_memory(table, exact_bounds)
  switch (level) {
    case 4:
      LEVEL(v4);
      break;
    case 3:
      LEVEL(v3);
      break;
    default:
      LEVEL(v2);
  }
#undef LEVEL
  once::fill_memory(table, exact_bounds);
  once::fill_integers(table);
  once::fill_reals(table);
  once::fill_conversions(table);
  once::fill_small_floats(table);
  fill_exchange(table);
  fill_async(table);
  fill_cluster(table);
  fill_textures(table);
  fill_surfaces(table);
  fill_runtime(table);
  fill_convert(table);
  fill_matrix(table);
  return table;
}

template <int Level, bool Exact>
const HandlerTable* table_of() {
  static const HandlerTable* const table =
      processor_has(Level) ? new HandlerTable(make_table(Level, Exact)) : nullptr;
  return table;
}

}  // namespace

const HandlerTable* handlers_of_level(int level, bool exact_bounds) {
  switch (level) {
    case 2:
      return exact_bounds ? table_of<2, true>() : table_of<2, false>();
    case 3:
      return exact_bounds ? table_of<3, true>() : table_of<3, false>();
    case 4:
      return exact_bounds ? table_of<4, true>() : table_of<4, false>();
    default:
      return nullptr;
  }
}

const HandlerTable& handlers(bool exact_bounds) {
  for (int level = 4; level > 2; --level) {
    if (const HandlerTable* table = handlers_of_level(level, exact_bounds)) return *table;
  }
  return *handlers_of_level(2, exact_bounds);
}

void bind(Program& program, const HandlerTable& table) {
  for (Instruction& instruction : program.code) {
    const HandlerRow& row = table.rows[static_cast<std::size_t>(instruction.opcode)];
    instruction.run[0] = row.masked;
    instruction.run[1] = row.full;
    if (instruction.guard != Instruction::kNone) {
      instruction.inner[0] = instruction.run[0];
      instruction.inner[1] = instruction.run[1];
      instruction.run[0] = instruction.run[1] =
          instruction.counter == Counter::none ? table.guarded : table.guarded_counted;
    }
  }
}

}  // namespace warpmark::cpu
