// Package migrations is the one linear history of the database, River's own versions included.
//
// 000001–000008 are River's, taken unchanged one file per version; ours follow. A migration does one
// thing and its first line says why. Roles exist before the first of them (pg.Bootstrap).
package migrations

import "embed"

// FS holds every migration, up and down.
//
//go:embed *.sql
var FS embed.FS
