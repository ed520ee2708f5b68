// The classes of instructions, by the words of their names.
#include "program/classes.hpp"

#include <algorithm>

namespace warpmark::cpu {
namespace {

struct ClassRow {
  std::string_view first;  ///< word of the name
  InstructionClass which;
};
// Those whose class their first word decides; all others go by their type.
constexpr ClassRow kClassRows[] = {
    {"ld", InstructionClass::of_memory},
    {"ldu", InstructionClass::of_memory},
    {"st", InstructionClass::of_memory},
    {"atom", InstructionClass::of_memory},
    {"red", InstructionClass::of_memory},
    {"tex", InstructionClass::of_memory},
    {"tld4", InstructionClass::of_memory},
    {"suld", InstructionClass::of_memory},
    {"sust", InstructionClass::of_memory},
    {"sured", InstructionClass::of_memory},
    {"prefetch", InstructionClass::of_memory},
    {"prefetchu", InstructionClass::of_memory},
    {"ldmatrix", InstructionClass::of_memory},
    {"stmatrix", InstructionClass::of_memory},
    {"cp", InstructionClass::of_memory},
    {"discard", InstructionClass::of_memory},
    {"applypriority", InstructionClass::of_memory},
    {"wmma", InstructionClass::of_matrix},
    {"mma", InstructionClass::of_matrix},
    {"movmatrix", InstructionClass::of_exchange},
    {"shfl", InstructionClass::of_exchange},
    {"vote", InstructionClass::of_exchange},
    {"match", InstructionClass::of_exchange},
    {"redux", InstructionClass::of_exchange},
    {"activemask", InstructionClass::of_exchange},
    {"elect", InstructionClass::of_exchange},
    {"bar", InstructionClass::of_barrier},
    {"barrier", InstructionClass::of_barrier},
    {"mbarrier", InstructionClass::of_barrier},
    {"membar", InstructionClass::of_barrier},
    {"fence", InstructionClass::of_barrier},
    {"bra", InstructionClass::of_control},
    {"brx", InstructionClass::of_control},
    {"call", InstructionClass::of_control},
    {"ret", InstructionClass::of_control},
    {"exit", InstructionClass::of_control},
    {"trap", InstructionClass::of_control},
    {"brkpt", InstructionClass::of_control},
    {"mov", InstructionClass::of_move},
    {"cvta", InstructionClass::of_move},
    {"mapa", InstructionClass::of_move},
    {"getctarank", InstructionClass::of_move},
    {"cvt", InstructionClass::of_convert},
    {"szext", InstructionClass::of_convert},
    {"sin", InstructionClass::of_special},
    {"cos", InstructionClass::of_special},
    {"tanh", InstructionClass::of_special},
    {"ex2", InstructionClass::of_special},
    {"lg2", InstructionClass::of_special},
    {"rcp", InstructionClass::of_special},
    {"sqrt", InstructionClass::of_special},
    {"rsqrt", InstructionClass::of_special},
    {"nanosleep", InstructionClass::of_other},
    {"pmevent", InstructionClass::of_other},
    {"griddepcontrol", InstructionClass::of_other},
    {"setmaxnreg", InstructionClass::of_other},
    {"createpolicy", InstructionClass::of_other},
    {"txq", InstructionClass::of_other},
    {"suq", InstructionClass::of_other},
    {"istypep", InstructionClass::of_other},
    {"isspacep", InstructionClass::of_other},
};

bool has(std::string_view opcode, std::string_view word) {
  for (std::size_t at = opcode.find('.'); at != std::string_view::npos;) {
    const std::size_t next = opcode.find('.', at + 1);
    if (opcode.substr(at + 1, next == std::string_view::npos ? next : next - at - 1) == word)
      return true;
    at = next;
  }
  return false;
}

}  // namespace

InstructionClass class_of(std::string_view opcode) {
  const std::string_view first = opcode.substr(0, opcode.find('.'));
  const auto* row = std::find_if(std::begin(kClassRows), std::end(kClassRows),
                                 [&](const ClassRow& one) { return one.first == first; });
  if (row != std::end(kClassRows)) {
    // Parameters are no memory that data moves through: the GPU's code has them as constants. The
    // parts of wmma that move fragments do.
    if (row->which == InstructionClass::of_memory && (first == "ld" || first == "st") &&
        (has(opcode, "param") || has(opcode, "param::entry") || has(opcode, "param::func")))
      return InstructionClass::of_move;
    if (first == "wmma" && (has(opcode, "load") || has(opcode, "store")))
      return InstructionClass::of_memory;
    return row->which;
  }
  // Arithmetic, comparisons and selections, by the type they work on: of setp.lt.f32 it is the
  // last word, of set.lt.u32.f32 too.
  const std::string_view type = opcode.substr(opcode.rfind('.') + 1);
  if (type == "f64") return InstructionClass::of_double;
  if (type == "f32" || type == "f32x2") return InstructionClass::of_single;
  if (type == "f16" || type == "f16x2" || type == "bf16" || type == "bf16x2")
    return InstructionClass::of_half;
  if (!type.empty() && (type[0] == 'u' || type[0] == 's' || type[0] == 'b' || type == "pred"))
    return InstructionClass::of_integer;
  return InstructionClass::of_other;
}

}  // namespace warpmark::cpu
