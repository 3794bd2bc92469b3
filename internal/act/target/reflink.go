package target

import (
	"encoding/binary"
	"syscall"
	"unsafe"
)

// What XFS reports of a mounted filesystem to who may open a directory of it: XFS_IOC_FSGEOMETRY_V1 of
// fs/xfs/libxfs/xfs_fs.h, which every kernel with XFS answers. Its struct xfs_fsop_geom_v1 has 112 bytes on 64-bit
// architectures, and its flags are 92 bytes in. Elsewhere the number of the request is another one, and none answers.
const (
	xfsMagic        = 0x58465342
	xfsGeometry     = 2<<30 | 112<<16 | 'X'<<8 | 100
	xfsGeometrySize = 112
	xfsFlags        = 92
	xfsReflink      = 1 << 20 // XFS_FSOP_GEOM_FLAGS_REFLINK
)

// reflinks reports whether files of the filesystem that an open file is on can share blocks; nil if it does not say. Of
// all filesystems only XFS has this as a choice of who makes it.
func reflinks(fd int, st syscall.Statfs_t) *bool {
	if int64(st.Type) != xfsMagic {
		return nil
	}
	var buf [xfsGeometrySize]byte
	_, _, err := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), xfsGeometry, uintptr(unsafe.Pointer(&buf)))
	if err != 0 {
		return nil
	}
	on := binary.NativeEndian.Uint32(buf[xfsFlags:])&xfsReflink != 0
	return &on
}
