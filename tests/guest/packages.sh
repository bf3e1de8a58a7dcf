#!/bin/bash
# SPDX-License-Identifier: MIT
# packages.sh: fetch Debian's packages for building and running AArch64 programs here, and unpack them into a directory
# of their own; print its path. Nothing is installed, no root is needed, and the machine's own packages stay as they are:
# Debian's cross compiler and gcc-multilib remove each other.
#
# The directory is SOFTLBR_GUEST, or one of this file's version in softlbr-guest among the user's caches; it is kept. What
# is in it:
#
#   bin/aarch64-linux-gnu-*  a cross compiler that finds the sysroot, and binutils
#   sysroot/                 headers and libraries of arm64
#   kernel/6.1, kernel/6.12  each a kernel (vmlinuz) and the modules that a guest needs to see its disks (in this order)
#   root.img                 arm64's programs, as a file system: the sysroot's libraries, compiler, interpreters, gdb,
#                            and dpkg, to which all of these are installed packages
#   busybox                  static, arm64
#
# Status 77, with a reason on stderr, where packages cannot be had.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
directory=${SOFTLBR_GUEST:-${XDG_CACHE_HOME:-$HOME/.cache}/softlbr-guest/$(sha256sum <"$here/packages.sh" | cut -c 1-16)}
keys=/usr/share/keyrings/debian-archive-keyring.gpg

cross="gcc-12-aarch64-linux-gnu:amd64 cpp-12-aarch64-linux-gnu:amd64 binutils-aarch64-linux-gnu:amd64
  libgcc-12-dev-arm64-cross:all"
libraries="libc6-dev libdw-dev libelf-dev libcapstone-dev libglpk-dev libjansson-dev libprotobuf-c-dev zlib1g-dev libzstd-dev
  liblzma-dev libcmocka-dev libiberty-dev libstdc++-12-dev"
programs="bash coreutils diffutils dpkg libc-bin grep sed gawk findutils gzip bzip2 tar util-linux procps python3 perl
  lua5.4 sqlite3 gcc-12 binutils gdb strace libdw1 libelf1 libcapstone4 libglpk40 libjansson4 libprotobuf-c1 zlib1g libzstd1 liblzma5 libcmocka0"
modules="virtio_ring virtio virtio_mmio virtio_blk"

skip() {
  echo "SKIP: $*" >&2
  exit 77
}

for tool in apt-get dpkg-deb mke2fs; do
  command -v $tool >/dev/null || skip "$tool is not installed"
done
[ "$(dpkg --print-architecture)" = amd64 ] || skip "the cross compiler's packages are for amd64"
[ -e $keys ] || skip "$keys is not there: only Debian's packages are known"

# where this machine has bookworm from: Debian has arm64 in the same places
origins=$(apt-get indextargets --format '$(REPO_URI) $(SUITE) $(CODENAME) $(ORIGIN)' 'Created-By: Packages' |
  awk '$3 ~ /^bookworm/ && $4 == "Debian" {print $1, $3}' | sort -u)
[ -n "$origins" ] || skip "apt has no lists of Debian 12 (apt-get update)"

mkdir -p "$directory"
exec 9>"$directory/lock"
flock 9
directory=$(cd "$directory" && pwd)
if [ -e "$directory/complete" ]; then
  echo "$directory"
  exit
fi
rm -rf "$directory"/{apt,cross,bin,sysroot,kernel,busybox,root,root.img}

# Debian's package lists for both architectures, apart from the machine's own, and as if nothing were installed.
apt=$directory/apt
mkdir -p "$apt"/{etc/sources.list.d,state/lists/partial,cache,none/partial} "$directory/debs"
: >"$apt/status"
while read -r uri codename; do
  echo "deb [signed-by=$keys] $uri $codename main"
  # the newer kernel's
  [ "$codename" != bookworm ] || echo "deb [signed-by=$keys] $uri bookworm-backports main"
done <<<"$origins" >"$apt/etc/sources.list"
cat >"$apt/apt.conf" <<END
Dir::Etc::sourcelist "$apt/etc/sources.list";
Dir::Etc::sourceparts "$apt/etc/sources.list.d";
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Cache::archives "$directory/debs";
APT::Architecture "arm64";
APT::Architectures { "arm64"; "amd64"; };
APT::Sandbox::User "$(id -un)";
APT::Install-Recommends "false";
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
Acquire::Languages "none";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
Acquire::Retries "2";
END
export APT_CONFIG=$apt/apt.conf
mkdir -p "$directory/debs/partial"
log=$directory/apt.log
apt-get -q update >"$log" 2>&1 || skip "no lists of Debian's packages ($log): $(grep -m 1 '^[EW]:' "$log")"

