// Package distribution knows how a distribution's packages set up PostgreSQL: the clusters of Debian's
// postgresql-common with their directories below /etc/postgresql, and the systemd unit that starts the server of a data
// directory.
package distribution
