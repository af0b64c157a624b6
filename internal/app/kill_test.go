package app

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"sverka/internal/config"
	"sverka/internal/crm"
	"sverka/internal/operation"
	"sverka/internal/perform"
	"sverka/internal/sandbox"
	"sverka/internal/secret"
)

// A test binary that finds this variable is a worker process of a test: one that can be killed.
const childVariable = "SVERKA_TEST_WORKER"

func TestMain(m *testing.M) {
	if url := os.Getenv(childVariable); url != "" {
		if err := childWorker(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func childWorker(url string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	cfg := config.Config{Keyset: secret.NewText(os.Getenv("SVERKA_KEYSET"))}
	g, err := open(ctx, cfg, url, testLimits, newLog(os.Stderr))
	if err != nil {
		return err
	}
	defer g.close()
	g.allowLoopback = true
	workers, err := g.workers()
	if err != nil {
		return err
	}
	return workers.Run(ctx)
}

// child starts a worker process. kill is kill -9.
func (s *stand) child() (kill func()) {
	s.t.Helper()
	cmd := s.childProcess()
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

func (s *stand) childProcess() *exec.Cmd {
	s.t.Helper()
	program, err := os.Executable()
	check(s.t, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), childVariable+"="+s.login, "SVERKA_KEYSET="+s.keyset)
	cmd.Stderr = s.logs
	check(s.t, cmd.Start())
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

func TestWorkerKilledAfterPending(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"worker_killed_after_pending", "queue_restored_after_restart"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStand(t, sandbox.CRMOptions{})
			kill := s.child()
			for bot := range 3 {
				s.fault(bot, "throttle", 1) // provably not executed: the operations wait as pending
				s.deliver(bot, message(100, 1, 501, "переживёт перезапуск"))
			}
			s.until("every operation was tried and waits", func() bool {
				return s.count(`SELECT count(*) FROM operations WHERE state = 'pending' AND attempt_no = 1`) == 3
			})
			kill()
			s.child()
			s.untilQuiet()
			s.prove(name, want{events: map[string]int{"processed": 3}, operations: map[string]int{"lead done": 3},
				objects: map[string]int{"lead": 3}, writes: 6})
		})
	}
}

func TestWorkerKilledInFlight(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{Slow: time.Hour})
	kill := s.child()
	for bot := range 3 {
		s.fault(bot, "slow", 1) // executed, and the answer never comes: the worker dies waiting
		s.deliver(bot, message(100, 1, 501, "воркер умрёт"))
	}
	s.until("every CRM has executed", func() bool {
		return len(s.ledger(keyed).Objects)+len(s.ledger(upsert).Objects)+len(s.ledger(neither).Objects) == 3
	})
	kill()
	s.exec(`UPDATE operations SET lease_until = now() - interval '1 s' WHERE state = 'in_flight'`) // a minute later
	s.child()
	s.untilQuiet()
	s.prove("worker_killed_in_flight", want{events: map[string]int{"processed": 3},
		operations: map[string]int{"lead done": 2, "lead needs_reconciliation lost_worker": 1},
		objects:    map[string]int{"lead": 3}, writes: -1})
}

func TestSIGTERMFinishesAndSettlesTheConversation(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{Slow: 2 * time.Second})
	worker := s.childProcess()
	s.fault(neither, "slow", 1)
	s.deliver(neither, message(100, 1, 501, "почти успели"))
	s.until("the CRM has executed", func() bool { return len(s.ledger(neither).Objects) == 1 })
	check(t, worker.Process.Signal(syscall.SIGTERM))
	if err := worker.Wait(); err != nil {
		t.Errorf("the worker ended with %v", err)
	}
	if n := s.count(`SELECT count(*) FROM operations WHERE state = 'done'`); n != 1 {
		t.Errorf("the answer that came while stopping was not settled")
	}
}

func TestAnAnswerAfterItsLeaseIsAdopted(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{Slow: 6 * time.Second})
	s.work()
	s.fault(neither, "slow", 1)
	s.deliver(neither, message(100, 1, 501, "ответ придёт поздно"))
	s.until("the CRM has executed", func() bool { return len(s.ledger(neither).Objects) == 1 })
	s.exec(`UPDATE operations SET lease_until = now() - interval '1 s' WHERE state = 'in_flight'`)
	check(t, s.settleLate())
	if n := s.count(`SELECT count(*) FROM operations WHERE state = 'needs_reconciliation' AND reason = 'lost_worker'`); n != 1 {
		t.Fatal("the expired lease did not become a question")
	}
	s.until("the late answer closes the question", func() bool {
		return s.count(`SELECT count(*) FROM operations o JOIN operation_attempts a ON a.operation_id = o.id
			WHERE o.state = 'done' AND o.actor = 'late_answer' AND a.late AND a.outcome = 'executed'`) == 1
	})
	if n := len(s.ledger(neither).Objects); n != 1 {
		t.Errorf("%d objects", n)
	}
}

// settleLate is the sweep's part that settles expired leases, at once.
func (s *stand) settleLate() error {
	performer := perform.New(s.graph.work, s.graph.keys, nil, s.graph.wire, "sweep", s.graph.log, func(crm.Kind, operation.Step) {})
	return performer.SettleLate(context.Background(), s.graph.work.AsScan)
}
