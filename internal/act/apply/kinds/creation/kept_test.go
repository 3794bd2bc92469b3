package creation

import (
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

func prefix(text string) netip.Prefix { return netip.MustParsePrefix(text) }

// TestUsedIsKept: a cluster that is more than what was made is not removed, and not a byte of it is touched.
func TestUsedIsKept(t *testing.T) {
	for name, use := range map[string]func(h *toyHost, s newcluster.Spec){
		"a role or a table": func(h *toyHost, _ newcluster.Spec) { h.oid = firstOID + 1 },
		"no clean shutdown": func(h *toyHost, _ newcluster.Spec) { h.state = "in production" },
		"a database": func(h *toyHost, s newcluster.Spec) {
			h.must(h.lay(s.Data+"/base/16384/PG_VERSION", "17"))
		},
		"a file of a table": func(h *toyHost, s newcluster.Spec) { h.must(h.lay(s.Data+"/base/1/16385_fsm", "")) },
		"a tablespace": func(h *toyHost, s newcluster.Spec) {
			h.must(h.lay(s.Data+"/pg_tblspc/.keep", ""))
			h.must(os.Symlink(h.top, s.Data+"/pg_tblspc/16400"))
		},
		"a replication slot": func(h *toyHost, s newcluster.Spec) { h.must(h.lay(s.Data+"/pg_replslot/a/state", "")) },
		"a prepared transaction": func(h *toyHost, s newcluster.Spec) {
			h.must(h.lay(s.Data+"/pg_twophase/000002F1", ""))
		},
		"an edited file": func(h *toyHost, s newcluster.Spec) {
			h.must(h.lay(s.Data+"/pg_hba.conf", "local all all trust\n"))
		},
		"an added file":      func(h *toyHost, s newcluster.Spec) { h.must(h.lay(s.Data+"/conf.d/90-own.conf", "")) },
		"a file of a person": func(h *toyHost, s newcluster.Spec) { h.must(h.lay(s.Data+"/server.key", "")) },
		"a file beside the WAL": func(h *toyHost, s newcluster.Spec) {
			h.must(h.lay(s.WAL+"/backup.tar", ""))
		},
		"ALTER SYSTEM": func(h *toyHost, s newcluster.Spec) {
			h.must(h.lay(s.Data+"/postgresql.auto.conf", "work_mem = '1GB'\n"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newToy(t)
			s := h.cluster(true)
			use(h, s)
			tree := h.tree()
			k := apply.Knob{Address: knob.Address("cluster:" + s.Data), To: s.Text()}
			err := h.host().Kinds()[knob.ClusterPrefix].Set(t.Context(), k, live(newcluster.Absent))
			if err == nil || !strings.Contains(err.Error(), "is kept: ") {
				t.Errorf("it was removed: %v", err)
			}
			if d := cmp.Diff(tree, h.tree()); d != "" {
				t.Errorf("it was touched:\n%s", d)
			}
		})
	}
}

// TestForeignCluster: what is in the way and was not made here is looked at, and neither made over nor removed.
func TestForeignCluster(t *testing.T) {
	for name, lay := range map[string]func(h *toyHost, s newcluster.Spec){
		"a server has run there": func(h *toyHost, s newcluster.Spec) {
			h.must(h.lay(s.Data+"/PG_VERSION", "17\n"))
			h.must(h.lay(s.Data+"/postmaster.opts", "postgres"))
		},
		"a copy of one from elsewhere": func(h *toyHost, s newcluster.Spec) {
			h.must(h.lay(s.Data+"/"+newcluster.Marker, `{"schema": "pgfettle.created/1", "token": "0123456789abcdef", `+
				`"name": "one", "data": "/elsewhere"}`))
		},
		"one of another create": func(h *toyHost, s newcluster.Spec) {
			h.must(h.lay(s.Data+"/"+newcluster.Marker, `{"schema": "pgfettle.created/1", "token": "fedcba9876543210", `+
				`"name": "one", "data": "`+s.Data+`"}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newToy(t)
			s := h.spec(false)
			lay(h, s)
			tree := h.tree()
			kind := h.host().Kinds()[knob.ClusterPrefix]
			k := apply.Knob{Address: knob.Address("cluster:" + s.Data), To: s.Text()}
			found := look(t, kind, k)
			if *found.Live == newcluster.Absent || *found.Live == s.Live() ||
				kind.(apply.Partial).Halfway(found, live(newcluster.Absent), live(s.Live()), k) {
				t.Errorf("it is %s", *found.Live)
			}
			for _, to := range []string{s.Live(), newcluster.Absent} {
				if err := kind.Set(t.Context(), k, live(to)); err == nil {
					t.Errorf("it became %s", to)
				}
			}
			if d := cmp.Diff(tree, h.tree()); d != "" {
				t.Errorf("it was touched:\n%s", d)
			}
		})
	}
}

// TestFailedInitdb: what an initdb that fails has left is taken away at once.
func TestFailedInitdb(t *testing.T) {
	h := newToy(t)
	s := h.spec(true)
	tree := h.tree()
	h.broken = "initdb"
	h.must(h.lay(s.Data+"/PG_VERSION", "17\n"))
	k := apply.Knob{Address: knob.Address("cluster:" + s.Data), To: s.Text()}
	err := h.host().Kinds()[knob.ClusterPrefix].Set(t.Context(), k, live(s.Live()))
	if err == nil || !strings.Contains(err.Error(), "could not do it") {
		t.Errorf("%v", err)
	}
	if d := cmp.Diff(tree, h.tree()); d != "" {
		t.Errorf("something is left:\n%s", d)
	}
}

// TestPasswordOfAResume: a resume has no password to set, and says what to do.
func TestPasswordOfAResume(t *testing.T) {
	h := newToy(t)
	s := h.cluster(false)
	host := h.host()
	host.Verifier = ""
	k := apply.Knob{Address: knob.Address("password:" + s.Data), To: set}
	err := host.Kinds()[knob.PasswordPrefix].Set(t.Context(), k, live(set))
	if err == nil || !strings.Contains(err.Error(), "pgfettle undo") || h.password != "" {
		t.Errorf("%v, and it is %q", err, h.password)
	}
}

// TestBadValues: what no plan makes is no value, and reaches no program.
func TestBadValues(t *testing.T) {
	h := newToy(t)
	for address, values := range map[knob.Address][]string{
		"dir:/srv/a":      {"", "rwx", "0700 x:y", "01777 1:1", "-1 0:0"},
		"cluster:/srv/a":  {"", "{}", `{"token": "x"}`},
		"server:/srv/a":   {"", "stopped"},
		"password:/srv/a": {"", "secret"},
		"firewall:5432":   {"", "nft", "nft 10.0.0.0", "ufw 10.0.0.0/8", "nft 10.0.0.0/8;flush ruleset"},
	} {
		kind := h.host().Kinds()[address.Prefix()]
		for _, v := range values {
			if st, err := kind.Want(journal.State{}, apply.Knob{Address: address}, v); err == nil {
				t.Errorf("%s: %q became %v", address, v, st)
			}
		}
	}
	for _, port := range []string{"", "0", "65536", "ssh", "5432; flush ruleset"} {
		k := apply.Knob{Address: knob.Address("firewall:" + port), To: "nft 10.0.0.0/8"}
		kind := h.host().Kinds()[knob.FirewallPrefix]
		if _, err := kind.Look(t.Context(), k); err == nil {
			t.Errorf("port %q was looked at", port)
		}
		if err := kind.Set(t.Context(), k, live(k.To)); err == nil {
			t.Errorf("port %q was set", port)
		}
	}
}
