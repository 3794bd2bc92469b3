package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/spf13/cobra"
)

// policyPlace is where a site's policy lies when nobody names another place.
const policyPlace = "/etc/pgfettle/policy.toml"

// policyOptions say which policy holds.
type policyOptions struct {
	file string // --policy
	none bool   // --no-policy
}

const policyHelp = `The policy of this site (pins, accepted findings, profile, limits) is read from
` + policyPlace + ` where that is there, except for a host that is not looked
at from here (--for, --root, an evidence file); 'pgfettle policy' tells more.
`

func (o *policyOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.file, "policy", "", "the policy in `FILE` (default: "+policyPlace+" where it is there)")
	f.BoolVar(&o.none, "no-policy", false, "no policy")
}

// load reads the policy that holds: an empty one where there is none. site says
// whether the one of this host may be meant.
func (o *policyOptions) load(env *Env, site bool) (*policy.Policy, error) {
	p, err := o.read(env, site)
	if err == nil {
		env.site = &p.Trust
	}
	return p, err
}

func (o *policyOptions) read(env *Env, site bool) (*policy.Policy, error) {
	switch {
	case o.file != "" && o.none:
		return nil, usage("--policy and --no-policy contradict each other", "leave one of them out")
	case o.file != "":
		return readPolicy(env, o.file, true)
	case o.none || !site:
		return &policy.Policy{}, nil
	}
	p, err := readPolicy(env, policyPlace, false)
	if errors.Is(err, fs.ErrNotExist) {
		return &policy.Policy{}, nil
	}
	return p, err
}

