// A product of matrices of ThunderKittens, by its own `run_benchmark`, which compares, with a smaller size than its `main` has.
#define main main_of_the_kernel
#include SOURCE
#undef main

int main() { return RUN(512, 512, 512); }
