// The driver's functions, as a FakeDriver has them.
#include <cstring>
#include <utility>

#include "support/fake_driver_state.hpp"

namespace warpmark {

namespace {

FakeDriver::State& state() {
  return fake().state();
}

// Begins each call: notes it, and fails if a test asked for that.
CUresult enter(const char* symbol) {
  fake().calls.emplace_back(symbol);
  const auto found = state().failures.find(symbol);
  if (found == state().failures.end() || --found->second.first > 0) return CUDA_SUCCESS;
  const CUresult result = found->second.second;
  state().failures.erase(found);
  return result;
}

CUresult misuse(const std::string& text, CUresult result) {
  fake().misuse.push_back(text);
  return result;
}

void* host(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

CUcontext current() {
  return state().stack.empty() ? nullptr : state().stack.back();
}

FakeObject* make(std::string kind) {
  auto object = std::make_unique<FakeObject>();
  object->kind = std::move(kind);
  object->context = current();
  FakeObject* raw = object.get();
  state().objects[raw] = std::move(object);
  return raw;
}

CUresult destroy(void* handle, const std::string& kind) {
  const auto found = state().objects.find(handle);
  if (found == state().objects.end() || found->second->kind != kind) {
    return misuse("released a " + kind + " that is not alive", CUDA_ERROR_INVALID_HANDLE);
  }
  if (kind != "context" && found->second->context != current()) {
    misuse("released a " + kind + " outside its context", CUDA_SUCCESS);
  }
  state().objects.erase(found);
  return CUDA_SUCCESS;
}

FakeObject* block_at(CUdeviceptr address, size_t bytes) {
  for (const auto& [handle, object] : state().objects) {
    if (object->kind != "memory" && object->kind != "module") continue;
    const auto start = reinterpret_cast<CUdeviceptr>(object->bytes.data());
    if (address >= start && address + bytes <= start + object->bytes.size()) return object.get();
  }
  return nullptr;
}

CUresult copy(void* to, const void* from, size_t bytes, CUdeviceptr device) {
  if (current() == nullptr) return misuse("a copy without a context", CUDA_ERROR_INVALID_CONTEXT);
  if (block_at(device, bytes) == nullptr) {
    return misuse("a copy outside device memory", CUDA_ERROR_INVALID_VALUE);
  }
  std::memcpy(to, from, bytes);
  return CUDA_SUCCESS;
}

// Waits for the device: a fault comes once, or for ever if it is sticky.
CUresult wait() {
  if (current() == nullptr) return misuse("waiting without a context", CUDA_ERROR_INVALID_CONTEXT);
  const CUresult result = state().pending;
  if (!DriverError::is_sticky(result)) state().pending = CUDA_SUCCESS;
  return result;
}

// A failing link writes to the buffer that it was created with.
CUresult enter_link(const char* symbol, CUlinkState link) {
  const CUresult failed = enter(symbol);
  const auto found = state().objects.find(link);
  if (found == state().objects.end()) return misuse("no such link", CUDA_ERROR_INVALID_HANDLE);
  const auto& [buffer, bytes] = found->second->error_log;
  if (failed != CUDA_SUCCESS && buffer != nullptr) {
    std::strncpy(buffer, fake().jit_error_log.c_str(), bytes);
  }
  return failed;
}

#define ENTER(symbol)                                                  \
  if (const CUresult failed = enter(symbol); failed != CUDA_SUCCESS) { \
    return failed;                                                     \
  }                                                                    \
  static_assert(true)

// Does it now, or when the graph that is being recorded is launched.
CUresult queue(std::function<void()> work) {
  if (state().capture != nullptr) {
    state().capture->work.push_back(std::move(work));
  } else {
    work();
  }
  return CUDA_SUCCESS;
}

CUresult copy_in_stream(void* to, const void* from, size_t bytes, CUdeviceptr device) {
  if (block_at(device, bytes) == nullptr) {
    return misuse("a copy outside device memory", CUDA_ERROR_INVALID_VALUE);
  }
  return queue([=] {
    state().clock += fake().copy_ms;
    if (fake().on_copy) fake().on_copy();
    std::memcpy(to, from, bytes);
  });
}

CUresult launch(CUfunction function, LaunchConfig config, void** values) {
  if (current() == nullptr) return misuse("a launch without a context", CUDA_ERROR_INVALID_CONTEXT);
  if (state().pending != CUDA_SUCCESS) return wait();
  const auto found = state().functions.find(function);
  if (found == state().functions.end()) return CUDA_ERROR_INVALID_HANDLE;
  FakeLaunch record{found->second->name, config, {}};
  const FakeKernel& kernel = fake().kernels.at(record.kernel);
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto* start = static_cast<const std::byte*>(values[i]);
    record.arguments.emplace_back(start, start + kernel.parameters[i].bytes);
  }
  return queue([record] {
    state().clock += fake().kernel_ms ? fake().kernel_ms(record) : 1;
    fake().launches.push_back(record);
    if (fake().on_launch) state().pending = fake().on_launch(record);
  });
}

// Each lambda has exactly the type of its table member, which `+` and the assignment check.
DriverTable full_table() {
  DriverTable t;
  t.init.pointer = [](unsigned int) {
    ENTER("cuInit");
    return CUDA_SUCCESS;
  };
  t.driver_get_version.pointer = [](int* version) {
    ENTER("cuDriverGetVersion");
    *version = fake().driver_version;
    return CUDA_SUCCESS;
  };
  t.get_error_name.pointer = [](CUresult result, const char** text) {
    switch (result) {
      case CUDA_ERROR_ILLEGAL_ADDRESS:
        *text = "CUDA_ERROR_ILLEGAL_ADDRESS";
        break;
      case CUDA_ERROR_OUT_OF_MEMORY:
        *text = "CUDA_ERROR_OUT_OF_MEMORY";
        break;
      default:
        *text = "CUDA_ERROR_OF_THE_FAKE";
    }
    return CUDA_SUCCESS;
  };
  t.get_error_string.pointer = [](CUresult, const char** text) {
    *text = "the fake was asked to";
    return CUDA_SUCCESS;
  };

  t.device_get_count.pointer = [](int* count) {
    ENTER("cuDeviceGetCount");
    *count = fake().devices;
    return CUDA_SUCCESS;
  };
  t.device_get.pointer = [](CUdevice* device, int index) {
    ENTER("cuDeviceGet");
    *device = index;
    return CUDA_SUCCESS;
  };
  t.device_get_name.pointer = [](char* name, int length, CUdevice) {
    ENTER("cuDeviceGetName");
    std::strncpy(name, "Fake GPU", static_cast<size_t>(length));
    return CUDA_SUCCESS;
  };
  t.device_get_uuid.pointer = [](CUuuid* id, CUdevice) {
    ENTER("cuDeviceGetUuid_v2");
    for (size_t i = 0; i < sizeof(id->bytes); ++i) id->bytes[i] = static_cast<char>(0xa0 + i);
    return CUDA_SUCCESS;
  };
  t.device_get_attribute.pointer = [](int* value, CUdevice_attribute attribute, CUdevice device) {
    ENTER("cuDeviceGetAttribute");
    const auto major = fake().majors.find(device);
    if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR && major != fake().majors.end()) {
      *value = major->second;
      return CUDA_SUCCESS;
    }
    const auto found = fake().attributes.find(attribute);
    *value = found != fake().attributes.end() ? found->second : 0;
    return CUDA_SUCCESS;
  };
  t.device_total_mem.pointer = [](size_t* bytes, CUdevice) {
    ENTER("cuDeviceTotalMem_v2");
    *bytes = size_t{1} << 30;
    return CUDA_SUCCESS;
  };

