// Thrust's pointer to device memory, with the layout of a pointer (thrust/device_ptr.h).
#ifndef WARPMARK_STAND_IN_THRUST_DEVICE_PTR
#define WARPMARK_STAND_IN_THRUST_DEVICE_PTR
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
namespace thrust {
template <typename T>
class device_ptr {
 public:
  typedef T value_type;
  typedef T element_type;
  typedef T* pointer;
  typedef T& reference;
  typedef ptrdiff_t difference_type;
  __host__ __device__ device_ptr() : pointer_(nullptr) {}
  __host__ __device__ device_ptr(decltype(nullptr)) : pointer_(nullptr) {}
  template <typename U>
  __host__ __device__ explicit device_ptr(U* pointer) : pointer_(pointer) {}
  template <typename U>
  __host__ __device__ device_ptr(const device_ptr<U>& other) : pointer_(other.get()) {}
  __host__ __device__ T* get() const { return pointer_; }
  __host__ __device__ T& operator*() const { return *pointer_; }
  __host__ __device__ T* operator->() const { return pointer_; }
  __host__ __device__ T& operator[](ptrdiff_t i) const { return pointer_[i]; }
  __host__ __device__ explicit operator bool() const { return pointer_ != nullptr; }
  __host__ __device__ device_ptr operator+(ptrdiff_t n) const { return device_ptr(pointer_ + n); }
  __host__ __device__ device_ptr operator-(ptrdiff_t n) const { return device_ptr(pointer_ - n); }
  __host__ __device__ ptrdiff_t operator-(device_ptr other) const {
    return pointer_ - other.pointer_;
  }
  __host__ __device__ device_ptr& operator+=(ptrdiff_t n) { return pointer_ += n, *this; }
  __host__ __device__ device_ptr& operator-=(ptrdiff_t n) { return pointer_ -= n, *this; }
  __host__ __device__ device_ptr& operator++() { return ++pointer_, *this; }
  __host__ __device__ device_ptr& operator--() { return --pointer_, *this; }
  __host__ __device__ device_ptr operator++(int) { return device_ptr(pointer_++); }
  __host__ __device__ device_ptr operator--(int) { return device_ptr(pointer_--); }
  __host__ __device__ bool operator==(device_ptr other) const { return pointer_ == other.pointer_; }
  __host__ __device__ bool operator!=(device_ptr other) const { return pointer_ != other.pointer_; }
  __host__ __device__ bool operator<(device_ptr other) const { return pointer_ < other.pointer_; }

 private:
  T* pointer_;
};
template <typename T>
__host__ __device__ device_ptr<T> device_pointer_cast(T* pointer) {
  return device_ptr<T>(pointer);
}
template <typename T>
__host__ __device__ device_ptr<T> device_pointer_cast(const device_ptr<T>& pointer) {
  return pointer;
}
template <typename T>
__host__ __device__ T* raw_pointer_cast(T* pointer) {
  return pointer;
}
template <typename T>
__host__ __device__ T* raw_pointer_cast(const device_ptr<T>& pointer) {
  return pointer.get();
}
}  // namespace thrust
#endif
