// Chooses the handlers for the processor and binds them to programs.
#include <cstdlib>

#include "machine/handlers.hpp"

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

HandlerTable make_table(int level, Watch watch) {
  HandlerTable table;
#define LEVEL(v)                \
  v::fill_registers(table);     \
  v::fill_integers(table);      \
  v::fill_reals(table);         \
  v::fill_conversions(table);   \
  v::fill_small_floats(table);  \
  v::fill_memory(table, watch); \
  v::fill_wgmma(table)
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
  once::fill_memory(table, watch);
  once::fill_integers(table);
  once::fill_reals(table);
  once::fill_conversions(table);
  once::fill_small_floats(table);
  fill_exchange(table);
  fill_async(table);
  fill_cluster(table);
  fill_textures(table);
  fill_image_queries(table);
  fill_surfaces(table);
  fill_multimem(table);
  fill_runtime(table);
  fill_convert(table);
  fill_matrix(table);
  fill_warpgroups(table);
  return table;
}

template <int Level, Watch W>
const HandlerTable* table_of() {
  static const HandlerTable* const table =
      processor_has(Level) ? new HandlerTable(make_table(Level, W)) : nullptr;
  return table;
}

template <int Level>
const HandlerTable* table_of_level(Watch watch) {
  switch (watch) {
    case Watch::nothing:
      return table_of<Level, Watch::nothing>();
    case Watch::bounds:
      return table_of<Level, Watch::bounds>();
    case Watch::everything:
      return table_of<Level, Watch::everything>();
  }
  return nullptr;
}

}  // namespace

void HandlerTable::set(Opcode opcode, Handler handler) {
  rows[static_cast<std::size_t>(opcode)] = {handler, handler};
}

const HandlerTable* handlers_of_level(int level, Watch watch) {
  switch (level) {
    case 2:
      return table_of_level<2>(watch);
    case 3:
      return table_of_level<3>(watch);
    case 4:
      return table_of_level<4>(watch);
    default:
      return nullptr;
  }
}

const HandlerTable& handlers(Watch watch) {
  // For tests and for finding out what differs between processors.
  const char* wish = std::getenv("WARPMARK_CPU_LEVEL");
  const int most = wish != nullptr && wish[0] >= '2' && wish[0] <= '4' ? wish[0] - '0' : 4;
  for (int level = most; level > 2; --level) {
    if (const HandlerTable* table = handlers_of_level(level, watch)) return *table;
  }
  return *handlers_of_level(2, watch);
}

void bind(Program& program, const HandlerTable& table) {
  for (std::vector<Instruction>* code : {&program.code, &program.invariant}) {
    for (Instruction& instruction : *code) {
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
}

}  // namespace warpmark::cpu
