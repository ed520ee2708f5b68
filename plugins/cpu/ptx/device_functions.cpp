// The device's functions in PTX, and which functions of the runtime there are on the device.
//
// Grid groups: the handle is the address of the workspace that a cooperative launch has, and the
// barrier in it that of the toolkit's cooperative_groups.h, so that both can be mixed. In another
// launch there is no workspace, and the handle is 0.
#include "ptx/device_functions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ptx/parser.hpp"

namespace warpmark::cpu {
namespace {

// Results are cudaSuccess, and cudaErrorInvalidValue for what is no handle. Of the scopes only the
// grid's (1) has one. Pointers may be null.
constexpr std::string_view kGroups = R"(
.visible .func (.param .b64 result) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .pred %p1; .reg .b32 %r<4>; .reg .b64 %rd<3>;
  ld.param.u32 %r1, [scope];
  mov.u32 %r2, %envreg2; mov.u32 %r3, %envreg1;
  mov.b64 %rd1, {%r2, %r3};
  setp.eq.u32 %p1, %r1, 1;
  selp.b64 %rd2, %rd1, 0, %p1;
  st.param.b64 [result+0], %rd2;
  ret;
}
.visible .func (.param .b32 result) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %p<6>; .reg .b32 %r<20>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [handle];
  mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1;
  mov.b64 %rd2, {%r1, %r2};
  setp.eq.u64 %p1, %rd1, 0; @%p1 bra wrong;
  setp.ne.u64 %p1, %rd1, %rd2; @%p1 bra wrong;
  bar.sync 0;
  mov.u32 %r3, %tid.x; mov.u32 %r4, %tid.y; mov.u32 %r5, %tid.z;
  or.b32 %r3, %r3, %r4; or.b32 %r3, %r3, %r5;
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra together;
  mov.u32 %r6, %nctaid.x; mov.u32 %r7, %nctaid.y; mov.u32 %r8, %nctaid.z;
  mul.lo.u32 %r6, %r6, %r7; mul.lo.u32 %r6, %r6, %r8;
  mov.u32 %r9, %ctaid.x; mov.u32 %r10, %ctaid.y; mov.u32 %r11, %ctaid.z;
  or.b32 %r9, %r9, %r10; or.b32 %r9, %r9, %r11;
  setp.eq.u32 %p3, %r9, 0;
  sub.u32 %r12, 0x80000001, %r6;
  selp.b32 %r12, %r12, 1, %p3;
  membar.gl;
  atom.global.add.u32 %r13, [%rd1+4], %r12;
look:
  ld.volatile.global.u32 %r14, [%rd1+4];
  xor.b32 %r15, %r14, %r13;
  setp.ge.s32 %p4, %r15, 0;
  @%p4 bra look;
  membar.gl;
together:
  bar.sync 0;
  st.param.b32 [result+0], 0;
  ret;
wrong:
  st.param.b32 [result+0], 1;
  ret;
}
.visible .func (.param .b32 result) cudaCGSynchronizeGrid(.param .b64 handle, .param .b32 flags)
{
  .reg .b32 %r<3>; .reg .b64 %rd1;
  ld.param.u64 %rd1, [handle]; ld.param.u32 %r1, [flags];
  {
    .param .b64 a; .param .b32 b; .param .b32 c;
    st.param.b64 [a+0], %rd1; st.param.b32 [b+0], %r1;
    call.uni (c), cudaCGSynchronize, (a, b);
    ld.param.b32 %r2, [c+0];
  }
  st.param.b32 [result+0], %r2;
  ret;
}
.visible .func (.param .b32 result) cudaCGGetSize(.param .b64 threads, .param .b64 grids,
                                                  .param .b64 handle)
{
  .reg .pred %p1; .reg .b32 %r<8>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [handle]; ld.param.u64 %rd2, [threads]; ld.param.u64 %rd3, [grids];
  mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1;
  mov.b64 %rd4, {%r1, %r2};
  setp.eq.u64 %p1, %rd1, 0; @%p1 bra wrong;
  setp.ne.u64 %p1, %rd1, %rd4; @%p1 bra wrong;
  setp.eq.u64 %p1, %rd2, 0; @%p1 bra number;
  mov.u32 %r1, %nctaid.x; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %nctaid.z;
  mul.lo.u32 %r1, %r1, %r2; mul.lo.u32 %r1, %r1, %r3;
  mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;
  mul.lo.u32 %r4, %r4, %r5; mul.lo.u32 %r4, %r4, %r6;
  mul.lo.u32 %r1, %r1, %r4;
  st.u32 [%rd2], %r1;
number:
  setp.eq.u64 %p1, %rd3, 0; @%p1 bra good;
  st.u32 [%rd3], 1;
good:
  st.param.b32 [result+0], 0;
  ret;
wrong:
  st.param.b32 [result+0], 1;
  ret;
}
.visible .func (.param .b32 result) cudaCGGetRank(.param .b64 thread, .param .b64 grid,
                                                  .param .b64 handle)
{
  .reg .pred %p1; .reg .b32 %r<16>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [handle]; ld.param.u64 %rd2, [thread]; ld.param.u64 %rd3, [grid];
  mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1;
  mov.b64 %rd4, {%r1, %r2};
  setp.eq.u64 %p1, %rd1, 0; @%p1 bra wrong;
  setp.ne.u64 %p1, %rd1, %rd4; @%p1 bra wrong;
  setp.eq.u64 %p1, %rd2, 0; @%p1 bra number;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;
  mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y;
  mad.lo.u32 %r2, %r3, %r5, %r2; mad.lo.u32 %r1, %r2, %r4, %r1;
  mov.u32 %r6, %ntid.x; mov.u32 %r7, %ntid.y; mov.u32 %r8, %ntid.z;
  mov.u32 %r9, %tid.x; mov.u32 %r10, %tid.y; mov.u32 %r11, %tid.z;
  mad.lo.u32 %r10, %r11, %r7, %r10; mad.lo.u32 %r9, %r10, %r6, %r9;
  mul.lo.u32 %r6, %r6, %r7; mul.lo.u32 %r6, %r6, %r8;
  mad.lo.u32 %r1, %r1, %r6, %r9;
  st.u32 [%rd2], %r1;
number:
  setp.eq.u64 %p1, %rd3, 0; @%p1 bra good;
  st.u32 [%rd3], 0;
good:
  st.param.b32 [result+0], 0;
  ret;
wrong:
  st.param.b32 [result+0], 1;
  ret;
}
)";

