// cuLink: puts PTX texts together; the image that comes out is PTX text, too.
#include <cstdint>
#include <string>

#include "api/jit.hpp"
#include "api/mistake.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"
#include "api/target.hpp"
#include "program/check_module.hpp"
#include "ptx/device_functions.hpp"
#include "ptx/error.hpp"
#include "ptx/link.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {
namespace {

// A call that refuses an input reports why.
CUresult with_link(const char* name, CUlinkState state, CUresult (*body)(Link&, void*),
                   void* closure) {
  return with_owner(name, Waits::no, state, [&](Context& context) -> CUresult {
    Link* found = find_in(context.links, state);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    return report_refused_image(name, body(*found, closure));
  });
}
template <typename Body>
CUresult with_link(const char* name, CUlinkState state, Body body) {
  return with_link(
      name, state,
      [](Link& link, void* closure) -> CUresult { return (*static_cast<Body*>(closure))(link); },
      &body);
}

CUresult refuse(Link& link, CUresult result, const std::string& text) {
  if (!link.errors.empty()) link.errors += '\n';
  link.errors += text;
  link.logs.write(link.errors, "");
  return fail(result, text);
}

CUresult refuse_type(Link& link, const std::string& label) {
  return refuse(link, CUDA_ERROR_NOT_SUPPORTED,
                label + ": this device links PTX text only, not cubins or objects");
}

// The toolkit's library for what kernels call, such as cudaGraphSetConditional: the device has that
// itself.
bool is_device_runtime(unsigned int type, std::string_view name) {
  return type == CU_JIT_INPUT_LIBRARY && name.ends_with("libcudadevrt.a");
}

// Another input, which may be wrong by itself.
CUresult add(Link& link, const std::string& label, std::string text) {
  text.resize(std::min(text.find('\0'), text.size()));
  if (!is_ptx(text)) return refuse(link, CUDA_ERROR_INVALID_IMAGE, label + " is no PTX");
  if (const CUresult result = refuse_target(text); result != CUDA_SUCCESS)
    return refuse(link, result, label + ", " + last_error());
  try {
    parse_ptx(text);
  } catch (const PtxError& error) {
    return refuse(link, error.unsupported() ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_PTX,
                  label + ", " + error.what());
  }
  link.inputs.push_back({label, std::move(text)});
  return CUDA_SUCCESS;
}

// The text of an input: PTX, or what a fatbin has of it.
CUresult add(Link& link, CUjitInputType type, const std::string& label, const void* data,
             std::size_t size) {
  if (number_in(type) == CU_JIT_INPUT_PTX)
    return add(link, label, {static_cast<const char*>(data), size});
  if (number_in(type) != CU_JIT_INPUT_FATBINARY) return refuse_type(link, label);
  std::string text;
  const CUresult result = text_of_image(data, &size, text);
  // nvcc links the toolkit's library for kernels into each program of relocatable code, in a fatbin
  // without PTX for this device, which needs nothing of it.
  if (result == CUDA_ERROR_NO_BINARY_FOR_GPU) {
    link.left_out += "; left out is " + label + ": " + last_error();
    return CUDA_SUCCESS;
  }
  if (result != CUDA_SUCCESS) return refuse(link, result, label + ": " + last_error());
  return add(link, label, std::move(text));
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuLinkCreate_v2(unsigned int count, CUjit_option* options, void** values,
                         CUlinkState* state) {
  return with_context("cuLinkCreate", Waits::no, [&](Context& context) -> CUresult {
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto link = std::make_unique<Link>();
    const CUresult result = read_options(count, options, values, link->logs);
    if (result != CUDA_SUCCESS) return result;
    *state = reinterpret_cast<CUlinkState>(link.get());
    context.links.emplace(*state, std::move(link));
    return CUDA_SUCCESS;
  });
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t size,
                          const char* name, unsigned int, CUjit_option*, void**) {
  return with_link("cuLinkAddData", state, [&](Link& link) -> CUresult {
    if (data == nullptr || size == 0 || !link.image.empty()) return CUDA_ERROR_INVALID_VALUE;
    const std::string label = name == nullptr || *name == '\0'
                                  ? "input " + std::to_string(link.inputs.size() + 1)
                                  : std::string(name);
    if (is_device_runtime(number_in(type), label)) return CUDA_SUCCESS;
    return add(link, type, label, data, size);
  });
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path, unsigned int,
                          CUjit_option*, void**) {
  return with_link("cuLinkAddFile", state, [&](Link& link) -> CUresult {
    if (path == nullptr || !link.image.empty()) return CUDA_ERROR_INVALID_VALUE;
    if (is_device_runtime(number_in(type), path)) return CUDA_SUCCESS;
    std::string text;
    if (const CUresult result = read_file(path, text); result != CUDA_SUCCESS)
      return refuse(link, result, last_error());
    return add(link, type, path, text.data(), text.size());
  });
}

CUresult cuLinkComplete(CUlinkState state, void** image, size_t* size) {
  return with_link("cuLinkComplete", state, [&](Link& link) -> CUresult {
    if (image == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (link.inputs.empty() && !link.left_out.empty())
      return refuse(link, CUDA_ERROR_NO_BINARY_FOR_GPU, "nothing to link" + link.left_out);
    if (link.image.empty()) {
      try {
        link.image = link_ptx(link.inputs);
        const Module module = parse_with_device_functions(link.image);
        Placement placement;
        placement.variable = [&](std::string_view name) {
          return module.variable_by_name.contains(name) ? std::uint64_t{1} << 16 : 0;
        };
        check_module(module, placement);
      } catch (const LinkError& error) {
        return refuse(link, CUDA_ERROR_INVALID_IMAGE, error.what() + link.left_out);
      } catch (const PtxError& error) {
        link.image.clear();
        return refuse(link, CUDA_ERROR_INVALID_PTX, std::string("linked text, ") + error.what());
      }
    }
    link.logs.write(link.errors, "");
    *image = link.image.data();
    if (size != nullptr) *size = link.image.size() + 1;  // with the NUL that ends it
    return CUDA_SUCCESS;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return with_owner("cuLinkDestroy", Waits::no, state, [&](Context& context) -> CUresult {
    return context.links.erase(state) == 0 ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
  });
}

}  // extern "C"
