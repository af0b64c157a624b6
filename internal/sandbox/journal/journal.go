// Package journal is an append-only file of JSON lines: the memory of the sandbox.
//
// An entry is one write(2) with O_APPEND, so a killed process has either made it or not. A torn last
// line, which only a kill in the middle of that write can leave, is cut off when the file is opened.
// Nothing is fsynced: the sandbox survives kill -9, not a power cut.
package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
)

// Journal is an open file. It is safe for concurrent use.
type Journal struct {
	mu   sync.Mutex
	file *os.File
	size int64 // of the whole lines; what is beyond is a torn write
}

// Open reads every entry of the file at path, oldest first, then stands ready to append to it.
// The file is made where there is none. An error of read stops the opening.
func Open(path string, read func(line []byte) error) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: file}
	if err := j.replay(read); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return j, nil
}

func (j *Journal) replay(read func([]byte) error) error {
	content, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(content) {
		if line[len(line)-1] != '\n' {
			break
		}
		if err := read(line); err != nil {
			return fmt.Errorf("byte %d: %w", j.size, err)
		}
		j.size += int64(len(line))
	}
	return j.file.Truncate(j.size)
}

// Append writes one entry. When it returns nil, the entry outlives the process.
func (j *Journal) Append(entry any) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(entry); err != nil {
		return fmt.Errorf("encoding a journal entry: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.file.Write(line.Bytes()); err != nil {
		_ = j.file.Truncate(j.size) // half a line must not swallow the next one
		return fmt.Errorf("writing the journal: %w", err)
	}
	j.size += int64(line.Len())
	return nil
}

// Sync hands everything to the disk.
func (j *Journal) Sync() error { return j.file.Sync() }

// Close closes the file. Nothing may be appended after it.
func (j *Journal) Close() error { return j.file.Close() }
