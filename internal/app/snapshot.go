package app

import (
	"context"
	"errors"

	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// TakeEvidence collects or reads the evidence of a target, with what a plan and a
// diagnosis of OOM kills need of it elsewhere: the answers of the installed server
// programs, and the kernel's reports of kills. redact replaces names by pseudonyms.
func (h *Host) TakeEvidence(ctx context.Context, r Request, redact bool) (*evidence.Archive, error) {
	r.Killable, r.Servers, r.Packages = true, true, true
	s, err := h.Open(ctx, r)
	if err != nil {
		return nil, err
	}
	if s.Collected != nil {
		if err := s.askForEveryProfile(ctx); err != nil {
			return nil, err
		}
		if s.Snapshot.HostSeen {
			// The kernel forgets: what it says of kills is kept with the rest.
			if text, _ := KernelLog(ctx, h.Target); ctx.Err() == nil {
				if b := kernlog.Excerpt(string(text)); len(b) > 0 {
					if err := s.Evidence.Add(kernlog.Entry, b); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	if redact {
		return s.Evidence.Redact(), nil
	}
	return s.Evidence, nil
}

// askForEveryProfile makes a plan for every profile: a plan asks the installed server
// how much shared memory it wants; with its answers in the file, 'plan FILE' is as exact
// as 'plan'. What the file will be planned for is not known yet.
func (s *Session) askForEveryProfile(ctx context.Context) error {
	for _, p := range rule.Profiles {
		_, err := s.PlanBy(ctx, rule.Options{Profile: p})
		if errors.Is(err, context.Canceled) {
			return err
		}
		if err != nil {
			s.Host.Tell("warning", say.M("snapshot is without the server's shared memory size for a plan: {error}",
				"error", err))
			break
		}
	}
	return nil
}
