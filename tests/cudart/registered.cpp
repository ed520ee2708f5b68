// The image, and the constructor that registers it.
#include "cudart/registered.hpp"

#include <string>

#include "device/support/fatbin.hpp"

namespace warpmark::test {
namespace {

constexpr const char* kRegisteredText = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .const .align 4 .u32 factor = 3;
.visible .global .align 4 .u32 total = 5;
.visible .global .attribute(.managed) .align 4 .u32 seen = 7;
.visible .entry scale(.param .u64 data, .param .u32 count)
{
  .reg .u32 %r<8>;
  .reg .u64 %rd<4>;
  .reg .pred %p;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r0, %r0, %r1, %r2;
  ld.param.u32 %r3, [count];
  setp.ge.u32 %p, %r0, %r3;
  @%p bra done;
  ld.param.u64 %rd0, [data];
  mul.wide.u32 %rd1, %r0, 4;
  add.u64 %rd0, %rd0, %rd1;
  ld.global.u32 %r4, [%rd0];
  ld.const.u32 %r5, [factor];
  mul.lo.u32 %r4, %r4, %r5;
  st.global.u32 [%rd0], %r4;
  red.global.add.u32 [total], 1;
  red.global.add.u32 [seen], 1;
done:
  ret;
}
.visible .entry overrun(.param .u64 data)
{
  .reg .u32 %r;
  .reg .u64 %rd<2>;
  ld.param.u64 %rd0, [data];
  mov.u32 %r, %tid.x;
  mul.wide.u32 %rd1, %r, 4;
  add.u64 %rd0, %rd0, %rd1;
  st.global.u32 [%rd0], 1;
  ret;
}
)";

// __fatBinC_Wrapper_t of fatbinary_section.h.
struct Wrapper {
  int magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  void* parts = nullptr;
};

void name_kernel(const void* host, const char* name) {
  __cudaRegisterFunction(image, static_cast<const char*>(host), const_cast<char*>(name), name, -1,
                         nullptr, nullptr, nullptr, nullptr, nullptr);
}

}  // namespace

// Host functions of a kernel launch it; these are only names.
void scale(unsigned int*, unsigned int) {}
void missing() {}
void overrun(unsigned int*) {}

unsigned int factor = 0, total = 0;
unsigned int* seen = nullptr;
void** image = nullptr;

namespace {

__attribute__((constructor)) void register_image() {
  static const std::string& bytes = *new std::string(fatbin(kRegisteredText));
  static Wrapper wrapper;
  wrapper.data = bytes.data();
  image = __cudaRegisterFatBinary(&wrapper);
  name_kernel(reinterpret_cast<const void*>(&scale), "scale");
  name_kernel(reinterpret_cast<const void*>(&missing), "missing");
  name_kernel(reinterpret_cast<const void*>(&overrun), "overrun");
  __cudaRegisterVar(image, reinterpret_cast<char*>(&factor), nullptr, "factor", 0, 4, 1, 0);
  __cudaRegisterVar(image, reinterpret_cast<char*>(&total), nullptr, "total", 0, 4, 0, 0);
  __cudaRegisterManagedVar(image, reinterpret_cast<void**>(&seen), nullptr, "seen", 0, 4, 0, 0);
  __cudaRegisterFatBinaryEnd(image);
}

}  // namespace
}  // namespace warpmark::test
