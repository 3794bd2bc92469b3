package pgclient

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"net"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// liar speaks with one client, from its first byte, until write fails.
type liar func(c net.Conn, b *pgproto3.Backend)

// message is one of the protocol with a length of its own choice.
func message(kind byte, length int32, body string) []byte {
	out := binary.BigEndian.AppendUint32([]byte{kind}, uint32(length))
	return append(out, body...)
}

// whole is a message whose length is true.
func whole(kind byte, body string) []byte { return message(kind, int32(len(body)+4), body) }

// for ever, until the client has gone.
func endless(c net.Conn, what []byte) {
	chunk := bytes.Repeat(what, 1+16384/len(what))
	for {
		if _, err := c.Write(chunk); err != nil {
			return
		}
	}
}

const (
	evil    = "\x1b[2J\x07\r\nFATAL: <script>alert(1)</script>\u202egnp.exe\x00"
	letIn   = "R\x00\x00\x00\x08\x00\x00\x00\x00"
	isReady = "Z\x00\x00\x00\x05I"
)

// welcome lets a client in, as a server of a version.
func welcome(c net.Conn, b *pgproto3.Backend, version string) bool {
	if _, err := b.ReceiveStartupMessage(); err != nil {
		return false
	}
	_, err := c.Write([]byte(letIn + string(whole('S', "server_version\x00"+version+"\x00")) + isReady))
	return err == nil
}

// after answers the first question, whatever it is, with these bytes, and waits.
func after(answer []byte) liar {
	return func(c net.Conn, b *pgproto3.Backend) {
		if !welcome(c, b, "18.1") {
			return
		}
		if _, err := c.Read(make([]byte, 1)); err != nil {
			return
		}
		if _, err := c.Write(answer); err == nil {
			_, _ = io.Copy(io.Discard, c)
		}
	}
}

// first answers the startup message with these bytes, and waits.
func first(answer []byte) liar {
	return func(c net.Conn, b *pgproto3.Backend) {
		if _, err := b.ReceiveStartupMessage(); err != nil {
			return
		}
		if _, err := c.Write(answer); err == nil {
			_, _ = io.Copy(io.Discard, c)
		}
	}
}

// stream is an answer to the first question that does not end.
func stream(prefix, what []byte) liar {
	return func(c net.Conn, b *pgproto3.Backend) {
		if welcome(c, b, "18.1") {
			if _, err := c.Write(prefix); err == nil {
				endless(c, what)
			}
		}
	}
}

