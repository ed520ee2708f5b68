// Texture and surface objects: the course kernel, then every other geometry.
extern "C" __global__ void tex2d(cudaTextureObject_t t, float* o, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) o[y * w + x] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}
extern "C" __global__ void tex_more(cudaTextureObject_t t1, cudaTextureObject_t t2,
                                    cudaTextureObject_t t3, float4* o, uchar4* o2, int* o3) {
  int i = threadIdx.x;
  o[i] = tex2D<float4>(t2, i * 0.1f, 0.3f);
  o[i].x += tex1Dfetch<float>(t1, i);
  o[i].y += tex3D<float>(t3, i * 0.1f, 0.2f, 0.3f);
  o2[i] = tex2D<uchar4>(t2, i, i);
  o3[i] = tex1D<int>(t1, i) + tex2DLod<int>(t2, i, i, 0.f) + tex2DLayered<int>(t2, i, i, 2);
}
extern "C" __global__ void surf_rw(cudaSurfaceObject_t s, int w, int h) {
  int x = threadIdx.x, y = threadIdx.y;
  float v;
  surf2Dread(&v, s, x * 4, y);
  surf2Dwrite(v * 2.f, s, x * 4, y, cudaBoundaryModeClamp);
}
// Fetches that name their level, their gradients or their face, and whether they are resident.
extern "C" __global__ void tex_forms(cudaTextureObject_t t, float* o, float x, float y, float z,
                                     int layer) {
  bool resident = false;
  o[0] = tex2D<float>(t, x, y, &resident);
  o[1] = resident;
  o[2] = tex2DLod<float>(t, x, y, 1.f);
  o[3] = tex2DGrad<float>(t, x, y, make_float2(.25f, 0.f), make_float2(0.f, .25f));
  o[4] = tex2Dgather<float>(t, x, y, 0);
  o[5] = texCubemap<float>(t, x, y, z);
  o[6] = tex1DLayered<float>(t, x, layer);
  o[7] = texCubemapLayered<float>(t, x, y, z, layer);
}
extern "C" __global__ void surf_forms(cudaSurfaceObject_t s, int w) {
  int x = threadIdx.x;
  uchar4 c;
  surf3Dread(&c, s, x * 4, 0, 0, cudaBoundaryModeZero);
  c.x += 1;
  surf3Dwrite(c, s, x * 4, 0, 0, cudaBoundaryModeClamp);
  short2 h;
  surf1Dread(&h, s, x * 4);
  surf1DLayeredwrite(h, s, x * 4, 0);
  float2 f;
  surf2DLayeredread(&f, s, x * 8, 0, 0, cudaBoundaryModeZero);
  surf2DLayeredwrite(f, s, x * 8, 0, 0, cudaBoundaryModeZero);
}
