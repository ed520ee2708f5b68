#!/usr/bin/env bash
# Makes the folder that portable packages are built in: an old glibc, and this system's compiler and
# C++ libraries over it.
#
# Usage: packaging/sysroot.sh FOLDER
#
# A program runs with the glibc that it is linked against and every newer one. FOLDER gets Debian
# 11's (2.31), by the mirror that this machine installs from, links to the headers of the C++
# libraries that we use, and static builds of those that this system has as shared libraries only.
# Needs apt-get, cmake, ninja, and the packages that ./bootstrap installs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
release=bullseye
library=$folder/usr/lib/x86_64-linux-gnu

stamp=$(cat "$here/sysroot.sh" "$here/glibc-2.31.txt" "$here/old_glibc.c" | sha256sum | cut -d ' ' -f 1)
if [[ -f $folder/stamp && $(<"$folder/stamp") == "$stamp" ]]; then exit 0; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# --- packages of the old release, and sources of this one, from this machine's mirror ---

mirror() { # the first mirror of Debian's main archive
  # shellcheck disable=SC2016  # apt-get expands them
  apt-get indextargets --format '$(REPO_URI)|$(RELEASE)|$(COMPONENT)' 'Created-By: Packages' |
    awk -F'|' '$3 == "main" && $1 ~ /debian\/$/ && $2 !~ /-/ {print $1 " " $2; exit}'
}
read -r uri current < <(mirror)
key=/usr/share/keyrings/debian-archive-keyring.gpg
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/debs"
cat >"$work/sources.list" <<END
deb [signed-by=$key] $uri $release main
deb-src [signed-by=$key] $uri $current main
END
apt=(apt-get -qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null
  -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=)
"${apt[@]}" update
mapfile -t packages < <(grep -v '^#' "$here/glibc-2.31.txt")
(cd "$work/debs" && "${apt[@]}" download "${packages[@]/%//$release}")
for package in "$work/debs"/*.deb; do dpkg -x "$package" "$folder"; done

# Links to places from the root on mean those of the folder.
find "$folder" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
  target=$folder$(readlink "$link")
  if [[ -e $target ]]; then ln -sfn --relative "$target" "$link"; fi
done

# --- this system's C++ over it ---

# Newer headers of the kernel name what a newer kernel can do, as Landlock; an older one says no.
for name in asm-generic linux c++ CLI benchmark fmt gmock gtest nlohmann yaml-cpp \
  elfutils dwarf.h gelf.h libelf.h; do
  ln -sfn "/usr/include/$name" "$folder/usr/include/$name"
done
for name in /usr/include/x86_64-linux-gnu/{asm,c++} /usr/include/x86_64-linux-gnu/python3*; do
  ln -sfn "$name" "$folder/usr/include/x86_64-linux-gnu/"
done

# The symbols that static libraries need if they were compiled with a newer glibc.
cc "--sysroot=$folder" -O2 -fPIC -c "$here/old_glibc.c" -o "$library/old_glibc.o"

# Google Benchmark and fmt, which this system has as shared libraries only.
for source in benchmark fmtlib; do
  (cd "$work" && "${apt[@]}" source --download-only "$source" && mkdir "$source" &&
    tar -xf "${source}"_*.orig.tar.* -C "$source" --strip-components=1)
  cmake -S "$work/$source" -B "$work/$source/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    "-DCMAKE_CXX_FLAGS=--sysroot=$folder" -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DBUILD_SHARED_LIBS=OFF -DBENCHMARK_ENABLE_TESTING=OFF -DFMT_TEST=OFF -DFMT_DOC=OFF \
    >"$work/$source.log" 2>&1 || { cat "$work/$source.log" >&2; exit 1; }
  cmake --build "$work/$source/build" >"$work/$source.log" 2>&1 ||
    { cat "$work/$source.log" >&2; exit 1; }
  find "$work/$source/build" -name '*.a' -exec cp {} "$library/" \;
done
cp /usr/lib/x86_64-linux-gnu/libyaml-cpp.a /usr/lib/x86_64-linux-gnu/libgtest.a "$library/"
echo "$stamp" >"$folder/stamp"
