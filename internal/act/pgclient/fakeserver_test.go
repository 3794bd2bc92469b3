package pgclient

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// fakePort is the port in the name of a fake server's socket.
const fakePort = 5432

// fakeServer speaks as much of the protocol as the client needs. Its answers
// are scripted: nothing of PostgreSQL itself is imitated.
type fakeServer struct {
	version string
	refuse  func(user, database string) *pgproto3.ErrorResponse // nil: everybody may come in
	answer  func(sql string) ([]string, [][]string)             // columns and rows; "\x00" is NULL
	fail    func(sql string) *pgproto3.ErrorResponse
	hangUp  func(sql string) bool

	mu       sync.Mutex
	starts   []map[string]string // startup parameters of every connection
	segments [][]string          // statements between two Syncs
}

// serve listens in its own directory and returns it.
func (f *fakeServer) serve(t *testing.T) string {
	t.Helper()
	return socketOf(t, f.talk)
}

// socketOf makes the socket of a server that talk speaks for, and returns its directory.
func socketOf(t *testing.T, talk func(net.Conn)) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "fettle") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(); os.RemoveAll(dir) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go talk(c)
		}
	}()
	return dir
}

func (f *fakeServer) talk(c net.Conn) {
	defer c.Close()
	b := pgproto3.NewBackend(c, c)
	m, err := b.ReceiveStartupMessage()
	if err != nil {
		return
	}
	start, ok := m.(*pgproto3.StartupMessage)
	if !ok {
		return
	}
	f.mu.Lock()
	f.starts = append(f.starts, start.Parameters)
	f.mu.Unlock()
	if f.refuse != nil {
		if e := f.refuse(start.Parameters["user"], start.Parameters["database"]); e != nil {
			b.Send(e)
			b.Flush()
			return
		}
	}
	b.Send(&pgproto3.AuthenticationOk{})
	b.Send(&pgproto3.ParameterStatus{Name: "server_version", Value: f.version})
	b.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 1}})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	if b.Flush() != nil {
		return
	}
	var segment []string
	sql, skip := "", false
	for {
		m, err := b.Receive()
		if err != nil {
			return
		}
		if _, sync := m.(*pgproto3.Sync); skip && !sync {
			continue
		}
		switch m := m.(type) {
		case *pgproto3.Parse:
			sql = m.Query
			segment = append(segment, sql)
			if f.hangUp != nil && f.hangUp(sql) {
				b.Flush()
				return
			}
			if f.fail != nil {
				if e := f.fail(sql); e != nil {
					b.Send(e)
					skip = true
					continue
				}
			}
			b.Send(&pgproto3.ParseComplete{})
		case *pgproto3.Bind:
			b.Send(&pgproto3.BindComplete{})
		case *pgproto3.Describe:
			columns, _ := f.rows(sql)
			var d pgproto3.RowDescription
			for _, c := range columns {
				d.Fields = append(d.Fields, pgproto3.FieldDescription{Name: []byte(c)})
			}
			b.Send(&d)
		case *pgproto3.Execute:
			_, rows := f.rows(sql)
			for _, r := range rows {
				var d pgproto3.DataRow
				for _, v := range r {
					if v == "\x00" {
						d.Values = append(d.Values, nil)
						continue
					}
					d.Values = append(d.Values, []byte(v))
				}
				b.Send(&d)
			}
			b.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
		case *pgproto3.Sync:
			f.mu.Lock()
			f.segments = append(f.segments, segment)
			f.mu.Unlock()
			segment, skip = nil, false
			b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
			if b.Flush() != nil {
				return
			}
		case *pgproto3.Terminate:
			return
		}
	}
}

func (f *fakeServer) rows(sql string) ([]string, [][]string) {
	if f.answer != nil && !strings.Contains(sql, "set_config") {
		if c, r := f.answer(sql); c != nil {
			return c, r
		}
	}
	return []string{"a"}, [][]string{{"1"}}
}

func serverError(code, message string) *pgproto3.ErrorResponse {
	return &pgproto3.ErrorResponse{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: code, Message: message}
}

func fatal(code, message string) *pgproto3.ErrorResponse {
	return &pgproto3.ErrorResponse{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: code, Message: message}
}
