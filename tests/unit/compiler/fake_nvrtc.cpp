#include "unit/compiler/fake_nvrtc.hpp"

#include <cstring>
#include <stdexcept>

#include "base/text.hpp"

// Opaque in nvrtc.h.
struct _nvrtcProgram {
  std::string source;
  std::string ptx;
  std::string cubin;
  std::string log;
};

namespace warpmark {

namespace {

FakeNvrtc* g_fake = nullptr;  // NVRTC's interface has no place for a `this`

nvrtcResult put(const std::string& text, char* to) {
  text.copy(to, text.size());
  return NVRTC_SUCCESS;
}

nvrtcResult compile(nvrtcProgram program, int count, const char* const* options) {
  const bool signature = program->source.find("warpmark_signature") != std::string::npos;
  if (!signature) {
    ++g_fake->compiles;
    g_fake->options.assign(options, options + count);
  }
  if (program->source.find("ERROR") != std::string::npos) {
    program->log = "/suite/k.cu(3): error: \x1b[31midentifier \"x\" is undefined\n";
    return NVRTC_ERROR_COMPILATION;
  }
  if (g_fake->compile_result != NVRTC_SUCCESS) return g_fake->compile_result;
  program->ptx = ".version 9.0\n.target sm_90\n";
  for (const std::string& line : split(program->source, '\n')) {
    if (!line.starts_with("KERNEL ")) continue;
    const std::string name = line.substr(7);
    program->ptx +=
        ".visible .entry " + name + "(\n.param .u64 " + name + "_param_0\n)\n{ ret; }\n";
  }
  program->ptx += "\t.file\t1 \"/suite/" + std::string("k.cu\"\n");
  program->cubin = std::string(
      "\x7f"
      "ELF\0fake",
      9);
  program->log = g_fake->log;
  return NVRTC_SUCCESS;
}

}  // namespace

FakeNvrtc::FakeNvrtc() {
  if (g_fake != nullptr) throw std::logic_error("one FakeNvrtc at a time");
  g_fake = this;
}

FakeNvrtc::~FakeNvrtc() {
  g_fake = nullptr;
}

std::shared_ptr<const Nvrtc> FakeNvrtc::nvrtc() {
  NvrtcTable t;
  t.nvrtcVersion = [](int* major_out, int* minor_out) {
    *major_out = g_fake->major;
    *minor_out = g_fake->minor;
    return NVRTC_SUCCESS;
  };
  t.nvrtcGetErrorString = [](nvrtcResult) { return "NVRTC_ERROR_OF_THE_FAKE"; };
  t.nvrtcGetNumSupportedArchs = [](int* count) {
    *count = 2;
    return NVRTC_SUCCESS;
  };
  t.nvrtcGetSupportedArchs = [](int* architectures) {
    architectures[0] = 80;
    architectures[1] = 90;
    return NVRTC_SUCCESS;
  };
  t.nvrtcCreateProgram = [](nvrtcProgram* program, const char* text, const char* file, int count,
                            const char* const* texts, const char* const* names) {
    *program = new _nvrtcProgram{text, "", "", ""};
    ++g_fake->live;
    if (std::strstr(text, "warpmark_signature") == nullptr) {
      g_fake->source = text;
      g_fake->name = file;
      g_fake->headers.clear();
      for (int i = 0; i < count; ++i) g_fake->headers[names[i]] = texts[i];
    }
    return NVRTC_SUCCESS;
  };
  t.nvrtcDestroyProgram = [](nvrtcProgram* program) {
    delete *program;
    --g_fake->live;
    return NVRTC_SUCCESS;
  };
  t.nvrtcAddNameExpression = [](nvrtcProgram, const char*) { return NVRTC_SUCCESS; };
  t.nvrtcCompileProgram = &compile;
  t.nvrtcGetLoweredName = [](nvrtcProgram, const char*, const char** lowered) {
    *lowered = "_Z18warpmark_signatureIPFvPfEEvv";
    return NVRTC_SUCCESS;
  };
  t.nvrtcGetPTXSize = [](nvrtcProgram program, size_t* size) {
    *size = program->ptx.size() + 1;
    return NVRTC_SUCCESS;
  };
  t.nvrtcGetPTX = [](nvrtcProgram program, char* to) { return put(program->ptx + '\0', to); };
  t.nvrtcGetCUBINSize = [](nvrtcProgram program, size_t* size) {
    *size = program->cubin.size();
    return NVRTC_SUCCESS;
  };
  t.nvrtcGetCUBIN = [](nvrtcProgram program, char* to) { return put(program->cubin, to); };
  t.nvrtcGetProgramLogSize = [](nvrtcProgram program, size_t* size) {
    *size = program->log.size() + 1;
    return NVRTC_SUCCESS;
  };
  t.nvrtcGetProgramLog = [](nvrtcProgram program, char* to) {
    return put(program->log + '\0', to);
  };
  return Nvrtc::from_table(t, "the fake NVRTC");
}

}  // namespace warpmark
