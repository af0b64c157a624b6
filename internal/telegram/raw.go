package telegram

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxInteger is the greatest number that every JSON reader keeps exactly; Telegram promises that its
// identifiers have at most 52 significant bits.
const maxInteger = 1 << 53

// object is a JSON object read forgivingly: null is absent, a member of another type than expected is
// absent, the last of several members of one name counts, names are exact. Values are raw JSON.
type object map[string][]byte

// open gives the members of a JSON object, nil if it is none. The text must be valid JSON.
func open(valid []byte) object {
	if first(valid) != '{' {
		return nil
	}
	o := object{}
	for name, value := range members(valid) {
		if first(value) != 'n' {
			o[unquoted(name)] = value
		}
	}
	return o
}

// text is cleaned: it holds no NUL, which Postgres refuses in text, and is valid UTF-8. Lone
// surrogates and broken bytes become U+FFFD.
func (o object) text(name string) string {
	if first(o[name]) != '"' {
		return ""
	}
	return cleaned(o[name])
}

func cleaned(quoted []byte) string { return strings.ReplaceAll(unquoted(quoted), "\x00", "") }

// integer is 0 for what is no integer of at most 53 bits.
func (o object) integer(name string) int64 {
	n, err := strconv.ParseInt(string(o[name]), 10, 64)
	if err != nil || n < -maxInteger || n > maxInteger {
		return 0
	}
	return n
}

// scalar is a text, or a number as it was written.
func (o object) scalar(name string) string {
	if c := first(o[name]); c == '-' || '0' <= c && c <= '9' {
		return string(o[name])
	}
	return o.text(name)
}

func (o object) truth(name string) bool { return first(o[name]) == 't' }

// has reports a member that says something: not null, false, 0, "" or []. An empty object says it happened.
func (o object) has(name string) bool {
	switch string(o[name]) {
	case "", "false", "0", `""`, "[]":
		return false
	}
	return true
}

// at follows a path of names; nil if one of them is no object, or the path is empty.
func (o object) at(path ...string) object {
	if len(path) == 0 {
		return nil
	}
	for _, name := range path {
		if o = open(o[name]); o == nil {
			return nil
		}
	}
	return o
}

// moment reads Unix seconds; the zero time stands for none, and for what no calendar of ours holds.
func (o object) moment(name string) time.Time {
	const endOf9999 = 253402300799
	seconds := o.integer(name)
	if seconds <= 0 || seconds > endOf9999 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// members yields names (quoted, as they stand) and values of a JSON object; of anything else, nothing.
// The text must be valid JSON: its grammar is not checked again. It neither recurses nor allocates.
func members(valid []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		i := space(valid, 0)
		if first(valid) != '{' {
			return
		}
		for i = space(valid, i+1); valid[i] == '"'; i = space(valid, i+1) {
			colon := end(valid, i)
			name := valid[i:colon]
			i = space(valid, space(valid, colon)+1)
			after := end(valid, i)
			if !yield(name, valid[i:after]) {
				return
			}
			if i = space(valid, after); valid[i] != ',' {
				return
			}
		}
	}
}

// elements yields the values of a JSON array; of anything else, nothing. The text must be valid JSON.
func elements(valid []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if first(valid) != '[' {
			return
		}
		i := space(valid, space(valid, 0)+1)
		for valid[i] != ']' {
			after := end(valid, i)
			if !yield(valid[i:after]) {
				return
			}
			if i = space(valid, after); valid[i] == ',' {
				i = space(valid, i+1)
			}
		}
	}
}

// first is the first byte of a JSON value, which tells its type; 0 if there is no value.
func first(value []byte) byte {
	if i := space(value, 0); i < len(value) {
		return value[i]
	}
	return 0
}

// space gives the index of the first byte from i on that is not white space.
func space(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	return i
}

// end gives the index after the value that begins at i.
func end(valid []byte, i int) int {
	switch valid[i] {
	case '"':
		return stringEnd(valid, i)
	case '{', '[':
		return nestedEnd(valid, i)
	}
	for ; i < len(valid); i++ {
		switch valid[i] {
		case ',', ']', '}', ' ', '\n', '\t', '\r':
			return i
		}
	}
	return i
}

func stringEnd(valid []byte, i int) int {
	for i++; valid[i] != '"'; i++ {
		if valid[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func nestedEnd(valid []byte, i int) int {
	for depth := 0; ; i++ {
		switch valid[i] {
		case '"':
			i = stringEnd(valid, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// unquoted is the text of a JSON string. encoding/json puts U+FFFD in the place of what is no UTF-8.
func unquoted(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return ""
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
