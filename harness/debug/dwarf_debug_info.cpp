// Reads DWARF by elfutils' libdw.
#include <dwarf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "compiler/signature.hpp"
#include "debug/debug_info.hpp"
#include "debug/elf_image.hpp"
#include "debug/libdw.hpp"

namespace warpmark::debugging {
namespace {

// CUDA's attribute of variables, DW_AT_address_class, and its spaces (cuda-gdb's cuda-tdep.h).
constexpr unsigned kConstant = 4, kGlobal = 5, kLocal = 6, kParameter = 7, kShared = 8;
// Limits for what a wrong text may say.
constexpr int kMostTypeDepth = 64;
constexpr uint64_t kMostElements = uint64_t{1} << 32;

// Called only where the library was found.
const Libdw& dw() {
  return *Libdw::find();
}

std::string name_of(Dwarf_Die* die) {
  const char* name = dw().dwarf_diename(die);
  return name == nullptr ? "" : name;
}

uint64_t number_of(Dwarf_Die* die, unsigned attribute, uint64_t otherwise) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dw().dwarf_attr_integrate(die, attribute, &found) == nullptr) return otherwise;
  return dw().dwarf_formudata(&found, &value) == 0 ? value : otherwise;
}

// An offset is a number, or in old versions an expression that adds it.
uint64_t offset_of(Dwarf_Die* die) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dw().dwarf_attr(die, DW_AT_data_member_location, &found) == nullptr) return 0;
  if (dw().dwarf_formudata(&found, &value) == 0) return value;
  Dwarf_Op* expression = nullptr;
  size_t count = 0;
  const bool known = dw().dwarf_getlocation(&found, &expression, &count) == 0 && count >= 1;
  return known && expression[0].atom == DW_OP_plus_uconst ? expression[0].number : 0;
}

// The bytes of DW_AT_const_value; none if there is no such attribute, or it does not fit the type.
std::vector<std::byte> constant_of(Dwarf_Die* die, const ValueType& type) {
  Dwarf_Attribute found;
  Dwarf_Block block{};
  Dwarf_Sword number = 0;
  Dwarf_Word natural = 0;
  const void* from = nullptr;
  if (dw().dwarf_attr_integrate(die, DW_AT_const_value, &found) == nullptr) return {};
  if (dw().dwarf_formblock(&found, &block) == 0) {
    if (block.length == type.bytes) from = block.data;
  } else if (type.bytes > sizeof number) {
    return {};
  } else if (type.is_signed && dw().dwarf_formsdata(&found, &number) == 0) {
    from = &number;
  } else if (dw().dwarf_formudata(&found, &natural) == 0) {
    from = &natural;
  }
  std::vector<std::byte> bytes(from == nullptr ? 0 : type.bytes);
  if (!bytes.empty()) std::memcpy(bytes.data(), from, bytes.size());
  return bytes;
}

// PTX registers have their names as numbers: the text, its last character lowest.
std::string register_name(uint64_t number) {
  std::string name;
  for (; number != 0; number >>= 8) name.insert(name.begin(), static_cast<char>(number & 0xff));
  return name;
}

class Types {
 public:
  TypePointer of(Dwarf_Die* die, int depth = 0) {
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    if (depth > kMostTypeDepth ||
        dw().dwarf_attr_integrate(die, DW_AT_type, &attribute) == nullptr ||
        dw().dwarf_formref_die(&attribute, &type) == nullptr) {
      return nullptr;  // void
    }
    const Dwarf_Off key = dw().dwarf_dieoffset(&type);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    // A record may point to itself: its pointers find this one, which its members come into.
    auto made = std::make_shared<ValueType>();
    known_.emplace(key, made);
    fill(*made, &type, depth + 1);
    return made;
  }

 private:
  void fill(ValueType& into, Dwarf_Die* die, int depth) {
    into.name = name_of(die);
    into.bytes = number_of(die, DW_AT_byte_size, 0);
    switch (dw().dwarf_tag(die)) {
      case DW_TAG_base_type:
        return fill_base(into, die);
      case DW_TAG_enumeration_type:
        return fill_enumeration(into, die);
      case DW_TAG_pointer_type:
      case DW_TAG_reference_type:
      case DW_TAG_rvalue_reference_type:
        into.kind = ValueType::Kind::pointer;
        into.reference = dw().dwarf_tag(die) != DW_TAG_pointer_type;
        into.bytes = 8;
        into.target = of(die, depth);
        into.name = (into.target ? into.target->name : "void") + (into.reference ? " &" : " *");
        return;
      case DW_TAG_array_type:
        return fill_array(into, die, depth);
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_union_type:
        return fill_record(into, die, depth);
      case DW_TAG_typedef:
      case DW_TAG_const_type:
      case DW_TAG_volatile_type:
      case DW_TAG_restrict_type:
        return fill_like(into, die, depth);
      default:
        return;
    }
  }

