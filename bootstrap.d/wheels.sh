# Pinned wheels: fetched by pip, put into build/deps in one step. Sourced by ./bootstrap.
# shellcheck shell=bash disable=SC2034,SC2154
# (Sourced: variables cross between this file and ./bootstrap.)

pin_stamp() { sha256sum "$parts/$1.txt" | cut -d ' ' -f 1; }
stamp_is_current() { [[ -r $1/stamp && $(<"$1/stamp") == "$2" ]]; }

# Environments that tests need and no user, by name: the modules that it must have, and what it is
# called. numpy2 is for what holds both NumPys against each other, languages for kernels that Python
# writes, with --all alone, as it is large. All are optional: without one its tests are skipped.
declare -A modules_of=([numpy2]=numpy [tools]=mkdocs [languages]='torch, triton, numba')
declare -A titles_of=([numpy2]='NumPy 2' [tools]='MkDocs and lizard'
  [languages]='PyTorch, Triton and Numba')
declare -A sizes_of=([languages]=' (1 GB to fetch, 3 GB on the disk)')
test_environments() {
  printf '%s\n' numpy2 tools
  if [[ $all_tests == yes ]]; then printf '%s\n' languages; fi
}
environment_stamp() { printf '%s %s %s' "$(pin_stamp "$1")" "$python" "${python_version:-}"; }
has_environment() { stamp_is_current "$deps/$1" "$(environment_stamp "$1")"; }

# For a Python without a pinned wheel nothing is tried: no network for what cannot succeed.
want_environments() { [[ $command == test && ${python_version:-} =~ ^3\.1[123]\. ]]; }
wheels_to_fetch() {
  local name
  if [[ -n $cuda_pins ]] && ! stamp_is_current "$deps/cuda" "$(pin_stamp "$cuda_pins")"; then
    return 0
  fi
  want_environments && [[ $offline == no && -n $python ]] || return 1
  for name in $(test_environments); do
    if ! has_environment "$name"; then return 0; fi
  done
  return 1
}

# pip is needed for a download only: the interpreter's own, or one of a throw-away environment,
# which needs Debian's python3-venv. Without ca-certificates pip trusts no server.
survey_download() {
  if [[ $offline == yes ]]; then return 0; fi
  if [[ -z $python ]] || ! { "$python" -I -m pip --version >/dev/null 2>&1 ||
    "$python" -I -c 'import ensurepip, venv' 2>/dev/null; }; then
    need 'pip' python3-venv
  fi
  if [[ ! -e ${PIP_CERT:-${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}} ]]; then
    need certificates ca-certificates
  fi
}

# Every download and every unfinished folder lives here and goes with the script.
work=''
make_work() {
  if [[ -n $work ]]; then return 0; fi
  mkdir -p "$deps"
  # Removes what a killed run left behind, a day later so that no running one loses its folder.
  find "$deps" -maxdepth 1 -name '.part.*' -mmin +1440 -exec rm -rf {} +
  work=$(mktemp -d "$deps/.part.XXXXXX")
}

# Unpacks the wheels that $parts/$1.txt names for interpreter `python` into folder $2.
fetch_wheels() {
  local pip=("$python" -I -m pip) wheel options=(--disable-pip-version-check --require-hashes)
  if [[ ! -t 1 ]]; then options+=(--quiet); fi  # progress is for a person at a terminal
  if ! "${pip[@]}" --version >/dev/null 2>&1; then
    "$python" -I -m venv "$work/pip" || return 1
    pip=("$work/pip/bin/python3" -I -m pip)
  fi
  mkdir -p "$work/wheels-$1" "$2"
  # -I keeps Python's own environment variables out; pip's (a mirror, certificates) still count.
  "${pip[@]}" download "${options[@]}" --no-deps --only-binary=:all: \
    --requirement "$parts/$1.txt" --dest "$work/wheels-$1" || return 1
  for wheel in "$work/wheels-$1"/*.whl; do
    "$python" -I "$parts/unpack_wheel.py" "$wheel" "$2" || return 1
    rm "$wheel"  # the largest have hundreds of megabytes
  done
}

# Replaces folder $2 by the finished $1 in one step.
put_in_place() {
  rm -rf "$2"
  mv -T "$1" "$2"
}

# PyTorch's wheel is fetched without the libraries of NVIDIA that it links.
finish_environment() { # NAME SITE
  if [[ $1 == languages ]]; then "$python" -I "$parts/stand_ins.py" "$2" "${CXX:-c++}"; fi
}

provide_environment() { # NAME
  local name=$1 title=${titles_of[$1]} site version
  if has_environment "$name"; then return 0; fi
  if [[ $offline == yes ]]; then
    note "left out because of --offline: build/deps/$name; tests that need $title are skipped"
    return 0
  fi
  if [[ $dry_run == yes ]]; then
    note "would fetch the wheels of bootstrap.d/$name.txt into build/deps/$name${sizes_of[$name]:-}"
    return 0
  fi
  heading "Making an environment with $title for the tests in build/deps/$name${sizes_of[$name]:-}"
  make_work
  if "$python" -I -m venv --without-pip "$work/$name" &&
    site=$("$work/$name/bin/python3" -I -c \
      'import sysconfig; print(sysconfig.get_path("purelib"))') &&
    fetch_wheels "$name" "$site" &&
    finish_environment "$name" "$site" &&
    version=$("$work/$name/bin/python3" -I -c \
      "import ${modules_of[$name]}; print(${modules_of[$name]%%,*}.__version__)"); then
    rm -f "$work/$name/bin/"[aA]ctivate*  # they name the folder that is about to be renamed
    environment_stamp "$name" >"$work/$name/stamp"
    put_in_place "$work/$name" "$deps/$name"
    row "$title" "$version  build/deps/$name"
  else
    note "no $title for this Python could be had: the tests that need it are skipped"
  fi
}

provide_environments() {
  local name
  for name in $(test_environments); do
    if want_environments; then
      provide_environment "$name"
    else
      note "no ${titles_of[$name]} for Python ${python_version:-} is pinned: tests that need it are skipped"
    fi
  done
}
