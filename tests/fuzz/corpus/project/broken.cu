template<struct{{{__global__ void k(((ÿ
#define A(
#if 1
}}};using template using=<::