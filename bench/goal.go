package main

import (
	"fmt"
	"math"
)

// goal is a figure that the issue asks for. A missed one is printed as such.
type goal struct {
	Name   string  `json:"name"`
	Goal   string  `json:"goal"`
	Figure float64 `json:"figure"`
	Met    bool    `json:"met"`
}

func atLeast(name string, figure, least float64) goal {
	return goal{Name: name, Goal: fmt.Sprint("≥ ", least), Figure: round(figure), Met: figure >= least}
}

func atMost(name string, figure, most float64) goal {
	return goal{Name: name, Goal: fmt.Sprint("≤ ", most), Figure: round(figure), Met: figure <= most}
}

func printGoals(all []goal) {
	for _, g := range all {
		verdict := "met"
		if !g.Met {
			verdict = "MISSED"
		}
		fmt.Printf("goal  %-56s %8.2f  %-6s %s\n", g.Name, g.Figure, g.Goal, verdict)
	}
	fmt.Println()
}

func round(f float64) float64 { return math.Round(f*100) / 100 }
