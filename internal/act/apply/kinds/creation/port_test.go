package creation

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/test/nobody"
)

// TestPortTakenMeanwhile: a port that another has by now, or whose socket is there, is refused before anything is made.
func TestPortTakenMeanwhile(t *testing.T) {
	h := newToy(t)
	s := h.spec(false)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken, free := l.Addr().(*net.TCPAddr).Port, int(nobody.Listens(t).Port())
	s.Port, s.Socket = taken, h.top+"/run"
	allowed := func() error {
		k := apply.Knob{Address: knob.Address("cluster:" + s.Data), To: s.Text()}
		return h.host().Kinds()[knob.ClusterPrefix].(apply.Guard).Allowed(t.Context(), k)
	}
	refused := func(by string) {
		t.Helper()
		p, ok := errors.AsType[*say.Problem](allowed())
		if !ok || p.Code != say.CodeStale || p.Message.String() != "port "+strconv.Itoa(s.Port)+" is in use" ||
			!strings.Contains(p.Detail.String(), by) {
			t.Errorf("%+v", p)
		}
	}
	refused("a process of user")
	s.Port = free
	if err := allowed(); err != nil {
		t.Error(err)
	}
	at := s.Socket + "/.s.PGSQL." + strconv.Itoa(s.Port)
	h.must(h.lay(at, ""))
	refused("there is a socket " + at)
}
