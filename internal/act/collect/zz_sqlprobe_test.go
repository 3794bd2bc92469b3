package collect

import (
	"context"
	"fmt"
	"os"
	"sort"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

func TestZZProbe(t *testing.T) {
	ci := os.Getenv("ZZ_CONNINFO")
	if ci == "" {
		t.Skip()
	}
	how := Connect{Conninfo: ci, AsUID: -1}
	if d := os.Getenv("ZZ_DIR"); d != "" {
		how = Connect{SocketDir: d, AsUID: -1, User: os.Getenv("ZZ_USER")}
		fmt.Sscan(os.Getenv("ZZ_PORT"), &how.Port)
		fmt.Sscan(os.Getenv("ZZ_UID"), &how.AsUID)
	}
	n := 1
	fmt.Sscan(os.Getenv("ZZ_N"), &n)
	var ds []float64
	for i := 0; i < n; i++ {
		a := evidence.New()
		t0 := time.Now()
		s, err := querySQL(context.Background(), a, "1", how, os.Getenv("ZZ_DEEP") != "")
		ds = append(ds, float64(time.Since(t0).Microseconds())/1000)
		if i == 0 {
			if os.Getenv("ZZ_QUIET") == "" {
				fmt.Printf("%+v err=%v\n", s, err)
				for _, m := range a.MissingFiles() {
					fmt.Printf("  missing %+v\n", m)
				}
			}
			if f := os.Getenv("ZZ_OUT"); f != "" {
				w, _ := os.Create(f)
				a.WriteTo(w)
				w.Close()
			}
		}
	}
	sort.Float64s(ds)
	fmt.Printf("%s: min %.1f median %.1f max %.1f ms of %d\n", ci, ds[0], ds[len(ds)/2], ds[len(ds)-1], n)
}
