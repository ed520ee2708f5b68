// The state of decoding one kernel; private to program/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.hpp"

namespace warpmark::cpu {

class Decoder {
 public:
  Decoder(const Module& module, const Function& function, const Placement& placement);
  Program run();

 private:
  // decoder.cpp: slots, operands, arithmetic
  std::uint32_t allocate(bool wide);
  std::uint32_t constant(std::uint64_t value, bool wide);
  std::uint32_t special(Special which);
  std::uint32_t register_slot(std::uint32_t reg);
  std::uint32_t source(const Statement& statement, std::size_t index, Type type);
  std::uint32_t destination(const Statement& statement, std::size_t index, Type type);
  std::uint32_t named(const Statement& statement, const Operand& operand, Type type);
  std::uint32_t predicate(const Statement& statement, const Operand& operand);
  [[nodiscard]] const Operand& operand(const Statement& statement, std::size_t index) const;
  void check_register(const Statement& statement, const Operand& operand, Type type,
                      bool wider) const;
  void expect_operands(const Statement& statement, std::size_t least, std::size_t most) const;
  void arithmetic(const Statement& statement, const OpcodeInfo& info, Combine combine);
  void comparison_result(const Statement& statement, Instruction& instruction);
  void instruction(const Statement& statement);
  void emit(const Statement& statement, Instruction instruction);
  bool moves(const Statement& statement);
  bool conversions_of_addresses(const Statement& statement);

  // decode_memory.cpp
  bool memory(const Statement& statement);
  void place_variables();
  std::uint32_t address(const Statement& statement, const Operand& operand, Space space,
                        Instruction& instruction);

  // decode_flow.cpp
  bool collective(const Statement& statement);
  bool atomic(const Statement& statement);
  [[nodiscard]] static bool is_collective(std::string_view opcode);
  void find_leaders();
  void build_blocks();
  void end_block(const Statement& statement, std::uint32_t index, Block& block);
  [[nodiscard]] static bool ends_block(std::string_view opcode);
  void order_blocks();

  [[noreturn]] void refuse(const Statement& statement, const std::string& why) const;
  [[noreturn]] void invalid(const Statement& statement, const std::string& why) const;

  const Module& module_;
  const Function& function_;
  const Placement& placement_;
  Program program_;
  std::vector<std::uint32_t> slot_of_;  ///< by register
  std::unordered_map<std::uint64_t, std::uint32_t> narrow_constants_, wide_constants_;
  std::unordered_map<int, std::uint32_t> specials_;
  struct Placed {
    Space space;
    std::uint64_t offset;
  };
  std::unordered_map<std::string_view, Placed> variables_;  ///< shared, local, param
  std::vector<std::uint8_t> leader_;
  bool polls_ = false;  ///< of the block that is being decoded
};

}  // namespace warpmark::cpu
