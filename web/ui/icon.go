package ui

const ring = "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11z"

// icons are lines on a 16 by 16 grid, drawn in the colour of the text.
var icons = map[string]string{
	"arrow":    "M3 8h10M9 4l4 4-4 4",
	"ask":      "M5.6 6.1a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2.9-1.2 1.7M8 12.6v.1",
	"back":     "M13 8H3M7 4L3 8l4 4",
	"check":    "M3 8.5l3.2 3.2L13 4.8",
	"circle":   ring,
	"clock":    ring + "M8 5v3.2l2.2 1.3",
	"copies":   "M6 6h7v7H6zM3 10V3h7",
	"cross":    "M4.2 4.2l7.6 7.6M11.8 4.2l-7.6 7.6",
	"dash":     "M3.5 8h9",
	"inbox":    "M2.5 9.2l2-5.7h7l2 5.7v3.6h-11zM2.5 9.2h3.3l.9 1.8h2.6l.9-1.8h3.3",
	"pause":    "M5.7 4v8M10.3 4v8",
	"question": "M8 1.6L14.4 8L8 14.4L1.6 8zM6.6 6.7a1.45 1.45 0 1 1 2.2 1.25c-.5.3-.8.5-.8 1.05M8 10.9v.1",
	"retry":    "M13 8a5 5 0 1 1-1.6-3.7M11.7 1.8v2.8H8.9",
	"shield":   "M8 2l5 1.9v3.9c0 3-2.1 5-5 6.2c-2.9-1.2-5-3.2-5-6.2V3.9z",
	"skip":     "M3.5 4l5.5 4l-5.5 4zM12.5 4v8",
	"slash":    ring + "M4.2 11.8l7.6-7.6",
}
