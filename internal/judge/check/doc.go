// Package check is the engine that judges a snapshot. The checks themselves are in
// judge/checks/AREA, one file per check. A check is a struct literal with its id, its
// texts, its sources, and one pure function that reports what it found. A check is for
// what is wrong independent of a plan; a value that differs from the recommended one is
// shown by the plan, and needs no check.
//
// # A run
//
// Run gives each check a Case: once for the host (PerHost) or once for each instance (PerInstance) whose major is
// between From and To. The function asks for facts through Need and reports through Found, FoundAs (another severity),
// or FoundDo (a separate remedy). All texts are templates with {name} placeholders, filled in from the pairs that the
// call names; they stay translatable as say.Message.
//
// # What is not known
//
// Need notes a fact that is forbidden or unread among the unknowns, with what would
// reveal it, and the check returns. A fact that is absent is not unknown: this kernel or
// this version does not have it. A check that found nothing and lacked a fact is listed
// in Report.Unjudged, so that a report without findings does not look healthy.
//
// # Causes
//
// A finding is suppressed while one of its causes is found for the same instance or for
// the host: DependsOn names the causes of all findings of a check, Case.Because those of
// one finding. An accepted cause suppresses its consequences, too. A cycle would lose
// both; a test checks that there is none.
//
// # For programs
//
// Finding.Values are the measures of the texts in base units. Finding.Commands are those
// commands of the literal that the remedy names, with real names and numbers filled in.
// Finding.Sources are the sources with their addresses.
//
// # Numbers of the plan
//
// A remedy must not contradict the plan. If a text names a value that a rule decides, it asks for the decision
// (PlannedBuffers, PlannedPool, AtWork): the rules run once for all checks of a run, with the options of the run.
//
// # Order
//
// Findings come worst first, then by area as in Areas, by id, and by instance. What the
// policy accepts moves to Report.Accepted, in the same order.
package check
