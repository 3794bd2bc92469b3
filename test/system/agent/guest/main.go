// Guest runs inside a test's virtual machine, as a service, and does there what
// the test asks for.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/pgfettle/pgfettle/test/system/agent"
)

func main() {
	for {
		err := talk("/dev/virtio-ports/" + agent.Port)
		if !errors.Is(err, io.EOF) {
			fmt.Fprintln(os.Stderr, err)
		}
		time.Sleep(100 * time.Millisecond) // no listener at the other end yet
	}
}

func talk(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return agent.Serve(f)
}
