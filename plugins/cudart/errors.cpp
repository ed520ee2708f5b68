// Names and texts of errors.
#include "api.hpp"
#include "driver.hpp"

namespace warpmark::cudart::api {
namespace {

struct Text {
  cudaError_t error;
  const char *name, *text;
};

constexpr Text kTexts[] = {
#define ERROR(name, text) {name, #name, text},
#include "errors.def"
};

const Text* find(cudaError_t error) {
  for (const Text& each : kTexts) {
    if (each.error == error) return &each;
  }
  return nullptr;
}

}  // namespace

const char* cudaGetErrorName(cudaError_t error) {
  const Text* found = find(error);
  return found == nullptr ? "unrecognized error code" : found->name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const Text* found = find(error);
  if (found == nullptr) return "unrecognized error code";
  if (found->text != nullptr) return found->text;
  const char* text = nullptr;
  const bool known = start_driver() != cudaErrorInsufficientDriver &&
                     driver().cuGetErrorString(static_cast<CUresult>(error), &text) == CUDA_SUCCESS;
  return known ? text : found->name;
}

}  // namespace warpmark::cudart::api
