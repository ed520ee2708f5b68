// PTX of a version and for a GPU that do not exist.
.version 99.9
.target sm_999
.address_size 64
.visible .entry twice(.param .u64 src, .param .u64 dst, .param .u32 n)
{
  .reg .pred %p;
  .reg .f32 %x;
  .reg .b32 %r<5>;
  .reg .b64 %a<5>;
  ld.param.u64 %a1, [src];
  ld.param.u64 %a2, [dst];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r2, %r2, %r3, %r4;
  setp.ge.s32 %p, %r2, %r1;
  @%p bra end;
  mul.wide.s32 %a3, %r2, 4;
  add.s64 %a1, %a1, %a3;
  add.s64 %a2, %a2, %a3;
  ld.global.f32 %x, [%a1];
  add.f32 %x, %x, %x;
  st.global.f32 [%a2], %x;
end:
  ret;
}
