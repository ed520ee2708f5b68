/* Aufgabe 1: Jedes Element mit `factor` multiplizieren. Größe: beliebig.
 * 配列の各要素を factor 倍する。 "quotes", 'apostrophe', don't stop */
// Ça marche même si n n'est pas un multiple de 128 — n'est-ce pas ?
// #if 0  main() <<< >>> cudaMalloc(
extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x; // номер потока
  /* if (i <= n) */ if (i < n)
    d_a[i] *= factor;
}
