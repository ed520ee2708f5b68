#!/usr/bin/env bash
# Makes a .tar.gz of Warpmark that runs where it is unpacked, from portable wheels (wheel.sh).
#
# Usage: packaging/archive.sh [--without-cuda] WHEEL... [OUTPUT.tar.gz]
#
# The archive holds warpmark-VERSION/bin/warpmark, which runs in the python3 of the machine; it needs
# NumPy, and a Python for which a wheel was given: one for each version may be. NVRTC and CUDA's
# headers come from NVIDIA's wheels on PyPI; --without-cuda leaves them out (WARPMARK_CUDA_HOME or a
# toolkit in a usual place then brings them).
set -euo pipefail
with_cuda=yes output='' wheels=()
while (($#)); do
  case $1 in
    --without-cuda) with_cuda=no ;;
    *.whl) wheels+=("$1") ;;
    *.tar.gz) output=$1 ;;
    *) echo "archive.sh: error: neither a wheel nor a .tar.gz: $1" >&2; exit 2 ;;
  esac
  shift
done
((${#wheels[@]})) || { echo 'archive.sh: error: no wheel was given; packaging/wheel.sh makes one' >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for wheel in "${wheels[@]}"; do
  python3 -m zipfile -e "$wheel" "$work/unpacked"
done
version=$(basename "${wheels[0]}" | cut -d - -f 2)
tree=$work/warpmark-$version
mkdir -p "$tree/lib/python"
mv "$work/unpacked/warpmark" "$tree/lib/python/warpmark"
# zipfile keeps no modes.
find "$tree" -type f \( -path '*/bin/*' -o -name '*.so' -o -name '*.so.*' \) -exec chmod +x {} +
if [[ $with_cuda == yes ]]; then
  # The requirements of the wheel but NumPy, which belongs to the machine's Python.
  sed -n 's/^Requires-Dist: \(nvidia-[^;]*\)$/\1/p' "$work/unpacked"/warpmark-*.dist-info/METADATA |
    sort -u >"$work/requirements.txt"
  python3 -m pip --quiet download --no-deps --dest "$work/cuda" -r "$work/requirements.txt" \
    --only-binary :all: --platform manylinux2014_x86_64 --platform manylinux_2_27_x86_64
  for wheel in "$work/cuda"/*.whl; do python3 -m zipfile -e "$wheel" "$work/nvidia"; done
  home=$work/nvidia/nvidia/cu13
  rm -f "$home"/lib/*.alt.so* "$home"/lib/*.a "$home"/lib/libcudart*
  mkdir -p "$tree/lib/python/warpmark/lib/warpmark/cuda"
  mv "$home/include" "$home/lib" "$tree/lib/python/warpmark/lib/warpmark/cuda/"
  for part in "$work/nvidia"/*.dist-info; do # NVIDIA's licences go along
    find "$part" -name 'License*' -exec install -D -m 644 {} \
      "$tree/lib/python/warpmark/lib/warpmark/cuda/licenses/$(basename "$part" .dist-info).txt" \;
  done
fi
mkdir "$tree/bin"
for name in warpmark warpmark-cpu; do
  ln -s "../lib/python/warpmark/bin/$name" "$tree/bin/$name"
done
cp "$tree/lib/python/warpmark/share/doc/warpmark"/{LICENSE,THIRD_PARTY_NOTICES} "$tree/"
output=${output:-warpmark-$version-linux-x86_64.tar.gz}
tar -C "$work" --owner=0 --group=0 --sort=name ${SOURCE_DATE_EPOCH:+"--mtime=@$SOURCE_DATE_EPOCH"} -cf - "warpmark-$version" |
  gzip -n >"$output"
ls -l "$output"
