// Clients of the CPU device share this, compiled once.
#include "device/support/client.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace warpmark::test {
namespace {

std::vector<Json> drain(void (*from)(warpmark_device_context, warpmark_device_sink, void*)) {
  std::vector<Json> lines;
  from(
      nullptr,
      [](void* user, const char* text, std::size_t length) {
        static_cast<std::vector<Json>*>(user)->push_back(Json::parse(text, text + length));
      },
      &lines);
  return lines;
}

}  // namespace

Api::Api() = default;

void* Api::symbol(const char* name) const {
  void* symbol = library == nullptr ? nullptr : dlsym(library, name);
  if (symbol == nullptr) throw std::runtime_error(std::string(name) + ": not exported");
  return symbol;
}

const Api& api() {
  static const Api instance;
  return instance;
}

std::string read_text(const std::string& name) {
  std::ifstream file(std::string(WARPMARK_TEST_DATA) + "/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("no test data " + name);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<Json> reports() {
  return drain(api().device->drain_reports);
}
std::vector<Json> counters() {
  return drain(api().device->drain_counters);
}

template struct Array<float>;
template struct Array<double>;
template struct Array<std::int32_t>;
template struct Array<std::uint32_t>;
template struct Array<std::uint64_t>;

void DeviceTest::SetUp() {
  ASSERT_CU(api().init(0));
  ASSERT_CU(api().create_context(&context_, 0, 0));
}

void DeviceTest::TearDown() {
  if (context_ != nullptr) {
    EXPECT_CU(api().destroy_context(context_));
  }
}

CUfunction DeviceTest::kernel_of(const std::string& text, const char* name) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  EXPECT_CU(api().load(&module, text.c_str()));
  if (module != nullptr) {
    EXPECT_CU(api().function(&function, module, name));
  }
  return function;
}

CUfunction DeviceTest::body(const std::string& body) {
  return kernel_of(
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
      ".reg .pred %p<20>; .reg .b16 %rs<20>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 "
      "%f<40>; .reg .f64 %fd<40>;\n"
      "ld.param.u64 %rd1, [out];\n" +
          body + "\nret;\n}\n",
      "k");
}

void DeviceTest::configure(const char* json) {
  ASSERT_EQ(api().device->configure(nullptr, json), 0) << api().device->last_error();
}

}  // namespace warpmark::test
