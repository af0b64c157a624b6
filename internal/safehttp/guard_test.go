package safehttp_test

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"strings"
	"testing"

	"sverka/internal/safehttp"
)

func TestInsideIsForbidden(t *testing.T) {
	t.Parallel()
	inside := map[string]string{
		"this network": "0.0.0.0", "this network's end": "0.255.255.255",
		"private 10": "10.0.0.1", "private 172": "172.16.0.1", "private 172's end": "172.31.255.255", "private 192": "192.168.1.1",
		"shared": "100.64.0.1", "shared's end": "100.127.255.255", "Alibaba's metadata": "100.100.100.200",
		"loopback": "127.0.0.1", "loopback's end": "127.255.255.255",
		"link-local": "169.254.0.1", "metadata": "169.254.169.254", "ECS's metadata": "169.254.170.2", "Azure's": "168.63.129.16",
		"protocol assignments": "192.0.0.8", "Oracle's metadata": "192.0.0.192",
		"documentation 1": "192.0.2.1", "documentation 2": "198.51.100.1", "documentation 3": "203.0.113.1",
		"6to4 relay": "192.88.99.1", "benchmarking": "198.18.0.1", "benchmarking's end": "198.19.255.255",
		"multicast": "224.0.0.1", "reserved": "240.0.0.1", "broadcast": "255.255.255.255",
		"mapped loopback": "::ffff:127.0.0.1", "mapped private": "::ffff:10.0.0.1", "mapped metadata": "::ffff:a9fe:a9fe",
		"v4-compatible": "::127.0.0.1", "unspecified": "::", "v6 loopback": "::1",
		"v6 link-local": "fe80::1", "v6 link-local zoned": "fe80::1%eth0", "site-local": "fec0::1",
		"unique local": "fc00::1", "unique local d": "fd12:3456::1", "EC2's metadata": "fd00:ec2::254", "Google's metadata": "fd20:ce::254",
		"NAT64": "64:ff9b::a00:1", "NAT64 loopback": "64:ff9b::7f00:1", "local NAT64": "64:ff9b:1::1",
		"discard": "100::1", "Teredo": "2001::1", "ORCHID": "2001:20::1", "benchmarking 6": "2001:2::1", "v6 documentation": "2001:db8::1",
		"v6 documentation 2": "3fff::1", "6to4": "2002:7f00:1::1", "v6 multicast": "ff02::1", "SRv6": "5f00::1",
	}
	for name, ip := range inside {
		if safehttp.Allowed(network(ip), net.JoinHostPort(ip, "443"), false) {
			t.Errorf("%s, %s, is allowed", name, ip)
		}
	}
}

func network(ip string) string {
	if netip.MustParseAddr(ip).Is4() {
		return "tcp4"
	}
	return "tcp6"
}

func TestOutsideIsAllowedOnTwoPorts(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"149.154.167.220:443": true, "8.8.8.8:8443": true, "[2a00:1450:4001:81b::200e]:443": true, "[::ffff:8.8.8.8]:443": true,
		"8.8.8.8:80": false, "8.8.8.8:5432": false, "8.8.8.8:0": false, "[2a00:1450:4001:81b::200e]:22": false,
		"crm.example.com:443": false, "8.8.8.8": false, "": false, // the guard judges addresses only
	} {
		network := "tcp4"
		if strings.HasPrefix(address, "[") {
			network = "tcp6"
		}
		equal(t, address, safehttp.Allowed(network, address, false), want)
	}
	for _, network := range []string{"udp4", "unix", "ip4"} {
		equal(t, network, safehttp.Allowed(network, "8.8.8.8:443", false), false)
	}
}

