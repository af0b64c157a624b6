// Package jobs is how River is used: a job is a bell that may ring zero, one or many times.
//
//	Ring (last act of a transaction) ──▶ rung ──▶ River job ──▶ worker takes the bell, commits,
//	drains its owner for ≤ 5 s or 50 items ──▶ releases it, and rings again where work is left
//
// The truth is in the events and operations. Any number of lost, late or doubled jobs changes latency
// and nothing else: the scan (every second) rings owners of what is due, the sweep (every 15 s) mends
// bells whose sound was lost and settles attempts whose worker was lost.
//
// The package alone writes table bells, and nothing outside it and app knows River.
package jobs
