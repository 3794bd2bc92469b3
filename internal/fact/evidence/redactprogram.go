package evidence

import (
	"maps"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// publicPrograms are names of programs that many hosts have, and those that judgment looks for; any other may be a
// person's or a company's own.
var publicPrograms = set(
	`java mysqld mariadbd mongod mongos redis-server valkey-server memcached ragent rmngr rphost beam.smp node ` +
		`python python3 perl php-fpm ruby
	nginx httpd apache2 haproxy varnishd envoy traefik dockerd containerd containerd-shim kubelet qemu-system-x86 ` +
		`qemu-kvm clickhouse-serv influxd prometheus grafana
	etcd consul vault pgbouncer odyssey pgpool pgbackrest systemd systemd-journal systemd-udevd systemd-logind ` +
		`systemd-resolve dbus-daemon sshd bash sh rsyslogd cron crond agetty
	clamd clamonacc savd savscand soapd sophos_threat_d wdavdaemon falcon-sensor falcon-sensor-b kesl esets_daemon ` +
		`oaeventd ds_am ds_agent drweb-spider mfetpd
	s1-agent rtvscand sisamddaemon elastic-endpoin bdsecd cbdaemon cbagentd fsoasd
	chronyd vmtoolsd VBoxService prltoolsd systemd-timesyn ntpd ptp4l phc2sys`)

// fanotifyMark is a line of fdinfo: words and numbers of the kernel's own.
var fanotifyMark = regex.New(`^fanotify( [a-z_-]{1,20}:[0-9a-f]{1,128})*$`)

// programs redacts the names of programs.json; the rest of it is numbers.
func (r *redactor) programs(v any) any {
	list, ok := v.([]any)
	if !ok {
		return r.value("", v)
	}
	for i, e := range list {
		m, ok := e.(map[string]any)
		if !ok {
			list[i] = r.value("", e)
			continue
		}
		for _, k := range slices.Sorted(maps.Keys(m)) {
			x := m[k]
			text, isText := x.(string)
			switch {
			case k == "name" && isText && publicPrograms[text]:
			case k == "marks":
				m[k] = marksOf(x)
			default:
				m[k] = r.value(k, x)
			}
		}
	}
	return list
}

func marksOf(v any) any {
	list, ok := v.([]any)
	if !ok {
		return nil
	}
	for i, e := range list {
		if s, ok := e.(string); !ok || !fanotifyMark.MatchString(s) {
			list[i] = Redacted
		}
	}
	return list
}
