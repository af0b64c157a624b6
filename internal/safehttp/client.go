package safehttp

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Limits of one conversation (facts: reliability §6, §25).
const (
	connectTimeout  = 5 * time.Second
	tlsTimeout      = 5 * time.Second
	headerTimeout   = 20 * time.Second
	defaultDeadline = 25 * time.Second
	maxHeader       = 64 << 10
	maxBody         = 1 << 20
)

// Options of a client.
type Options struct {
	// AllowLoopback permits plain http to this machine, on any port: for the sandbox, in dev and tests.
	AllowLoopback bool
}

// Client speaks to one host.
type Client struct {
	base   string // scheme, host and path, without a trailing slash
	reads  http.RoundTripper
	writes http.RoundTripper
}

// ErrBaseURL: the address is not one that we speak to. It does not say which: an address may hold a token.
var ErrBaseURL = errors.New("safehttp: base URL must be https on port 443 or 8443, without user, query and fragment")

// New binds a client to a base URL: https, or with AllowLoopback http to a loopback address. It resolves
// nothing: where the host's name leads is judged at each dial.
func New(baseURL string, o Options) (*Client, error) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Opaque != "" {
		return nil, ErrBaseURL
	}
	here := o.AllowLoopback && isHere(u.Hostname())
	if !here && (u.Scheme != "https" || !isHTTPSPort(u.Port())) || here && u.Scheme != "https" && u.Scheme != "http" {
		return nil, ErrBaseURL
	}
	guard := dialGuard(here)
	return &Client{
		base:   strings.TrimRight(u.String(), "/"),
		reads:  transport(guard, false),
		writes: transport(guard, true),
	}, nil
}

func isHTTPSPort(port string) bool { return port == "" || port == "443" || port == "8443" }

func isHere(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// transport never asks a proxy, which would hide the target from the guard, and never speaks HTTP/2,
// which repeats requests by itself.
func transport(guard *net.Dialer, fresh bool) *http.Transport {
	var http1 http.Protocols
	http1.SetHTTP1(true)
	return &http.Transport{
		Proxy: nil,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := guard.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return newCountedConn(conn, tallyOf(ctx)), nil
		},
		Protocols:              &http1,
		DisableKeepAlives:      fresh,
		DisableCompression:     true,
		TLSHandshakeTimeout:    tlsTimeout,
		ResponseHeaderTimeout:  headerTimeout,
		MaxResponseHeaderBytes: maxHeader,
		MaxConnsPerHost:        64,
		IdleConnTimeout:        30 * time.Second,
	}
}

// Transport is the bare guarded transport for a client that reads its own answers, such as the Bot
// API's. It does not follow redirects; the caller must not either.
func (c *Client) Transport() http.RoundTripper { return c.writes }
