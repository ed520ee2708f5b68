"""Warpmark: checks, benchmarks and grades CUDA kernels."""
