#include "ptx/instruction_set.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace warpmark::cpu {
namespace {

struct NamedSet {
  std::string_view name, words;
  WordSet set = WordSet::none;
};
constexpr NamedSet kSets[] = {
    {"int", "u16 u32 u64 s16 s32 s64"},
    {"rnd", "rn rz rm rp"},
    {"integral", "rni rzi rmi rpi"},
    {"whole", "u8 u16 u32 u64 s8 s16 s32 s64"},
    {"cmp", "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"},
    {"bool", "and or xor"},
    {"compared", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"},
    {"space", "global shared shared::cta shared::cluster local const"},
    {"parameter", "param param::entry param::func"},
    {"order", "relaxed acquire release acq_rel"},
    {"released", "relaxed release"},
    {"bitwise", "and or xor", WordSet::bitwise},
    {"swap", "cas exch", WordSet::swap},
    {"sum", "add", WordSet::sum},
    {"count", "inc dec", WordSet::count},
    {"extreme", "min max", WordSet::extreme},
    {"scope", "cta cluster gpu sys", WordSet::scope},
    {"shareable", "global shared shared::cta shared::cluster"},
    {"vector", "v2 v4 v8", WordSet::vector},
    {"cached", "ca cg cs cv lu"},
    {"written", "cg cs wb wt"},
    {"evict1",
     "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate"},
    {"evict2", "L2::evict_normal L2::evict_first L2::evict_last", WordSet::evict2},
    {"fetch", "L2::64B L2::128B L2::256B"},
    {"narrow", "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64", WordSet::data},
    {"data", "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64", WordSet::data},
    {"reduce", "add min max and or xor", WordSet::operation},
    {"operation", "and or xor add inc dec min max", WordSet::operation},
    {"policy", "L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged"},
    {"dim", "1d 2d 3d 4d 5d", WordSet::dim},
    {"matrices", "x1 x2 x4", WordSet::matrices},
    {"element", "f16 bf16 tf32 f32 f64 s8 u8 s4 u4 b1 s32 e4m3 e5m2 e3m2 e2m3 e2m1"},
    {"tensor_core",
     "sp ws cta_group::1 cta_group::2 sync aligned shared::cta shared::cluster b32 b64 f32 u32 s32 "
     "min max abs NaN pack::16b unpack::16b x1 x2 x4 x8 x16 x32 x64 x128 16x64b 16x128b 16x256b "
     "32x32b 16x32bx2 mbarrier::arrive::one multicast::cluster down 128x256b 4x256b 128x128b "
     "64x128b 32x128b warpx2::02_13 warpx2::01_23 warpx4 b8x16 b6x16_p32 b4x16_p64 kind::f16 "
     "kind::tf32 kind::f8f6f4 kind::i8 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4 block_scale "
     "scale_vec::1X scale_vec::2X scale_vec::4X block16 block32 ashift collector::a::fill "
     "collector::a::use collector::a::lastuse collector::a::discard collector::b0::fill "
     "collector::b0::use collector::b0::lastuse collector::b0::discard collector::b1::fill "
     "collector::b1::use collector::b1::lastuse collector::b1::discard collector::b2::fill "
     "collector::b2::use collector::b2::lastuse collector::b2::discard collector::b3::fill "
     "collector::b3::use collector::b3::lastuse collector::b3::discard"},
};

const NamedSet* set_named(std::string_view name) {
  return std::ranges::find(kSets, name, &NamedSet::name);
}

// The requirements of a word in any instruction.
struct WordNeeds {
  std::string_view word;
  Needs needs;
};
constexpr WordNeeds kWordNeeds[] = {
    {"NaN", {80}},
    {"m16n8k4", {80}},
    {"m16n8k16", {80}},
    {"m16n8k32", {80}},
    {"m16n8k64", {80}},
    {"m16n8k128", {80}},
    {"m16n8k256", {80}},
    {"shared::cta", {0, 78}},
    {"shared::cluster", {90}},
    {"cluster", {90}},
    {"tensormap", {90}},
    {"expect_tx", {90, 80}},
    {"layout::v0", {90, 93}},
    {"layout::v1", {90, 93}},
    {"phase_type::primary", {90, 93}},
    {"phase_type::conditional", {90, 93}},
    {"ignore_oob", {90, 92}},
    {"no_membermask_overlap", {0, 86}},
    {"cp_mask", {100, 86}},
    {"b128", {0, 83}},
    {"tf32", {80}},
    {"bf16", {80}},
    {"bf16x2", {80}},
    {"relu", {80}},
    {"xorsign", {86}},
    {"f32x2", {100}},
    {"s16x2", {90, 80}},
    {"u16x2", {90, 80}},
    {"e4m3x2", {89}},
    {"e5m2x2", {89}},
    {"e2m1x2", {100, 0, true}},
    {"e2m3x2", {100, 0, true}},
    {"e3m2x2", {100, 0, true}},
    {"L2::cache_hint", {80, 74}},
    {"L2::evict_last", {80}},
    {"L2::evict_normal", {80}},
    {"L2::64B", {0, 74}},
    {"L2::128B", {0, 74}},
    {"L2::256B", {80, 74}},
    {"L1::evict_first", {0, 74}},
    {"L1::evict_last", {0, 74}},
    {"L1::no_allocate", {0, 74}},
    {"async::generic", {90, 80}},
    {"tensormap::generic", {90}},
};

template <typename Each>
void each_word(std::string_view words, char between, Each each) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(between), words.size());
    if (end > 0) each(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

std::vector<std::string_view> split(std::string_view words, char between) {
  std::vector<std::string_view> all;
  each_word(words, between, [&](std::string_view word) { all.push_back(word); });
  return all;
}

bool has(const std::vector<std::string_view>& words, std::string_view wanted) {
  return std::ranges::find(words, wanted) != words.end();
}

// m16n8k32, m8n8
bool is_shape(std::string_view word) {
  std::string letters;
  for (const char c : word) {
    if (c < '0' || c > '9')
      letters += c;
    else if (letters.empty())
      return false;
  }
  return (letters == "mnk" || letters == "mn") && word.back() >= '0' && word.back() <= '9';
}

// Types say by their order what they are of, and so do state spaces; .popc stands behind what it
// counts. Other words stand anywhere.
enum class Ordered : std::uint8_t { none, type, space, counted, kinds };

Ordered ordered(std::string_view word) {
  static const std::unordered_set<std::string_view> formats = {
      "tf32",   "s4",     "u4",     "b1",     "e4m3", "e5m2", "e4m3x2",
      "e5m2x2", "e2m1x2", "e2m3x2", "e3m2x2", "e2m1", "e2m3", "e3m2"};
  if (type_named(word) != Type::none || formats.contains(word)) return Ordered::type;
  if (word == "and" || word == "xor" || word == "popc") return Ordered::counted;
  return word == "global" || word.starts_with("shared") ? Ordered::space : Ordered::none;
}

void add(Needs& needs, const Needs& more) {
  needs.specific = needs.specific || more.specific;
  needs.architecture = std::max(needs.architecture, more.architecture);
  needs.version = std::max(needs.version, more.version);
}

// A place for a word in a form's syntax.
struct Slot {
  WordSet set = WordSet::none;  ///< that its words are
  std::vector<std::string_view> words;
  bool shape = false;  ///< any m16n8k16 as well
  bool optional = false;
  bool repeats = false;  ///< any number of these words
  int group = -1;        ///< slots of one {.a.b}: all or none

  [[nodiscard]] bool takes(std::string_view word) const {
    return has(words, word) || (shape && is_shape(word));
  }
};

// A form whose syntax has been read.
class Syntax {
 public:
  explicit Syntax(const InstructionForm& form) : form_(&form) {
    const std::string_view text = form.syntax;
    std::size_t at = std::min(text.find_first_of(".{"), text.size());
    mnemonic_ = text.substr(0, at);
    int group = -1, groups = 0;
    while (at < text.size()) {
      if (text[at] == '{') {
        group = groups++;
        ++at;
      } else if (text[at] == '}') {
        group = -1;
        ++at;
      } else if (text[at] == '!') {
        named_ = slots_.size();
        ++at;
      } else {
        at = read_slot(at + 1, group);
      }
    }
  }

  [[nodiscard]] std::string_view mnemonic() const { return mnemonic_; }
  [[nodiscard]] const InstructionForm& form() const { return *form_; }
  [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }

  // The set of each word's slot, or nothing: each word has a slot of its own, in any order, and each
  // slot that must have a word has one.
  [[nodiscard]] std::optional<std::vector<WordSet>> match(
      const std::vector<std::string_view>& words, std::size_t operands) const {
    if (form_->operands != 0 && form_->operands != operands) return std::nullopt;
    std::vector<WordSet> sets;
    std::vector<bool> filled(slots_.size());
    std::array<std::size_t, static_cast<std::size_t>(Ordered::kinds)> behind{};  // by Ordered
    for (const std::string_view word : words) {
      const Ordered kind = ordered(word);
      std::size_t& first = behind[static_cast<std::size_t>(kind)];
      std::size_t slot = kind == Ordered::none ? 0 : first;
      if (sets.size() < named_) slot = sets.size();
      const auto is_free = [&] { return !filled[slot] || slots_[slot].repeats; };
      while (slot < slots_.size() && (!is_free() || !slots_[slot].takes(word))) ++slot;
      if (slot == slots_.size() || (sets.size() < named_ && slot != sets.size()))
        return std::nullopt;
      filled[slot] = true;
      first = slot;
      sets.push_back(slots_[slot].set);
    }
    if (!is_complete(filled)) return std::nullopt;
    return sets;
  }

 private:
  // Reads what stands behind a dot; where it ends.
  std::size_t read_slot(std::size_t at, int group) {
    const std::string_view text = form_->syntax;
    Slot slot;
    slot.group = group;
    slot.optional = group >= 0;
    if (text[at] == '*') {
      slot.repeats = true;
      ++at;
    }
    std::size_t end;
    if (text[at] == '<') {
      end = text.find('>', at);
      slot.words = split(text.substr(at + 1, end - at - 1), ' ');
      ++end;
    } else {
      end = std::min(text.find_first_of(".{}!", at), text.size());
      const std::string_view word = text.substr(at, end - at);
      if (word == "$shape") {
        slot.shape = true;
      } else if (word[0] == '$') {
        const NamedSet& set = *set_named(word.substr(1));
        slot.set = set.set;
        slot.words = split(set.words, ' ');
      } else {
        slot.words = {word};
      }
    }
    slots_.push_back(std::move(slot));
    return end;
  }

  [[nodiscard]] bool is_complete(const std::vector<bool>& filled) const {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (!slots_[i].optional && !filled[i]) return false;
      if (i > 0 && slots_[i].group >= 0 && slots_[i].group == slots_[i - 1].group &&
          filled[i] != filled[i - 1])
        return false;
    }
    return true;
  }

  const InstructionForm* form_;
  std::string_view mnemonic_;
  std::vector<Slot> slots_;
  std::size_t named_ = 0;  ///< the slots before a `!`, whose words stand in their places
};

struct InstructionSet {
  std::unordered_map<std::string_view, std::vector<Syntax>> by_mnemonic;
  std::unordered_set<std::string_view> words;
};

// The needs of instruction_forms.def.
constexpr Needs any = {};
constexpr Needs sm(std::uint32_t architecture, std::uint32_t version = 0) {
  return {architecture, version};
}
constexpr Needs sm_a(std::uint32_t architecture, std::uint32_t version = 0) {
  return {architecture, version, true};
}
constexpr Needs ptx(std::uint32_t version) {
  return {0, version};
}

constexpr InstructionForm kForms[] = {
#define FORM(syntax, operands, needs, which, family) \
  {syntax, needs, operands, InstructionClass::of_##which, Family::family},
#include "ptx/instruction_forms.def"
};

const InstructionSet& instruction_set() {
  static const InstructionSet set = [] {
    InstructionSet all;
    for (const InstructionForm& form : kForms) {
      Syntax syntax(form);
      for (const Slot& slot : syntax.slots())
        all.words.insert(slot.words.begin(), slot.words.end());
      all.by_mnemonic[syntax.mnemonic()].push_back(std::move(syntax));
    }
    return all;
  }();
  return set;
}

// Arithmetic, comparisons and selections are of the type they work on: of setp.lt.f32 the last
// word, of set.lt.u32.f32 too.
InstructionClass class_of_type(std::string_view type) {
  if (type == "f64") return InstructionClass::of_double;
  if (type == "f32" || type == "f32x2") return InstructionClass::of_single;
  if (type == "f16" || type == "f16x2" || type == "bf16" || type == "bf16x2")
    return InstructionClass::of_half;
  if (!type.empty() && (type[0] == 'u' || type[0] == 's' || type[0] == 'b' || type == "pred"))
    return InstructionClass::of_integer;
  return InstructionClass::of_other;
}

// The syntax with its sets spelled out.
std::string spelled(const InstructionForm& form) {
  std::string text;
  for (std::size_t at = 0; at < form.syntax.size(); ++at) {
    if (form.syntax[at] != '$') {
      if (form.syntax[at] != '!') text += form.syntax[at];
      continue;
    }
    const std::size_t end = std::min(form.syntax.find_first_of(".{}!", at), form.syntax.size());
    const std::string_view name = form.syntax.substr(at + 1, end - at - 1);
    text += name == "shape" ? "<mMnNkK>" : "<" + std::string(set_named(name)->words) + ">";
    at = end - 1;
  }
  return text;
}

// Describes the words of a slot for a message.
std::string described(const Slot& slot) {
  const auto is_of = [&](std::string_view set) {
    const std::vector<std::string_view> words = split(set_named(set)->words, ' ');
    return slot.words.size() > 1 &&
           std::ranges::all_of(slot.words, [&](auto word) { return has(words, word); });
  };
  if (slot.shape) return "a shape";
  if (is_of("rnd")) return "a rounding modifier";
  if (is_of("cmp")) return "a comparison";
  if (slot.words.size() > 1 && ordered(slot.words.front()) == Ordered::type) return "a type";
  std::string text = "." + std::string(slot.words.front());
  for (std::size_t i = 1; i < slot.words.size(); ++i)
    text += (i + 1 == slot.words.size() ? " or ." : ", .") + std::string(slot.words[i]);
  return text;
}

// How a form differs from what was written.
struct Distance {
  std::ptrdiff_t strangers = 0;      ///< words that it has no slot for
  std::vector<const Slot*> missing;  ///< slots that must have a word and have none

  friend bool operator<(const Distance& a, const Distance& b) {
    return std::pair(a.strangers, a.missing.size()) < std::pair(b.strangers, b.missing.size());
  }
};

Distance distance(const Syntax& syntax, std::span<const std::string_view> words) {
  Distance found;
  const auto taken_by = [&](std::string_view word) {
    return [word](const Slot& slot) { return slot.takes(word); };
  };
  found.strangers = std::ranges::count_if(words, [&](std::string_view word) {
    return std::ranges::none_of(syntax.slots(), taken_by(word));
  });
  for (const Slot& slot : syntax.slots()) {
    const bool filled =
        std::ranges::any_of(words, [&](std::string_view word) { return slot.takes(word); });
    if (!slot.optional && !filled) found.missing.push_back(&slot);
  }
  return found;
}

}  // namespace

Mnemonic mnemonic_named(std::string_view word) {
  static const std::unordered_map<std::string_view, Mnemonic> all = {
#define NAMED_MNEMONIC(identifier, spelling) {spelling, Mnemonic::identifier},
#include "ptx/opcode_words.def"
  };
  const auto found = all.find(word);
  return found == all.end() ? Mnemonic::none : found->second;
}

std::string_view name_of(Modifier modifier) {
  constexpr std::string_view names[] = {
      "",
#define NAMED_MODIFIER(identifier, spelling) spelling,
#include "ptx/opcode_words.def"
  };
  return names[static_cast<std::size_t>(modifier)];
}

InstructionFacts words_of(std::string_view opcode) {
  static const std::unordered_map<std::string_view, Modifier> modifiers = {
#define NAMED_MODIFIER(identifier, spelling) {spelling, Modifier::identifier},
#include "ptx/opcode_words.def"
  };
  InstructionFacts facts;
  facts.words = split(opcode, '.');
  if (facts.words.empty()) return facts;
  facts.name = facts.words.front();
  facts.mnemonic = mnemonic_named(facts.name);
  facts.words.erase(facts.words.begin());
  for (const std::string_view word : facts.words) {
    const auto found = modifiers.find(word);
    facts.modifiers.push_back(found == modifiers.end() ? Modifier::none : found->second);
  }
  return facts;
}

InstructionFacts facts_of(std::string_view opcode, std::size_t operands) {
  InstructionFacts facts = words_of(opcode);
  for (const std::string_view word : facts.words) {
    if (const Type type = type_named(word); type != Type::none) facts.types.push_back(type);
  }
  const auto known = instruction_set().by_mnemonic.find(facts.name);
  if (known == instruction_set().by_mnemonic.end()) return facts;
  const InstructionForm* form = &known->second.front().form();
  for (const Syntax& syntax : known->second) {
    auto sets = syntax.match(facts.words, operands);
    if (!sets) continue;
    facts.form = form = &syntax.form();
    facts.sets = std::move(*sets);
    facts.needs = form->needs;
    break;
  }
  facts.family = form->family;
  for (const std::string_view word : facts.words) {
    const auto* row = std::ranges::find(kWordNeeds, word, &WordNeeds::word);
    if (row != std::end(kWordNeeds)) add(facts.needs, row->needs);
  }
  facts.which = form->which;
  if (form->which == InstructionClass::of_typed)
    facts.which = class_of_type(facts.words.empty() ? "" : facts.words.back());
  return facts;
}

bool InstructionFacts::has(Modifier modifier) const {
  return std::ranges::find(modifiers, modifier) != modifiers.end();
}

bool InstructionFacts::has(Type type) const {
  return std::ranges::find(types, type) != types.end();
}

Modifier InstructionFacts::of(WordSet set) const {
  const auto found = std::ranges::find(sets, set);
  return found == sets.end() ? Modifier::none
                             : modifiers[static_cast<std::size_t>(found - sets.begin())];
}

Type InstructionFacts::type(WordSet set) const {
  const auto found = std::ranges::find(sets, set);
  return found == sets.end() ? Type::none
                             : type_named(words[static_cast<std::size_t>(found - sets.begin())]);
}

std::array<std::uint32_t, 3> InstructionFacts::shape() const {
  for (std::string_view word : words) {
    std::array<std::uint32_t, 3> shape{};
    for (std::size_t i = 0; i < 3 && !word.empty() && word.front() == "mnk"[i]; ++i) {
      const auto [end, error] =
          std::from_chars(word.data() + 1, word.data() + word.size(), shape[i]);
      if (error != std::errc()) break;
      word.remove_prefix(static_cast<std::size_t>(end - word.data()));
    }
    if (word.empty()) return shape;
  }
  return {};
}

const InstructionFacts& InstructionTable::of(std::string_view opcode, std::size_t operands) {
  std::vector<Known>& all = known_[opcode];
  for (const Known& one : all) {
    if (one.operands == operands) return *one.facts;
  }
  all.push_back({operands, std::make_unique<InstructionFacts>(facts_of(opcode, operands))});
  return *all.back().facts;
}

std::span<const InstructionForm> instruction_forms() {
  return kForms;
}

std::string what_is_wrong(std::string_view opcode) {
  const std::vector<std::string_view> words = split(opcode, '.');
  const std::string first(words.empty() ? opcode : words[0]);
  const auto known = instruction_set().by_mnemonic.find(first);
  if (known == instruction_set().by_mnemonic.end()) return "'" + first + "' is no instruction";
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!instruction_set().words.contains(words[i]) && !is_shape(words[i]))
      return "unknown modifier '." + std::string(words[i]) + "'";
  }
  constexpr std::size_t kMostWords = 64;  // a hostile opcode has millions
  if (words.size() > kMostWords) return "'" + first + "' has no such modifiers, or not together";
  const std::span<const std::string_view> modifiers = std::span(words).subspan(1);
  const Syntax* nearest = &known->second.front();
  Distance least = distance(*nearest, modifiers);
  for (const Syntax& syntax : known->second) {
    Distance own = distance(syntax, modifiers);
    if (least < own) continue;
    nearest = &syntax;
    least = std::move(own);
  }
  constexpr std::size_t kReadable = 160;
  const std::string syntax = spelled(nearest->form());
  const std::string form = syntax.size() <= kReadable ? "; one form of it is " + syntax : "";
  if (least.strangers == 0 && !least.missing.empty())
    return "'" + first + "' needs " + described(*least.missing.front()) + form;
  return "'" + first + "' has no such modifiers, or not together" + form;
}

}  // namespace warpmark::cpu
