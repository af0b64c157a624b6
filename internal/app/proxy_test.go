package app

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy is the network between the program and PostgreSQL: it can be cut and mended.
type proxy struct {
	url      string
	target   string
	listener net.Listener

	mu    sync.Mutex
	mode  string // "" | cut | silent
	conns map[net.Conn]bool
}

func newProxy(t *testing.T, databaseURL string) *proxy {
	t.Helper()
	u, err := url.Parse(databaseURL)
	check(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	p := &proxy{target: u.Host, listener: listener, conns: map[net.Conn]bool{}}
	u.Host = listener.Addr().String()
	p.url = u.String()
	go p.accept()
	t.Cleanup(func() { _ = listener.Close(); p.set("cut") })
	return p
}

// set changes the weather: cut drops connections and refuses new ones, silent takes them and says
// nothing, "" mends.
func (p *proxy) set(mode string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = mode
	if mode == "" {
		return
	}
	for c := range p.conns {
		_ = c.Close()
	}
	clear(p.conns)
}

func (p *proxy) accept() {
	for {
		from, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.carry(from)
	}
}

func (p *proxy) carry(from net.Conn) {
	p.mu.Lock()
	mode := p.mode
	p.conns[from] = true
	p.mu.Unlock()
	switch mode {
	case "cut":
		_ = from.Close()
		return
	case "silent":
		_, _ = io.Copy(io.Discard, from)
		return
	}
	to, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = from.Close()
		return
	}
	p.mu.Lock()
	p.conns[to] = true
	p.mu.Unlock()
	go func() { _, _ = io.Copy(to, from); _ = to.Close() }()
	_, _ = io.Copy(from, to)
	_ = from.Close()
}
