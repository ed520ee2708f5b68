// Texture and surface references: variables of modules, bound by cuTexRefSet… and cuSurfRefSetArray.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/number.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

using L = ImageLimits;

// The reference's handle finds what is bound to it from now on. A sampler that does not suit it,
// such as one without normalised coordinates for mipmaps, may be on its way to one that does.
void bind(Context& context, const ImageReference& reference) {
  if (reference.variable == 0) return;
  Texture texture;
  const bool bound = reference.resource && texture_of(context, *reference.resource,
                                                      reference.sampler, texture) == CUDA_SUCCESS;
  context.images.table.textures.bind(reference.variable,
                                     bound ? std::optional(std::move(texture)) : std::nullopt);
}

template <typename Body>
CUresult with_reference(const char* call, CUtexref handle, Body body) {
  return with_context(call, Waits::no, [&](Context& context) -> CUresult {
    ImageReference* reference = find_in(context.images.texture_references, handle);
    return reference == nullptr ? CUDA_ERROR_INVALID_VALUE : body(context, *reference);
  });
}

// Changes a copy of the reference, which takes its place if a texture can be as it says.
template <typename Change>
CUresult change(const char* call, CUtexref handle, Change change) {
  return with_reference(call, handle, [&](Context& context, ImageReference& reference) {
    ImageReference next = reference;
    const CUresult result = change(context, next);
    if (result != CUDA_SUCCESS) return result;
    reference = next;
    bind(context, reference);
    return CUDA_SUCCESS;
  });
}

// Binds a resource whose texels are known to be there.
CUresult take(Context& context, ImageReference& reference, const CUDA_RESOURCE_DESC& resource) {
  CUDA_TEXTURE_DESC sampler{};
  sampler.flags = CU_TRSF_NORMALIZED_COORDINATES;  // any that suits all resources
  Texture texture;
  const CUresult result = texture_of(context, resource, sampler, texture);
  if (result == CUDA_SUCCESS) reference.resource = resource;
  return result;
}

// A flag or a mode, which texture_of() refuses if it is none.
CUresult has_sampler(Context& context, const ImageReference& reference) {
  CUDA_RESOURCE_DESC nothing{};
  nothing.resType = CU_RESOURCE_TYPE_LINEAR;
  nothing.res.linear.format = CU_AD_FORMAT_FLOAT;
  nothing.res.linear.numChannels = 1;
  Texture texture;
  return texture_of(context, nothing, reference.sampler, texture);
}

template <typename Handle>
CUresult get(const char* call, Handle* result, CUmodule handle, const char* name, bool surface,
             std::map<Handle, std::unique_ptr<ImageReference>> Images::*references) {
  return with_owner(call, Waits::no, handle, [&](Context& context) -> CUresult {
    if (result == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const LoadedModule* module = find_in(context.modules, handle);
    if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const auto* const index = find_in(module->ptx().variable_by_name, name);
    const Variable* variable = index == nullptr ? nullptr : &module->ptx().variables[*index];
    const auto* const address = find_in(module->addresses, name);
    if (variable == nullptr || address == nullptr || !variable->image ||
        variable->surface != surface)
      return fail(CUDA_ERROR_NOT_FOUND, "the module has no " +
                                            std::string(surface ? "surface" : "texture") +
                                            " reference '" + name + "'");
    auto& known = context.images.*references;
    for (const auto& [other, reference] : known) {
      if (reference->variable == *address) return give(result, other);
    }
    auto made = std::make_unique<ImageReference>();
    made->variable = *address;
    // No manual says what is set at first: for coordinates in texels there is one mode alone.
    for (CUaddress_mode& mode : made->sampler.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
    *result = reinterpret_cast<Handle>(made.get());
    if (surface)
      context.images.table.surfaces.bind(*address, std::nullopt);
    else
      bind(context, *made);
    known.emplace(*result, std::move(made));
    return CUDA_SUCCESS;
  });
}

template <typename Handle>
void forget(std::map<Handle, std::unique_ptr<ImageReference>>& references, std::uint64_t variable) {
  std::erase_if(references, [&](const auto& one) { return one.second->variable == variable; });
}

CUDA_RESOURCE_DESC of_type(CUresourcetype type) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = type;
  return resource;
}

// The resource that is bound, if it is of a type.
const CUDA_RESOURCE_DESC* bound(const ImageReference& reference, CUresourcetype type) {
  return reference.resource && reference.resource->resType == type ? &*reference.resource : nullptr;
}

}  // namespace

