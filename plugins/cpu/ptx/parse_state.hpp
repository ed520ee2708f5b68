// The recursive-descent parser's state and helpers; private to ptx/.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/error.hpp"
#include "ptx/lexer.hpp"
#include "ptx/module.hpp"
#include "ptx/parser.hpp"
#include "ptx/scopes.hpp"

namespace warpmark::cpu {

class ParseState {
 public:
  ParseState(Module& module, const ParseLimits& limits)
      : module_(module), limits_(limits), lexer_(*module.text) {
    advance();
  }
  /// A tolerant reading, see read_ptx().
  ParseState(Module& module, const ParseLimits& limits, Bodies bodies)
      : module_(module), limits_(limits), lexer_(*module.text), tolerant_(true), bodies_(bodies) {
    advance();
  }

  void parse_module();

 private:
  // parser.cpp: the module
  void parse_directive();
  void parse_target();
  void parse_file();
  void parse_section();
  /// Says of the statements of a text which calls they were inlined through: with -G only debug
  /// sections have it, and not .loc.
  void place_inlined();
  struct Alias {
    std::string_view name, of;
    std::uint32_t line = 0;
  };
  void parse_alias();
  void resolve(const Alias& alias);
  void parse_linkage();
  void parse_textures(Linkage linkage);
  void parse_outside_locals();
  bool register_variable(const Variable& variable);

  // read_tolerantly.cpp: what a tolerant reading does in the place of others
  Token read_token();
  void note(std::uint32_t line, std::string_view trouble);
  /// Does a part of the grammar. A tolerant reading notes as `doubt_` where it does not hold.
  /// Whether it holds.
  template <typename Part>
  bool attempt(Part part) {
    if (!tolerant_) {
      part();
      return true;
    }
    try {
      part();
      return true;
    } catch (const PtxError& error) {
      note(error.line(), doubt_);
      return false;
    }
  }
  void read_module();
  void read_statement_of_module();
  void read_function(Function function);
  void read_operands(Function& function, Scopes& scopes, Statement& statement);
  void read_name(Function& function, Scopes& scopes, Operand& operand);
  /// From a `{` to behind its `}`; notes `doubt`, if there is one, where readers may disagree.
  void skip_block(std::string_view doubt);
  void skip_statement();
  bool skips_unknown_directive();

  // parse_variable.cpp: declarations of variables and their initial values
  void parse_variables(Space space, Linkage linkage, std::vector<Variable>& into);
  /// The part that the variables of one declaration share: everything before their names.
  struct VariableStem {
    Variable common;
    std::uint64_t element_bytes = 0;  ///< of a vector, all of it
    bool vector = false;
  };
  VariableStem parse_variable_stem(Space space, Linkage linkage);
  bool parse_attributes();
  [[nodiscard]] bool is_image() const {
    return token_.is(".texref") || token_.is(".surfref") || (tolerant_ && token_.is(".samplerref"));
  }
  Type parse_variable_type(const Variable& variable);
  Variable parse_variable(const VariableStem& stem);
  /// The dimensions behind a name, which the size is multiplied by; whether there are any.
  bool parse_dimensions(Variable& variable);
  void parse_initialiser(Variable& variable, std::uint64_t element_bytes, bool array);
  void parse_element(Variable& variable, std::uint64_t element_bytes, std::uint64_t& offset);
  void parse_symbol(Variable::Reference& reference);
  void append_bits(Variable& variable, std::uint64_t bits, std::uint64_t bytes,
                   std::uint64_t offset);

  // parse_function.cpp: headers and bodies
  void parse_function(Linkage linkage);
  void parse_header(Function& function);
  void parse_parameters(const Function& function, std::vector<Parameter>& into,
                        std::uint32_t& bytes);
  Parameter parse_parameter(const Function& function);
  Type parse_parameter_type(const Function& function, bool in_register);
  void skip_pointer_advice();
  std::uint64_t parse_parameter_size(const Function& function, const Parameter& parameter,
                                     std::uint32_t most);
  void parse_performance_directives(Function& function);
  void parse_body(Function& function);
  void parse_body_directive(Function& function, Scopes& scopes);
  void parse_old_parameters(Function& function, Scopes& scopes);
  void parse_registers(Scopes* scopes);
  std::uint8_t accept_vector();
  void check_vector_register(Type type, std::uint8_t elements) const;
  void parse_pragma();
  void parse_block_memory(Function& function);
  bool parse_without_counts(Function& function);
  void parse_location();
  /// Parses `inlined_at`. The call may itself be inlined.
  std::uint32_t inlined_call(std::string_view function, Location call);
  void parse_statement(Function& function, Scopes& scopes);
  std::string_view parse_opcode();
  void parse_label(Function& function, Scopes& scopes, const Token& label);
  void parse_targets(Function& function, Scopes& scopes, std::string_view name);

