// Package apply makes the changes of a plan, and undoes them. This package is the engine; how one kind of knob is read
// and set is a Kind, of a package under apply/kinds.
//
// # Contract
//
//  1. Stale plans are refused. Run is given a snapshot that was just taken; a knob that
//     is not where the plan found it ends the apply before anything is written, and
//     selection.Moved has compared the plan with a fresh one before.
//  2. Everything that can be asked before the first write is asked before: rights to
//     every file (Scribe, Guard), and whether the installed binary would start with the
//     settings (System.Verify).
//  3. For each change the intention is in the journal, and on disk, before the knob is
//     touched. Then it is set, read back, and noted as done or failed.
//  4. A crash at any moment leaves each knob as it was or as it should be, and the
//     journal says which. Resume finishes; Undo takes back.
//  5. Undo restores what was before only where our value still stands. What somebody
//     changed since is kept, and told.
//  6. A server that does not start with its changes gets back what it had before and is
//     started again. The settings of one instance stand or fall together.
//  7. One apply, undo or resume at a time works on the same part: the host, or an
//     instance. A lock is taken for each part; an earlier apply that has not come to its
//     end bars a new one of the same parts.
//
// # How an apply goes
//
// selection.Select says which changes are made. lock.go takes the locks of their parts,
// unfinished.go looks for an apply that was interrupted, stale.go asks what can be asked
// before. The journal is made with every planned change. engine.go then makes one change
// after another, and activate.go reloads or restarts each instance once its changes are
// written and before the changes of the host that follow them. takeback.go brings one
// change back; undo.go, resume.go and forget.go decide which. readback.go looks at every
// knob once more at the end of an undo, as a damaged journal may have lost what was done.
//
// # How the engine uses a kind
//
//   - apply: Look, Want; the two equal → the knob has the value already. Else the
//     journal's intend line, Set(want), Look again. What was read back must equal
//     want: the File byte for byte with mode and owner, and Live too where the
//     effect is now. For effect reload and restart Live is compared after the
//     activation; for reboot never (want.Live is then nil). A part of want that
//     is nil is not compared, and Set leaves a part that is nil alone.
//   - undo: the two parts are judged apart. A part that equals after goes back to
//     before; one that equals before stays; any other was changed by somebody: a
//     File is given to Ours, and if our value is still in it to Without; a Live
//     value is left, and Set gets nil for it. Ours and Without get a Live that
//     equals after's, so that they judge the file alone.
//
// Several knobs may share a file: its Text before the second is its Text after
// the first. LookFile and SetFile read and write a journal.File.
//
// A change that needs an activation has not taken effect before it, and the journal
// keeps what is owed (journal.Pending), so that an apply that is killed between the two
// is finished by Resume.
package apply