func TestWhoMaySpeakToThisMachineMaySpeakToNoOther(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"127.0.0.1:8090": true, "[::1]:80": true, "[::ffff:127.0.0.1]:80": true,
		"10.0.0.1:443": false, "8.8.8.8:443": false, "169.254.169.254:80": false, "0.0.0.0:80": false, "[fe80::1]:80": false,
	} {
		equal(t, address, safehttp.Allowed("tcp", address, true), want)
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]struct{ strict, loopback bool }{
		"https://crm.example.com":             {true, true},
		"https://crm.example.com:443/api":     {true, true},
		"https://crm.example.com:8443/api/":   {true, true},
		"https://црм.рф/api":                  {true, true},
		"https://127.0.0.1":                   {true, true}, // without the option the guard refuses it at dial
		"http://127.0.0.1:8090/crm/acme":      {false, true},
		"http://[::1]:8090":                   {false, true},
		"http://localhost:8090":               {false, true},
		"https://127.0.0.1:8090":              {false, true},
		"http://crm.example.com":              {},
		"http://localhost.example.com":        {},
		"http://10.0.0.1":                     {},
		"http://2130706433":                   {},
		"https://crm.example.com:8080":        {},
		"https://crm.example.com:22":          {},
		"https://user:secret@crm.example.com": {},
		"https://crm.example.com?token=1":     {},
		"https://crm.example.com/api?":        {}, // the path would become a query
		"https://crm.example.com#x":           {},
		"https:crm.example.com":               {},
		"ftp://127.0.0.1":                     {},
		"file:///etc/passwd":                  {},
		"//crm.example.com":                   {},
		"crm.example.com":                     {},
		"https://":                            {},
		"":                                    {},
		"https://crm.example.com\n":           {},
	} {
		for loopback, want := range map[bool]bool{false: want.strict, true: want.loopback} {
			_, err := safehttp.New(url, safehttp.Options{AllowLoopback: loopback})
			if (err == nil) != want {
				t.Errorf("%q with loopback %v: %v", url, loopback, err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows the address: %v", err)
			}
		}
	}
}

// Names are judged by what they resolve to, when they are dialled.
func TestNamesThatLeadInside(t *testing.T) {
	t.Parallel()
	for host, leads := range map[string]string{
		"crm.example.com": "10.0.0.7", "metadata.google.internal": "169.254.169.254", "localtest.me": "127.0.0.1",
		"0x7f000001": "127.0.0.1", "0x7f.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "localhost.": "127.0.0.1",
		"127.0.0.1": "", "0.0.0.0": "", "169.254.169.254": "", "10.0.0.1": "", "[::ffff:127.0.0.1]": "",
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			client, err := safehttp.New("https://"+host, safehttp.Options{})
			if err != nil {
				t.Fatal(err)
			}
			client.Resolve(nameServer(t, leads))
			for _, request := range []safehttp.Request{get(), post()} {
				r := client.Send(t.Context(), request)
				equal(t, "fault", r.Fault, safehttp.AddressForbidden)
				equal(t, "connected", r.Evidence.Connected, false)
				equal(t, "written", r.Evidence.Written, 0)
			}
		})
	}
}

// Go's own resolver refuses numbers that are no address, C's does not; and a machine without IPv6 fails
// before the guard is asked. Nothing leaves in any case.
func TestNumbersThatLeadInside(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"2130706433", "017700000001", "127.1", "[::1]", "[::]", "[fd00:ec2::254]", "[64:ff9b::7f00:1]", "[fe80::1]"} {
		client, err := safehttp.New("https://"+host, safehttp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if host[0] != '[' {
			client.Resolve(nameServer(t, "127.0.0.1"))
		}
		r := client.Send(t.Context(), post())
		equal(t, host+" connected", r.Evidence.Connected, false)
		equal(t, host+" written", r.Evidence.Written, 0)
		equal(t, host+" fault", r.Fault == safehttp.AddressForbidden || r.Fault == safehttp.NoConnection, true)
	}
}

// nameServer resolves every name to one IPv4 address.
func nameServer(t *testing.T, leads string) *net.Resolver {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	go func() {
		question := make([]byte, 1500)
		for {
			n, from, err := socket.ReadFrom(question)
			if err != nil {
				return
			}
			_, _ = socket.WriteTo(answerTo(question[:n], leads), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
}

// answerTo writes an answer of the DNS (RFC 1035 §4): one A record for a question about A, else none.
func answerTo(question []byte, leads string) []byte {
	end := 12
	for question[end] != 0 {
		end += int(question[end]) + 1
	}
	end += 5 // the root, type and class
	out := append([]byte(nil), question[:end]...)
	binary.BigEndian.PutUint16(out[2:], 0x8180)
	clear(out[6:12])
	if ip, err := netip.ParseAddr(leads); err == nil && binary.BigEndian.Uint16(out[end-4:]) == 1 {
		binary.BigEndian.PutUint16(out[6:], 1)
		out = append(out, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		out = append(out, ip.AsSlice()...)
	}
	return out
}