  // parse_operand.cpp
  Operand parse_operand(Function& function, Scopes& scopes, std::uint32_t depth);
  static void find_part(Function& function, Scopes& scopes, Operand& operand);
  void find_local(Function& function, Scopes& scopes, const Operand& operand) const;
  /// `first|second`; the current token is the bar.
  Operand parse_pair(Function& function, Scopes& scopes, const Operand& first, std::uint32_t depth);
  Operand parse_address(Function& function, Scopes& scopes, std::uint32_t depth);
  Operand parse_list(Function& function, Scopes& scopes, char close, std::uint32_t depth);
  Operand parse_number();

  // parse_registers.cpp: parameters and results that are registers, by way of memory
  void read_parameters(Function& function, Scopes& scopes);
  void write_results(Function& function, Scopes& scopes, const Statement& at);
  struct Passed {
    std::uint32_t reg = 0;  ///< of a result, to be read behind the call
    std::string_view name;
    std::int64_t offset = 0;  ///< of the variable
  };
  std::vector<Passed> pass_registers(Function& function, const Statement& call,
                                     const std::array<Operand, 16>& operands, std::size_t count);
  /// An element of one of a call's two lists, whose formal parameter may be known.
  struct Argument {
    std::uint32_t index = 0;   ///< operand of the function
    std::uint32_t number = 0;  ///< in its list
    bool result = false;
    const Parameter* formal = nullptr;
  };
  void pass(Function& function, const Statement& call, const Argument& argument,
            std::vector<Passed>& results) const;
  static void read_results(Function& function, const Statement& call,
                           const std::vector<Passed>& results);
  /// A register's value from or to a .param variable.
  static void add_read(Function& function, const Statement& at, std::uint32_t reg,
                       std::string_view name, std::int64_t offset);
  static void add_write(Function& function, const Statement& at, std::uint32_t reg,
                        std::string_view name, std::int64_t offset);
  static void add_access(Function& function, const Statement& at, std::string_view opcode,
                         const Operand& value, std::string_view name, std::int64_t offset);
  static void add_statement(Function& function, const Statement& at, std::string_view opcode,
                            std::initializer_list<Operand> operands);
  static std::uint32_t bytes_in_memory(Type type);

  // parse_constant.cpp
  std::uint64_t parse_constant(std::uint32_t depth);
  std::uint64_t parse_binary(int level, std::uint32_t depth);
  std::uint64_t parse_primary(std::uint32_t depth);

  // tokens
  void advance() {
    previous_end_ = token_.text.data() + token_.text.size();
    token_ = tolerant_ ? read_token() : lexer_.next();
  }
  bool accept(char symbol) {
    if (!token_.is(symbol)) return false;
    advance();
    return true;
  }
  void expect(char symbol) {
    if (!accept(symbol)) fail(std::string("expected '") + symbol + "'");
  }
  std::string_view expect_word(std::string_view what);
  std::string_view expect_name(std::string_view what);
  std::uint64_t expect_integer(std::string_view what);
  Type expect_type();
  std::uint32_t expect_alignment();
  std::optional<std::uint32_t> accept_alignment();
  void skip_past(char symbol);
  [[noreturn]] void fail(const std::string& expected) const;
  /// The same for what a tolerant reading does not ask.
  void refuse(const std::string& why) const {
    if (!tolerant_) fail(why);
  }

  Module& module_;
  const ParseLimits& limits_;
  Lexer lexer_;
  bool tolerant_ = false;
  Bodies bodies_ = Bodies::read;
  /// The words of a tolerant reading where the grammar does not go on as expected next.
  std::string_view doubt_ = "something unknown";
  std::size_t troubles_ = 0;
  std::size_t declared_ = 0;   ///< registers of a function
  std::vector<Operand> read_;  ///< operands of an instruction
  Token token_;
  const char* previous_end_ = nullptr;
  Location location_;
  /// The last places of the function that .loc named, and those of calls, by file, line and column.
  std::array<Location, 64> recent_{};
  std::size_t next_recent_ = 0;
  std::unordered_map<std::uint64_t, Location> calls_;
  std::vector<Alias> aliases_;
  /// For .version 2.3 and older: registers and .local variables outside of functions. A text that
  /// has some is compiled without the ABI: its functions pass predicates in registers, too.
  Scopes::Names outside_;
  std::unordered_map<std::string_view, Variable> outside_locals_;
  bool without_abi_ = false;
  /// For the text that is being read, if several are linked: labels that debug sections may name,
  /// with their lines; the sections; and its least file number.
  std::vector<std::pair<std::string_view, std::uint32_t>> marks_;
  std::string_view information_, abbreviations_;
  std::uint32_t first_file_ = ~std::uint32_t{0};
  bool sized_ = false;  ///< .address_size was read
  bool in_function_ = false;
  bool call_ = false;     ///< the statement is a call: ( ) is a list of its arguments
  bool negates_ = false;  ///< … is a vmad, whose operands may have a minus
};

}  // namespace warpmark::cpu
