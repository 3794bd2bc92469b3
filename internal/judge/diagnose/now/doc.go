// Package now makes the document of "top": what an instance and its host do at this moment,
// from two looks at the counters and one at the sessions.
package now
