package safehttp

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
)

// Allowed is the guard's verdict on a resolved address.
func Allowed(network, address string, here bool) bool { return allowed(network, address, here) }

// Trust makes a client accept certificates of a test's own authority, too.
func (c *Client) Trust(roots *x509.CertPool) {
	for _, through := range c.transports() {
		through.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
}

// Resolve makes a client ask a test's own name server.
func (c *Client) Resolve(r *net.Resolver) {
	guard := dialGuard(false)
	guard.Resolver = r
	c.reads, c.writes = transport(guard, false), transport(guard, true)
}

// Through replaces the transports.
func (c *Client) Through(t http.RoundTripper) { c.reads, c.writes = t, t }

// Transports gives the two transports: of reads, of writes.
func (c *Client) Transports() (reads, writes *http.Transport) {
	all := c.transports()
	return all[0], all[1]
}

func (c *Client) transports() [2]*http.Transport {
	return [2]*http.Transport{c.reads.(*http.Transport), c.writes.(*http.Transport)}
}