  static void fill_base(ValueType& into, Dwarf_Die* die) {
    const uint64_t encoding = number_of(die, DW_AT_encoding, 0);
    into.is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    into.kind = encoding == DW_ATE_float     ? ValueType::Kind::real
                : encoding == DW_ATE_boolean ? ValueType::Kind::boolean
                                             : ValueType::Kind::integer;
  }

  static void fill_enumeration(ValueType& into, Dwarf_Die* die) {
    into.kind = ValueType::Kind::integer;
    into.is_signed = true;
    Dwarf_Die child;
    for (bool more = dw().dwarf_child(die, &child) == 0; more;
         more = dw().dwarf_siblingof(&child, &child) == 0) {
      Dwarf_Attribute found;
      Dwarf_Sword number = 0;
      const bool known = dw().dwarf_tag(&child) == DW_TAG_enumerator &&
                         dw().dwarf_attr(&child, DW_AT_const_value, &found) != nullptr &&
                         dw().dwarf_formsdata(&found, &number) == 0;
      if (known) into.names.emplace_back(demangle(name_of(&child)), number);
    }
  }

  void fill_like(ValueType& into, Dwarf_Die* die, int depth) {
    const std::string own = into.name;
    const TypePointer meant = of(die, depth);
    if (meant == nullptr) {
      into.name = own.empty() ? "void" : own;
      return;
    }
    into = *meant;
    if (dw().dwarf_tag(die) == DW_TAG_typedef) into.name = own;
    if (dw().dwarf_tag(die) == DW_TAG_const_type) into.name = "const " + meant->name;
    if (dw().dwarf_tag(die) == DW_TAG_volatile_type) into.name = "volatile " + meant->name;
  }

  void fill_array(ValueType& into, Dwarf_Die* die, int depth) {
    std::vector<uint64_t> counts;
    Dwarf_Die child;
    for (bool more = dw().dwarf_child(die, &child) == 0; more;
         more = dw().dwarf_siblingof(&child, &child) == 0) {
      if (dw().dwarf_tag(&child) != DW_TAG_subrange_type) continue;
      Dwarf_Attribute attribute;
      const uint64_t last = dw().dwarf_attr(&child, DW_AT_upper_bound, &attribute) != nullptr
                                ? number_of(&child, DW_AT_upper_bound, 0) + 1
                                : 0;
      counts.push_back(std::min(number_of(&child, DW_AT_count, last), kMostElements));
    }
    TypePointer type = of(die, depth);
    if (type == nullptr || counts.empty()) return;
    for (auto count = counts.rbegin(); count != counts.rend(); ++count)
      type = array_of(type, *count);
    into = *type;
  }

  void fill_record(ValueType& into, Dwarf_Die* die, int depth) {
    into.kind = ValueType::Kind::record;
    Dwarf_Die child;
    for (bool more = dw().dwarf_child(die, &child) == 0; more;
         more = dw().dwarf_siblingof(&child, &child) == 0) {
      const int tag = dw().dwarf_tag(&child);
      if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
      Dwarf_Attribute attribute;
      const bool is_static = dw().dwarf_attr(&child, DW_AT_external, &attribute) != nullptr;
      if (is_static) continue;
      TypePointer type = of(&child, depth);
      if (type == nullptr) continue;
      const std::string name = tag == DW_TAG_inheritance ? type->name : name_of(&child);
      into.members.push_back({name, offset_of(&child), std::move(type)});
    }
  }

  std::map<Dwarf_Off, TypePointer> known_;
};

class LibdwInfo final : public DebugInfo {
 public:
  explicit LibdwInfo(const Sections& sections) : image_(elf_image(sections)) {
    dw().elf_version(EV_CURRENT);
    elf_ = dw().elf_memory(image_.data(), image_.size());
    if (elf_ != nullptr) dwarf_ = dw().dwarf_begin_elf(elf_, DWARF_C_READ, nullptr);
    if (dwarf_ != nullptr) read_units();
  }
  LibdwInfo(const LibdwInfo&) = delete;
  LibdwInfo& operator=(const LibdwInfo&) = delete;
  ~LibdwInfo() override {
    if (dwarf_ != nullptr) dw().dwarf_end(dwarf_);
    if (elf_ != nullptr) dw().elf_end(elf_);
  }

  bool empty() const { return blocks_.empty(); }

