// Package relation is the kind of one knob of each table, materialized view and index: the tablespace that it is in.
package relation
