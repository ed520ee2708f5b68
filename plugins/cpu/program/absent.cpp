// The instructions that PTX has and this device has not, and what is wrong with all others that it
// does not know.
#include "program/absent.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "ptx/module.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::string_view kVideo = "u32 s32 sat add min max";
constexpr std::string_view kVideoShift = "u32 s32 sat add min max clamp wrap";
constexpr std::string_view kVideoPacked = "u32 s32 sat add";
constexpr std::string_view kVideoSet = "u32 s32 add min max eq ne lt le gt ge";
constexpr std::string_view kMatrix =
    "sp sp::ordered_metadata sync aligned row col satfinite and xor popc f16 bf16 tf32 f32 f64 s32 "
    "s8 u8 s4 u4 b1 e4m3 e5m2 e3m2 e2m3 e2m1 ue8m0 ue4m3 kind::f8f6f4 kind::mxf8f6f4 kind::mxf4 "
    "kind::mxf4nvf4 block_scale scale_vec::1X scale_vec::2X scale_vec::4X";
constexpr std::string_view kRowShapes =
    "sync aligned trans shared shared::cta x1 x2 x4 b8 b8x16.b6x16_p32 b8x16 b6x16_p32 b4x16_p64";
constexpr std::string_view kTensorCore =
    "alloc dealloc relinquish_alloc_permit ld st red wait::ld wait::st cp shift commit mma sp ws "
    "fence::before_thread_sync fence::after_thread_sync cta_group::1 cta_group::2 sync aligned "
    "shared::cta shared::cluster b32 b64 f32 u32 s32 min max abs NaN pack::16b unpack::16b x1 x2 "
    "x4 x8 x16 x32 x64 x128 16x64b 16x128b 16x256b 32x32b 16x32bx2 mbarrier::arrive::one "
    "multicast::cluster down 128x256b 4x256b 128x128b 64x128b 32x128b warpx2::02_13 warpx2::01_23 "
    "warpx4 b8x16 b6x16_p32 b4x16_p64 kind::f16 kind::tf32 kind::f8f6f4 kind::i8 kind::mxf8f6f4 "
    "kind::mxf4 kind::mxf4nvf4 block_scale scale_vec::1X scale_vec::2X scale_vec::4X block16 "
    "block32 ashift collector::a::fill collector::a::use collector::a::lastuse "
    "collector::a::discard collector::b0::fill collector::b0::use collector::b0::lastuse "
    "collector::b0::discard collector::b1::fill collector::b1::use collector::b1::lastuse "
    "collector::b1::discard collector::b2::fill collector::b2::use collector::b2::lastuse "
    "collector::b2::discard collector::b3::fill collector::b3::use collector::b3::lastuse "
    "collector::b3::discard";
constexpr std::string_view kStored =
    "async weak release relaxed mmio cta cluster gpu sys global b32 b64 u32 u64 s32 s64 f32 f64 v2 "
    "v4 inc dec min max and or xor add";
constexpr std::string_view kCopied =
    "async bulk tensor global shared shared::cta shared::cluster bulk_group cp_mask "
    "mbarrier::complete_tx::bytes multicast::cluster L2 L2::cache_hint prefetch 1d 2d 3d 4d 5d "
    "tile tile::gather4 tile::scatter4 im2col im2col_no_offs im2col::w im2col::w::128 cta_group::1 "
    "cta_group::2";
constexpr std::string_view kSmallFloats =
    "rn rz rp rs relu satfinite f32 f16 bf16 f16x2 bf16x2 ue8m0x2 e4m3x2 e5m2x2 e2m3x2 e3m2x2 "
    "e2m1x2 e4m3x4 e5m2x4 e2m3x4 e3m2x4 e2m1x4";
constexpr std::string_view kMultimem =
    "ld_reduce st red weak relaxed release acquire cta cluster gpu sys global add min max and or "
    "xor acc::f16 acc::f32 v2 v4 v8 u32 s32 b32 u64 s64 b64 f32 f64 f16 f16x2 bf16 bf16x2 e4m3 "
    "e5m2 e4m3x2 e5m2x2 e4m3x4 e5m2x4";
constexpr std::string_view kLaunchControl =
    "try_cancel query_cancel async shared::cta mbarrier::complete_tx::bytes "
    "multicast::cluster::all is_canceled get_first_ctaid get_first_ctaid::x get_first_ctaid::y "
    "get_first_ctaid::z pred v4 b32 b128";
constexpr std::string_view kTensorMap =
    "replace tile global_address rank box_dim global_dim global_stride element_stride elemtype "
    "interleave_layout swizzle_mode fill_mode swizzle_atomicity global shared::cta b1024 b32 b64 "
    "cp_fenceproxy tensormap::generic release acquire cta cluster gpu sys sync aligned";

