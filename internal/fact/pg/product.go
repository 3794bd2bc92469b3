package pg

import (
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// Product is a product that was made from PostgreSQL and has releases of its own. Its Name is "" where nothing says
// that the server is one.
type Product struct {
	Name    string `json:"name"`
	Edition string `json:"edition,omitempty"`
	Version string `json:"version,omitempty"` // its own, not that of PostgreSQL in it
	Sign    string `json:"sign"`              // version(), or the setting or the function that only it has
}

// banners are products that version() names, as their servers print it.
var banners = []struct {
	re   *regex.Regex // group 1: its version
	name string
}{
	// PostgreSQL 16.4 (EnterpriseDB Advanced Server 16.4.1) on x86_64-pc-linux-gnu
	{regex.New(`\(EnterpriseDB Advanced Server ([0-9.]+)`), params.EDB},
	// PostgreSQL 9.4.26 (Greenplum Database 6.23.0 build commit:…) on x86_64-unknown-linux-gnu
	{regex.New(`\(Greenplum Database\)? ?([0-9.]+)`), params.Greenplum},
	// PostgreSQL 14.4 (Cloudberry Database 1.5.1 build …)
	{regex.New(`\((?:Apache )?Cloudberry(?: Database)? ?([0-9.]*)`), "Apache Cloudberry"},
	// PostgreSQL 11.2-YB-2.15.1.0-b0 on x86_64-pc-linux-gnu
	{regex.New(`^PostgreSQL [0-9.]+-YB-([0-9.]+)`), params.Yugabyte},
	// PostgresPro 9.6.1.2 on x86_64, as pgpro_version() and old versions print it
	{regex.New(`^PostgresPro ([0-9.]+)`), params.PostgresPro},
	// PostgreSQL 18.1-2.1C: the build that 1C itself distributes
	{regex.New(`^PostgreSQL ([0-9.]+-[0-9.]+C)\b`), "PostgreSQL by 1C"},
}

// told are settings of a server that hold the version or the edition of a product.
var told = []struct{ name, version, edition string }{
	{params.PostgresPro, "pgpro_version", "pgpro_edition"},
	{params.Pangolin, "server_se_version", ""},
}

// number finds a version in a text that may have the name of the product before it.
var number = regex.New(`[0-9]+(?:\.[0-9]+)+`)

// productOf recognizes a product by what its server says of itself. The name of a setting counts only without a dot:
// modules, whose settings have one, can be installed in any server.
func productOf(fsys fs.FS, key string, s *Server) Product {
	access, _ := s.Access.Get()
	for _, b := range banners {
		if m := b.re.FindStringSubmatch(access.Compiled); m != nil {
			return Product{Name: b.name, Version: strings.TrimRight(m[1], "."), Sign: "version()"}
		}
	}
	set, _ := s.Settings.Get()
	for _, t := range told {
		if v, ok := set[t.version]; ok {
			return Product{Name: t.name, Version: number.FindString(v.Value), Edition: word(set[t.edition].Value),
				Sign: t.version}
		}
	}
	functions := single(fsys, key, "product", func(r *Row) Product {
		switch {
		case r.Bool("postgres_pro"):
			return Product{Name: params.PostgresPro, Sign: "pgpro_version()"}
		case r.Bool("tantor"):
			return Product{Name: params.Tantor, Sign: "tantor_version()"}
		case r.Bool("pangolin"):
			return Product{Name: params.Pangolin, Sign: "product_version()"}
		}
		return Product{}
	})
	if p, ok := functions.Get(); ok && p.Name != "" {
		return p
	}
	first := Product{}
	for name := range set {
		if strings.Contains(name, ".") {
			continue
		}
		// the first in the order of names, so that one server has one sign
		if p, ok := params.ForkOf(name); ok && params.OwnReleases(p) && (first.Sign == "" || name < first.Sign) {
			first = Product{Name: p, Sign: name}
		}
	}
	return first
}

// word is a value that is one word of letters, digits and hyphens; "" for any other, such as a redacted one.
func word(v string) string {
	if strings.Trim(strings.ToLower(v), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return ""
	}
	return v
}

// String is the name with the edition and version, as a person says it.
func (p Product) String() string {
	out := p.Name
	for _, w := range []string{p.Edition, p.Version} {
		if w != "" {
			out += " " + w
		}
	}
	return out
}
