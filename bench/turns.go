package main

import (
	"context"
	"fmt"
	"time"
)

// contender is one way to store what arrives.
type contender struct {
	name    string
	callers int
	do      call
}

// row is what became of a contender.
type row struct {
	Name      string    `json:"name"`
	Callers   int       `json:"callers"`
	PerSecond float64   `json:"per_second"` // median of the rounds
	Ratio     float64   `json:"ratio"`      // median of the rounds' ratios to the baseline
	Rounds    []float64 `json:"rounds"`
}

// turns is how often and how long each contender runs.
type turns struct {
	rounds int
	during time.Duration
}

// take runs every contender once a round, so that a slow minute of the machine hits all of them. Each
// round begins with another one, so that none always comes after the same. The first contender is the
// baseline; the first round only warms up.
func (t turns) take(ctx context.Context, contenders []contender) ([]row, error) {
	rows := make([]row, len(contenders))
	ratios := make([][]float64, len(contenders))
	for n := range t.rounds + 1 {
		perSecond := make([]float64, len(contenders))
		for step := range contenders {
			k := (n + step) % len(contenders)
			c := contenders[k]
			var err error
			if perSecond[k], err = closedLoop(ctx, c.callers, t.during, c.do); err != nil {
				return nil, fmt.Errorf("%s at %d: %w", c.name, c.callers, err)
			}
		}
		if n == 0 {
			continue
		}
		for k := range contenders {
			rows[k].Rounds = append(rows[k].Rounds, round(perSecond[k]))
			ratios[k] = append(ratios[k], perSecond[k]/perSecond[0])
		}
	}
	for k, c := range contenders {
		rows[k].Name, rows[k].Callers = c.name, c.callers
		rows[k].PerSecond, rows[k].Ratio = median(rows[k].Rounds), round(median(ratios[k]))
	}
	return rows, nil
}

func printRows(title string, rows []row) {
	fmt.Printf("%-44s %8s %12s %8s\n", title, "callers", "events/s", "ratio")
	for _, r := range rows {
		fmt.Printf("%-44s %8d %12.0f %7.2f×\n", r.Name, r.Callers, r.PerSecond, r.Ratio)
	}
	fmt.Println()
}