void forget_references(Images& images, std::uint64_t variable) {
  images.table.textures.forget(variable);
  images.table.surfaces.forget(variable);
  forget(images.texture_references, variable);
  forget(images.surface_references, variable);
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuModuleGetTexRef(CUtexref* reference, CUmodule module, const char* name) {
  return get("cuModuleGetTexRef", reference, module, name, false, &Images::texture_references);
}

CUresult cuModuleGetSurfRef(CUsurfref* reference, CUmodule module, const char* name) {
  return get("cuModuleGetSurfRef", reference, module, name, true, &Images::surface_references);
}

// No kernel can name such a reference, but its settings are kept.
CUresult cuTexRefCreate(CUtexref* reference) {
  return with_context("cuTexRefCreate", Waits::no, [&](Context& context) -> CUresult {
    auto made = std::make_unique<ImageReference>();
    for (CUaddress_mode& mode : made->sampler.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
    const CUresult result = give(reference, reinterpret_cast<CUtexref>(made.get()));
    if (result == CUDA_SUCCESS)
      context.images.texture_references.emplace(*reference, std::move(made));
    return result;
  });
}

CUresult cuTexRefDestroy(CUtexref handle) {
  return with_reference("cuTexRefDestroy", handle, [&](Context& context, ImageReference& known) {
    if (known.variable != 0) return CUDA_ERROR_INVALID_VALUE;
    context.images.texture_references.erase(handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetArray(CUtexref handle, CUarray array, unsigned int flags) {
  return change("cuTexRefSetArray", handle, [&](Context& context, ImageReference& reference) {
    if (flags != CU_TRSA_OVERRIDE_FORMAT) return CUDA_ERROR_INVALID_VALUE;
    CUDA_RESOURCE_DESC resource = of_type(CU_RESOURCE_TYPE_ARRAY);
    resource.res.array.hArray = array;
    const CUresult result = take(context, reference, resource);
    if (result != CUDA_SUCCESS) return result;
    const ImageArray* const bound = context.images.find(array);
    reference.format = bound->descriptor.Format;
    reference.channels = static_cast<int>(bound->descriptor.NumChannels);
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetMipmappedArray(CUtexref handle, CUmipmappedArray array, unsigned int flags) {
  return change("cuTexRefSetMipmappedArray", handle,
                [&](Context& context, ImageReference& reference) {
                  if (flags != CU_TRSA_OVERRIDE_FORMAT) return CUDA_ERROR_INVALID_VALUE;
                  CUDA_RESOURCE_DESC resource = of_type(CU_RESOURCE_TYPE_MIPMAPPED_ARRAY);
                  resource.res.mipmap.hMipmappedArray = array;
                  const CUresult result = take(context, reference, resource);
                  if (result != CUDA_SUCCESS) return result;
                  const MipmappedArray* const bound = find_in(context.images.mipmaps, array);
                  reference.format = bound->descriptor.Format;
                  reference.channels = static_cast<int>(bound->descriptor.NumChannels);
                  return CUDA_SUCCESS;
                });
}

// Fetches add the offset of an address that a texture cannot begin at.
CUresult cuTexRefSetAddress_v2(size_t* offset, CUtexref handle, CUdeviceptr address, size_t bytes) {
  return change("cuTexRefSetAddress", handle, [&](Context& context, ImageReference& reference) {
    const std::size_t beyond = address % L::alignment;
    if (offset == nullptr && beyond != 0) return CUDA_ERROR_INVALID_VALUE;
    CUDA_RESOURCE_DESC resource = of_type(CU_RESOURCE_TYPE_LINEAR);
    resource.res.linear = {address - beyond, reference.format,
                           static_cast<unsigned int>(reference.channels), bytes + beyond};
    const CUresult result = take(context, reference, resource);
    if (result == CUDA_SUCCESS && offset != nullptr) *offset = beyond;
    return result;
  });
}

CUresult cuTexRefSetAddress2D_v3(CUtexref handle, const CUDA_ARRAY_DESCRIPTOR* descriptor,
                                 CUdeviceptr address, size_t pitch) {
  return change("cuTexRefSetAddress2D", handle, [&](Context& context, ImageReference& reference) {
    if (descriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUDA_RESOURCE_DESC resource = of_type(CU_RESOURCE_TYPE_PITCH2D);
    resource.res.pitch2D = {address,           descriptor->Format, descriptor->NumChannels,
                            descriptor->Width, descriptor->Height, pitch};
    const CUresult result = take(context, reference, resource);
    if (result != CUDA_SUCCESS) return result;
    reference.format = descriptor->Format;
    reference.channels = static_cast<int>(descriptor->NumChannels);
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetFormat(CUtexref handle, CUarray_format format, int channels) {
  return change("cuTexRefSetFormat", handle, [&](Context&, ImageReference& reference) {
    if (!texel_format(number_in(format), static_cast<unsigned int>(channels)) ||
        bound(reference, CU_RESOURCE_TYPE_PITCH2D) != nullptr)
      return CUDA_ERROR_INVALID_VALUE;
    reference.format = format;
    reference.channels = channels;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetAddressMode(CUtexref handle, int dimension, CUaddress_mode mode) {
  return change("cuTexRefSetAddressMode", handle, [&](Context& context, ImageReference& reference) {
    if (dimension < 0 || dimension > 2) return CUDA_ERROR_INVALID_VALUE;
    copy_number(reference.sampler.addressMode[dimension], mode);
    return has_sampler(context, reference);
  });
}

CUresult cuTexRefSetFilterMode(CUtexref handle, CUfilter_mode mode) {
  return change("cuTexRefSetFilterMode", handle, [&](Context& context, ImageReference& reference) {
    copy_number(reference.sampler.filterMode, mode);
    return has_sampler(context, reference);
  });
}

CUresult cuTexRefSetMipmapFilterMode(CUtexref handle, CUfilter_mode mode) {
  return change("cuTexRefSetMipmapFilterMode", handle,
                [&](Context& context, ImageReference& reference) {
                  copy_number(reference.sampler.mipmapFilterMode, mode);
                  return has_sampler(context, reference);
                });
}

CUresult cuTexRefSetMipmapLevelBias(CUtexref handle, float bias) {
  return change("cuTexRefSetMipmapLevelBias", handle, [&](Context&, ImageReference& reference) {
    reference.sampler.mipmapLevelBias = bias;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetMipmapLevelClamp(CUtexref handle, float least, float most) {
  return change("cuTexRefSetMipmapLevelClamp", handle, [&](Context&, ImageReference& reference) {
    reference.sampler.minMipmapLevelClamp = least;
    reference.sampler.maxMipmapLevelClamp = most;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref handle, unsigned int most) {
  return change("cuTexRefSetMaxAnisotropy", handle, [&](Context&, ImageReference& reference) {
    reference.sampler.maxAnisotropy = most;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetBorderColor(CUtexref handle, float* color) {
  return change("cuTexRefSetBorderColor", handle, [&](Context&, ImageReference& reference) {
    if (color == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (int channel = 0; channel < 4; ++channel)
      reference.sampler.borderColor[channel] = color[channel];
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetFlags(CUtexref handle, unsigned int flags) {
  return change("cuTexRefSetFlags", handle, [&](Context& context, ImageReference& reference) {
    reference.sampler.flags = flags;
    return has_sampler(context, reference);
  });
}

CUresult cuTexRefGetAddress_v2(CUdeviceptr* address, CUtexref handle) {
  return with_reference("cuTexRefGetAddress", handle, [&](Context&, ImageReference& reference) {
    if (const auto* linear = bound(reference, CU_RESOURCE_TYPE_LINEAR))
      return give(address, linear->res.linear.devPtr);
    const auto* pitched = bound(reference, CU_RESOURCE_TYPE_PITCH2D);
    return pitched == nullptr ? CUDA_ERROR_INVALID_VALUE
                              : give(address, pitched->res.pitch2D.devPtr);
  });
}

CUresult cuTexRefGetArray(CUarray* array, CUtexref handle) {
  return with_reference("cuTexRefGetArray", handle, [&](Context&, ImageReference& reference) {
    const auto* resource = bound(reference, CU_RESOURCE_TYPE_ARRAY);
    return resource == nullptr ? CUDA_ERROR_INVALID_VALUE : give(array, resource->res.array.hArray);
  });
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray* array, CUtexref handle) {
  return with_reference(
      "cuTexRefGetMipmappedArray", handle, [&](Context&, ImageReference& reference) {
        const auto* resource = bound(reference, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY);
        return resource == nullptr ? CUDA_ERROR_INVALID_VALUE
                                   : give(array, resource->res.mipmap.hMipmappedArray);
      });
}

CUresult cuTexRefGetFormat(CUarray_format* format, int* channels, CUtexref handle) {
  return with_reference("cuTexRefGetFormat", handle, [&](Context&, ImageReference& reference) {
    if (format == nullptr && channels == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (format != nullptr) *format = reference.format;
    if (channels != nullptr) *channels = reference.channels;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetAddressMode(CUaddress_mode* mode, CUtexref handle, int dimension) {
  return with_reference("cuTexRefGetAddressMode", handle, [&](Context&, ImageReference& reference) {
    return dimension < 0 || dimension > 2 ? CUDA_ERROR_INVALID_VALUE
                                          : give(mode, reference.sampler.addressMode[dimension]);
  });
}

#define WARPMARK_TEXREF_GETTER(call, type, member)                                  \
  CUresult call(type* value, CUtexref handle) {                                     \
    return with_reference(#call, handle, [&](Context&, ImageReference& reference) { \
      return give(value, reference.sampler.member);                                 \
    });                                                                             \
  }
WARPMARK_TEXREF_GETTER(cuTexRefGetFilterMode, CUfilter_mode, filterMode)
WARPMARK_TEXREF_GETTER(cuTexRefGetMipmapFilterMode, CUfilter_mode, mipmapFilterMode)
WARPMARK_TEXREF_GETTER(cuTexRefGetMipmapLevelBias, float, mipmapLevelBias)
WARPMARK_TEXREF_GETTER(cuTexRefGetMaxAnisotropy, int, maxAnisotropy)
WARPMARK_TEXREF_GETTER(cuTexRefGetFlags, unsigned int, flags)
#undef WARPMARK_TEXREF_GETTER

CUresult cuTexRefGetMipmapLevelClamp(float* least, float* most, CUtexref handle) {
  return with_reference(
      "cuTexRefGetMipmapLevelClamp", handle, [&](Context&, ImageReference& reference) {
        const CUresult result = give(least, reference.sampler.minMipmapLevelClamp);
        return result != CUDA_SUCCESS ? result : give(most, reference.sampler.maxMipmapLevelClamp);
      });
}

CUresult cuTexRefGetBorderColor(float* color, CUtexref handle) {
  return with_reference("cuTexRefGetBorderColor", handle, [&](Context&, ImageReference& reference) {
    if (color == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (int channel = 0; channel < 4; ++channel)
      color[channel] = reference.sampler.borderColor[channel];
    return CUDA_SUCCESS;
  });
}

CUresult cuSurfRefSetArray(CUsurfref handle, CUarray array, unsigned int flags) {
  return with_context("cuSurfRefSetArray", Waits::no, [&](Context& context) -> CUresult {
    ImageReference* reference = find_in(context.images.surface_references, handle);
    const ImageArray* const bound = context.images.find(array);
    if (reference == nullptr || bound == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    reference->resource = of_type(CU_RESOURCE_TYPE_ARRAY);
    reference->resource->res.array.hArray = array;
    context.images.table.surfaces.bind(reference->variable, bound->image);
    return CUDA_SUCCESS;
  });
}

CUresult cuSurfRefGetArray(CUarray* array, CUsurfref handle) {
  return with_context("cuSurfRefGetArray", Waits::no, [&](Context& context) -> CUresult {
    const ImageReference* reference = find_in(context.images.surface_references, handle);
    if (reference == nullptr || !reference->resource) return CUDA_ERROR_INVALID_VALUE;
    return give(array, reference->resource->res.array.hArray);
  });
}

// Every reference of a kernel's module is the kernel's.
CUresult cuParamSetTexRef(CUfunction function, int unit, CUtexref handle) {
  return with_reference("cuParamSetTexRef", handle, [&](Context& context, ImageReference&) {
    return unit == CU_PARAM_TR_DEFAULT && context.kernels.contains(function)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
  });
}

}  // extern "C"