// lies are ways in which a server can mistreat its client.
var lies = map[string]liar{
	"hangs up at once": func(net.Conn, *pgproto3.Backend) {},
	"says nothing":     func(c net.Conn, _ *pgproto3.Backend) { _, _ = io.Copy(io.Discard, c) },
	"is no PostgreSQL": func(c net.Conn, _ *pgproto3.Backend) {
		_, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
	},
	"random bytes for ever": func(c net.Conn, _ *pgproto3.Backend) {
		endless(c, []byte("\xff\x00\x17\x80Z\x01R"))
	},
	"a message of 2 GB":              first(message('R', math.MaxInt32, "")),
	"a message of negative length":   first(message('R', -1, "")),
	"a message shorter than its own": first(message('R', 0, "")),
	"an unknown authentication":      first(whole('R', "\x00\x00\x00\x63")),
	"SASL without a mechanism":       first(whole('R', "\x00\x00\x00\x0a\x00")),
	"SASL out of order":              first(whole('R', "\x00\x00\x00\x0cv=x")),
	"a message that nobody knows":    first([]byte(letIn + string(whole('!', "x")))),
	"parameters for ever": func(c net.Conn, b *pgproto3.Backend) {
		if _, err := b.ReceiveStartupMessage(); err == nil {
			_, _ = c.Write([]byte(letIn))
			endless(c, whole('S', "a\x00b\x00"))
		}
	},
	"notices for ever": func(c net.Conn, b *pgproto3.Backend) {
		if _, err := b.ReceiveStartupMessage(); err == nil {
			_, _ = c.Write([]byte(letIn))
			endless(c, whole('N', "SNOTICE\x00VNOTICE\x00C00000\x00Mx\x00\x00"))
		}
	},
	"half a message, then silence": func(c net.Conn, b *pgproto3.Backend) {
		if _, err := b.ReceiveStartupMessage(); err == nil {
			_, _ = c.Write([]byte(letIn[:5]))
			_, _ = io.Copy(io.Discard, c)
		}
	},
	"a refusal that leads the terminal": first(whole('E', "SFATAL\x00VFATAL\x00C28000\x00M"+
		strings.ReplaceAll(evil, "\x00", "")+"\x00\x00")),
	"a refusal of 100 kB": first(whole('E', "SFATAL\x00VFATAL\x00C28000\x00M"+
		strings.Repeat("no ", 33000)+"\x00\x00")),
	"a version that leads the terminal": func(c net.Conn, b *pgproto3.Backend) {
		if welcome(c, b, strings.ReplaceAll(evil, "\x00", "")) {
			_, _ = io.Copy(io.Discard, c)
		}
	},
	"a version of next century": func(c net.Conn, b *pgproto3.Backend) {
		_ = welcome(c, b, "99999999999999999999")
	},
	"no version": first([]byte(letIn + isReady)),
	"answers before it is asked": first([]byte(letIn + string(whole('S', "server_version\x0018.1\x00")) +
		isReady + strings.Repeat(isReady, 1000))),
	"answers that fit no question": after([]byte(strings.Repeat("1\x00\x00\x00\x042\x00\x00\x00\x04"+isReady,
		500))),
	"ready for ever": stream(nil, []byte(isReady)),
	"rows for ever": stream([]byte("1\x00\x00\x00\x042\x00\x00\x00\x04"+
		string(whole('T', "\x00\x01a\x00"+strings.Repeat("\x00", 18)))), whole('D', "\x00\x01\x00\x00\x00\x01x")),
	"a row of more columns than it has": after([]byte("1\x00\x00\x00\x042\x00\x00\x00\x04" +
		string(whole('T', "\x00\x01a\x00"+strings.Repeat("\x00", 18))) +
		string(whole('D', "\xff\xff\x00\x00\x00\x01x")))),
	"a value of negative length": after([]byte("1\x00\x00\x00\x042\x00\x00\x00\x04" +
		string(whole('T', "\x00\x01a\x00"+strings.Repeat("\x00", 18))) +
		string(whole('D', "\x00\x01\x80\x00\x00\x00x")))),
	"copies instead of rows": after(append(whole('H', "\x00\x00\x00"), whole('d', evil)...)),
	"notifications for ever": stream(nil, whole('A', "\x00\x00\x00\x01a\x00b\x00")),
	"dies in the middle of an answer": func(c net.Conn, b *pgproto3.Backend) {
		if welcome(c, b, "13.0") {
			_, _ = c.Write([]byte("1\x00\x00\x00\x042\x00\x00"))
		}
	},
}

// TestServersThatLie: whatever a server says, the asking ends within its time, the evidence stays small and readable,
// and the error shown is one clean line.
func TestServersThatLie(t *testing.T) {
	bareEnvironment(t)
	for name, lie := range lies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := socketOf(t, func(c net.Conn) {
				defer c.Close()
				lie(c, pgproto3.NewBackend(c, c))
			})
			// as answersWithin is: where it did not hold, the test would not end
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			a := evidence.New()
			_, err := Ask(ctx, a, "1", Connect{Conninfo: "user=web connect_timeout=1 host=" + dir, Peer: -1},
				false)
			var p *say.Problem
			switch {
			case err == nil:
				t.Error("such a server is taken for one that answers")
			case errors.As(err, &p):
				for _, s := range []string{p.Message.String(), p.Detail.String(), p.Hint.String()} {
					if len(s) > 1200 || strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
						t.Errorf("a person is told %q", s)
					}
				}
			case ctx.Err() == nil:
				t.Errorf("no problem that could be told: %v", err)
			}
			Silent(a, "1", err)
			var b bytes.Buffer
			if _, err := a.WriteTo(&b); err != nil || b.Len() > 2*evidence.MaxEntry {
				t.Fatalf("evidence of %d bytes: %v", b.Len(), err)
			}
			if strings.IndexFunc(b.String(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) >= 0 {
				t.Errorf("the evidence leads a terminal: %q", b.String())
			}
			if s := pg.ReadSilence(a, "1"); s.Answered > 0 || s.Connection == nil && len(s.Failed) == 0 {
				t.Errorf("its silence is not in the evidence: %+v", s)
			}
		})
	}
}
