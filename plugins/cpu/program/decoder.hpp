// The state of decoding one kernel; private to program/.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/async_forms.hpp"
#include "program/image_op.hpp"
#include "program/memory_words.hpp"
#include "program/program.hpp"
#include "ptx/error.hpp"

namespace warpmark::cpu {

/// The state that the decoders of a kernel and of the functions that it calls share.
struct Decoding {
  Decoding(const Module& the_module, const Placement& the_placement)
      : module(the_module), placement(the_placement) {}

  const Module& module;
  const Placement& placement;
  Program program;
  std::unordered_map<std::uint64_t, std::uint32_t> narrow_constants, wide_constants;
  std::unordered_map<int, std::uint32_t> specials;
  /// Registers of the module, by name and element.
  std::map<std::pair<std::string_view, std::uint8_t>, std::uint32_t> module_registers;
  /// A variable's place in its space, and its number among Program::objects, if it has one.
  struct Placed {
    Space space = Space::local;
    std::uint64_t offset = 0;
    std::uint32_t object = 0;
    bool parameter = false;  ///< declared as .param; functions' parameters lie in local memory
  };
  std::unordered_map<std::string_view, Placed> shared;          ///< the module's variables
  std::unordered_map<std::string_view, std::uint32_t> globals;  ///< objects of .global variables
  /// Slots of addresses, by object, address and width.
  std::map<std::tuple<std::uint32_t, std::uint64_t, bool>, std::uint32_t> addresses;
  std::uint32_t dynamic_object = 0;
  std::uint64_t shared_bytes = 0, dynamic_alignment = 16;
  std::uint32_t carry = Instruction::kNone;  ///< slot of the carry flag, if one is used
  std::uint32_t stack = Instruction::kNone;  ///< slot of the top of alloca's stack, if one is used
  std::uint32_t stack_end = 0;               ///< offset into local memory
  std::uint32_t statements = 0;
  /// The first statement that is valid PTX but not supported by this device. The rest is still
  /// checked, as an error there is an error for every device.
  std::optional<PtxError> unsupported;
  bool of_kernel = true;         ///< false for functions that no kernel calls
  std::vector<bool> convergent;  ///< callees that have a barrier, or call a function that has one
};

/// The functions that a kernel can reach, callees before their callers and the kernel last.
struct CallGraph {
  std::vector<std::uint32_t> order;                    ///< indices into Module::functions
  std::vector<std::vector<std::uint32_t>> successors;  ///< by place in `order`
  std::vector<std::uint32_t> pointed;  ///< places of functions whose address is taken
  [[nodiscard]] bool reaches(std::uint32_t from, std::uint32_t to) const;
};
CallGraph call_graph(const Module& module, const Function& kernel);
/// Marks loads that are not repeated inside their function (Instruction::kOnce) as repeated if the
/// function is called in a loop, or through a pointer.
void mark_repeated_functions(Program& program);
/// Sizes a thread's stack: exactly for calls that end, `recursive_bytes` more for others.
void lay_out_stack(Program& program, const CallGraph& graph, std::uint32_t recursive_bytes);

enum class Element : std::uint8_t;
/// The types that an instruction of matrices names, in their order.
std::vector<Element> elements_of(const InstructionFacts& facts);
struct MatrixForm;

class Decoder {
 public:
  /// Bytes of a 64-bit register's slot; a 128-bit register is two of them.
  static constexpr std::uint32_t kWideSlot = 256;

  /// `callee` is the function's number among Program::callees, or kNone for the kernel.
  Decoder(Decoding& shared, const Function& function, std::uint32_t callee);
  void place_variables();
  void place_dynamic_shared();
  void run();
  /// To be called last.
  FunctionPlaces take_places();

