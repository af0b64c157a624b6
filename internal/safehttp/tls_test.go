package safehttp_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"sverka/internal/safehttp"
)

// authority issues the certificates of a test.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	a := authority{key: newKey(t), certificate: &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}}
	der := a.sign(t, a.certificate, a.key)
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	a.certificate = certificate
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a authority) sign(t *testing.T, c *x509.Certificate, key *ecdsa.PrivateKey) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, c, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func (a authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// issue makes a certificate of 127.0.0.1 that may be spoilt.
func (a authority) issue(t *testing.T, spoil func(*x509.Certificate)) tls.Certificate {
	t.Helper()
	key := newKey(t)
	c := &x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	spoil(c)
	return tls.Certificate{Certificate: [][]byte{a.sign(t, c, key)}, PrivateKey: key}
}

func none(*x509.Certificate) {}

// secure is a TLS server that would speak HTTP/2, too.
func secure(t *testing.T, c tls.Certificate) (url string, seen *atomic.Int64, proto *atomic.Value) {
	t.Helper()
	seen, proto = &atomic.Int64{}, &atomic.Value{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		proto.Store(r.Proto)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it tells of every handshake that we break off
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{Certificates: []tls.Certificate{c}}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL, seen, proto
}

func TestBadCertificates(t *testing.T) {
	t.Parallel()
	ours, theirs := newAuthority(t), newAuthority(t)
	for name, c := range map[string]tls.Certificate{
		"Expired":   ours.issue(t, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Hour) }),
		"NotYet":    ours.issue(t, func(c *x509.Certificate) { c.NotBefore = time.Now().Add(30 * time.Minute) }),
		"WrongHost": ours.issue(t, func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"crm.example.com"} }),
		"WrongUse":  ours.issue(t, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }),
		"Unknown":   theirs.issue(t, none),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, seen, _ := secure(t, c)
			for _, request := range []safehttp.Request{post(), get()} {
				client := bind(t, url)
				client.Trust(ours.pool())
				r := client.Send(t.Context(), request)
				equal(t, "fault", r.Fault, safehttp.CertificateBad)
				equal(t, "connected", r.Evidence.Connected, false)
				equal(t, "TLS", r.Evidence.TLS, false)
			}
			equal(t, "requests", seen.Load(), 0)
		})
	}
}

func TestPlainTextBehindHTTPS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	r := bind(t, "https"+server.URL[len("http"):]).Send(t.Context(), post())
	equal(t, "fault", r.Fault, safehttp.CertificateBad)
	equal(t, "connected", r.Evidence.Connected, false)
}

// A peer that hangs up in the handshake had no request: it may be tried again.
func TestHandshakeCutShort(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 16))
			_ = conn.Close()
		}
	}()
	r := bind(t, "https://"+listener.Addr().String()).Send(t.Context(), post())
	equal(t, "fault", r.Fault, safehttp.NoConnection)
	equal(t, "connected", r.Evidence.Connected, false)
}

func TestHTTP2IsNotNegotiated(t *testing.T) {
	t.Parallel()
	ours := newAuthority(t)
	url, seen, proto := secure(t, ours.issue(t, none))
	client := bind(t, url)
	client.Trust(ours.pool())
	reads, _ := client.Transports()
	t.Cleanup(reads.CloseIdleConnections)
	for _, request := range []safehttp.Request{post(), get(), get()} { // the last one on a kept connection
		r := client.Send(t.Context(), request)
		equal(t, "status", r.Status, 200)
		equal(t, "protocol", proto.Load().(string), "HTTP/1.1")
		equal(t, "TLS", r.Evidence.TLS, true)
		equal(t, "anything written", r.Evidence.Written > 0, true)
	}
	equal(t, "requests", seen.Load(), 3)
	wanting := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: ours.pool()}, ForceAttemptHTTP2: true}
	t.Cleanup(wanting.CloseIdleConnections)
	answer, err := (&http.Client{Transport: wanting}).Get(url)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	equal(t, "the server speaks it", answer.Proto, "HTTP/2.0")
}
