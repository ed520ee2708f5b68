# PyTorch, Triton and Numba for tests, in an environment in build/deps. Sourced by ./bootstrap.
# shellcheck shell=bash disable=SC2034,SC2154
# (Sourced: variables cross between this file and ./bootstrap.)

# The environment has seven gigabytes, and pip needs as much again for a while.
languages_gib=16
languages_stamp() { printf '%s %s' "$(pin_stamp languages)" "${python_version:-}"; }

# Optional, as NumPy 2 is, and only for `test --all`.
provide_languages() {
  local free
  if [[ $all_tests == no ]] || stamp_is_current "$deps/languages" "$(languages_stamp)"; then return 0; fi
  if [[ $offline == yes ]]; then
    note 'left out because of --offline: build/deps/languages; tests that need PyTorch, Triton or Numba are skipped'
    return 0
  fi
  if [[ $dry_run == yes ]]; then
    note 'would install the packages of bootstrap.d/languages.txt into build/deps/languages'
    return 0
  fi
  mkdir -p "$deps"
  free=$(df -Pk "$deps" | awk 'NR == 2 { print int($4 / 1048576) }')
  if ((free < languages_gib)); then
    note "PyTorch, Triton and Numba do not fit: $free GiB are free of $languages_gib; the tests that need them are skipped"
    return 0
  fi
  heading 'Installing PyTorch, Triton and Numba for the tests into build/deps/languages'
  rm -rf "$deps/languages" # its programs name their folder: it is made where it stays
  if "$python" -I -m venv "$deps/languages" &&
    "$deps/languages/bin/python3" -I -m pip install --quiet --disable-pip-version-check \
      --requirement "$parts/languages.txt"; then
    languages_stamp >"$deps/languages/stamp"
    row 'PyTorch, Triton, Numba' 'build/deps/languages'
  else
    rm -rf "$deps/languages"
    note 'PyTorch, Triton and Numba could not be installed: the tests that need them are skipped'
  fi
}

# The variables by which tests find them; those that the user has set stay.
name_languages() {
  local name
  stamp_is_current "$deps/languages" "$(languages_stamp)" || return 0
  for name in WARPMARK_TORCH WARPMARK_TRITON WARPMARK_LANGUAGES; do
    if [[ -z ${!name:-} ]]; then export "$name=$deps/languages"; fi
  done
}