 private:
  // decoder.cpp: slots, operands, arithmetic
  std::uint32_t allocate(bool wide);
  std::uint32_t constant(std::uint64_t value, bool wide);
  /// The address of an object, or one at a distance from it.
  std::uint32_t address_of(std::uint32_t object, std::uint64_t address, bool wide);
  /// Numbers among Program::objects.
  std::uint32_t object(const Object& object);
  std::uint32_t global_object(std::string_view name, std::uint64_t address);
  std::uint32_t special(Special which);
  std::uint32_t register_slot(std::uint32_t reg);
  std::uint32_t new_slot(const Register& one);
  std::uint32_t source(const Statement& statement, const Operand& operand, Type type);
  std::uint32_t source(const Statement& statement, std::size_t index, Type type) {
    return source(statement, operand(statement, index), type);
  }
  std::uint32_t destination(const Statement& statement, const Operand& operand, Type type);
  std::uint32_t destination(const Statement& statement, std::size_t index, Type type) {
    return destination(statement, operand(statement, index), type);
  }
  std::uint32_t named(const Statement& statement, const Operand& operand, Type type);
  std::uint32_t predicate(const Statement& statement, const Operand& operand);
  void check_special(const Statement& statement, std::string_view name) const;
  [[nodiscard]] const Operand& operand(const Statement& statement, std::size_t index) const;
  void check_register(const Statement& statement, const Operand& operand, Type type,
                      bool wider) const;
  static Type bits_type(std::uint32_t bytes);
  void check_vector(const Statement& statement, const Operand& list, Type type,
                    bool alone = false) const;
  /// Appends slots to Program::operands. Returns the value for Instruction::more.
  std::uint32_t more(const std::vector<std::uint32_t>& slots);
  void expect_operands(const Statement& statement, std::size_t least, std::size_t most) const;
  void arithmetic(const Statement& statement, const OpcodeInfo& info);
  void comparison(const Statement& statement, const OpcodeInfo& info, Combine combine);
  void check_arithmetic(const Statement& statement);
  void check_field(const Statement& statement, std::size_t first) const;
  void check_is_register(const Statement& statement, std::size_t index) const;
  void condition(const Statement& statement, std::size_t index, Instruction& instruction);
  void comparison_result(const Statement& statement, Instruction& instruction);
  void instruction(const Statement& statement);
  using Decode = void (Decoder::*)(const Statement&);
  static Decode decoder_of(Family wanted);
  void move(const Statement& statement);
  void named_arithmetic(const Statement& statement);
  void check_target(const Statement& statement) const;
  void emit(const Statement& statement, Instruction instruction);
  void finish_widening(const Statement& statement);
  std::uint32_t special_value(const Statement& statement, const SpecialRegister& named, Type type);
  [[nodiscard]] static bool is_constant(const Operand& operand, Type type);
  static std::uint64_t real_bits(const Operand& operand, std::uint32_t bytes);

  // decode_moves.cpp
  bool moves(const Statement& statement);
  void move_vector(const Statement& statement);
  void move_special_vector(const Statement& statement, Type type);
  std::uint32_t vector_element(const Statement& statement, const Operand& element, Type type);
  void move_bits(const Statement& statement, const Operand& to, const Operand& from,
                 std::uint32_t bytes);
  std::array<std::uint32_t, 4> part_slots(const Statement& statement, const Operand& parts,
                                          std::uint32_t bytes, bool pack);
  void move_parts(const Statement& statement, const Operand& parts, std::uint32_t bytes, bool pack);
  void conversions_of_addresses(const Statement& statement);
  std::uint32_t variable_in(const Statement& statement, const Operand& name, Space space,
                            bool constants);
  [[nodiscard]] std::uint64_t window_of(Space space) const;
  bool clock(const Statement& statement);
  std::uint32_t clock_value(const Statement& statement, const SpecialRegister& named, Type type);
  void advice(const Statement& statement);
  void check_line(const Statement& statement) const;
  void policy(const Statement& statement);
  void elects(const Statement& statement);

  // decode_convert.cpp
  void conversion(const Statement& statement);
  void packing(const Statement& statement);
  void check_small_formats(const Statement& statement, Modifier to_name, Modifier from_name) const;

