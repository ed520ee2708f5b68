# Installs missing system packages, after asking. Sourced by ./bootstrap.
# shellcheck shell=bash disable=SC2034,SC2154
# (Sourced: variables cross between this file and ./bootstrap.)

is_root() { [[ $(id -u) == 0 ]]; }

install_packages() {
  local lists=/var/lib/apt/lists sudo=() install words
  if ((${#unnamed[@]})); then
    fail "$environment_error" "this machine lacks ${unnamed[*]}" \
      'install it, or name one with WARPMARK_PYTHON'
  fi
  ((${#packages[@]})) || return 0
  mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
  if ! command -v apt-get >/dev/null; then
    fail "$environment_error" "missing, by the names of Debian's packages: ${packages[*]}" \
      'install them with the package manager of this system, then run ./bootstrap again'
  fi
  install=(apt-get install --yes --no-install-recommends "${packages[@]}")
  if ! is_root; then sudo=(sudo); fi
  words="${sudo[*]:+sudo }${install[*]}"
  if ! compgen -G "$lists/*_Packages*" >/dev/null; then
    words="${sudo[*]:+sudo }apt-get update && $words"
  fi
  heading 'Missing system packages are installed by'
  printf '  $ %s\n' "$words"
  if [[ $dry_run == yes ]]; then return 0; fi
  if [[ $offline == yes ]]; then
    fail "$environment_error" 'system packages are missing and --offline forbids to fetch them' \
      'run the command above, or ./bootstrap without --offline'
  fi
  if ! is_root && ! command -v sudo >/dev/null; then
    fail "$environment_error" 'system packages are missing, and there is neither root nor sudo' \
      'have an administrator run the command above, then run ./bootstrap again'
  fi
  confirm
  if ! is_root && [[ ! -t 0 ]]; then sudo=(sudo -n); fi  # nobody is there to type a password
  run_apt
}

confirm() {
  local answer=''
  if [[ $assume_yes == yes ]] || is_root; then return 0; fi
  read -r -p '  Run it now? [y/N] ' answer || true
  if [[ ! $answer =~ ^[Yy]([Ee][Ss])?$ ]]; then
    fail "$environment_error" 'nothing was installed: nobody said yes' \
      'run the command above yourself, or ./bootstrap --yes'
  fi
}

# Reads install, sudo and lists of install_packages. Package lists that are missing or out of date
# make the first attempt fail, so they are fetched just then.
run_apt() {
  local prefix=(${sudo[@]+"${sudo[@]}"} env DEBIAN_FRONTEND=noninteractive)
  if compgen -G "$lists/*_Packages*" >/dev/null && "${prefix[@]}" "${install[@]}"; then
    return 0
  fi
  if ! "${prefix[@]}" apt-get update || ! "${prefix[@]}" "${install[@]}"; then
    fail "$environment_error" 'the package manager failed; its words are above'
  fi
}
