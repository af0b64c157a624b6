package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// call is one request of a contender.
type call func(context.Context) error

// closedLoop lets so many callers call one after the other for a while: how many come through a second.
func closedLoop(whole context.Context, callers int, during time.Duration, do call) (perSecond float64, err error) {
	ctx, cancel := context.WithTimeout(whole, during)
	defer cancel()
	var (
		done   atomic.Int64
		all    sync.WaitGroup
		faults = make(chan error, callers)
	)
	began := time.Now()
	for range callers {
		all.Go(func() {
			for ctx.Err() == nil {
				if err := do(context.WithoutCancel(ctx)); err != nil {
					faults <- err
					return
				}
				done.Add(1)
			}
		})
	}
	all.Wait()
	close(faults)
	for fault := range faults {
		err = errors.Join(err, fault)
	}
	return float64(done.Load()) / time.Since(began).Seconds(), errors.Join(err, whole.Err())
}

// openLoop calls at a steady pace, whether or not earlier calls have come back, and gives every latency,
// counted from when the call was due: a stall counts for all that it delayed.
func openLoop(ctx context.Context, perSecond float64, during time.Duration, do call) ([]time.Duration, error) {
	var (
		mu        sync.Mutex
		latencies []time.Duration
		faults    error
		all       sync.WaitGroup
	)
	pause := time.Duration(float64(time.Second) / perSecond)
	began := time.Now()
	for k := 0; time.Duration(k)*pause < during && ctx.Err() == nil; k++ {
		due := began.Add(time.Duration(k) * pause)
		time.Sleep(time.Until(due))
		all.Go(func() {
			err := do(ctx)
			mu.Lock()
			defer mu.Unlock()
			faults = errors.Join(faults, err)
			latencies = append(latencies, time.Since(due))
		})
	}
	all.Wait()
	return latencies, faults
}

func quantile(all []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