constexpr Absent kAbsent[] = {
    {"vadd", "", kVideo, 3},
    {"vsub", "", kVideo, 3},
    {"vabsdiff", "", kVideo, 3},
    {"vmin", "", kVideo, 3},
    {"vmax", "", kVideo, 3},
    {"vshl", "clamp wrap", kVideoShift, 3},
    {"vshr", "clamp wrap", kVideoShift, 3},
    {"vmad", "", "u32 s32 sat po shr7 shr15", 3},
    {"vset", "eq ne lt le gt ge", kVideoSet, 2},
    {"vadd2", "", kVideoPacked, 3},
    {"vsub2", "", kVideoPacked, 3},
    {"vavrg2", "", kVideoPacked, 3},
    {"vabsdiff2", "", kVideoPacked, 3},
    {"vmin2", "", kVideoPacked, 3},
    {"vmax2", "", kVideoPacked, 3},
    {"vset2", "eq ne lt le gt ge", "u32 s32 add eq ne lt le gt ge", 2},
    {"vadd4", "", kVideoPacked, 3},
    {"vsub4", "", kVideoPacked, 3},
    {"vavrg4", "", kVideoPacked, 3},
    {"vabsdiff4", "", kVideoPacked, 3},
    {"vmin4", "", kVideoPacked, 3},
    {"vmax4", "", kVideoPacked, 3},
    {"vset4", "eq ne lt le gt ge", "u32 s32 add eq ne lt le gt ge", 2},
    {"alloca", "", "u32", 1},
    {"stacksave", "", "u32", 1},
    {"stackrestore", "", "u32", 1},
    {"mma", "sp sp::ordered_metadata", kMatrix, 0, {80}},
    {"mma", "kind::f8f6f4 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4", kMatrix, 0, {120, true}},
    {"wgmma",
     "fence commit_group wait_group mma_async",
     "fence commit_group wait_group mma_async sp sync aligned satfinite and popc f16 bf16 tf32 f32 "
     "s32 s8 u8 b1 e4m3 e5m2",
     0,
     {90, true}},
    {"setmaxnreg", "inc dec", "inc dec sync aligned u32", 1, {90, true}},
    {"tcgen05",
     "alloc dealloc relinquish_alloc_permit ld st wait::ld wait::st cp shift commit mma "
     "fence::before_thread_sync fence::after_thread_sync",
     kTensorCore,
     0,
     {100, true}},
    {"redux", "f32", "sync min max abs NaN f32", 1, {100, true}, "sync"},
    {"ldmatrix", "b8 b8x16", kRowShapes, 0, {100, true}},
    {"stmatrix", "b8", kRowShapes, 1, {100, true}},
    {"cvt", "rs ue8m0x2 e2m1x4 e2m3x4 e3m2x4 e4m3x4 e5m2x4", kSmallFloats, 0, {100, true}},
    {"st", "async", kStored, 1, {100}},
    {"red", "async", kStored, 1, {100}},
    {"cp", "cp_mask tile::gather4 tile::scatter4", kCopied, 0, {100}},
    {"cp", "im2col::w im2col::w::128 cta_group::1 cta_group::2", kCopied, 0, {100, true}},
    {"tensormap", "replace cp_fenceproxy", kTensorMap, 0, {90}},
    {"multimem", "ld_reduce st red", kMultimem, 1, {90}},
    {"clusterlaunchcontrol", "try_cancel query_cancel", kLaunchControl, 1, {100}},
    {"fma", "oob", "rn ftz relu oob f16 f16x2 bf16 bf16x2", 1, {90}, "rn"},
    {"istypep", "texref samplerref surfref", "texref samplerref surfref"},
};

// All instructions of PTX 9.0, to tell an unknown one from one with unknown modifiers.
constexpr std::string_view kInstructions =
    "abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra "
    "brev brkpt brx call clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt cvta "
    "discard div dp2a dp4a elect ex2 exit fence fma fns getctarank griddepcontrol isspacep "
    "istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mma mov "
    "movmatrix mul mul24 multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp "
    "red redux rem ret rsqrt sad selp set setmaxnreg setp shf shfl shl shr sin slct sqrt st "
    "stackrestore stacksave stmatrix sub subc suld suq sured sust szext tanh tcgen05 tensormap "
    "testp tex tld4 trap txq vabsdiff vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad "
    "vmax vmax2 vmax4 vmin vmin2 vmin4 vote vset vset2 vset4 vshl vshr vsub vsub2 vsub4 wgmma "
    "wmma xor";

