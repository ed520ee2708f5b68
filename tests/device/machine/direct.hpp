// One PTX operation, decoded as in a kernel, executed on a register file of the test's own: as fast
// as the handlers are, so that a test can ask for millions of results.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "machine/handlers.hpp"
#include "memory/lanes.hpp"
#include "program/program.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {

/// `operation d, a, b, c` on 32 lanes at once. `kinds` gives the register types of d, a, b, c: f F
/// (binary32, binary64), r R (32- and 64-bit integers), h (16 bits).
class DirectOperation {
 public:
  DirectOperation(const std::string& operation, const std::string& kinds, int level)
      : operands_(kinds.size()) {
    const HandlerTable* table = handlers_of_level(level, Watch::bounds);
    if (table == nullptr) throw std::runtime_error("the processor has no such level");
    // Moves of each register to itself show where the decoder placed it.
    std::string moves, line = operation;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const std::string name = register_name(kinds[i], i);
      wide_[i] = kinds[i] == 'F' || kinds[i] == 'R';
      moves += std::string("mov.b") +
               (wide_[i]          ? "64 "
                : kinds[i] == 'h' ? "16 "
                                  : "32 ") +
               name + ", " + name + ";\n";
      line += (i == 0 ? " " : ", ") + name;
    }
    module_ = parse_ptx(
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{ .reg .b16 %h<4>; .reg .b32 "
        "%r<4>; .reg .b64 %R<4>; .reg .f32 %f<4>; .reg .f64 %F<4>;\n" +
        moves + line + ";\nret;\n}\n");
    program_ = decode(module_, module_.functions[0], Placement{});
    bind(program_, *table);
    registers_.reset(new (std::align_val_t{64}) std::byte[program_.register_bytes]());
    for (const Program::Constant& constant : program_.constants) {
      for (std::size_t lane = 0; lane < 32; ++lane) {
        std::memcpy(registers_.get() + constant.slot + lane * (constant.wide ? 8 : 4),
                    &constant.value, constant.wide ? 8 : 4);
      }
    }
    for (std::size_t i = 0; i < operands_; ++i) slots_[i] = program_.code[i].d;
    lanes_.registers = registers_.get();
    lanes_.mask = 0xffffffff;
    lanes_.operands = program_.operands.data();
  }

  /// Operand 1 is a, and so on; 0 is the result.
  void set(std::size_t operand, std::size_t lane, std::uint64_t bits) {
    const std::size_t width = wide_[operand] ? 8 : 4;
    std::memcpy(registers_.get() + slots_[operand] + lane * width, &bits, width);
  }
  [[nodiscard]] std::uint64_t get(std::size_t lane) const {
    std::uint64_t bits = 0;
    const std::size_t width = wide_[0] ? 8 : 4;
    std::memcpy(&bits, registers_.get() + slots_[0] + lane * width, width);
    return bits;
  }
  void run() {
    for (std::size_t i = operands_; i < program_.code.size(); ++i)
      program_.code[i].run[1](lanes_, program_.code[i]);
  }

 private:
  static std::string register_name(char kind, std::size_t index) {
    return std::string("%") + kind + std::to_string(index);
  }
  struct Delete {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };
  std::size_t operands_;
  std::array<bool, 4> wide_{};
  std::array<std::uint32_t, 4> slots_{};
  Module module_;
  Program program_;
  std::unique_ptr<std::byte[], Delete> registers_;
  Lanes lanes_;
};

}  // namespace warpmark::cpu
