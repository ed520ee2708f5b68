// Ownership: nothing leaks when a call fails, and children go before their parents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "base/error.hpp"
#include "driver/kernel.hpp"
#include "support/fake_driver.hpp"

namespace warpmark {
namespace {

using testing::IsEmpty;

static_assert(!std::is_copy_constructible_v<DeviceMemory>);
static_assert(std::is_nothrow_move_constructible_v<DeviceMemory>);
static_assert(std::is_nothrow_move_assignable_v<Stream>);
static_assert(!std::is_copy_constructible_v<ScopedContext>);

// Everything that the layer can do, once.
void use_everything(FakeDriver& fake) {
  const Device device = fake.device();
  EXPECT_EQ(device.uuid().substr(0, 8), "GPU-a0a1");
  EXPECT_EQ(device.compute_capability().architecture(), 90);
  EXPECT_GT(device.total_memory(), 0U);
  const auto context = Context::create(device);
  context->set_limit(CU_LIMIT_STACK_SIZE, 1024);
  EXPECT_GT(context->memory_info().free, 0U);
  DeviceMemory a(context, 16, "a");
  DeviceMemory b(context, 16, "b");
  std::vector<std::byte> host(16);
  const HostRegistration registration(context, host.data(), host.size());
  a.fill(0x5a);
  b.copy_from(a);
  b.download(host);
  EXPECT_EQ(host[15], std::byte{0x5a});
  b.upload(host);
  const Stream stream(context);
  const Event start(context);
  const Event end(context);
  const Function function = Module(context, "image", "k.cu").function("k");
  KernelArguments arguments;
  arguments.add(a.address());
  start.record(stream);
  function.launch({{1, 1, 1}, {32, 1, 1}, 60 * 1024, false}, arguments, stream);
  end.record(stream);
  stream.synchronize();
  context->synchronize();
  EXPECT_EQ(end.milliseconds_since(start), 1.0F);
}

TEST(Ownership, NothingIsLeftWhenAllIsWell) {
  FakeDriver fake;
  fake.kernels["k"] = {{{0, 8}}};
  use_everything(fake);
  EXPECT_THAT(fake.live(), IsEmpty());
  EXPECT_THAT(fake.misuse, IsEmpty());
  EXPECT_EQ(fake.current_contexts(), 0);
}

TEST(Ownership, EachCallFailingInTurnLeaksNothing) {
  std::vector<std::string> calls;
  {
    FakeDriver fake;
    fake.kernels["k"] = {{{0, 8}}};
    use_everything(fake);
    calls = fake.calls;
  }
  std::map<std::string, int> seen;
  for (const std::string& symbol : calls) {
    const int nth = ++seen[symbol];
    // A failing release leaks by nature; those are the next test's.
    const bool release =
        symbol.find("Destroy") != std::string::npos || symbol.find("Free") != std::string::npos ||
        symbol.find("Unload") != std::string::npos ||
        symbol.find("Unregister") != std::string::npos || symbol.find("Pop") != std::string::npos;
    if (release) continue;
    FakeDriver fake;
    fake.kernels["k"] = {{{0, 8}}};
    fake.fail(symbol, CUDA_ERROR_INVALID_VALUE, nth);
    bool threw = false;
    try {
      use_everything(fake);
    } catch (const Error&) {
      threw = true;
    }
    // The driver's end of a parameter list is this code too, and destructors survive a failing
    // query.
    const bool tolerated = symbol == "cuFuncGetParamInfo" || symbol == "cuCtxGetCurrent" ||
                           symbol == "cuCtxPushCurrent_v2";
    EXPECT_TRUE(threw || tolerated) << symbol << " call " << nth;
    EXPECT_THAT(fake.live(), IsEmpty()) << symbol << " call " << nth;
    EXPECT_EQ(fake.current_contexts(), 0) << symbol << " call " << nth;
  }
}

TEST(Ownership, FailingReleasesWarnOnceAndNeverThrow) {
  FakeDriver fake;
  std::vector<std::string> warnings;
  {
    const auto driver = fake.driver();
    driver->on_warning([&](const std::string& text) { warnings.push_back(text); });
    const auto context = Context::create(Device(driver, 0));
    const DeviceMemory a(context, 16, "a");
    const DeviceMemory b(context, 16, "b");
    const Stream stream(context);
    fake.fail("cuMemFree_v2", CUDA_ERROR_INVALID_HANDLE);
    fake.fail("cuStreamDestroy_v2", CUDA_ERROR_INVALID_HANDLE);
  }
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0],
              testing::AllOf(testing::HasSubstr("cuStreamDestroy"), testing::HasSubstr("(400)"),
                             testing::HasSubstr("the fake driver")));
}

