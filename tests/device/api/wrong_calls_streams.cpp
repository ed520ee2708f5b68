// Wrong calls about streams, events, capture, graphs and entry points.
#include "device/api/wrong_calls_parts.hpp"

namespace warpmark::test {

using namespace wrong;

std::vector<WrongCall> wrong::of_streams() {
  return {
      WRONG("cuStreamCreate: flags 99", kValue, { return make_stream(driver, 99); }),
      WRONG("cuStreamCreate: null", kValue, { return DRIVER(cuStreamCreate)(nullptr, 0); }),
      WRONG("cuStreamCreateWithPriority: priority 1000", CUDA_SUCCESS,
            {
              return made<CUstream>(
                  [&](CUstream* t) { return DRIVER(cuStreamCreateWithPriority)(t, 0, 1000); },
                  [&](CUstream t) {
                    DRIVER(cuStreamDestroy)
                    (t);
                  });
            }),
      WRONG("cuStreamDestroy: null", kOpen, { return DRIVER(cuStreamDestroy)(nullptr); }),
      WRONG("cuStreamGetFlags: null", kValue,
            { return DRIVER(cuStreamGetFlags)(s.stream, nullptr); }),
      WRONG("cuStreamAddCallback: null", kValue,
            { return DRIVER(cuStreamAddCallback)(s.stream, nullptr, nullptr, 0); }),
      WRONG("cuStreamAddCallback: flags 1", kValue,
            {
              return DRIVER(cuStreamAddCallback)(
                  s.stream, [](CUstream, CUresult, void*) {}, nullptr, 1);
            }),
      WRONG("cuStreamWaitEvent: null event", kOpen,
            { return DRIVER(cuStreamWaitEvent)(s.stream, nullptr, 0); }),
      WRONG("cuStreamWaitEvent: flags 99", kValue,
            { return DRIVER(cuStreamWaitEvent)(s.stream, s.event, 99); }),
      WRONG("cuStreamWaitEvent: an event never recorded", CUDA_SUCCESS,
            { return DRIVER(cuStreamWaitEvent)(s.stream, s.event, 0); }),
      WRONG("cuEventCreate: flags 0xff00", kValue, { return make_event(driver, 0xff00); }),
      WRONG("cuEventCreate: for processes, with times", kValue,
            { return make_event(driver, CU_EVENT_INTERPROCESS); }),
      WRONG("cuEventCreate: null", kValue, { return DRIVER(cuEventCreate)(nullptr, 0); }),
      WRONG("cuEventRecord: null event", kOpen,
            { return DRIVER(cuEventRecord)(nullptr, s.stream); }),
      WRONG("cuEventQuery: never recorded", CUDA_SUCCESS,
            { return DRIVER(cuEventQuery)(s.event); }),
      WRONG("cuEventQuery: null", kOpen, { return DRIVER(cuEventQuery)(nullptr); }),
      WRONG("cuEventSynchronize: null", kOpen, { return DRIVER(cuEventSynchronize)(nullptr); }),
      WRONG("cuEventElapsedTime: never recorded", kHandle,
            {
              float t;
              return driver.find<CUresult (*)(float*, CUevent, CUevent)>("cuEventElapsedTime")(
                  &t, s.event, s.event);
            }),
      WRONG("cuEventElapsedTime: without times", kHandle,
            {
              float t;
              return made<CUevent>(
                  [&](CUevent* e) {
                    DRIVER(cuEventCreate)(e, CU_EVENT_DISABLE_TIMING);
                    DRIVER(cuEventRecord)(*e, nullptr);
                    DRIVER(cuCtxSynchronize)();
                    return driver.find<CUresult (*)(float*, CUevent, CUevent)>(
                        "cuEventElapsedTime")(&t, *e, *e);
                  },
                  [&](CUevent e) {
                    DRIVER(cuEventDestroy)
                    (e);
                  });
            }),
      WRONG("cuEventDestroy: null", kOpen, { return DRIVER(cuEventDestroy)(nullptr); }),

      WRONG("cuStreamBeginCapture: the null stream", CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            { return DRIVER(cuStreamBeginCapture)(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL); }),
      WRONG(
          "cuStreamBeginCapture: mode 99", kValue,
          { return DRIVER(cuStreamBeginCapture)(s.stream, static_cast<CUstreamCaptureMode>(99)); }),
      WRONG("cuStreamBeginCapture: twice", kOpen,
            {
              return capturing(driver, s, [&] {
                return DRIVER(cuStreamBeginCapture)(s.stream, CU_STREAM_CAPTURE_MODE_RELAXED);
              });
            }),
      WRONG("cuStreamEndCapture: nothing begun", kOpen,
            {
              CUgraph g;
              return DRIVER(cuStreamEndCapture)(s.stream, &g);
            }),
      WRONG(
          "cuStreamSynchronize: in a capture", CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          { return capturing(driver, s, [&] { return DRIVER(cuStreamSynchronize)(s.stream); }); }),
      WRONG("cuStreamQuery: in a capture", CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            { return capturing(driver, s, [&] { return DRIVER(cuStreamQuery)(s.stream); }); }),
      WRONG("cuGraphCreate: flags 1", kValue,
            {
              CUgraph g;
              return DRIVER(cuGraphCreate)(&g, 1);
            }),
      WRONG("cuGraphAddEmptyNode: null graph", kOpen,
            {
              CUgraphNode n;
              return DRIVER(cuGraphAddEmptyNode)(&n, nullptr, nullptr, 0);
            }),
      WRONG("cuGraphAddEmptyNode: null dependencies", kValue,
            {
              return with_graph(driver, [&](CUgraph g) {
                CUgraphNode n;
                return DRIVER(cuGraphAddEmptyNode)(&n, g, nullptr, 1);
              });
            }),
      WRONG("cuGraphAddKernelNode: null parameters", kValue,
            {
              return with_graph(driver, [&](CUgraph g) {
                CUgraphNode n;
                return DRIVER(cuGraphAddKernelNode)(&n, g, nullptr, 0, nullptr);
              });
            }),
      WRONG("cuGraphLaunch: null", kOpen, { return DRIVER(cuGraphLaunch)(nullptr, s.stream); }),
      WRONG("cuGraphDestroy: null", kOpen, { return DRIVER(cuGraphDestroy)(nullptr); }),
      WRONG("cuGraphExecDestroy: null", kOpen, { return DRIVER(cuGraphExecDestroy)(nullptr); }),
      WRONG("cuGraphInstantiateWithFlags: null", kOpen,
            {
              CUgraphExec e;
              return DRIVER(cuGraphInstantiateWithFlags)(&e, nullptr, 0);
            }),

      WRONG("cuGetProcAddress: no such function", kOpen,
            {
              void* f;
              return DRIVER(cuGetProcAddress)("cuNoSuchFunction", &f, 12000, 0, nullptr);
            }),
      WRONG("cuGetProcAddress: null name", kValue,
            {
              void* f;
              return DRIVER(cuGetProcAddress)(nullptr, &f, 12000, 0, nullptr);
            }),
      WRONG("cuGetProcAddress: before it came to be", kOpen,
            {
              void* f;
              return DRIVER(cuGetProcAddress)("cuLaunchKernelEx", &f, 11000, 0, nullptr);
            }),
  };
}

}  // namespace warpmark::test