# files_of download|install PACKAGE...: the archives of these packages; for `install`, of all that they need, too
files_of() {
  local how=$1
  shift
  # it names what it would fetch: all, if there is nothing yet
  apt-get -q -y -o Dir::Cache::archives="$apt/none" --print-uris "$how" "$@" 2>>"$log" | sed -n "s/^'[^']*' \([^ ]*\) .*/\1/p"
  (cd "$directory/debs" && apt-get -q -y --download-only "$how" "$@" >>"$log" 2>&1)
}

# unpack DIRECTORY FILE...
unpack() {
  local to=$1 file
  shift
  mkdir -p "$to"
  for file; do
    dpkg-deb --fsys-tarfile "$directory/debs/$file" | tar x -C "$to" --keep-directory-symlink --no-same-owner \
      --exclude=./usr/share/{doc,man,locale,lintian,bash-completion,zoneinfo}
  done
}

cross_files=$(files_of download $cross) || skip "the cross compiler is not to be had: $(tail -n 1 "$log")"
unpack "$directory/cross" $cross_files
mkdir -p "$directory/bin"
for tool in "$directory"/cross/usr/bin/aarch64-linux-gnu-*; do
  name=$(basename "$tool")
  flags=
  case $name in
    *-gcc-12 | *-cpp-12) flags="--sysroot='$directory/sysroot' -B'$directory/bin/aarch64-linux-gnu-'" ;;
  esac
  printf '#!/bin/sh\nexport LD_LIBRARY_PATH=%s\nexec %s %s "$@"\n' \
    "'$directory/cross/usr/lib/x86_64-linux-gnu'\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" "'$tool'" "$flags" \
    >"$directory/bin/$name"
  chmod +x "$directory/bin/$name"
done
ln -sf aarch64-linux-gnu-gcc-12 "$directory/bin/aarch64-linux-gnu-gcc"
ln -sf aarch64-linux-gnu-cpp-12 "$directory/bin/aarch64-linux-gnu-cpp"

library_files=$(files_of install $libraries) || skip "arm64's libraries are not to be had: $(tail -n 1 "$log")"
merged() {
  mkdir -p "$1"/usr/{bin,sbin,lib}
  ln -s usr/bin usr/sbin usr/lib "$1"
}
merged "$directory/sysroot"
unpack "$directory/sysroot" $library_files

for kernel in 6.1 6.12; do
  to=$directory/kernel/$kernel
  # each reads to the end: a writer whose reader has gone fails, at times
  version=$(apt-cache madison linux-image-cloud-arm64 |
    awk -v begin="$kernel." 'index($3, begin) == 1 && !found++ {print $3}')
  image=$(apt-cache show "linux-image-cloud-arm64=$version" |
    awk '/^Depends: / && match($0, /linux-image-[0-9][^ ,]*/) && !found++ {print substr($0, RSTART, RLENGTH)}')
  file=$(files_of download "$image") || skip "Linux $kernel for arm64 is not to be had: $(tail -n 1 "$log")"
  unpack "$to/all" $file
  mv "$to"/all/boot/vmlinuz-* "$to/vmlinuz"
  number=0
  for module in $modules; do
    number=$((number + 1))
    find "$to/all" -name "$module.ko*" -exec cp {} "$to/$number-$module.ko" \;
  done
  rm -rf "$to/all"
done

file=$(files_of download busybox-static) || skip "busybox is not to be had: $(tail -n 1 "$log")"
unpack "$directory/root" $file
cp "$directory/root/bin/busybox" "$directory/busybox"
rm -rf "$directory/root"

program_files=$(files_of install $programs) || skip "arm64's programs are not to be had: $(tail -n 1 "$log")"
root=$directory/root
merged "$root"
mkdir -p "$root"/{proc,sys,dev,tmp,run,root,guest}
unpack "$root" $program_files
ln -sf bash "$root/usr/bin/sh"
ln -sf gcc-12 "$root/usr/bin/gcc"
mkdir -p "$root/etc"
printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' >"$root/etc/passwd"
# dpkg's database: as if it had installed them, but for their maintainer scripts and lists of files
mkdir -p "$root"/var/lib/dpkg/{info,updates}
for file in $program_files; do
  dpkg-deb --field "$directory/debs/$file" | sed '1a Status: install ok installed'
  echo
  name=$(dpkg-deb --show --showformat '${Package}' "$directory/debs/$file")
  [ "$(dpkg-deb --field "$directory/debs/$file" Multi-Arch)" != same ] || name=$name:arm64
  : >"$root/var/lib/dpkg/info/$name.list"
done >"$root/var/lib/dpkg/status"
# no alternatives without maintainer scripts
ln -sf gawk "$root/usr/bin/awk"
ln -sf lua5.4 "$root/usr/bin/lua"
size=$(($(du -sm "$root" | cut -f 1) * 13 / 10 + 64))
mke2fs -q -t ext4 -O ^has_journal -E lazy_itable_init=1 -d "$root" "$directory/root.img" ${size}M >>"$log"
rm -rf "$root"
: >"$directory/complete"
echo "$directory"