// Streams and events of kernels that launch kernels. Launches begin in the order of their calls,
// each when the one before has ended, so that there is nothing to wait for. A stream must be
// non-blocking, an event without times.
#define MAKES(name, flags)                                   \
  ".visible .func (.param .b32 result) " name                \
  "(.param .b64 place, .param .b32 flags)\n"                 \
  "{ .reg .pred %p1; .reg .b32 %r1; .reg .b64 %rd1;\n"       \
  "ld.param.u64 %rd1, [place]; ld.param.u32 %r1, [flags];\n" \
  "setp.ne.u32 %p1, %r1, " flags                             \
  "; @%p1 bra wrong;\n"                                      \
  "st.u64 [%rd1], 64; st.param.b32 [result+0], 0; ret;\n"    \
  "wrong: st.param.b32 [result+0], 1; ret; }\n"
#define SUCCEEDS(name, parameters)                           \
  ".visible .func (.param .b32 result) " name "(" parameters \
  ")\n"                                                      \
  "{ st.param.b32 [result+0], 0; ret; }\n"
#define STREAMS(prefix)                                                                  \
  MAKES(prefix "StreamCreateWithFlags", "1")                                             \
  MAKES(prefix "EventCreateWithFlags", "2")                                              \
  SUCCEEDS(prefix "StreamDestroy", ".param .b64 a")                                      \
  SUCCEEDS(prefix "EventDestroy", ".param .b64 a")                                       \
  SUCCEEDS(prefix "StreamWaitEvent", ".param .b64 a, .param .b64 b, .param .b32 c")      \
  SUCCEEDS(prefix "StreamWaitEvent_ptsz", ".param .b64 a, .param .b64 b, .param .b32 c") \
  SUCCEEDS(prefix "EventRecord", ".param .b64 a, .param .b64 b")                         \
  SUCCEEDS(prefix "EventRecord_ptsz", ".param .b64 a, .param .b64 b")                    \
  SUCCEEDS(prefix "EventRecordWithFlags", ".param .b64 a, .param .b64 b, .param .b32 c") \
  SUCCEEDS(prefix "EventRecordWithFlags_ptsz", ".param .b64 a, .param .b64 b, .param .b32 c")
