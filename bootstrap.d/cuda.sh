# GPU, toolkit, and build/deps/cuda with NVRTC and CUDA's headers. Sourced by ./bootstrap.
# shellcheck shell=bash disable=SC2034,SC2154
# (Sourced: variables cross between this file and ./bootstrap.)

declare -A gpu
survey_gpu() {
  local line
  gpu=()
  if [[ -z $python ]]; then
    if [[ -e /proc/driver/nvidia/version ]]; then row GPU 'to be asked once Python is there'; fi
    return 0
  fi
  while IFS= read -r line; do
    if [[ $line == *=* ]]; then gpu[${line%%=*}]=${line#*=}; fi
  done < <("$python" -I "$parts/probe_gpu.py" 2>/dev/null || true)
  if [[ -n ${gpu[oldest]:-} ]]; then
    row GPU "${gpu[name]:-?}, compute capability ${gpu[oldest]}, driver of CUDA ${gpu[driver]}"
  elif [[ -n ${gpu[driver]:-} ]]; then
    row GPU "none, though a driver of CUDA ${gpu[driver]} is installed: the CPU device will be used"
  else
    row GPU 'none: the CPU device will be used'
  fi
}

at_least() { # VERSION OLDEST
  [[ $(printf '%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]
}

# The pinned set that serves this machine's driver and GPUs. An NVRTC must not be newer than the
# driver; CUDA 13 no longer compiles for GPUs older than sm_75.
choose_cuda_pins() {
  local driver=${gpu[driver]:-}
  if [[ -n ${gpu[oldest]:-} ]] && ! at_least "${gpu[oldest]}" 7.5; then
    if at_least "$driver" 12.8; then echo cuda-12.8; else echo cuda-12.4; fi
  elif [[ -z $driver ]] || at_least "$driver" 13.0; then
    echo cuda-13.0
  elif at_least "$driver" 12.8; then
    echo cuda-12.8
  else
    echo cuda-12.4
  fi
}

# Sets toolkit_include, toolkit_lib and toolkit_version if folder $1 holds headers and NVRTC.
read_toolkit() {
  local home=$1 folder number
  toolkit_include='' toolkit_lib=''
  for folder in "$home"/include "$home"/targets/*-linux/include; do
    if [[ -e $folder/cuda.h && -e $folder/nvrtc.h ]]; then toolkit_include=$folder && break; fi
  done
  for folder in "$home"/lib64 "$home"/lib "$home"/targets/*-linux/lib; do
    if compgen -G "$folder/libnvrtc.so*" >/dev/null; then toolkit_lib=$folder && break; fi
  done
  [[ -n $toolkit_include && -n $toolkit_lib ]] || return 1
  number=$(sed -n 's/^#define CUDA_VERSION \([0-9]*\).*/\1/p' "$toolkit_include/cuda.h")
  toolkit_version=$((number / 1000)).$((number % 1000 / 10))
}

# Says why the toolkit that was read does not serve, and nothing if it does.
toolkit_objection() {
  if ! at_least "$toolkit_version" 12.4; then
    echo "CUDA $toolkit_version is older than 12.4"
  elif [[ -n ${gpu[driver]:-} ]] && ! at_least "${gpu[driver]}" "$toolkit_version"; then
    echo "CUDA $toolkit_version is newer than the driver, which is of CUDA ${gpu[driver]}"
  elif [[ -n ${gpu[oldest]:-} ]] && ! at_least "${gpu[oldest]}" 7.5 &&
    at_least "$toolkit_version" 13.0; then
    echo "CUDA $toolkit_version does not compile for compute capability ${gpu[oldest]}"
  fi
}

loader_cuda_home() {
  local ldconfig library
  ldconfig=$(PATH=$PATH:/sbin:/usr/sbin command -v ldconfig) || return 0
  # No early exit in awk: ldconfig would die of SIGPIPE, and pipefail would make that an error.
  library=$("$ldconfig" -p 2>/dev/null |
    awk '/libnvrtc\.so\.1[2-9]/ && !seen {seen = 1; print $NF}') || return 0
  if [[ -n $library ]]; then dirname "$(dirname "$library")"; fi
}

cuda_home=''  # toolkit to use; '' with cuda_pins set: the wheels of that file
cuda_pins=''
survey_cuda() {
  local home homes=() objection tried=' '
  cuda_home='' cuda_pins=''
  if [[ $cuda_wheels == no ]]; then
    homes=("${WARPMARK_CUDA_HOME:-}" "${CUDA_HOME:-}" /usr/local/cuda)
    mapfile -t -O "${#homes[@]}" homes < <(compgen -G '/usr/local/cuda-*' | sort -rV)
    homes+=(/opt/cuda "$(loader_cuda_home)")
  fi
  for home in ${homes[@]+"${homes[@]}"}; do
    home=${home%/}
    # /usr itself: the wheels are preferred to a distribution's CUDA, whose headers lie among all.
    if [[ -z $home || $home == /usr || $tried == *" $home "* ]]; then continue; fi
    tried+="$home "
    if [[ $home == "$deps/cuda" ]] || ! read_toolkit "$home"; then continue; fi
    objection=$(toolkit_objection)
    if [[ -z $objection ]]; then
      cuda_home=$home
      row CUDA "$toolkit_version  $home: headers and NVRTC"
      return
    fi
    note "passed over $home: $objection"
  done
  cuda_pins=$(choose_cuda_pins)
  if stamp_is_current "$deps/cuda" "$(pin_stamp "$cuda_pins")"; then
    read_toolkit "$deps/cuda"
    row CUDA "$toolkit_version  build/deps/cuda: NVIDIA's wheels, headers and NVRTC"
  else
    row CUDA "no usable toolkit: NVIDIA's wheels (${cuda_pins#cuda-}) go into build/deps/cuda"
  fi
}

# From the wheels' layouts (nvidia/cuda_nvrtc/include, nvidia/cu13/lib …) to a toolkit's:
# include/ and lib/. Left behind: cudart, static libraries, NVRTC's .alt twins (100 MB unused).
arrange_cuda() { # FROM TO
  local part
  mkdir -p "$2/include" "$2/lib" "$2/licenses"
  for part in "$1"/nvidia/*/; do
    if [[ -d $part/include ]]; then cp -R "$part/include/." "$2/include/"; fi
  done
  find "$1"/nvidia/*/lib -maxdepth 1 -name 'libnvrtc*.so.*' ! -name '*.alt.*' \
    -exec cp {} "$2/lib/" \;
  rm -f "$2/include/__init__.py"
  for part in "$1"/*.dist-info; do
    find "$part" -name 'License.txt' -exec cp {} "$2/licenses/$(basename "$part" .dist-info).txt" \;
  done
  part=$(basename "$(compgen -G "$2/lib/libnvrtc.so.*")")
  ln -s "$part" "$2/lib/libnvrtc.so"
}

provide_cuda() {
  local stamp version
  if [[ -n $cuda_home ]]; then
    link_toolkit
    return
  fi
  stamp=$(pin_stamp "$cuda_pins")
  if stamp_is_current "$deps/cuda" "$stamp"; then return 0; fi
  if [[ $dry_run == yes ]]; then
    note "would fetch the wheels of bootstrap.d/$cuda_pins.txt into build/deps/cuda"
    return 0
  fi
  if [[ $offline == yes ]]; then
    fail "$environment_error" 'no CUDA toolkit is installed, and --offline forbids to fetch NVRTC' \
      'set WARPMARK_CUDA_HOME to a toolkit, or run ./bootstrap once without --offline'
  fi
  heading "Fetching NVRTC and CUDA's headers (NVIDIA's wheels, about 100 MB) into build/deps/cuda"
  make_work
  fetch_wheels "$cuda_pins" "$work/cuda-wheels" ||
    fail "$environment_error" "the wheels of bootstrap.d/$cuda_pins.txt could not be had" \
      'is the network there, and its proxy (https_proxy)? Or set WARPMARK_CUDA_HOME to a toolkit'
  arrange_cuda "$work/cuda-wheels" "$work/cuda"
  version=$("$python" -I "$parts/nvrtc_version.py" "$work/cuda/lib") ||
    fail "$environment_error" 'the NVRTC that was fetched does not load' 'see the words above'
  printf '%s\n' "$stamp" >"$work/cuda/stamp"
  put_in_place "$work/cuda" "$deps/cuda"
  row CUDA "$version  build/deps/cuda: headers and NVRTC"
}

# The program looks for NVRTC and headers in build/deps/cuda, whoever installed them: a toolkit
# outside the loader's path is found by it no more than by chance otherwise.
link_toolkit() {
  local stamp="toolkit $cuda_home"
  if stamp_is_current "$deps/cuda" "$stamp" && [[ -e $deps/cuda/include/cuda.h ]]; then return 0; fi
  if [[ $dry_run == yes ]]; then
    note "would link $cuda_home into build/deps/cuda"
    return 0
  fi
  make_work
  read_toolkit "$cuda_home"
  mkdir "$work/cuda"
  ln -s "$toolkit_include" "$work/cuda/include"
  ln -s "$toolkit_lib" "$work/cuda/lib"
  printf '%s\n' "$stamp" >"$work/cuda/stamp"
  put_in_place "$work/cuda" "$deps/cuda"
}
