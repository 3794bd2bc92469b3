#!/bin/sh
# After the package was installed or removed: systemd is told that there are other
# unit files. Nothing is started and nothing is enabled.
set -e
# DPKG_ROOT: the package is for another tree of files than that of the running system.
if [ -z "${DPKG_ROOT:-}" ] && [ -d /run/systemd/system ]; then
	systemctl --system daemon-reload >/dev/null 2>&1 || true
fi
exit 0