// readPolicy reads a file. What is in it decides what root does, so as root it
// is not read where somebody else could have written it.
func readPolicy(env *Env, name string, named bool) (*policy.Policy, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO would wait for a writer
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, &say.Problem{Message: fmt.Sprintf("policy %q: permission denied", name), Hint: "run pgfettle as somebody who may read it, or leave it out with --no-policy", Code: exitNoAccess}
	case errors.Is(err, fs.ErrNotExist) && named:
		return nil, usage(fmt.Sprintf("policy %q: there is no such file", name), "'pgfettle policy example' prints one to begin with")
	case err != nil:
		return nil, fmt.Errorf("policy: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	if !st.Mode().IsRegular() {
		return nil, usage(fmt.Sprintf("policy %q is no regular file", name), "'pgfettle policy example' prints one to begin with")
	}
	if env.Target.UID() == 0 {
		if why := writable(st, named); why != "" {
			return nil, &say.Problem{Message: fmt.Sprintf("policy %q: %s, so root does not follow it", name, why), Hint: "chown root: and chmod go-w it, or leave it out with --no-policy", Code: exitRefused}
		}
	}
	b, err := io.ReadAll(io.LimitReader(f, policy.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	known := policy.All()
	known.Checks = append(known.Checks, kindIDs()...)
	return policy.Parse(name, b, known)
}

// writable says who but root and its owner could have written a file. The owner
// of one that the command line names is trusted by who named it.
func writable(st fs.FileInfo, named bool) string {
	sys, ok := st.Sys().(*syscall.Stat_t)
	mode := st.Mode().Perm()
	switch {
	case !ok:
		return "its owner is not known"
	case sys.Uid != 0 && !named:
		return "it does not belong to root"
	case mode&0o002 != 0:
		return "everybody may write it"
	case mode&0o020 != 0 && sys.Gid != 0:
		return "its group may write it"
	}
	return ""
}

// site says whether a target is looked at from here, and no evidence file.
func site(env *Env, target string) bool {
	_, file, err := resolve(env, target)
	return err == nil && file == ""
}

// withPolicy adds what the policy says to what the command line does.
func (o *planOptions) withPolicy(ro *rule.Options) error {
	if o.site.Profile != "" && !o.profileSaid {
		ro.Profile = o.site.Profile
	}
	for _, p := range o.site.Pins {
		for a, said := range ro.Pins {
			if at, _ := o.site.Pin(a); at == p && said != p.Value {
				return usage(fmt.Sprintf("--pin: %s is pinned to %s by %s:%d", a, p.Value, o.site.File, p.Line), "change it there, or leave the policy out with --no-policy")
			}
		}
		ro.Pins[p.Address] = p.Value
	}
	for _, a := range o.site.Accepted() {
		ro.Accepted = append(ro.Accepted, rule.Accepted{ID: a.ID, Instance: a.Instance, Reason: a.Reason, Expires: a.Expires})
	}
	return nil
}

// asked is what the policy alone asks of a plan: where nobody said more, check,
// diagnosis and watch tell the numbers of this one.
func asked(env *Env, pol *policy.Policy) rule.Options {
	o := planOptions{site: pol}
	ro := rule.Options{Profile: rule.Mixed}
	var err error
	if ro.Pins, err = readPins(nil); err == nil {
		err = o.withPolicy(&ro)
	}
	if err != nil { // nothing was said that a policy could contradict
		return rule.Options{Profile: rule.Mixed}
	}
	ro.Accepted = holding(ro.Accepted, today(env))
	return ro
}

// sitePolicy is the policy of this site for a command without --policy. One that
// cannot be read is told and left out: a diagnosis is made in an emergency.
func sitePolicy(env *Env, l *loaded) *policy.Policy {
	pol, err := (&policyOptions{}).load(env, l.request != nil)
	if err != nil {
		env.tell("warning", "the policy is left out: "+err.Error())
		return &policy.Policy{}
	}
	return pol
}

// meant takes the pins that come from the policy out where what they are of is
// not here, a server or a device: a policy may be for more hosts than one.
func (o *planOptions) meant(ro *rule.Options, s *snapshot.Snapshot) {
	for _, p := range o.site.Pins {
		if !rules.Here(s, p.Address) && !slices.Contains(o.pinned, p.Address) {
			delete(ro.Pins, p.Address)
		}
	}
}

// told names the line of the policy that a plan keeps to, or that it could not.
func (o *planOptions) told(p *plan.Plan, err error) (*plan.Plan, error) {
	if bad, ok := errors.AsType[*rule.PinError](err); ok {
		if pin, ours := o.site.Pin(bad.Address); ours {
			return nil, usage(fmt.Sprintf("%s:%d: %v", o.site.File, pin.Line, bad), "write a value that the server takes, as in \"pg:work_mem\" = \"64MB\"")
		}
	}
	if err != nil {
		return nil, err
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		if pin, ours := o.site.Pin(c.Address); ours && c.Pinned {
			c.Reason = say.Text(pinnedBy(o.site, pin))
		}
	}
	return p, nil
}

// pinnedBy is the reason of a value that the policy pins.
func pinnedBy(site *policy.Policy, pin policy.Pin) string {
	return fmt.Sprintf("pinned by %s:%d", site.File, pin.Line)
}

// keeps refuses a plan from a file that was made without the pins of the policy.
func (o *planOptions) keeps(p *plan.Plan, name string) error {
	have := p.Options().Pins
	for _, pin := range o.site.Pins {
		crossed := slices.ContainsFunc(p.Changes, func(c plan.Change) bool { return pin.Address.Covers(c.Address) })
		if v, ok := have[pin.Address]; crossed && (!ok || v != pin.Value) {
			return &say.Problem{Message: fmt.Sprintf("plan file %q: it changes %s, which %s:%d pins to %s", name, pin.Address, o.site.File, pin.Line, pin.Value), Hint: "plan again, or leave the policy out with --no-policy", Code: exitRefused}
		}
	}
	return nil
}

// bounded holds --max-effect to the policy's limit: what was not said is lowered
// to it, what was is refused.
func (o *applyOptions) bounded() error {
	limit := o.plan.site.Limits.MaxEffect
	if limit == nil {
		return nil
	}
	e, err := maxEffect(o.maxEffect)
	if err != nil || e <= *limit {
		return err
	}
	if o.effectSaid {
		return &say.Problem{Message: fmt.Sprintf("--max-effect %s: %s allows %s at most", e, o.plan.site.File, *limit), Hint: "change limits.max_effect there, or leave the policy out with --no-policy", Code: exitRefused}
	}
	o.maxEffect = limit.String()
	return nil
}
