package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"sverka/internal/id"
	"sverka/internal/pg"
)

const (
	slots         = 32                     // jobs at once in a process
	fetchCooldown = 5 * time.Millisecond   // measured: the greatest part of an idle system's latency (bench/)
	pollInterval  = 100 * time.Millisecond // where a notification was lost
	jobTimeout    = 45 * time.Second       // a drain's 5 s, one conversation, and its settling
	rescueAfter   = 5 * time.Minute
	maxAttempts   = 1000 // an error means that our database failed; it will be back
	keepCompleted = 10 * time.Minute
)

// Workers carries out what the bells wake.
type Workers struct {
	river *river.Client[pgx.Tx]
	watch *watch
}

// Pools are the two that workers need: ours for transactions as our roles, River's for its own statements.
type Pools struct{ Work, River *pg.DB }

// NewWorkers builds the workers.
func NewWorkers(pools Pools, bells *Bells, interpret, perform drainer, of Watched, log *slog.Logger) (*Workers, error) {
	rope := &bellRope{db: pools.Work, bells: bells, log: log}
	share := newShare(pools.River, slots)
	all := river.NewWorkers()
	river.AddWorker(all, &interpretWorker{rope: rope, share: share, intake: interpret})
	river.AddWorker(all, &performWorker{rope: rope, share: share, performer: perform})
	client, err := river.NewClient(riverpgxv5.New(pools.River.Pool()), &river.Config{
		Workers:                     all,
		Queues:                      map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: slots}},
		FetchCooldown:               fetchCooldown,
		FetchPollInterval:           pollInterval,
		FetchOnlyKnownKinds:         true,
		JobTimeout:                  jobTimeout,
		RescueStuckJobsAfter:        rescueAfter,
		MaxAttempts:                 maxAttempts,
		RetryPolicy:                 flatRetry{},
		CompletedJobRetentionPeriod: keepCompleted,
		Logger:                      log.With("part", "river"),
	})
	if err != nil {
		return nil, err
	}
	return &Workers{river: client, watch: &watch{db: pools.River, bells: bells, of: of, log: log}}, nil
}

// Run works until the context ends, then lets running drains finish: none is left unsettled.
func (w *Workers) Run(ctx context.Context) error {
	if !w.start(ctx) {
		return nil
	}
	var watching sync.WaitGroup
	watching.Go(func() { w.watch.run(ctx) })
	<-ctx.Done()
	watching.Wait()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 35*time.Second)
	defer cancel()
	return w.river.Stop(stop)
}

// start tries until it works: a database that is away at this moment will be back. false = told to end.
func (w *Workers) start(ctx context.Context) bool {
	for {
		err := w.river.Start(context.WithoutCancel(ctx))
		if err == nil {
			return true
		}
		w.watch.log.Error("workers not started, trying again", "error", err)
		select {
		case <-ctx.Done():
			return false
		case <-time.After(time.Second):
		}
	}
}

// flatRetry: a failed job is our database's failure, and a bell is cheap to ring again.
type flatRetry struct{}

// NextRetry is one second from now, however often it failed.
func (flatRetry) NextRetry(*rivertype.JobRow) time.Time { return time.Now().Add(time.Second) }

type interpretWorker struct {
	river.WorkerDefaults[InterpretArgs]
	rope   *bellRope
	share  *share
	intake drainer
}

// Work drains the events of one bot.
func (w *interpretWorker) Work(ctx context.Context, job *river.Job[InterpretArgs]) error {
	return w.share.within(ctx, w.rope, owner(job.Args.Tenant, id.Interpret, job.Args.Owner), w.intake)
}

type performWorker struct {
	river.WorkerDefaults[PerformArgs]
	rope      *bellRope
	share     *share
	performer drainer
}

// Work drains the operations of one connection.
func (w *performWorker) Work(ctx context.Context, job *river.Job[PerformArgs]) error {
	return w.share.within(ctx, w.rope, owner(job.Args.Tenant, id.Perform, job.Args.Owner), w.performer)
}

func owner(t id.Tenant, w id.Work, o uuid.UUID) id.Owner { return id.Owner{Tenant: t, Work: w, ID: o} }
