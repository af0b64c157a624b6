// Package archtest holds the structure of the code to the design: who may import whom, one writer per
// table, budgets of files and functions, every adapter registered, the README true about variables.
package archtest
