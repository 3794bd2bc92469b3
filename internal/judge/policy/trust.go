package policy

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// maxOwners bounds the accounts that a site trusts: a host has few.
const maxOwners = 100

func (r *reader) trust(doc map[string]any, p *Policy) error {
	t, err := r.table(doc, "trust")
	if err != nil || t == nil {
		return err
	}
	if err := r.names(t, "trust", 0, "owners"); err != nil {
		return err
	}
	v, ok := t["owners"]
	if !ok {
		return nil
	}
	at := r.line("trust", 0, "owners")
	list, ok := v.([]any)
	if !ok || len(list) > maxOwners {
		return r.wrong(at, say.M("owners is not a list of at most {maxOwners} accounts", "maxOwners",
			fmt.Sprint(maxOwners)),
			say.M("write owners = [\"postgres\"]"))
	}
	p.Trust.Owners = []string{} // an empty list is a decision, too
	for _, v := range list {
		name, err := r.str(v, at, "an owner")
		if err != nil {
			return err
		}
		if name == "root" || name == "0" {
			return r.wrong(at, say.M("root cannot own a server"),
				say.M("name the account that runs PostgreSQL; it does not start as root"))
		}
		p.Trust.Owners = append(p.Trust.Owners, name)
	}
	return nil
}
