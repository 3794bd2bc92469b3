// Package tablespaces is what the tablespaces of an instance hold, what a new one would be, and a move of tables and
// indexes into one, all of it before anything is done: what was found goes in, a document or a refusal comes out.
package tablespaces