// The fault was thrown by the call that met it; each release only repeats it.
TEST(Ownership, ReleasesAfterAStickyErrorAreSilent) {
  FakeDriver fake;
  std::vector<std::string> warnings;
  {
    const auto driver = fake.driver();
    driver->on_warning([&](const std::string& text) { warnings.push_back(text); });
    const auto context = Context::create(Device(driver, 0));
    const DeviceMemory memory(context, 16, "a");
    fake.fail("cuMemFree_v2", CUDA_ERROR_ILLEGAL_ADDRESS);
  }
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(Ownership, ChildrenKeepTheirParentsWhateverTheOrder) {
  FakeDriver fake;
  fake.kernels["k"] = {{{0, 8}}};
  {
    std::optional<Function> function;
    std::optional<DeviceMemory> memory;
    std::optional<Stream> stream;
    {
      const auto context = Context::create(fake.device());
      function.emplace(Module(context, "image", "k.cu").function("k"));
      memory.emplace(context, 64, "m");
      stream.emplace(context);
    }
    EXPECT_EQ(fake.live()["context"], 1);
    EXPECT_EQ(fake.live()["module"], 1);
    KernelArguments arguments;
    arguments.add(memory->address());
    function->launch({}, arguments, *stream);
    function.reset();
    EXPECT_EQ(fake.live()["module"], 0);
    stream.reset();
    EXPECT_EQ(fake.live()["context"], 1);
  }
  EXPECT_THAT(fake.live(), IsEmpty());
  EXPECT_THAT(fake.misuse, IsEmpty());
  EXPECT_EQ(fake.calls.back(), "cuCtxDestroy_v2");
}

TEST(Ownership, MovingTakesAndReleasesExactlyOnce) {
  FakeDriver fake;
  {
    const auto context = Context::create(fake.device());
    DeviceMemory a(context, 16, "a");
    DeviceMemory b(context, 32, "b");
    const CUdeviceptr address = b.address();
    a = std::move(b);
    EXPECT_EQ(a.address(), address);
    EXPECT_EQ(a.bytes(), 32U);
    EXPECT_EQ(fake.live()["memory"], 1);
    DeviceMemory c(std::move(a));
    EXPECT_EQ(c.address(), address);
    DeviceMemory& same = c;
    c = std::move(same);
    EXPECT_EQ(c.address(), address);
  }
  EXPECT_THAT(fake.live(), IsEmpty());
  EXPECT_THAT(fake.misuse, IsEmpty());
}

TEST(ScopedContextTest, NestsAndRestores) {
  FakeDriver fake;
  const auto one = Context::create(fake.device());
  const auto two = Context::create(fake.device());
  {
    const ScopedContext outer(*one);
    const ScopedContext again(*one);
    EXPECT_EQ(fake.current_contexts(), 1);
    {
      const ScopedContext inner(*two);
      EXPECT_EQ(fake.current_contexts(), 2);
    }
    DeviceMemory in_two(two, 8, "x");
    EXPECT_EQ(fake.current_contexts(), 1);
  }
  EXPECT_EQ(fake.current_contexts(), 0);
  EXPECT_THAT(fake.misuse, IsEmpty());
}

TEST(DeviceMemoryTest, RangesAreChecked) {
  FakeDriver fake;
  const auto context = Context::create(fake.device());
  DeviceMemory memory(context, 8, "m");
  std::vector<std::byte> host(4);
  memory.upload(host, 4);
  EXPECT_THROW(memory.upload(host, 5), Error);
  EXPECT_THROW(memory.download(host, ~size_t{0}), Error);
  DeviceMemory empty(context, 0, "none");
  EXPECT_EQ(empty.address(), 0U);
  empty.fill(1);
  empty.copy_from(empty);
  EXPECT_THROW(empty.upload(host), Error);
}

// Streams of ours do not wait for the default stream, on which copies and fills run.
TEST(DeviceMemoryTest, CopiesAndFillsAreWaitedFor) {
  FakeDriver fake;
  const auto context = Context::create(fake.device());
  DeviceMemory memory(context, 8, "m");
  DeviceMemory other(context, 8, "n");
  const std::vector<std::byte> host(8);
  const auto last_calls = [&](const auto& action) {
    fake.calls.clear();
    action();
    std::vector<std::string> calls;
    for (const std::string& call : fake.calls) {
      const bool bookkeeping = call.starts_with("cuCtxPush") || call.starts_with("cuCtxPop") ||
                               call.starts_with("cuCtxGetCurrent");
      if (!bookkeeping) calls.push_back(call);
    }
    return calls;
  };
  EXPECT_THAT(last_calls([&] { memory.fill(1); }),
              testing::ElementsAre("cuMemsetD8_v2", "cuCtxSynchronize"));
  EXPECT_THAT(last_calls([&] { memory.upload(host); }),
              testing::ElementsAre("cuMemcpyHtoD_v2", "cuCtxSynchronize"));
  EXPECT_THAT(last_calls([&] { memory.copy_from(other); }),
              testing::ElementsAre("cuMemcpyDtoD_v2", "cuCtxSynchronize"));
}

}  // namespace
}  // namespace warpmark
