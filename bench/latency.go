package main

import (
	"context"
	"fmt"
	"time"
)

const (
	windows    = 6
	windowTime = 4 * time.Second
	pairs      = 400
)

// halfLoad is how long requests take at half of what grouped intake can do.
type halfLoad struct {
	PerSecond  float64   `json:"per_second"`
	P50        float64   `json:"p50_ms"`
	P99        float64   `json:"p99_ms"` // over all requests
	WindowsP99 []float64 `json:"windows_p99_ms"`
}

func measureHalfLoad(ctx context.Context, full float64, do call) (halfLoad, error) {
	h := halfLoad{PerSecond: round(full / 2)}
	var all []time.Duration
	for range windows {
		latencies, err := openLoop(ctx, h.PerSecond, windowTime, do)
		if err != nil {
			return h, err
		}
		h.WindowsP99 = append(h.WindowsP99, milliseconds(quantile(latencies, .99)))
		all = append(all, latencies...)
	}
	h.P50, h.P99 = milliseconds(quantile(all, .5)), milliseconds(quantile(all, .99))
	return h, nil
}

func (h halfLoad) print() {
	fmt.Printf("at half of grouped 64 (%.0f/s): p50 %.1f ms, p99 %.1f ms; p99 of each window %.1f\n",
		h.PerSecond, h.P50, h.P99, h.WindowsP99)
}

// lone is one request alone beside one commit alone.
type lone struct {
	Accept float64 `json:"accept_p50_ms"`
	Single float64 `json:"single_commit_p50_ms"`
	Ratio  float64 `json:"ratio"` // median of the pairs' ratios
}

// measureLone lets the two take turns, and turns about who is first.
func measureLone(ctx context.Context, single, accept call) (lone, error) {
	var (
		took   [2][]time.Duration
		ratios []float64
	)
	for n := range pairs {
		var pair [2]time.Duration
		for step := range 2 {
			k := (n + step) % 2
			began := time.Now()
			if err := []call{single, accept}[k](ctx); err != nil {
				return lone{}, err
			}
			pair[k] = time.Since(began)
			took[k] = append(took[k], pair[k])
		}
		ratios = append(ratios, float64(pair[1])/float64(pair[0]))
	}
	return lone{Single: milliseconds(quantile(took[0], .5)), Accept: milliseconds(quantile(took[1], .5)),
		Ratio: round(median(ratios))}, nil
}

func (l lone) print() {
	fmt.Printf("a lone request: %.2f ms, a single commit: %.2f ms, ratio %.2f\n\n", l.Accept, l.Single, l.Ratio)
}