  // decode_lowered.cpp
  void emit_plain(const Statement& statement, Opcode opcode, std::uint32_t d, std::uint32_t a,
                  std::uint32_t b = Instruction::kNone, std::uint32_t c = Instruction::kNone);
  [[nodiscard]] Opcode opcode_of(const Statement& statement, const std::string& name) const;
  std::array<std::uint32_t, 2> halves(const Statement& statement, std::uint32_t whole);
  struct Comparison;
  static Comparison comparison_of(const Statement& statement);
  std::array<std::uint32_t, 2> compare(const Statement& statement, const Comparison& comparison);
  void packed_predicates(const Statement& statement, const Comparison& comparison);
  void select_by_comparison(const Statement& statement, const Comparison& comparison);
  void set(const Statement& statement);
  void test_kind(const Statement& statement);
  void packed_real(const Statement& statement);
  void mixed_real(const Statement& statement);
  void three_operands(const Statement& statement);
  void logic_with_predicate(const Statement& statement);
  void check_table(const Statement& statement);

  // decode_video.cpp
  class Video;
  void video(const Statement& statement);

  // decode_branch.cpp
  [[nodiscard]] static bool is_indexed_branch(const Statement& statement);
  void check_barrier(const Statement& statement, std::size_t first) const;
  [[nodiscard]] const BranchTable& branch_table(const Statement& statement) const;
  void indexed_branch(const Statement& statement, BasicBlock& block,
                      const std::vector<std::uint32_t>& block_at, std::vector<BasicBlock>& extra,
                      std::uint32_t first_extra);

  // decode_matrix.cpp
  void matrix(const Statement& statement);
  void matrix_access(const Statement& statement, bool load);
  void matrix_move(const Statement& statement);
  // decode_matrix_narrow.cpp
  bool narrow_kind(const Statement& statement, MatrixForm& form) const;
  void set_scales(const Statement& statement, MatrixForm& form) const;
  void sparse_operands(const Statement& statement, MatrixForm& form,
                       std::vector<std::uint32_t>& slots);
  void scale_operands(const Statement& statement, const MatrixForm& form,
                      std::vector<std::uint32_t>& slots);
  // decode_matrix.cpp
  void fragment(const Statement& statement, std::size_t index, Type type, std::uint32_t count,
                bool result, std::vector<std::uint32_t>& into, bool any = false);

  // decode_wgmma.cpp
  void warpgroup(const Statement& statement);
  void warpgroup_product(const Statement& statement);
  void matrix_registers(const Statement& statement, std::size_t index, Type type,
                        std::uint32_t count, std::vector<std::uint32_t>& into);
  [[nodiscard]] bool second_of(const Statement& statement, std::size_t index, std::int64_t first,
                               std::int64_t second) const;

  // decode_collective.cpp
  void collective(const Statement& statement);
  std::uint32_t members(const Statement& statement);
  [[nodiscard]] static bool is_collective(const Statement& statement);
  void atomic(const Statement& statement);
  void wide_atomic_operands(const Statement& statement, std::size_t first, Type type,
                            std::uint32_t elements, bool swap, Instruction& instruction);
  void atomic_registers(const Statement& statement, const Operand& operand, Type type,
                        std::uint32_t elements, bool result, std::vector<std::uint32_t>& into);

  // decode_variables.cpp
  std::uint64_t place_local(std::uint64_t bytes, std::uint64_t alignment, std::uint32_t line);
  void place_variable(const Variable& variable);
  void place_shared(const Variable& variable);
  void place_parameters();
  void place_shared_of_module();
  void place_call_sequences();
  [[nodiscard]] std::uint64_t variable_address(const Statement& statement,
                                               std::string_view name) const;
  /// Returns whether the module's variable is a .const variable, which lies in global memory here.
  [[nodiscard]] bool is_constant_variable(std::string_view name) const;