  t.ctx_create.pointer = [](CUcontext* context, unsigned int, CUdevice) {
    ENTER("cuCtxCreate_v2");
    *context = reinterpret_cast<CUcontext>(make("context"));
    state().stack.push_back(*context);
    return CUDA_SUCCESS;
  };
  t.ctx_destroy.pointer = [](CUcontext context) {
    ENTER("cuCtxDestroy_v2");
    for (const auto& [handle, object] : state().objects) {
      if (object->context == context) misuse("a " + object->kind + " outlives its context", {});
    }
    std::erase(state().stack, context);
    return destroy(context, "context");
  };
  t.ctx_push_current.pointer = [](CUcontext context) {
    ENTER("cuCtxPushCurrent_v2");
    if (!state().objects.contains(context)) return CUDA_ERROR_INVALID_CONTEXT;
    state().stack.push_back(context);
    return CUDA_SUCCESS;
  };
  t.ctx_pop_current.pointer = [](CUcontext* context) {
    ENTER("cuCtxPopCurrent_v2");
    if (state().stack.empty()) return misuse("popped no context", CUDA_ERROR_INVALID_CONTEXT);
    *context = state().stack.back();
    state().stack.pop_back();
    return CUDA_SUCCESS;
  };
  t.ctx_get_current.pointer = [](CUcontext* context) {
    ENTER("cuCtxGetCurrent");
    *context = current();
    return CUDA_SUCCESS;
  };
  t.ctx_synchronize.pointer = [] {
    ENTER("cuCtxSynchronize");
    return wait();
  };
  t.ctx_set_limit.pointer = [](CUlimit, size_t) {
    ENTER("cuCtxSetLimit");
    return CUDA_SUCCESS;
  };