  std::vector<Variable> variables(uint32_t statement) const override {
    std::vector<Variable> found;
    // Blocks come behind those around them.
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
      if (statement < block->begin || statement >= block->end) continue;
      for (const Known& known : block->variables) found.push_back(at(known, statement));
    }
    for (const Known& known : globals_) found.push_back(at(known, statement));
    return found;
  }

 private:
  struct Known {
    Variable variable;
    Dwarf_Die die;
  };
  struct Block {
    uint64_t begin = 0, end = 0;  ///< statements
    std::vector<Known> variables;
  };

  void read_units() {
    Dwarf_Off at = 0, next = 0;
    size_t header = 0;
    for (; dw().dwarf_nextcu(dwarf_, at, &next, &header, nullptr, nullptr, nullptr) == 0;
         at = next) {
      Dwarf_Die unit;
      if (dw().dwarf_offdie(dwarf_, at + header, &unit) == nullptr) continue;
      read_children(&unit, globals_, true, 0);
    }
  }

  void read_children(Dwarf_Die* die, std::vector<Known>& into, bool global, int depth) {
    Dwarf_Die child;
    std::vector<Dwarf_Die> inner;
    for (bool more = depth < kMostTypeDepth && dw().dwarf_child(die, &child) == 0; more;
         more = dw().dwarf_siblingof(&child, &child) == 0) {
      const int tag = dw().dwarf_tag(&child);
      if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) {
        Known known{{}, child};
        known.variable.name = name_of(&child);
        known.variable.type = types_.of(&child);
        known.variable.argument = tag == DW_TAG_formal_parameter;
        known.variable.global = global;
        if (!known.variable.name.empty() && known.variable.type) into.push_back(std::move(known));
      } else if (tag == DW_TAG_namespace) {
        read_children(&child, into, global, depth + 1);
      } else if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
                 tag == DW_TAG_inlined_subroutine) {
        inner.push_back(child);
      }
    }
    for (Dwarf_Die& one : inner) {
      Dwarf_Addr begin = 0, end = 0;
      if (dw().dwarf_lowpc(&one, &begin) != 0 || dw().dwarf_highpc(&one, &end) != 0) continue;
      const size_t place = blocks_.size();
      blocks_.push_back({begin, end, {}});
      std::vector<Known> own;
      read_children(&one, own, false, depth + 1);
      blocks_[place].variables = std::move(own);
    }
  }

  static Variable at(const Known& known, uint32_t statement) {
    Variable variable = known.variable;
    Dwarf_Die die = known.die;
    Dwarf_Attribute attribute;
    if (dw().dwarf_attr_integrate(&die, DW_AT_location, &attribute) == nullptr) {
      variable.constant = constant_of(&die, *variable.type);
      if (!variable.constant.empty()) variable.place = Variable::Place::constant;
      return variable;
    }
    Dwarf_Op* expression = nullptr;
    size_t count = 0;
    if (dw().dwarf_getlocation_addr(&attribute, statement, &expression, &count, 1) != 1 ||
        count == 0) {
      return variable;
    }
    const Dwarf_Op& first = expression[0];
    if (first.atom == DW_OP_regx && count == 1) {
      variable.place = Variable::Place::registers;
      variable.register_name = register_name(first.number);
    } else if (first.atom == DW_OP_addr &&
               (count == 1 || (count == 2 && expression[1].atom == DW_OP_plus_uconst))) {
      variable.place = Variable::Place::memory;
      variable.address = first.number + (count == 2 ? expression[1].number : 0);
      variable.space = space_of(&die);
    }
    return variable;
  }

  static uint32_t space_of(Dwarf_Die* die) {
    switch (number_of(die, DW_AT_address_class, 0)) {
      case kLocal:
        return WARPMARK_DEBUG_LOCAL;
      case kParameter:
        return WARPMARK_DEBUG_PARAM;
      case kShared:
        return WARPMARK_DEBUG_SHARED;
      case kConstant:
      case kGlobal:
        return WARPMARK_DEBUG_GLOBAL;
      default:
        return WARPMARK_DEBUG_GENERIC;
    }
  }

  std::string image_;
  Elf* elf_ = nullptr;
  Dwarf* dwarf_ = nullptr;
  Types types_;
  std::vector<Block> blocks_;
  std::vector<Known> globals_;
};

}  // namespace

std::unique_ptr<DebugInfo> DebugInfo::open(const Sections& sections, std::string& why) {
  why = "the kernel has no debug information";
  if (sections.empty()) return nullptr;
  if (Libdw::find() == nullptr) {
    why = "this machine has no libdw.so.1, which reads debug information (Debian: libdw1)";
    return nullptr;
  }
  auto info = std::make_unique<LibdwInfo>(sections);
  if (info->empty()) return nullptr;
  why.clear();
  return info;
}

}  // namespace warpmark::debugging