  // decode_memory.cpp
  struct AccessData;
  void memory(const Statement& statement);
  void check_vector_access(const Statement& statement, const MemoryWords& words) const;
  AccessData access_data(const Statement& statement, const MemoryWords& words, bool store);
  void add_element(const Statement& statement, const Operand& element, AccessData& access);
  void add_register(const Statement& statement, const Operand& element, AccessData& access);
  std::uint32_t address(const Statement& statement, const Operand& operand, Space& space,
                        Instruction& instruction, bool constants = false);
  [[nodiscard]] std::optional<Space> space_of_name(const Operand& address) const;

  // decode_texture.cpp
  void image(const Statement& statement);
  void texture(const Statement& statement);
  void texture_operands(const Statement& statement, TextureOp& op,
                        std::vector<std::uint32_t>& slots);
  void coordinates(const Statement& statement, const Operand& where, Geometry geometry, Type number,
                   std::vector<std::uint32_t>& slots);
  void texture_samples(const Statement& statement);
  void image_type(const Statement& statement);
  void surface(const Statement& statement, Opcode opcode);
  void surface_data(const Statement& statement, const Operand& data, Type type,
                    Instruction& instruction);
  void image_query(const Statement& statement, bool texture);
  std::uint32_t image_handle(const Statement& statement, const Operand& operand);
  std::uint32_t element(const Statement& statement, const Operand& operand, Type type, bool wider);
  void vector(const Statement& statement, const Operand& operand, std::size_t count, Type type,
              std::vector<std::uint32_t>& slots);
  std::uint32_t results(const Statement& statement, const Operand& operand, std::size_t count,
                        Type type, Instruction& instruction);

  // decode_call.cpp
  void call(const Statement& statement, BasicBlock& block);
  // decode_runtime.cpp: true if `name` is a function that the device provides
  bool runtime_call(const Statement& statement, std::string_view name, const Call& call,
                    BasicBlock& block);
  void set_condition(const Statement& statement, const Call& call, BasicBlock& block);
  void go_on_behind(const Statement& statement, BasicBlock& block);
  // decode_async.cpp
  void mbarrier(const Statement& statement);
  std::uint32_t barrier_address(const Statement& statement, std::size_t index, Space space);
  void barrier_change(const Statement& statement, Modifier what, Instruction& instruction);
  void barrier_test(const Statement& statement, Instruction& instruction);
  std::uint32_t barrier_phase(const Statement& statement, std::size_t index, bool parity);
  std::uint32_t barrier_arrivals(const Statement& statement, bool expects);
  void fence(const Statement& statement);
  void emit_fence(const Statement& statement);
  void async_copy(const Statement& statement);
  void plain_copy(const Statement& statement, Instruction instruction);
  std::uint32_t address_value(const Statement& statement, const Operand& operand, Space space);
  // decode_bulk.cpp
  void bulk_copy(const Statement& statement);
  Opcode bulk_reduction(const Statement& statement, bool to_global);
  void bulk_prefetch(const Statement& statement);
  void bulk_store(const Statement& statement);
  void async_store(const Statement& statement);
  std::uint32_t ignored_bytes(const Statement& statement, std::size_t index);
  std::uint32_t bulk_size(const Statement& statement, const Operand& size);
  Opcode reduction_of(const Statement& statement, Modifier operation, Type type,
                      bool noftz = false) const;
  // decode_tensor.cpp
  void tensor_copy(const Statement& statement, bool reduces);
  std::vector<std::uint32_t> box_slots(const Statement& statement, const Operand& map,
                                       const Operand* offsets, const TensorForm& form);
  // decode_tensor_map.cpp
  void tensor_map(const Statement& statement);
  void replaced_field(const Statement& statement, Instruction& instruction);
  // decode_multimem.cpp
  void multimem(const Statement& statement);
  // decode_cluster.cpp
  void cluster_address(const Statement& statement);
  void cluster_cancel(const Statement& statement);
  std::uint32_t frame_address(const Statement& statement, std::uint64_t offset);
  std::uint64_t function_address(std::string_view name) const;