  t.ctx_reset_persisting_l2.pointer = [] {
    ENTER("cuCtxResetPersistingL2Cache");
    return CUDA_SUCCESS;
  };
  t.profiler_start.pointer = [] {
    ENTER("cuProfilerStart");
    return CUDA_SUCCESS;
  };
  t.profiler_stop.pointer = [] {
    ENTER("cuProfilerStop");
    return CUDA_SUCCESS;
  };

  t.module_load_data_ex.pointer = [](CUmodule* module, const void* image, unsigned int count,
                                     CUjit_option* options, void** values) {
    const CUresult failed = enter("cuModuleLoadDataEx");
    for (unsigned int i = 0; i + 1 < count && failed != CUDA_SUCCESS; ++i) {
      if (options[i] != CU_JIT_ERROR_LOG_BUFFER) continue;
      std::strncpy(static_cast<char*>(values[i]), fake().jit_error_log.c_str(),
                   reinterpret_cast<size_t>(values[i + 1]));
    }
    if (failed != CUDA_SUCCESS) return failed;
    fake().images.emplace_back(static_cast<const char*>(image));
    FakeObject* object = make("module");
    for (const auto& [name, bytes] : fake().variables)
      object->bytes.insert(object->bytes.end(), bytes.begin(), bytes.end());
    state().last_module = object;
    *module = reinterpret_cast<CUmodule>(object);
    return CUDA_SUCCESS;
  };
  t.module_get_global.pointer = [](CUdeviceptr* address, size_t* bytes, CUmodule module,
                                   const char* name) {
    ENTER("cuModuleGetGlobal_v2");
    const auto found = fake().variables.find(name);
    if (found == fake().variables.end()) return CUDA_ERROR_NOT_FOUND;
    FakeObject* object = state().objects.at(module).get();
    *address = reinterpret_cast<CUdeviceptr>(object->bytes.data() + offset_of(fake(), name));
    *bytes = found->second.size();
    return CUDA_SUCCESS;
  };
  t.link_create.pointer = [](unsigned int count, CUjit_option* options, void** values,
                             CUlinkState* link) {
    ENTER("cuLinkCreate_v2");
    FakeObject* object = make("link");
    for (unsigned int i = 0; i + 1 < count; ++i) {
      if (options[i] != CU_JIT_ERROR_LOG_BUFFER) continue;
      object->error_log = {static_cast<char*>(values[i]), reinterpret_cast<size_t>(values[i + 1])};
    }
    *link = reinterpret_cast<CUlinkState>(object);
    return CUDA_SUCCESS;
  };
  t.link_add_data.pointer = [](CUlinkState link, CUjitInputType, void* data, size_t bytes,
                               const char*, unsigned int, CUjit_option*, void**) {
    if (const CUresult failed = enter_link("cuLinkAddData_v2", link)) return failed;
    std::string& text = reinterpret_cast<FakeObject*>(link)->text;
    text += (text.empty() ? "" : "|") + std::string(static_cast<const char*>(data), bytes);
    return CUDA_SUCCESS;
  };
  t.link_complete.pointer = [](CUlinkState link, void** image, size_t* bytes) {
    if (const CUresult failed = enter_link("cuLinkComplete", link)) return failed;
    std::string& text = reinterpret_cast<FakeObject*>(link)->text;
    *image = text.data();
    *bytes = text.size();
    return CUDA_SUCCESS;
  };
  t.link_destroy.pointer = [](CUlinkState link) {
    ENTER("cuLinkDestroy");
    return destroy(link, "link");
  };
  t.module_unload.pointer = [](CUmodule module) {
    ENTER("cuModuleUnload");
    return destroy(module, "module");
  };
  t.module_get_function.pointer = [](CUfunction* function, CUmodule module, const char* name) {
    ENTER("cuModuleGetFunction");
    if (!state().objects.contains(module)) return CUDA_ERROR_INVALID_HANDLE;
    if (!fake().kernels.contains(name)) return CUDA_ERROR_NOT_FOUND;
    auto object = std::make_unique<FakeObject>();
    object->name = name;
    *function = reinterpret_cast<CUfunction>(object.get());
    state().functions[object.get()] = std::move(object);
    return CUDA_SUCCESS;
  };
  t.func_get_attribute.pointer = [](int* value, CUfunction_attribute attribute, CUfunction f) {
    ENTER("cuFuncGetAttribute");
    const FakeKernel& kernel = fake().kernels.at(state().functions.at(f)->name);
    *value = 0;
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) *value = kernel.max_threads_per_block;
    if (attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) *value = kernel.static_shared_bytes;
    if (attribute == CU_FUNC_ATTRIBUTE_NUM_REGS) *value = kernel.registers;
    return CUDA_SUCCESS;
  };
  t.func_set_attribute.pointer = [](CUfunction, CUfunction_attribute, int) {
    ENTER("cuFuncSetAttribute");
    return CUDA_SUCCESS;
  };
  t.func_get_param_info.pointer = [](CUfunction f, size_t index, size_t* offset, size_t* bytes) {
    ENTER("cuFuncGetParamInfo");
    const FakeKernel& kernel = fake().kernels.at(state().functions.at(f)->name);
    if (index >= kernel.parameters.size()) return CUDA_ERROR_INVALID_VALUE;
    *offset = kernel.parameters[index].offset;
    *bytes = kernel.parameters[index].bytes;
    return CUDA_SUCCESS;
  };

