package clone

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/pgclient/conninfo"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// TestChoose holds which of the installed programs take a database over.
func TestChoose(t *testing.T) {
	at := func(versions ...int) (out []workload.Pgbench) {
		for _, v := range versions {
			out = append(out, workload.Pgbench{Path: "/bin/" + unit.MajorVersion(v).String(),
				Version: unit.MajorVersion(v)})
		}
		return out
	}
	for _, c := range []struct {
		dumps, restores []workload.Pgbench
		from, to, want  int
		hint, detail    string
	}{
		{at(18, 15, 16), at(16, 15, 18), 15, 18, 15, "", ""},
		{at(18, 17), at(17, 18), 15, 17, 17, "", ""},
		{at(18, 17), at(18), 15, 18, 18, "", ""}, // a pg_dump without its pg_restore
		{at(18), at(18), 15, 15, 0, "postgresql-client-15", "18"},
		{at(13), at(13), 15, 15, 0, "postgresql-client-15", "13"},
		{nil, nil, 16, 17, 0, "postgresql16", ""},
	} {
		p, err := choose(c.dumps, c.restores, unit.MajorVersion(c.from), unit.MajorVersion(c.to))
		if c.want > 0 {
			if err != nil || p.Version.Major() != c.want || p.Dump == "" || p.Dump != p.Restore {
				t.Errorf("%d into %d: %+v, %v", c.from, c.to, p, err)
			}
			continue
		}
		var no *say.Problem
		if !errors.As(err, &no) || !strings.Contains(no.Hint.String(), c.hint) || !strings.Contains(no.Detail.String(),
			c.detail) {
			t.Errorf("%d into %d: %+v", c.from, c.to, err)
		}
	}
	_, err := Find(t.Context(), unit.MajorVersion(16), unit.MajorVersion(15))
	var no *say.Problem
	if !errors.As(err, &no) || no.Code != say.CodeUsage || !strings.Contains(no.Hint.String(), "--pg 16") {
		t.Errorf("into an older server: %v", err)
	}
}

// TestSplit keeps what is secret out of the arguments, which everybody on a host
// can read.
func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"host=db1 password='it''s' dbname=shop": "", // libpq has no doubled quotes
		`host=db1 password='it\'s' dbname=shop sslmode=verify-full`: "-d host='db1' dbname='shop' " +
			"sslmode='verify-full' PGPASSWORD=it's",
		"postgres://web:hunter%402@db1:5433/shop?sslmode=require": "-d host='db1' port='5433' dbname='shop' " +
			"user='web' sslmode='require' PGPASSWORD=hunter@2",
		"postgresql://db1:5433,db2:5434/shop?sslpassword=s&host=": "-d host='db1,db2' port='5433,5434' dbname='shop'",
		"service = 'a b'  application_name=":                      "-d service='a b' application_name=''",
		"":                                                        "",
		"postgresql://db1":                                        "-d host='db1'",
		`dbname = a\ b`:                                           "-d dbname='a b'",
	} {
		pairs, err := conninfo.Parse(text)
		if err != nil {
			if want != "" {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		args, env := split(pairs)
		if got := strings.Join(slices.Concat(args, env), " "); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
		for _, a := range args {
			if strings.Contains(a, "hunter") || strings.Contains(a, "it's") {
				t.Errorf("%s: a password among the arguments: %s", text, a)
			}
		}
	}
	for _, bad := range []string{"host", "host=a b", "password='hunter2", "=x", "a='\x00'",
		"postgres://web:hunter2@%zz/"} {
		if _, err := conninfo.Parse(bad); err == nil || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestFailed names which of the two programs of a pipe failed.
func TestFailed(t *testing.T) {
	s := &Source{About: About{Database: "shop"}}
	for _, c := range []struct {
		dumped, restored scratch.Ended
		who, detail      string
	}{
		{scratch.Ended{Code: 1, Stderr: "pg_dump: error: permission denied for table a\npg_dump: detail: x\n"},
			scratch.Ended{Code: 1, Stderr: "pg_restore: error: could not read from input file: end of file"},
			"pg_dump failed", "permission denied for table a"},
		{scratch.Ended{Code: 1, Stderr: "pg_dump: error: could not write to output file: Broken pipe"},
			scratch.Ended{Code: 1,
				Stderr: "pg_restore: while …\npg_restore: error: could not execute query: ERROR: no such type"},
			"pg_restore failed", "no such type"},
		{scratch.Ended{}, scratch.Ended{Code: 1, Stderr: "out of disk"}, "pg_restore failed", "out of disk"},
		{scratch.Ended{Code: -1}, scratch.Ended{Code: 1}, "pg_dump failed", ""},
	} {
		var p *say.Problem
		if err := failed(s, c.dumped, c.restored); !errors.As(err, &p) || !strings.HasPrefix(p.Message.String(),
			c.who) ||
			!strings.Contains(p.Detail.String(), c.detail) {
			t.Errorf("%+v and %+v: %v", c.dumped, c.restored, err)
		}
	}
	if err := failed(s, scratch.Ended{}, scratch.Ended{}); err != nil {
		t.Error(err)
	}
}