  [[nodiscard]] std::uint32_t reads_of(std::uint32_t reg);
  void barrier_reduction(const Statement& statement, BasicBlock& block,
                         std::vector<BasicBlock>& extra, std::uint32_t first_extra);

  // decode_stack.cpp
  std::uint32_t stack_top();
  void stack(const Statement& statement);
  void keep_stack();
  void give_stack_back(const Statement& statement);
  void move_stack(const Statement& statement, std::uint32_t to, std::uint32_t from);

  // decode_flow.cpp
  void find_leaders();
  void part_contended();
  struct BlockNumbers;
  BlockNumbers number_blocks();
  void add_exit(const Statement& statement, std::uint32_t index, BasicBlock& block,
                BlockNumbers& numbers);
  void collect_before(const Statement& operation, std::uint32_t index, BasicBlock& block,
                      BlockNumbers& numbers);
  std::uint32_t build_block(std::uint32_t first, BlockNumbers& numbers);
  void build_blocks();
  void barrier(const Statement& statement, BasicBlock& block);
  void end_block(const Statement& statement, std::uint32_t index, BasicBlock& block);
  [[nodiscard]] static bool ends_block(const Statement& statement) {
    return statement.facts->family == Family::control;
  }
  void order_blocks();
  [[nodiscard]] static std::vector<std::vector<std::uint32_t>> successors_of(
      const std::vector<BasicBlock>& blocks);
  [[nodiscard]] bool is_convergent(const BasicBlock& block) const;
  /// Marks, in blocks numbered from 0 in their order, accesses that wait for other blocks, volatile
  /// loads that do not, and BasicBlock::past.
  void mark_loops_and_barriers(std::vector<BasicBlock>& ordered);

  /// Decodes a statement, or keeps in Decoding::unsupported that this device does not support it.
  void try_instruction(const Statement& statement);
  void try_end_block(const Statement& statement, std::uint32_t index, BasicBlock& block);
  void keep_unsupported(const PtxError& error);

  /// Throws for a form of an instruction that is valid PTX but not supported by this device.
  [[noreturn]] void refuse(const Statement& statement, const std::string& why) const;
  /// Throws for an opcode that this device does not support, or that PTX does not have.
  [[noreturn]] void refuse_opcode(const Statement& statement) const;
  [[noreturn]] void invalid(const Statement& statement, const std::string& why) const;

  Decoding& shared_;
  const Module& module_;
  const Function& function_;
  const Placement& placement_;
  Program& program_;
  const std::uint32_t callee_;
  std::uint32_t first_statement_ = 0;
  std::vector<std::uint32_t> reads_;    ///< by register, made on first use
  std::vector<BasicBlock> blocks_;      ///< of this function, numbered from 0
  std::vector<std::uint32_t> slot_of_;  ///< by register
  using Placed = Decoding::Placed;
  std::unordered_map<std::string_view, Placed> variables_;  ///< shared, local, param
  std::vector<std::string_view> dynamic_;  ///< shared variables of the launch's size
  std::uint64_t frame_bytes_ = 0;          ///< bytes of local memory placed so far
  struct {
    std::uint32_t wide = Instruction::kNone, narrow = 0;
    bool sign = false;
  } widen_;  ///< a result whose register is wider than the conversion's type
  /// Registers, of 32 and of 64 bits, for values that do not outlive a statement.
  struct Scratch {
    std::array<std::vector<std::uint32_t>, 2> slots;
    std::array<std::uint32_t, 2> used{};  ///< number used by this statement
  };
  Scratch scratch_;
  std::uint32_t stack_before_ = Instruction::kNone;  ///< of a function that uses alloca
  std::vector<std::uint8_t> leader_;
  bool polls_ = false;        ///< the block that is being decoded polls
  bool polls_block_ = false;  ///< it polls memory that only its own thread block can change
};

}  // namespace warpmark::cpu
