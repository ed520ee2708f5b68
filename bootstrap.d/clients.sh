# PyCUDA for the tests of clients: Debian's packages, unpacked into build/deps. Sourced by ./bootstrap.
# shellcheck shell=bash disable=SC2034,SC2154
# (Sourced: variables cross between this file and ./bootstrap.)

# PyCUDA is in contrib because it needs NVIDIA's driver. It is taken without those dependencies: the
# CPU device is the driver that the tests give it.
client_packages=(python3-pycuda python3-pytools python3-mako python3-markupsafe python3-appdirs
  python3-platformdirs python3-decorator python3-numpy python3-mpi4py libboost-python1.74.0
  libboost-thread1.74.0)
clients_stamp() { printf '%s ' "${client_packages[@]}" | sha256sum | cut -d ' ' -f 1; }

# The same mirrors that this machine installs from, with the component that PyCUDA is in.
client_sources() {
  local key=/usr/share/keyrings/debian-archive-keyring.gpg
  # shellcheck disable=SC2016  # apt-get expands them
  apt-get indextargets --format '$(REPO_URI)|$(RELEASE)|$(COMPONENT)' 'Created-By: Packages' \
    2>/dev/null |
    while IFS='|' read -r uri release component; do
      if [[ $component != main || $uri != *debian/ || $release == *-security ]]; then continue; fi
      printf 'deb [signed-by=%s] %s %s main contrib non-free\n' "$key" "$uri" "$release"
    done | sort -u
}

fetch_clients() {
  local place=$1 apt=() package wanted=("${client_packages[@]}")
  mkdir -p "$place/apt/lists/partial" "$place/apt/cache/archives/partial" "$place/packages"
  client_sources >"$place/apt/sources.list"
  [[ -s $place/apt/sources.list ]] || return 1
  apt=(apt-get -qq -o "Dir::Etc::sourcelist=$place/apt/sources.list"
    -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$place/apt/lists"
    -o "Dir::Cache=$place/apt/cache" -o APT::Sandbox::User=)
  "${apt[@]}" update || return 1
  # PyCUDA links it, whether or not a program uses it; a toolkit has one.
  if ! compgen -G '/usr/local/cuda*/lib*/libcurand.so.10' >/dev/null &&
    ! ldconfig -p 2>/dev/null | grep -q 'libcurand\.so\.10'; then
    wanted+=(libcurand10)
  fi
  (cd "$place/packages" && "${apt[@]}" download "${wanted[@]}") || return 1
  for package in "$place/packages"/*.deb; do
    dpkg -x "$package" "$place/root" || return 1
  done
}

# Optional, as NumPy 2 is: without it the tests of clients are skipped.
provide_clients() {
  if stamp_is_current "$deps/clients" "$(clients_stamp)"; then return 0; fi
  if [[ $offline == yes ]]; then
    note 'left out because of --offline: build/deps/clients; tests that need PyCUDA are skipped'
    return 0
  fi
  if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
    note 'no apt-get here: tests that need PyCUDA are skipped unless Python has it'
    return 0
  fi
  if [[ $dry_run == yes ]]; then
    note 'would fetch PyCUDA from contrib into build/deps/clients'
    return 0
  fi
  heading 'Fetching PyCUDA for the tests of clients into build/deps/clients'
  make_work
  if fetch_clients "$work/clients" >"$work/clients.log" 2>&1; then
    clients_stamp >"$work/clients/root/stamp"
    put_in_place "$work/clients/root" "$deps/clients"
    row 'PyCUDA' 'build/deps/clients'
  else
    note 'PyCUDA could not be had from contrib: the tests that need it are skipped'
  fi
}
