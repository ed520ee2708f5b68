// The numbers of cuFFT.
#ifndef WARPMARK_STAND_IN_CUFFT
#define WARPMARK_STAND_IN_CUFFT
#include <cuComplex.h>
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
#endif