constexpr std::string_view kStreams = "\n" STREAMS("__cudaCDP2");
constexpr std::string_view kOldStreams = "\n" STREAMS("cuda");
#undef STREAMS
#undef SUCCEEDS
#undef MAKES

// Memory of the device's heap, as malloc and free of kernels have it.
#define MEMORY(prefix)                                                                     \
  "\n.extern .func (.param .b64 r) malloc (.param .b64 a);\n"                              \
  ".extern .func free (.param .b64 a);\n"                                                  \
  ".visible .func (.param .b32 result) " prefix                                            \
  "Malloc(.param .b64 place, .param .b64 bytes)\n"                                         \
  "{ .reg .pred %p1; .reg .b32 %r1; .reg .b64 %rd<4>;\n"                                   \
  "ld.param.u64 %rd1, [place]; ld.param.u64 %rd2, [bytes];\n"                              \
  "{ .param .b64 a; .param .b64 r; st.param.b64 [a+0], %rd2; call.uni (r), malloc, (a);\n" \
  "ld.param.b64 %rd3, [r+0]; }\n"                                                          \
  "st.u64 [%rd1], %rd3; setp.eq.u64 %p1, %rd3, 0; selp.u32 %r1, 2, 0, %p1;\n"              \
  "st.param.b32 [result+0], %r1; ret; }\n"                                                 \
  ".visible .func (.param .b32 result) " prefix                                            \
  "Free(.param .b64 place)\n"                                                              \
  "{ .reg .b64 %rd1; ld.param.u64 %rd1, [place];\n"                                        \
  "{ .param .b64 a; st.param.b64 [a+0], %rd1; call.uni free, (a); }\n"                     \
  "st.param.b32 [result+0], 0; ret; }\n"
constexpr std::string_view kMemory = MEMORY("__cudaCDP2"), kOldMemory = MEMORY("cuda");
#undef MEMORY

constexpr std::string_view kPrefix = "__cudaCDP2";

// Their names in CUDA 11 and earlier; also prefixes of longer names.
constexpr std::string_view kRuntime[] = {"cudaLaunchDevice",
                                         "cudaGetParameterBuffer",
                                         "cudaDeviceSynchronize",
                                         "cudaDeviceGet",
                                         "cudaStream",
                                         "cudaEvent",
                                         "cudaMemcpy",
                                         "cudaMemset",
                                         "cudaMalloc",
                                         "cudaFree",
                                         "cudaGetLastError",
                                         "cudaPeekAtLastError",
                                         "cudaGetError",
                                         "cudaGetDevice",
                                         "cudaFuncGetAttributes",
                                         "cudaOccupancyMax",
                                         "cudaRuntimeGetVersion"};

constexpr std::string_view kNative[] = {"vprintf", "malloc", "free", "__assertfail",
                                        "cudaGraphSetConditional"};

// Returns whether a module declares a function that it does not define but `text` does.
bool needs(const Module& module, std::string_view text) {
  return std::ranges::any_of(module.functions, [&](const Function& function) {
    return !function.has_body &&
           text.find(" " + std::string(function.name) + "(") != std::string_view::npos;
  });
}

}  // namespace

std::string device_runtime_name(std::string_view name) {
  if (name.starts_with(kPrefix)) return "cuda" + std::string(name.substr(kPrefix.size()));
  const bool known = std::ranges::any_of(
      kRuntime, [&](std::string_view begin) { return name.starts_with(begin); });
  return known ? std::string(name) : "";
}

bool is_device_function(std::string_view name) {
  return std::ranges::find(kNative, name) != std::end(kNative) ||
         !device_runtime_name(name).empty() ||
         kGroups.find(" " + std::string(name) + "(") != std::string_view::npos;
}

Module parse_with_device_functions(std::string text) {
  Module module = parse_ptx(std::move(text));
  std::string more;
  for (const std::string_view functions : {kGroups, kStreams, kOldStreams, kMemory, kOldMemory}) {
    if (needs(module, functions)) more += functions;
  }
  return more.empty() ? std::move(module) : parse_ptx(*module.text + more);
}

}  // namespace warpmark::cpu
