package operation

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"sverka/internal/crm"
)

func TestSettleTable(t *testing.T) {
	t.Parallel()
	const (
		i, u, n = crm.IdempotentCreate, crm.UpsertByExternalID, crm.Neither
	)
	for _, c := range []struct {
		name       string
		capability crm.Capability
		before     Certainty
		outcome    crm.Outcome
		to         State
		certainty  Certainty
	}{
		{"executed", n, None, crm.Executed{Ref: "7"}, StateDone, Possible},
		{"executed after doubt", i, Possible, crm.Executed{Ref: "7"}, StateDone, Possible},
		{"refused", n, None, crm.Refused{Reason: "http_422"}, StateFailed, None},
		{"refused after doubt", i, Possible, crm.Refused{Reason: "http_422"}, StateNeedsReconciliation, Possible},
		{"throttled", n, None, crm.NotExecuted{Cause: "throttled"}, StatePending, None},
		{"throttled after doubt keeps the doubt", u, Possible, crm.NotExecuted{Cause: "throttled"}, StatePending, Possible},
		{"unauthorised", n, None, crm.NotExecuted{Cause: "http_401", Hold: true}, StateHeld, None},
		{"unauthorised after doubt", i, Possible, crm.NotExecuted{Cause: "http_401", Hold: true}, StateHeld, Possible},
		{"stale", u, None, crm.Stale{Have: "3"}, StateSuperseded, None},
		{"unknown, idempotent", i, None, crm.Unknown{Cause: "answer_lost"}, StatePending, Possible},
		{"unknown, upsert", u, None, crm.Unknown{Cause: "answer_lost"}, StatePending, Possible},
		{"unknown, neither", n, None, crm.Unknown{Cause: "answer_lost"}, StateNeedsReconciliation, Possible},
		{"no outcome at all, neither", n, None, nil, StateNeedsReconciliation, Possible},
		{"no outcome at all, idempotent", i, None, nil, StatePending, Possible},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := InFlight{record: record{Capability: c.capability, AttemptNo: 1, Certainty: Possible}, CertaintyBefore: c.before}
			s := f.Settle(c.outcome)
			if s.to != c.to || s.certainty != c.certainty {
				t.Errorf("to %s with certainty %s, want %s with %s", s.to, s.certainty, c.to, c.certainty)
			}
			if s.to != StateDone && s.to != StatePending && s.reason == "" {
				t.Error("no reason")
			}
		})
	}
}

func TestAnExpiredLeaseIsAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	for capability, to := range map[crm.Capability]State{
		crm.IdempotentCreate: StatePending, crm.UpsertByExternalID: StatePending, crm.Neither: StateNeedsReconciliation,
	} {
		f := InFlight{record: record{Capability: capability, AttemptNo: 1}, CertaintyBefore: None}
		if s := f.Expire(); s.to != to || s.certainty != Possible {
			t.Errorf("%s: %s with certainty %s", capability, s.to, s.certainty)
		}
	}
}

// The promise of capability neither, on the pure types: whatever the outcomes and however often the
// operation is claimed, at most one request is sent whose non-execution is not proven.
func TestNeitherSendsAtMostOneUnprovenRequest(t *testing.T) {
	t.Parallel()
	outcomes := []crm.Outcome{
		crm.Executed{Ref: "1"}, crm.Refused{Reason: "x"}, crm.NotExecuted{Cause: "throttled"},
		crm.NotExecuted{Cause: "http_401", Hold: true}, crm.Unknown{Cause: "answer_lost"}, nil,
	}
	rapid.Check(t, func(t *rapid.T) {
		p := Pending{record{Capability: crm.Neither, Certainty: None}}
		unproven := 0
		for range rapid.IntRange(1, 30).Draw(t, "attempts") {
			if p.Certainty != None {
				t.Fatalf("claimable with certainty %s", p.Certainty)
			}
			f := p.Begin()
			var s Step
			if rapid.Bool().Draw(t, "worker lost") {
				unproven++
				s = f.Expire()
			} else {
				o := rapid.SampledFrom(outcomes).Draw(t, "outcome")
				switch o.(type) {
				case crm.NotExecuted, crm.Refused:
				default:
					unproven++
				}
				s = f.Settle(o)
			}
			if unproven > 1 {
				t.Fatalf("%d requests that may have been executed", unproven)
			}
			if s.to != StatePending {
				return // finished, or a person's
			}
			p = Pending{f.record}
			p.Certainty = s.certainty
		}
	})
}

func TestBackoffGrowsAndStaysWithinAFifth(t *testing.T) {
	t.Parallel()
	for no, base := range map[int]time.Duration{1: 2 * time.Second, 2: 30 * time.Second, 3: 2 * time.Minute,
		4: 10 * time.Minute, 5: time.Hour, 6: 3 * time.Hour, 60: 3 * time.Hour, 0: 2 * time.Second} {
		for range 100 {
			if got := Backoff(no); got < base*8/10 || got > base*12/10 {
				t.Fatalf("attempt %d waits %v, want %v ± 20 %%", no, got, base)
			}
		}
	}
}

func TestAKeysLifeEndsClearOfItsWindow(t *testing.T) {
	t.Parallel()
	for window, life := range map[time.Duration]time.Duration{
		24 * time.Hour:   24*time.Hour - 144*time.Minute,
		30 * time.Minute: 30*time.Minute - 5*time.Minute - 25*time.Second,
		time.Minute:      0,
	} {
		if got := deadlineFrom(window); got != life {
			t.Errorf("window %v: repeats for %v, want %v", window, got, life)
		}
	}
}

func TestEffectsOfDifferentThingsDiffer(t *testing.T) {
	t.Parallel()
	if effect("a", "bc") == effect("ab", "c") || effect("lead", "x") == effect("note", "x") || effect("a") == effect("a", "") {
		t.Error("two different effects have one key")
	}
	if once, again := effect("lead", "x"), effect("lead", "x"); once != again {
		t.Error("one effect has two keys")
	}
}
