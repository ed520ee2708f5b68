// Memory, events and pools that two processes share. The other process is this program again, with
// --peer: it does what it reads, a line for a call, and answers with a line.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include "device/api/api_call.hpp"
#include "support/run_tests.hpp"

extern char** environ;

namespace warpmark::test {
namespace {

constexpr auto kFile = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
constexpr std::size_t kUnit = std::size_t{2} << 20;
constexpr int kPassed = 10;  // the descriptor that the peer gets

template <typename Handle>
std::string hexadecimal(const Handle& handle) {
  std::array<unsigned char, sizeof(Handle)> bytes{};
  std::memcpy(bytes.data(), &handle, sizeof handle);
  std::string text;
  for (const unsigned char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}
template <typename Handle>
Handle from_hexadecimal(const std::string& text) {
  std::array<unsigned char, sizeof(Handle)> bytes{};
  for (std::size_t i = 0; i < bytes.size() && 2 * i + 1 < text.size(); ++i)
    bytes[i] = static_cast<unsigned char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  Handle handle{};
  std::memcpy(&handle, bytes.data(), sizeof handle);
  return handle;
}

void* descriptor(int file) {
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(file));
}

CUresult add_one(CUdeviceptr address, std::uint32_t count) {
  CUmodule module = nullptr;
  CUfunction add = nullptr;
  CUresult result = api().load(&module, kTwoKernels);
  if (result == CUDA_SUCCESS) result = api().function(&add, module, "add_one");
  void* pointers[] = {&address, &count};
  if (result == CUDA_SUCCESS)
    result = api().launch(add, 1, 1, 1, 32, 1, 1, 0, nullptr, pointers, nullptr);
  return result == CUDA_SUCCESS ? api().synchronize() : result;
}

CUresult map_file(int file, CUdeviceptr& at) {
  CUmemGenericAllocationHandle handle = 0;
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CUresult result = CALL(cuMemImportFromShareableHandle)(&handle, descriptor(file), kFile);
  if (result == CUDA_SUCCESS) result = CALL(cuMemAddressReserve)(&at, kUnit, 0, 0, 0);
  if (result == CUDA_SUCCESS) result = CALL(cuMemMap)(at, kUnit, 0, handle, 0);
  if (result == CUDA_SUCCESS) result = CALL(cuMemRelease)(handle);
  return result == CUDA_SUCCESS ? CALL(cuMemSetAccess)(at, kUnit, &access, 1) : result;
}

// Makes the call that a line asks for; returns its result, and gives the value.
CUresult answer(const std::string& call, const std::string& text, unsigned long long& value,
                std::string& given) {
  static CUmemoryPool pool = nullptr;
  const CUdeviceptr address = std::strtoull(text.c_str(), nullptr, 0);
  CUdeviceptr found = 0;
  CUresult result = CUDA_ERROR_UNKNOWN;
  if (call == "open") {
    result = CALL(cuIpcOpenMemHandle_v2)(&found, from_hexadecimal<CUipcMemHandle>(text),
                                         CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
    value = found;
  } else if (call == "share") {
    CUipcMemHandle handle{};
    result = api().alloc(&found, 4);
    if (result == CUDA_SUCCESS) result = CALL(cuMemsetD32)(found, 77, 1);
    if (result == CUDA_SUCCESS) result = CALL(cuIpcGetMemHandle)(&handle, found);
    given = hexadecimal(handle);
  } else if (call == "close") {
    result = CALL(cuIpcCloseMemHandle)(address);
  } else if (call == "read") {
    std::int32_t number = 0;
    result = api().to_host(&number, address, sizeof number);
    value = static_cast<unsigned long long>(number);
  } else if (call == "add") {
    result = add_one(address, 1);
  } else if (call == "range") {
    std::size_t bytes = 0;
    result = CALL(cuMemGetAddressRange)(&found, &bytes, address);
    value = bytes;
  } else if (call == "free") {
    result = api().free(address);
  } else if (call == "event") {
    CUevent event = nullptr;
    result = CALL(cuIpcOpenEventHandle)(&event, from_hexadecimal<CUipcEventHandle>(text));
    value = reinterpret_cast<unsigned long long>(event);
  } else if (call == "record") {
    result = CALL(cuEventRecord)(reinterpret_cast<CUevent>(address), nullptr);
  } else if (call == "wait") {
    result = CALL(cuStreamWaitEvent)(nullptr, reinterpret_cast<CUevent>(address), 0);
    if (result == CUDA_SUCCESS) result = CALL(cuEventQuery)(reinterpret_cast<CUevent>(address));
  } else if (call == "destroy") {
    result = CALL(cuEventDestroy)(reinterpret_cast<CUevent>(address));
  } else if (call == "export_event") {
    CUipcEventHandle handle{};
    result = CALL(cuIpcGetEventHandle)(&handle, reinterpret_cast<CUevent>(address));
  } else if (call == "map") {
    result = map_file(kPassed, found);
    value = found;
  } else if (call == "pool") {
    result = CALL(cuMemPoolImportFromShareableHandle)(&pool, descriptor(kPassed), kFile, 0);
  } else if (call == "allocate") {
    result = CALL(cuMemAllocFromPoolAsync)(&found, 4, pool, nullptr);
  } else if (call == "pointer") {
    auto data = from_hexadecimal<CUmemPoolPtrExportData>(text);
    result = CALL(cuMemPoolImportPointer)(&found, pool, &data);
    value = found;
  }
  return result;
}

int run_peer() {
  CUcontext context = nullptr;
  if (api().init(0) != CUDA_SUCCESS || api().create_context(&context, 0, 0) != CUDA_SUCCESS)
    return 1;
  std::array<char, 512> line{};
  while (std::fgets(line.data(), line.size(), stdin) != nullptr) {
    std::istringstream words(line.data());
    std::string call, text;
    words >> call >> text;
    unsigned long long value = 0;
    std::string given;
    const CUresult result = answer(call, text, value, given);
    std::printf("%d %llu %s\n", result, value, given.c_str());
    std::fflush(stdout);
  }
  return 0;
}

struct Answer {
  int result = -1;
  unsigned long long value = 0;
  std::string text;
};

class Peer {
 public:
  /// A process that has `file` as kPassed.
  explicit Peer(int file = -1) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    if (file >= 0) posix_spawn_file_actions_adddup2(&actions, file, kPassed);
    char name[] = "peer", option[] = "--peer";
    char* arguments[] = {name, option, nullptr};
    posix_spawn(&process_, "/proc/self/exe", &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    to_ = fdopen(in[1], "w");
    from_ = fdopen(out[0], "r");
  }
  ~Peer() { end(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  Answer operator()(const std::string& call, const std::string& text = "0") const {
    std::fprintf(to_, "%s %s\n", call.c_str(), text.c_str());
    std::fflush(to_);
    std::array<char, 256> line{};
    Answer got;
    if (std::fgets(line.data(), line.size(), from_) != nullptr)
      std::istringstream(line.data()) >> got.result >> got.value >> got.text;
    return got;
  }
  Answer operator()(const std::string& call, unsigned long long address) const {
    return (*this)(call, std::to_string(address));
  }
  void end() {
    if (process_ == 0) return;
    std::fclose(to_);
    std::fclose(from_);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_ = 0;
  std::FILE *to_ = nullptr, *from_ = nullptr;
};

class Ipc : public DeviceTest {
 protected:
  static CUipcMemHandle handle_of(CUdeviceptr address) {
    CUipcMemHandle handle{};
    EXPECT_CU(CALL(cuIpcGetMemHandle)(&handle, address));
    return handle;
  }
};

TEST_F(Ipc, TwoProcessesShareMemory) {
  Array<std::int32_t> data({41, 5, 6});
  const CUipcMemHandle handle = handle_of(data.address);
  EXPECT_EQ(hexadecimal(handle_of(data.address + 4)), hexadecimal(handle)) << "of the allocation";
  const Peer peer;
  const Answer opened = peer("open", hexadecimal(handle));
  ASSERT_EQ(opened.result, CUDA_SUCCESS);
  EXPECT_EQ(peer("read", opened.value + 4).value, 5U);
  ASSERT_EQ(peer("add", opened.value).result, CUDA_SUCCESS);
  ASSERT_CU(data.fetch());
  EXPECT_EQ(data.host[0], 42);
  ASSERT_CU(add_one(data.address, 1));
  EXPECT_EQ(peer("read", opened.value).value, 43U);
  EXPECT_EQ(peer("range", opened.value).value, 12U);
  EXPECT_EQ(peer("read", opened.value + 12).result, CUDA_ERROR_INVALID_VALUE) << "past the end";
  EXPECT_EQ(peer("free", opened.value).result, CUDA_ERROR_INVALID_VALUE);
  // Opened twice, it is closed twice.
  const Answer again = peer("open", hexadecimal(handle));
  EXPECT_EQ(again.value, opened.value);
  ASSERT_EQ(peer("close", opened.value).result, CUDA_SUCCESS);
  EXPECT_EQ(peer("read", opened.value).value, 43U);
  ASSERT_EQ(peer("close", opened.value).result, CUDA_SUCCESS);
  EXPECT_EQ(peer("close", opened.value).result, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(peer("read", opened.value).result, CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Ipc, ManyPeersAndAFault) {
  Array<std::int32_t> data(std::vector<std::int32_t>{0});
  const std::string handle = hexadecimal(handle_of(data.address));
  const Peer first, second;
  const Answer here = first("open", handle), there = second("open", handle);
  ASSERT_EQ(there.result, CUDA_SUCCESS);
  ASSERT_EQ(second("add", there.value).result, CUDA_SUCCESS);
  EXPECT_EQ(first("read", here.value).value, 1U);
  EXPECT_EQ(first("add", here.value + 4).result, CUDA_ERROR_ILLEGAL_ADDRESS) << "to the byte";
  ASSERT_EQ(second("add", there.value).result, CUDA_SUCCESS) << "nobody else's fault";
  ASSERT_CU(data.fetch());
  EXPECT_EQ(data.host[0], 2);
}

TEST_F(Ipc, HandlesAreThoseOfLiveMemory) {
  Array<std::int32_t> data(std::vector<std::int32_t>{7});
  CUdeviceptr at = 0;
  ASSERT_CU(api().alloc(&at, 64));
  const CUipcMemHandle handle = handle_of(at);
  CUdeviceptr own = 0;
  EXPECT_EQ(CALL(cuIpcOpenMemHandle_v2)(&own, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
            CUDA_ERROR_INVALID_CONTEXT)
      << "this process's";
  EXPECT_EQ(CALL(cuIpcOpenMemHandle_v2)(&own, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuIpcOpenMemHandle_v2)(nullptr, handle, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuIpcGetMemHandle)(nullptr, at), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuIpcCloseMemHandle)(at), CUDA_ERROR_INVALID_VALUE);
  const Peer peer;
  CUipcMemHandle changed = handle;
  for (const std::size_t byte : {0U, 9U, 13U, 17U, 25U, 33U, 40U}) {
    changed = handle;
    changed.reserved[byte] = static_cast<char>(changed.reserved[byte] ^ 1);
    EXPECT_EQ(peer("open", hexadecimal(changed)).result,
              byte == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE)
        << byte;
  }
  EXPECT_EQ(peer("open", "00").result, CUDA_ERROR_INVALID_VALUE) << "no handle at all";
  ASSERT_EQ(peer("open", hexadecimal(handle)).result, CUDA_SUCCESS);
  ASSERT_CU(api().free(at));
  const Peer late;
  EXPECT_EQ(late("open", hexadecimal(handle)).result, CUDA_ERROR_INVALID_HANDLE) << "freed";
  void* pinned = nullptr;
  CUdeviceptr managed = 0, pooled = 0;
  ASSERT_CU(CALL(cuMemHostAlloc)(&pinned, 4, 0));
  ASSERT_CU(CALL(cuMemAllocManaged)(&managed, 4, CU_MEM_ATTACH_GLOBAL));
  ASSERT_CU(CALL(cuMemAllocAsync)(&pooled, 4, nullptr));
  for (const CUdeviceptr other : {reinterpret_cast<CUdeviceptr>(pinned), managed, pooled, at}) {
    EXPECT_EQ(CALL(cuIpcGetMemHandle)(&changed, other), CUDA_ERROR_INVALID_VALUE);
    bool can = true;
    if (other != at) {
      ASSERT_CU(CALL(cuPointerGetAttribute)(&can, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                                            other));
      EXPECT_FALSE(can);
    }
  }
  bool can = false;
  ASSERT_CU(CALL(cuPointerGetAttribute)(&can, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                                        data.address));
  EXPECT_TRUE(can);
  ASSERT_CU(CALL(cuMemFreeHost)(pinned));
}

// Memory of a dead process cannot be opened; what was opened before stays.
TEST_F(Ipc, MemoryOfADeadProcessIsGone) {
  Peer peer;
  const Answer shared = peer("share"), other = peer("share");
  ASSERT_EQ(shared.result, CUDA_SUCCESS);
  const auto handle = from_hexadecimal<CUipcMemHandle>(shared.text);
  CUdeviceptr at = 0, late = 0;
  ASSERT_CU(CALL(cuIpcOpenMemHandle_v2)(&at, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  int ordinal = -1;
  CUcontext context = nullptr;
  ASSERT_CU(CALL(cuPointerGetAttribute)(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at));
  ASSERT_CU(CALL(cuPointerGetAttribute)(&context, CU_POINTER_ATTRIBUTE_CONTEXT, at));
  EXPECT_EQ(ordinal, 0);
  EXPECT_EQ(context, context_);
  // It is not the business of virtual memory management.
  CUmemGenericAllocationHandle held = 0;
  EXPECT_EQ(CALL(cuMemUnmap)(at, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuMemAddressFree)(at, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuMemRetainAllocationHandle)(&held, reinterpret_cast<void*>(at)),
            CUDA_ERROR_INVALID_VALUE);
  peer.end();
  std::int32_t seen = 0;
  ASSERT_CU(api().to_host(&seen, at, 4));
  EXPECT_EQ(seen, 77);
  EXPECT_EQ(CALL(cuIpcOpenMemHandle_v2)(&late, from_hexadecimal<CUipcMemHandle>(other.text),
                                        CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
            CUDA_ERROR_INVALID_HANDLE);
  // A context that goes takes along what it opened.
  CUcontext second = nullptr;
  ASSERT_CU(api().create_context(&second, 0, 0));
  Peer living;
  const auto more = from_hexadecimal<CUipcMemHandle>(living("share").text);
  ASSERT_CU(CALL(cuIpcOpenMemHandle_v2)(&late, more, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  ASSERT_CU(api().destroy_context(second));
  ASSERT_CU(api().set_current(context_));
  EXPECT_EQ(api().to_host(&seen, late, 4), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuIpcCloseMemHandle)(at));
}

// A fresh value is another process's affair: nothing shared is reported as never written.
TEST_F(Ipc, WhatOthersMayWriteHasValues) {
  configure(R"({"checks": ["memory", "init"]})");
  CUdeviceptr at = 0;
  ASSERT_CU(api().alloc(&at, 64));
  handle_of(at);
  ASSERT_CU(launch(kernel_of(kTwoKernels, "add_one"), {1}, {32}, 0, at, 16u));
  ASSERT_CU(api().synchronize());
  EXPECT_THAT(reports(), ::testing::IsEmpty());
  ASSERT_CU(api().free(at));
}

TEST_F(Ipc, EventsAreShared) {
  int supported = 0;
  ASSERT_CU(CALL(cuDeviceGetAttribute)(&supported, CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED, 0));
  EXPECT_EQ(supported, 1);
  CUevent event = nullptr, plain = nullptr;
  EXPECT_EQ(CALL(cuEventCreate)(&event, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE)
      << "it keeps no time";
  ASSERT_CU(CALL(cuEventCreate)(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
  ASSERT_CU(CALL(cuEventCreate)(&plain, CU_EVENT_DISABLE_TIMING));
  CUipcEventHandle handle{};
  EXPECT_EQ(CALL(cuIpcGetEventHandle)(&handle, plain), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(CALL(cuIpcGetEventHandle)(nullptr, event), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuIpcGetEventHandle)(&handle, event));
  CUevent own = nullptr;
  EXPECT_EQ(CALL(cuIpcOpenEventHandle)(&own, handle), CUDA_ERROR_INVALID_CONTEXT);
  const Peer peer;
  const Answer opened = peer("event", hexadecimal(handle));
  ASSERT_EQ(opened.result, CUDA_SUCCESS);
  EXPECT_EQ(peer("wait", opened.value).result, CUDA_SUCCESS) << "never recorded";
  ASSERT_CU(CALL(cuEventRecord)(event, nullptr));
  EXPECT_EQ(peer("wait", opened.value).result, CUDA_SUCCESS);
  EXPECT_EQ(peer("record", opened.value).result, CUDA_SUCCESS);
  ASSERT_CU(CALL(cuEventSynchronize)(event));
  EXPECT_EQ(peer("export_event", opened.value).result, CUDA_ERROR_INVALID_HANDLE)
      << "another process's";
  EXPECT_EQ(peer("destroy", opened.value).result, CUDA_SUCCESS);
  EXPECT_EQ(peer("wait", opened.value).result, CUDA_ERROR_INVALID_HANDLE);
  ASSERT_CU(CALL(cuEventDestroy)(event));
  EXPECT_EQ(peer("event", hexadecimal(handle)).result, CUDA_ERROR_INVALID_HANDLE) << "destroyed";
  ASSERT_CU(CALL(cuEventDestroy)(plain));
}

TEST_F(Ipc, MappedMemoryIsSharedByAFile) {
  CUmemAllocationProp prop{};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  prop.requestedHandleTypes = kFile;
  CUmemGenericAllocationHandle handle = 0;
  ASSERT_CU(CALL(cuMemCreate)(&handle, kUnit, &prop, 0));
  int file = -1;
  ASSERT_CU(CALL(cuMemExportToShareableHandle)(&file, handle, kFile, 0));
  CUdeviceptr at = 0;
  ASSERT_CU(map_file(file, at));
  ASSERT_CU(CALL(cuMemsetD32)(at, 41, 1));
  const Peer peer(file);
  close(file);
  const Answer mapped = peer("map");
  ASSERT_EQ(mapped.result, CUDA_SUCCESS);
  EXPECT_EQ(peer("read", mapped.value).value, 41U);
  ASSERT_EQ(peer("add", mapped.value).result, CUDA_SUCCESS);
  std::int32_t seen = 0;
  ASSERT_CU(api().to_host(&seen, at, 4));
  EXPECT_EQ(seen, 42);
  EXPECT_EQ(peer("read", mapped.value + kUnit).result, CUDA_ERROR_INVALID_VALUE);
  // It stays while anybody maps it.
  ASSERT_CU(CALL(cuMemUnmap)(at, kUnit));
  ASSERT_CU(CALL(cuMemRelease)(handle));
  ASSERT_CU(CALL(cuMemAddressFree)(at, kUnit));
  EXPECT_EQ(peer("read", mapped.value).value, 42U);
}

TEST_F(Ipc, PoolsAreShared) {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.handleTypes = kFile;
  CUmemoryPool pool = nullptr, usual = nullptr;
  ASSERT_CU(CALL(cuMemPoolCreate)(&pool, &properties));
  int file = -1;
  ASSERT_CU(CALL(cuDeviceGetDefaultMemPool)(&usual, 0));
  EXPECT_EQ(CALL(cuMemPoolExportToShareableHandle)(&file, usual, kFile, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuMemPoolExportToShareableHandle)(&file, pool, kFile, 1),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuMemPoolExportToShareableHandle)(&file, pool, kFile, 0));
  CUdeviceptr at = 0, other = 0;
  ASSERT_CU(CALL(cuMemAllocFromPoolAsync)(&at, 12, pool, nullptr));
  ASSERT_CU(CALL(cuMemAllocAsync)(&other, 12, nullptr));
  ASSERT_CU(CALL(cuMemsetD32)(at, 41, 3));
  CUmemPoolPtrExportData data{};
  EXPECT_EQ(CALL(cuMemPoolExportPointer)(&data, other), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuMemPoolExportPointer)(&data, at));
  const Peer peer(file);
  close(file);
  ASSERT_EQ(peer("pool").result, CUDA_SUCCESS);
  EXPECT_EQ(peer("allocate").result, CUDA_ERROR_INVALID_VALUE) << "an imported pool makes nothing";
  const Answer found = peer("pointer", hexadecimal(data));
  ASSERT_EQ(found.result, CUDA_SUCCESS);
  ASSERT_EQ(peer("add", found.value).result, CUDA_SUCCESS);
  std::int32_t seen = 0;
  ASSERT_CU(api().to_host(&seen, at, 4));
  EXPECT_EQ(seen, 42);
  EXPECT_EQ(peer("close", found.value).result, CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(peer("free", found.value).result, CUDA_SUCCESS);
  EXPECT_EQ(peer("read", found.value).result, CUDA_ERROR_INVALID_VALUE);
  CUmemPoolPtrExportData wrong = data;
  wrong.reserved[48] ^= 1;
  EXPECT_EQ(peer("pointer", hexadecimal(wrong)).result, CUDA_ERROR_INVALID_VALUE)
      << "of another pool";
  ASSERT_CU(CALL(cuMemFreeAsync)(at, nullptr));
  EXPECT_EQ(peer("pointer", hexadecimal(data)).result, CUDA_ERROR_INVALID_VALUE) << "freed";
  ASSERT_CU(CALL(cuMemFreeAsync)(other, nullptr));
  ASSERT_CU(CALL(cuMemPoolDestroy)(pool));
}

}  // namespace
}  // namespace warpmark::test

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--peer") return warpmark::test::run_peer();
  ::testing::InitGoogleTest(&argc, argv);
  return warpmark::test::run_tests();
}
