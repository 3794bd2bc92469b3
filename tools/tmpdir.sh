#!/bin/sh
# tmpdir.sh FOLDER: prints where the servers of test/servers, test/hostile and of experiments are made, which every account
# may use. For root it is a tmpfs on FOLDER/t: hundreds of servers are made and removed there, each of some
# thousand files, and that is two thirds of what making them costs on a disk. Where memory
# is short, or nothing may be mounted, it is what it was. Tests that measure a disk, or bound
# the memory of a server, stay on a disk: what lies in a tmpfs is memory.
# Who calls it unmounts FOLDER/t before FOLDER is removed.
set -eu
available=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
# 8 GB at the most: servers of four packages side by side are 2 GB, copies of their programs and clusters 1 GB each
if [ "$(id -u)" = 0 ] && [ "${available:-0}" -ge 12582912 ] && mkdir "$1/t" && mount -t tmpfs -o mode=1777,size=8g pgfettle-test "$1/t" 2>/dev/null; then
  echo "$1/t"
else
  echo "${TMPDIR:-/tmp}"
fi
