#!/bin/bash
# SPDX-License-Identifier: MIT
# run.sh [--kernel=6.12] [--smp=N] [--icount] [--limit=SECONDS] [--out=DIRECTORY] CPU SCRIPT [FILE...]: boot Debian's
# arm64 kernel (6.1, or 6.12) under QEMU on a CPU model and run SCRIPT there, by bash and as root, in a directory with the
# FILEs. Its output is ours, and so is its status. What it leaves in the directory `out` comes back into DIRECTORY.
#
# --icount: the guest's clock is its count of instructions, 4 ns each, whatever the host is busy with. The root file
# system (packages.sh) may be written to; nothing of that stays. Status 1 if the guest does not get to the end within the
# limit (300 s), 77 where a guest cannot be had.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
kernel=6.1 smp=1 limit=300 out= counted=
while [[ ${1-} == --* ]]; do
  case $1 in
    --kernel=*) kernel=${1#*=} ;;
    --smp=*) smp=${1#*=} ;;
    --limit=*) limit=${1#*=} ;;
    --out=*) out=${1#*=} ;;
    --icount) counted="-icount shift=2,sleep=off" ;;
    *)
      echo "run.sh: what is $1?" >&2
      exit 2
      ;;
  esac
  shift
done
[ $# -ge 2 ] || {
  echo "usage: run.sh [--kernel=6.12] [--smp=N] [--icount] [--limit=SECONDS] [--out=DIRECTORY] CPU SCRIPT [FILE...]" >&2
  exit 2
}
cpu=$1 script=$2
shift 2
for tool in qemu-system-aarch64 cpio; do
  command -v $tool >/dev/null || {
    echo "SKIP: $tool is not installed" >&2
    exit 77
  }
done
guest=$("$here/packages.sh")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The first process mounts the disks and runs the script in the root file system. Disks are told apart by their serial
# numbers; `in` and `out` hold nothing but a tar archive.
mkdir -p "$work"/initramfs/{bin,modules,proc,sys,dev,root}
cp "$guest/busybox" "$work/initramfs/bin/busybox"
cp "$guest/kernel/$kernel"/*.ko "$work/initramfs/modules"
cat >"$work/initramfs/init" <<'END'
#!/bin/busybox sh
busybox mount -t proc proc /proc
busybox --install -s /bin
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
for module in /modules/*.ko; do
  insmod $module
done
disk() {
  for block in /sys/block/vd*; do
    [ "$(cat $block/serial)" != $1 ] || echo /dev/${block##*/}
  done
}
mount -t ext4 "$(disk root)" /root
mount -t proc proc /root/proc
mount -t sysfs sysfs /root/sys
mount -t devtmpfs dev /root/dev
mkdir -p /root/dev/shm /root/dev/pts
mount -t tmpfs shm /root/dev/shm
mount -t devpts pts /root/dev/pts
mount -t tmpfs tmp /root/tmp
mount -t tmpfs guest /root/guest
ifconfig lo up
tar x -f "$(disk in)" -C /root/guest
mkdir /root/guest/out
echo "GUEST-UP $(cut -d ' ' -f 1 /proc/uptime) s"
chroot /root /usr/bin/env -i HOME=/root PATH=/usr/bin:/usr/sbin TERM=dumb bash -c 'cd /guest && bash ./script' 2>&1
status=$?
tar c -f "$(disk out)" -C /root/guest/out .
echo "GUEST-STATUS $status"
poweroff -f
END
chmod +x "$work/initramfs/init"
ln -s busybox "$work/initramfs/bin/sh"
(cd "$work/initramfs" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/initramfs.gz"

mkdir "$work/in"
cp -a "$script" "$work/in/script"
[ $# = 0 ] || cp -aL "$@" "$work/in"
tar c -f "$work/in.tar" -C "$work/in" .
rm -rf "$work/in"
truncate -s 512M "$work/out.tar"

disks=()
# disk NAME FILE OPTIONS
disk() {
  disks+=(-drive "if=none,id=$1,format=raw,file=$2,$3" -device "virtio-blk-device,drive=$1,serial=$1")
}
disk root "$guest/root.img" snapshot=on
disk in "$work/in.tar" readonly=on
disk out "$work/out.tar" cache=unsafe
timeout -k 5 "$limit" qemu-system-aarch64 -M virt -cpu "$cpu" -smp "$smp" -m 2048 $counted \
  -nographic -nodefaults -serial stdio -no-reboot "${disks[@]}" \
  -kernel "$guest/kernel/$kernel/vmlinuz" -initrd "$work/initramfs.gz" -append "console=ttyAMA0 panic=-1 loglevel=3" \
  </dev/null 2>"$work/qemu" | tr -d '\r' | tee "$work/console" |
  awk '/^GUEST-STATUS / {up = 0} up {print; fflush()} /^GUEST-UP / {up = 1}' || true

status=$(sed -n 's/^GUEST-STATUS //p' "$work/console")
if [ -z "$status" ]; then
  echo "FAIL: the guest ($cpu, Linux $kernel) did not get to its end in $limit s; the last that it and QEMU said:" >&2
  tail -n 20 "$work/console" "$work/qemu" >&2
  exit 1
fi
if [ -n "$out" ]; then
  mkdir -p "$out"
  tar x -f "$work/out.tar" -C "$out" --no-same-owner
fi
exit "$status"
