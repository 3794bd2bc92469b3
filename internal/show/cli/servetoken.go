package cli

import (
	"path/filepath"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/serve"
)

// place takes --socket as another word for --listen with a path.
func (o *serveOptions) place(listen, socket bool) error {
	switch {
	case !socket:
		return nil
	case listen:
		return say.Usage(say.M("--listen and --socket cannot be used together"), say.M("Use only one of them."))
	case o.socket == "":
		return say.Usage(say.M("missing value for --socket"), say.M("Name a path, such as --socket "+
			"/run/pgfettle-serve.sock."))
	}
	abs, err := filepath.Abs(o.socket)
	o.listen.Address = abs
	return err
}

// servedToken is the token that is asked for, and how a person comes by it.
type servedToken struct {
	is     string
	told   bool   // it is in the address
	file   string // it is in this file; "": the user named one
	remove func()
}

// token reads the token, or makes one. A terminal is for the eyes of the person who started this; anywhere else lines
// are kept, in a journal or a file, where others may read them, so the token goes into a separate file.
func (o *serveOptions) token(env *Env) (t servedToken, err error) {
	t.remove = func() {}
	if !o.listen.AsksToken() {
		return t, nil
	}
	if o.listen.TokenFile != "" {
		t.is, err = serve.ReadToken(o.listen.TokenFile)
		return t, err
	}
	t.is = serve.MakeToken()
	// systemd makes the directory for the service, and takes it away after it.
	dir, _, _ := strings.Cut(env.Getenv("RUNTIME_DIRECTORY"), ":")
	if !filepath.IsAbs(dir) {
		if _, t.told = terminal(env.Stderr); t.told {
			return t, nil
		}
		if dir, t.remove, err = serve.PrivateFolder(env.Getenv("XDG_RUNTIME_DIR")); err != nil {
			t.remove = func() {}
			return t, err
		}
	}
	t.file = filepath.Join(dir, "token")
	if err = serve.SaveToken(t.file, t.is); err != nil {
		t.remove()
	}
	return t, err
}

// in is the address for a person, with the token where a terminal shows it.
func (t servedToken) in(address string) string {
	if t.told && hasLogin(address) {
		return address + "login?token=" + t.is
	}
	return address
}

// hasLogin reports whether an address is one that a browser opens: a socket is not.
func hasLogin(address string) bool { return strings.Contains(address, "://") }

// serving says what is served, and where the token is that was made, where it is not in the address.
func (t servedToken) serving(address string) say.Message {
	m := say.M("serving {address} (quit with Ctrl-C)", "address", t.in(address))
	switch {
	case t.file != "":
		return say.All("; ", m, say.M("token in file {file}", "file", t.file))
	case t.told && !hasLogin(address):
		return say.All("; ", m, say.M("token: {token}", "token", t.is))
	}
	return m
}
