package app

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"sverka/internal/inbox"
	"sverka/internal/pg"
)

// metrics are counts and ages; no label names a tenant, a person or a record.
type metrics struct {
	registry   *prometheus.Registry
	updates    *prometheus.CounterVec
	operations *prometheus.CounterVec
}

func newMetrics(db *pg.DB) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		updates: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "sverka_updates_total",
			Help: "Updates answered at the hooks, by HTTP code and what was done with them."}, []string{"code", "verdict"}),
		operations: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "sverka_attempts_total",
			Help: "Settled attempts, by record kind and the state that they led to."}, []string{"kind", "state"}),
	}
	m.registry.MustRegister(m.updates, m.operations, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), ages{db: db})
	return m
}

func (m *metrics) update(code int, v inbox.Verdict) {
	m.updates.WithLabelValues(strconv.Itoa(code), string(v)).Inc()
}

func (m *metrics) operation(kind, state string) { m.operations.WithLabelValues(kind, state).Inc() }

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

var (
	oldestEvent = prometheus.NewDesc("sverka_oldest_pending_event_seconds", "Age of the longest waiting event.", nil, nil)
	oldestDue   = prometheus.NewDesc("sverka_oldest_due_operation_seconds", "How long the most overdue operation has been due.", nil, nil)
	waiting     = prometheus.NewDesc("sverka_operations_for_a_person", "Operations on a person's list.", nil, nil)
)

// ages asks the database at each scrape; what it cannot answer is absent, not zero.
type ages struct{ db *pg.DB }

// Describe names the gauges.
func (ages) Describe(to chan<- *prometheus.Desc) { to <- oldestEvent; to <- oldestDue; to <- waiting }

const askAges = `
	SELECT coalesce(extract(epoch FROM now() - (SELECT min(received_at) FROM inbox_events WHERE state = 'pending')), 0)::float8,
		coalesce(greatest(extract(epoch FROM now() - (SELECT min(next_attempt_at) FROM operations WHERE state = 'pending')), 0), 0)::float8,
		(SELECT count(*) FROM operations WHERE state IN ('needs_reconciliation', 'held', 'failed'))::float8`

// Collect reads the ages as the scan role.
func (a ages) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	var event, due, people float64
	err := a.db.AsScan(ctx, func(tx pgx.Tx) error { return tx.QueryRow(ctx, askAges).Scan(&event, &due, &people) })
	if err != nil {
		return
	}
	to <- prometheus.MustNewConstMetric(oldestEvent, prometheus.GaugeValue, event)
	to <- prometheus.MustNewConstMetric(oldestDue, prometheus.GaugeValue, due)
	to <- prometheus.MustNewConstMetric(waiting, prometheus.GaugeValue, people)
}
