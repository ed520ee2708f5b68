#!/usr/bin/env bash
# Proves ./bootstrap test on a bare Debian 12: first as root, then as an ordinary user.
#
# Usage: clean_root.sh SOURCE_DIR [FOLDER]. debootstrap makes the bare system in a temporary folder,
# which is removed in the end; with FOLDER it is made there and kept. Needs root, debootstrap and
# this machine's way to its package mirrors, which the bare system is given. Exits 77 where one of
# them is missing.
set -euo pipefail
source_dir=$(cd "$1" && pwd)
suite=bookworm

skip() {
  printf 'skipped: %s\n' "$*"
  exit 77
}
[[ $(id -u) == 0 ]] || skip 'only root can make a bare system'
command -v debootstrap >/dev/null || skip 'debootstrap is not installed'
git -C "$source_dir" ls-files >/dev/null 2>&1 || skip "$source_dir is no git checkout"
command -v unshare >/dev/null || skip 'unshare is not installed'
# shellcheck disable=SC2016  # the dollars are apt's
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
  'Created-By: Packages' 2>/dev/null |
  awk -v suite=$suite '$2 == suite && $3 == "main" && !seen {seen = 1; print $1}')
[[ -n $mirror ]] || skip "this machine's apt sources name no mirror of Debian's $suite"

# Mounts are made in a mount namespace of our own: whatever ends this script, they go with it.
if [[ ${WARPMARK_CLEAN_ROOT_UNSHARED:-} != yes ]]; then
  if (($# > 1)); then
    work=$2
    mkdir -p "$work"
  else
    work=$(mktemp -d "${TMPDIR:-/tmp}/warpmark-clean-root.XXXXXX")
    trap 'rm -rf --one-file-system "$work"' EXIT
  fi
  unshare --mount --pid --fork --kill-child true 2>/dev/null || skip 'no mount namespace to be had'
  WARPMARK_CLEAN_ROOT_UNSHARED=yes unshare --mount --pid --fork --kill-child \
    "$0" "$source_dir" "$work"
  exit
fi
work=$2
target=$work/root

say() { printf '== %s\n' "$*"; }

make_system() {
  say "debootstrap $suite into $target"
  debootstrap --variant=minbase "$suite" "$target" "$mirror" >"$work/debootstrap.log" 2>&1 || {
    tail -n 20 "$work/debootstrap.log"
    return 1
  }
  # How this machine reaches its mirrors: names, apt's proxy, pip's configuration, certificates.
  cp /etc/resolv.conf /etc/hosts "$target/etc/" 2>/dev/null || true
  apt-config dump | grep -E '^Acquire::(http|https)::' \
    >"$target/etc/apt/apt.conf.d/99machine" || true  # may fail: without it the defaults hold
  local file
  for file in /etc/pip.conf "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf"; do
    if [[ -r $file ]]; then cat "$file" >>"$target/etc/pip.conf"; fi
  done
  mkdir -p "$target/usr/local/share/ca-certificates"
  cp -R /usr/local/share/ca-certificates/. "$target/usr/local/share/ca-certificates/"
  # debootstrap ran where package lists exist; a fresh machine has none.
  rm -rf "$target"/var/lib/apt/lists/*
}

mount_system() {
  mount --make-rprivate /
  mount -t proc proc "$target/proc"
  mount --rbind /dev "$target/dev"
}

# The tracked files as they are in the work tree, and new files that git does not ignore.
copy_tree() { # FOLDER
  mkdir -p "$1"
  (cd "$source_dir" && git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do
      if [[ -e $file ]]; then printf '%s\0' "$file"; fi
    done | tar --null --files-from=- --create) | tar --extract --no-same-owner --directory "$1"
}

# Only what a login has, and how to reach the mirrors: nothing of this machine's toolchains.
inside() { # USER HOME FOLDER COMMAND...
  local variable settings=()
  while IFS= read -r variable; do settings+=("$variable=${!variable}"); done < <(
    compgen -e | grep -E '^(PIP_.*|[a-z]+_proxy|[A-Z]+_PROXY|SSL_CERT_FILE|REQUESTS_CA_BUNDLE)$' |
      grep -v '^PIP_FIND_LINKS$')
  # shellcheck disable=SC2016  # the dollars are the inner shell's
  chroot "$target" setpriv --reuid "$1" --regid "$1" --init-groups \
    env -i HOME="$2" USER="$1" LANG=C.UTF-8 CI=1 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "${settings[@]}" bash -c 'cd "$1" && shift && exec "$@"' - "$3" "${@:4}"
}

if [[ ! -e $target/etc/debian_version ]]; then make_system; fi
mount_system

say 'as root: ./bootstrap test'
copy_tree "$target/root/warpmark"
inside root /root /root/warpmark ./bootstrap test

say 'as an ordinary user: ./bootstrap test'
chroot "$target" id visitor >/dev/null 2>&1 || chroot "$target" useradd --create-home visitor
copy_tree "$target/home/visitor/warpmark"
chroot "$target" chown -R visitor:visitor /home/visitor/warpmark
inside visitor /home/visitor /home/visitor/warpmark ./bootstrap test

say 'as an ordinary user, again: no network, nothing to fetch'
inside visitor /home/visitor /home/visitor/warpmark ./bootstrap test --offline
say 'passed'