  t.mem_get_info.pointer = [](size_t* free, size_t* total) {
    ENTER("cuMemGetInfo_v2");
    *free = size_t{1} << 29;
    *total = size_t{1} << 30;
    return CUDA_SUCCESS;
  };
  t.mem_alloc.pointer = [](CUdeviceptr* address, size_t bytes) {
    ENTER("cuMemAlloc_v2");
    if (current() == nullptr)
      return misuse("an allocation without a context", CUDA_ERROR_INVALID_CONTEXT);
    FakeObject* object = make("memory");
    object->bytes.resize(bytes);
    *address = reinterpret_cast<CUdeviceptr>(object->bytes.data());
    return CUDA_SUCCESS;
  };
  t.mem_free.pointer = [](CUdeviceptr address) {
    ENTER("cuMemFree_v2");
    return destroy(block_at(address, 1), "memory");
  };
  t.memcpy_htod.pointer = [](CUdeviceptr to, const void* from, size_t bytes) {
    ENTER("cuMemcpyHtoD_v2");
    return copy(host(to), from, bytes, to);
  };
  t.memcpy_dtoh.pointer = [](void* to, CUdeviceptr from, size_t bytes) {
    ENTER("cuMemcpyDtoH_v2");
    if (state().pending != CUDA_SUCCESS) return wait();
    return copy(to, host(from), bytes, from);
  };
  t.memcpy_dtod.pointer = [](CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    ENTER("cuMemcpyDtoD_v2");
    return copy(host(to), host(from), bytes, to);
  };
  t.memcpy_dtod_async.pointer = [](CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
    ENTER("cuMemcpyDtoDAsync_v2");
    return copy_in_stream(host(to), host(from), bytes, to);
  };
  t.memcpy_htod_async.pointer = [](CUdeviceptr to, const void* from, size_t bytes, CUstream) {
    ENTER("cuMemcpyHtoDAsync_v2");
    return copy_in_stream(host(to), from, bytes, to);
  };
  t.memcpy_dtoh_async.pointer = [](void* to, CUdeviceptr from, size_t bytes, CUstream) {
    ENTER("cuMemcpyDtoHAsync_v2");
    return copy_in_stream(to, host(from), bytes, from);
  };
  t.memset_d8.pointer = [](CUdeviceptr to, unsigned char value, size_t bytes) {
    ENTER("cuMemsetD8_v2");
    const std::vector<unsigned char> values(bytes, value);
    return copy(host(to), values.data(), bytes, to);
  };
  t.memset_d8_async.pointer = [](CUdeviceptr to, unsigned char value, size_t bytes, CUstream) {
    ENTER("cuMemsetD8Async");
    const std::vector<unsigned char> values(bytes, value);
    return copy(host(to), values.data(), bytes, to);
  };
  t.mem_host_register.pointer = [](void* address, size_t, unsigned int) {
    ENTER("cuMemHostRegister_v2");
    make("registration")->address = address;
    return CUDA_SUCCESS;
  };
  t.mem_host_unregister.pointer = [](void* address) {
    ENTER("cuMemHostUnregister");
    for (const auto& [handle, object] : state().objects) {
      if (object->kind == "registration" && object->address == address) {
        return destroy(handle, "registration");
      }
    }
    return misuse("released a registration that is not alive", CUDA_ERROR_INVALID_VALUE);
  };

