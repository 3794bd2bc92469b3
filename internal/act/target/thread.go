package target

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// OnThread runs something on a separate thread that is never used again, so that it may change what the kernel keeps
// for each thread: whose rights it has, what its children may gain. The thread ends with it. It is never the first
// thread of the process, which cannot end before the process, and whose user is what others see as the process's.
// OnThread does not wait.
func OnThread(something func()) {
	go func() {
		runtime.LockOSThread() // unlocked only if nothing was done
		if unix.Gettid() != os.Getpid() {
			something()
			return
		}
		done := make(chan struct{})
		OnThread(func() { defer close(done); something() })
		<-done // so long this one keeps the first thread to itself
		runtime.UnlockOSThread()
	}()
}
