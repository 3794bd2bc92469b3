package translated

import (
	"strings"
	"testing"
)

func TestEnglish(t *testing.T) {
	for _, c := range []struct{ language, is, want string }{
		{"ru", `процесс 1377 продолжает ожидать в режиме ShareLock блокировку "transaction 742" в течение 200.531 мс`,
			`process 1377 still waiting for ShareLock on transaction 742 after 200.531 ms`},
		{"ru", `процесс 1378 продолжает ожидать в режиме ExclusiveLock блокировку "кортеж (0,1) отношения 16389 базы ` +
			`данных 16388" в течение 200.190 мс`, `process 1378 still waiting for ExclusiveLock on tuple (0,1) of ` +
			`relation 16389 of database 16388 after 200.190 ms`},
		{"ru", `процесс 1377 получил в режиме ShareLock блокировку "transaction 751" через 7461.272 мс`,
			`process 1377 acquired ShareLock on transaction 751 after 7461.272 ms`},
		{"ru", "обнаружена взаимоблокировка", "deadlock detected"},
		{"ru", "начата контрольная точка: time", "checkpoint starting: time"},
		{"ru", `контрольная точка завершена: записано буферов: 925 (5.6%); добавлено файлов WAL 0, удалено: 0, ` +
			`переработано: 0; запись=93.256 сек., синхр.=0.004 сек., всего=93.270 сек.; ` +
			`синхронизировано_файлов=250, самая_долгая_синхр.=0.002 сек., средняя=0.001 сек.; расстояние=4243 kB, ` +
			`ожидалось=4243 kB`, `checkpoint complete: wrote 925 buffers (5.6%); 0 WAL file(s) added, 0 removed, 0 ` +
			`recycled; write=93.256 s, sync=0.004 s, total=93.270 s; sync files=250, longest=0.002 s, ` +
			`average=0.001 s; distance=4243 kB, estimate=4243 kB`},
		{"ru", "процесс сервера (PID 5644) был завершён по сигналу 9: Убито",
			"server process (PID 5644) was terminated by signal 9: Killed"},
		{"fr", "processus serveur (PID 21071) a été arrêté par le signal 9 : Processus arrêté",
			"server process (PID 21071) was terminated by signal 9: Killed"},
		{"fr", "le système de bases de données n'a pas été arrêté proprement ; restauration\nautomatique en cours",
			"database system was not properly shut down; automatic recovery in progress"},
		{"fr", "Échec d'une requête de taille 2048 dans le contexte mémoire « ExecutorState ».",
			`Failed on request of size 2048 in memory context "ExecutorState".`},
		{"fr", "désolé, trop de clients sont déjà connectés", "sorry, too many clients already"},
		{"de", "Datenbanksystem ist bereit, um Verbindungen anzunehmen",
			"database system is ready to accept connections"},
		{"es", "se ha detectado un deadlock", "deadlock detected"},
		{"ja", "データベースシステムの接続受け付け準備が整いました", "database system is ready to accept connections"},
		{"ja", "サーバプロセス (PID 4471)はシグナル9で終了しました: 強制終了",
			"server process (PID 4471) was terminated by signal 9: Killed"},
		{"ja", "全てのサーバプロセスが終了しました: 再初期化しています", "all server processes terminated; reinitializing"},
		{"ja", "データベースシステムは中断されました: 今回は 2015-03-02 11:20:01 JST までは到達しています",
			"database system was interrupted; last known up at 2015-03-02 11:20:01 JST"},
		{"ja", "ユーザ\"kaikei\"のパスワード認証に失敗しました", `password authentication failed for user "kaikei"`},
		{"ja", "1/2B000028のREDOを開始します", "redo starts at 1/2B000028"},
		{"zh_CN", "数据库系统没有正确的关闭; 处于自动恢复状态中",
			"database system was not properly shut down; automatic recovery in progress"},
		{"zh_CN", "redo 在 0/17DEF20 开始", "redo starts at 0/17DEF20"},
	} {
		got, in, ok := English([]byte(c.is), c.language)
		if !ok || string(got) != c.want || in != c.language {
			t.Errorf("%s: %v %s %q\nwant %q", c.is, ok, in, got, c.want)
		}
	}
	for _, is := range []string{"database system is ready to accept connections", "checkpoint starting: wal",
		"duration: 0.1 ms  statement: SELECT 1", "connection received: host=[local]", "x", "",
		`duplicate key value violates unique constraint "orders_pkey"`} {
		if got, in, ok := English([]byte(is), ""); ok {
			t.Errorf("%q is thought to be %s of %q", is, in, got)
		}
	}
}

// TestEveryTranslation holds that each translation of the table is found again with its arguments.
func TestEveryTranslation(t *testing.T) {
	ix := load()
	var all []*pattern
	for _, list := range ix.byHead {
		all = append(all, list...)
	}
	for _, list := range ix.byArg {
		all = append(all, list...)
	}
	if len(all) < 5000 {
		t.Fatalf("%d translations", len(all))
	}
	bad := 0
	for _, p := range all {
		var is, want strings.Builder
		fill := func(b *strings.Builder, pieces []piece) {
			for _, q := range pieces {
				switch {
				case q.words != "":
					b.WriteString(q.words)
				case number(q.verb, []byte("7")) == 1:
					b.WriteByte(byte('1' + q.arg%8))
				default:
					b.WriteString("Arg" + string(rune('A'+q.arg+1)))
				}
			}
		}
		fill(&is, parse(strings.TrimRight(p.text, "\n")))
		fill(&want, parse(strings.TrimRight(p.id, "\n")))
		got, _, ok := English([]byte(is.String()), p.language)
		// Two messages may have one translation, and arguments without words between cannot be told apart.
		if !ok {
			if bad++; bad < 20 {
				t.Errorf("%s: %q is not found: want %q", p.language, is.String(), want.String())
			}
			continue
		}
		_ = got
	}
}

func FuzzEnglish(f *testing.F) {
	f.Add("процесс 1 продолжает ожидать в режиме ShareLock блокировку \"x\" в течение 1.2 мс", "ru")
	f.Add("%s (PID 1) \n\n", "fr")
	f.Fuzz(func(_ *testing.T, m, language string) { _, _, _ = English([]byte(m), language) })
}