  t.stream_create.pointer = [](CUstream* stream, unsigned int) {
    ENTER("cuStreamCreate");
    *stream = reinterpret_cast<CUstream>(make("stream"));
    return CUDA_SUCCESS;
  };
  t.stream_destroy.pointer = [](CUstream stream) {
    ENTER("cuStreamDestroy_v2");
    return destroy(stream, "stream");
  };
  t.stream_synchronize.pointer = [](CUstream) {
    ENTER("cuStreamSynchronize");
    return wait();
  };
  t.stream_begin_capture.pointer = [](CUstream, CUstreamCaptureMode) {
    ENTER("cuStreamBeginCapture_v2");
    state().capture = make("graph");
    return CUDA_SUCCESS;
  };
  t.stream_end_capture.pointer = [](CUstream, CUgraph* graph) {
    ENTER("cuStreamEndCapture");
    *graph = reinterpret_cast<CUgraph>(std::exchange(state().capture, nullptr));
    return CUDA_SUCCESS;
  };
  t.graph_instantiate.pointer = [](CUgraphExec* executable, CUgraph graph, unsigned long long) {
    ENTER("cuGraphInstantiateWithFlags");
    FakeObject* made = make("executable graph");
    made->work = reinterpret_cast<FakeObject*>(graph)->work;
    *executable = reinterpret_cast<CUgraphExec>(made);
    return CUDA_SUCCESS;
  };
  t.graph_launch.pointer = [](CUgraphExec executable, CUstream) {
    ENTER("cuGraphLaunch");
    state().clock += fake().graph_ms;
    for (const auto& work : state().objects.at(executable)->work) work();
    return CUDA_SUCCESS;
  };
  t.graph_destroy.pointer = [](CUgraph graph) {
    ENTER("cuGraphDestroy");
    return destroy(graph, "graph");
  };
  t.graph_exec_destroy.pointer = [](CUgraphExec executable) {
    ENTER("cuGraphExecDestroy");
    return destroy(executable, "executable graph");
  };
  t.event_create.pointer = [](CUevent* event, unsigned int) {
    ENTER("cuEventCreate");
    *event = reinterpret_cast<CUevent>(make("event"));
    return CUDA_SUCCESS;
  };
  t.event_destroy.pointer = [](CUevent event) {
    ENTER("cuEventDestroy_v2");
    return destroy(event, "event");
  };
  t.event_record.pointer = [](CUevent event, CUstream) {
    ENTER("cuEventRecord");
    state().objects.at(event)->time = state().clock;
    return CUDA_SUCCESS;
  };
  t.event_query.pointer = [](CUevent) {
    ENTER("cuEventQuery");
    return fake().event_passed && fake().event_passed() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  };
  t.event_elapsed_time.pointer = [](float* milliseconds, CUevent start, CUevent end) {
    ENTER("cuEventElapsedTime");
    *milliseconds =
        static_cast<float>(state().objects.at(end)->time - state().objects.at(start)->time);
    return CUDA_SUCCESS;
  };
  t.launch_kernel.pointer = [](CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz,
                               unsigned int bx, unsigned int by, unsigned int bz,
                               unsigned int shared, CUstream, void** values, void**) {
    ENTER("cuLaunchKernel");
    return launch(f, {{gx, gy, gz}, {bx, by, bz}, shared, false}, values);
  };
  t.launch_cooperative_kernel.pointer =
      [](CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
         unsigned int by, unsigned int bz, unsigned int shared, CUstream, void** values) {
        ENTER("cuLaunchCooperativeKernel");
        return launch(f, {{gx, gy, gz}, {bx, by, bz}, shared, true}, values);
      };
  return t;
}

}  // namespace

void* FakeDriver::lookup(const char* symbol) {
  static const DriverTable table = full_table();
#define DRIVER_FUNCTION(member, name, presence, needed_for, ...) \
  if (std::string_view(name) == symbol) return reinterpret_cast<void*>(table.member.pointer);
#include "driver/functions.def"
#undef DRIVER_FUNCTION
  return nullptr;
}

}  // namespace warpmark
