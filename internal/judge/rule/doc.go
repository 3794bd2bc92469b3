// Package rule is the engine that decides the value of each knob on a host. The rules
// themselves are in judge/rules/AREA, one file a knob. A rule is a struct literal with
// its address, its words, its sources, the knobs that it needs decided first, and one
// pure function.
//
// # Order
//
// Decide sorts the rules so that each comes after those in its Needs; among rules that
// do not need each other, the order is that of the registry. A circle is a fault of
// the program and an error. A rule of a server setting runs once for each instance, a
// rule of the kernel or of a unit once for the host, and only if the host was read. A
// rule with Over decides a family: it runs once for each address that Over returns, such
// as each disk. When all is decided, each Finally looks at each instance and may warn.
//
// # A case
//
// The function of a rule gets a Case. It sees the snapshot, what the user asked for
// (Options), and the decisions before it (Case.Bytes, Case.Int, and so on return the
// decided value of a knob that it needs). Nothing else: no clock, no file. So the same
// snapshot gives the same decisions.
//
//   - Need returns a fact. If the fact is missing, it is noted among the unknowns, and
//     the rule returns without a decision. A missing fact is never taken as zero.
//   - Miss notes a fact that would have sharpened the decision. The rule goes on.
//   - Set decides: a value and the reason, whose arguments are the inputs of the decision.
//   - Warn adds what the user must know before the plan is applied.
//   - A rule that calls none of them has no opinion, and the knob stays as it is.
//
// # Legal values
//
// Set converts a value into the unit of the knob and keeps a number within the bounds
// that this server reports in pg_settings. A rule asks Case.Allows whether this build
// accepts a word, such as lz4 for wal_compression. If the server has no such setting, or
// the major is outside From and To, the rule does not run. Only the server decides that:
// the table of parameters in fact/pg/params is for what it cannot answer.
//
// # Pins
//
// A pin is a value that the user has fixed. The function of the rule does not run; the
// pin is parsed as the server would parse it, and a value that the server refuses, or
// that Legal refuses for a knob of the host, is a *PinError. So is a pin of a knob that
// no rule decides. Rules that need the knob see the pinned value.
//
// # What stays
//
// Decision.Want is what the rule or the pin says. Decision.Effective is what the plan
// leaves: the present value if it is within Tolerance of the wanted one, so that a plan
// does not change a value for a few percent. A present value that could not be read is
// not changed, because undo could not restore it.
//
// Decide's second step (steady) keeps a plan stable: if the memory of other programs is near the edge between two
// steps, and what is configured depends on the neighboring step, that step is used. A number that moves around an edge
// changes no plan.
package rule
