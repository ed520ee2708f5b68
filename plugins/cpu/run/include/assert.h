// For NVRTC in nvcc's place, which has assert itself. NDEBUG counts at each inclusion.
#ifdef NDEBUG
#undef assert
#define assert(condition) ((void)0)
#endif