// Modifiers of instructions that are here.
constexpr std::string_view kModifiers =
    "1d 2d 3d 4d 5d a1d a2d cube acube 2dms a2dms a add abs acq_rel acquire aligned all and any "
    "approx arrive arrive_drop async async::generic async::global async::shared::cta "
    "async::shared::cluster alias b ballot base bfly bulk bulk_group ca cas cc cg "
    "channel_data_type channel_order clamp clock cluster col commit_group complete_tx const cs "
    "cta cv cvt d dec depth down eq equ exch exit expect_tx f4e finite fractional ftz full g ge "
    "geu generic geq gl global gpu grad gt gtu b4e rc8 ecl ecr rc16 height hi hs idx im2col "
    "im2col_no_offs inc infinite init inval l L1 L2 L1::evict_normal L1::evict_unchanged "
    "L1::evict_first L1::evict_last L1::no_allocate L2::evict_normal L2::evict_unchanged "
    "L2::evict_first L2::evict_last L2::64B L2::128B L2::256B L2::cache_hint launch_dependents le "
    "leu level lo local ls lt ltu lu mask max mbarrier mbarrier::complete_tx::bytes mbarrier_init "
    "memory_layout min mmio multicast::cluster nan NaN nc ne neu noComplete noftz noinc normal "
    "normalized_coords notanumber num num_samples num_mipmap_levels number or p pack param "
    "param::entry param::func parity pending_count popc pred prefetch proxy r range read rcp red "
    "relaxed release relu rm rmi rn rna rni row rp rpi rz rzi sat satfinite sc shared shared::cta "
    "shared::cluster shiftamt subnormal sync sync_restrict::shared::cta "
    "sync_restrict::shared::cluster sys tensor tensormap tensormap::generic test_wait tile to "
    "trans trap try_wait uni up v2 v4 v8 volatile wait wait_all wait_group warp wb weak wide "
    "width wrap wt x1 x2 x4 xor xorsign zero load store mma acc texref surfref samplerref s4 u4 "
    "b1 mul sub b2 b4 e4m3 e5m2 e4m3x2 e5m2x2 e2m1x2 e2m3x2 e3m2x2 tf32 f16x2 bf16x2 f32x2 u16x2 "
    "s16x2 unsigned branchtargets sp texture";

template <typename Each>
void each_word(std::string_view words, char between, Each each) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(between), words.size());
    each(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

std::vector<std::string_view> split(std::string_view opcode) {
  std::vector<std::string_view> words;
  each_word(opcode, '.', [&](std::string_view word) { words.push_back(word); });
  return words;
}

bool is_one_of(std::string_view list, std::string_view wanted) {
  bool found = false;
  each_word(list, ' ', [&](std::string_view word) { found = found || word == wanted; });
  return found;
}

bool is_type(std::string_view word) {
  return type_named(word) != Type::none;
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

bool is_modifier(std::string_view word) {
  return is_type(word) || is_shape(word) || is_one_of(kModifiers, word) ||
         std::any_of(std::begin(kAbsent), std::end(kAbsent),
                     [&](const Absent& row) { return is_one_of(row.words, word); });
}

}  // namespace

const Absent* find_absent(std::string_view opcode) {
  const std::vector<std::string_view> words = split(opcode);
  for (const Absent& row : kAbsent) {
    if (words.empty() || words[0] != row.first) continue;
    bool needed = row.needs.empty(), known = true;
    int types = 0;
    for (std::size_t i = 1; i < words.size(); ++i) {
      known = known && (is_one_of(row.words, words[i]) || is_shape(words[i]));
      needed = needed || is_one_of(row.needs, words[i]);
      types += is_type(words[i]) ? 1 : 0;
    }
    const bool also =
        row.also.empty() || std::find(words.begin(), words.end(), row.also) != words.end();
    if (known && needed && also && types >= row.types) return &row;
  }
  return nullptr;
}

std::string what_is_wrong(std::string_view opcode) {
  const std::vector<std::string_view> words = split(opcode);
  const std::string first(words.empty() ? opcode : words[0]);
  if (!is_one_of(kInstructions, first)) return "'" + first + "' is no instruction";
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!is_modifier(words[i])) return "unknown modifier '." + std::string(words[i]) + "'";
  }
  const auto has = [&](std::string_view list) {
    return std::any_of(words.begin() + 1, words.end(),
                       [&](std::string_view word) { return is_one_of(list, word); });
  };
  const bool real = has("f16 bf16 f32 f64 f16x2 bf16x2 f32x2");
  if (real && is_one_of("fma mad div rcp sqrt", first) && !has("rn rz rm rp approx full"))
    return "'" + first + "' needs a rounding modifier" + (first == "fma" ? "" : ", or .approx");
  if (is_one_of("sin cos lg2 ex2 tanh rsqrt", first) && !has("approx"))
    return "'" + first + "' needs .approx";
  if (!real && is_one_of("mul mad madc mul24 mad24", first) && !has("lo hi wide"))
    return "'" + first + "' needs .lo, .hi" + (first.ends_with("24") ? "" : " or .wide");
  if (is_one_of("set setp", first) &&
      !has("eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"))
    return "'" + first + "' needs a comparison";
  if (std::none_of(words.begin() + 1, words.end(), is_type) &&
      find_absent(first + ".u32") == nullptr &&
      is_one_of(
          "abs add addc and bfe bfi brev clz cnot copysign cvt div fma ld ldu lop3 mad max min "
          "mov mul neg not or popc prmt rcp rem sad selp set setp shf shl shr slct sqrt st sub "
          "subc testp xor",
          first))
    return "'" + first + "' needs a type";
  return "'" + first + "' has no such modifiers, or not together";
}

}  // namespace warpmark::cpu
