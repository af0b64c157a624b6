package botapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is a webhook URL that passed the checks.
type target struct {
	host     string // without brackets and port
	port     int
	query    string // path and query, as sent
	userinfo string
	tls      bool
	ip       string // what is dialled
}

// hostHeader has no port, as Telegram's has none.
func (t target) hostHeader() string {
	if strings.Contains(t.host, ":") {
		return "[" + t.host + "]"
	}
	return t.host
}

var (
	errInvalidURL = errors.New("invalid webhook URL specified")
	errNotHTTPS   = errors.New("bad webhook: An HTTPS URL must be provided for webhook")
	errPort       = errors.New("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
	errIP         = errors.New("bad webhook: Invalid IP address specified")
	errIPv6       = errors.New("bad webhook: IPv6-only addresses are not allowed")
)

// parseTarget reads the URL and applies the rules that need no network.
func parseTarget(raw string, localHosts []string) (target, error) {
	if !strings.Contains(raw, "://") {
		raw = "https://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Hostname() == "" || u.Hostname() == "." {
		return target{}, errInvalidURL
	}
	t := target{host: u.Hostname(), query: u.RequestURI(), tls: u.Scheme == "https", port: 443}
	if u.User != nil {
		t.userinfo = u.User.String()
	}
	if !t.tls {
		t.port = 80
	}
	if u.Port() != "" {
		if t.port, err = strconv.Atoi(u.Port()); err != nil || t.port < 1 || t.port > 65535 {
			return target{}, errInvalidURL
		}
	}
	switch {
	case t.local(localHosts):
	case !t.tls:
		return target{}, errNotHTTPS
	case !slices.Contains([]int{80, 88, 443, 8443}, t.port):
		return target{}, errPort
	}
	return t, nil
}

// local says that our exception for development holds: plain http to the own machine.
func (t target) local(localHosts []string) bool {
	if t.tls {
		return false
	}
	ip, err := netip.ParseAddr(t.host)
	loopback := t.host == "localhost" || strings.HasSuffix(t.host, ".localhost") || (err == nil && ip.IsLoopback())
	return loopback || slices.Contains(localHosts, t.host)
}

// resolve finds the address to dial: the fixed one, else the host's first IPv4.
func (t target) resolve(ctx context.Context, fixed string, localHosts []string) (string, error) {
	local := t.local(localHosts)
	if fixed != "" {
		ip, err := netip.ParseAddr(fixed)
		if err != nil {
			return "", errIP
		}
		return checkIP(ip, local)
	}
	if ip, err := netip.ParseAddr(t.host); err == nil {
		return checkIP(ip, local)
	}
	if local && (t.host == "localhost" || strings.HasSuffix(t.host, ".localhost")) {
		return "127.0.0.1", nil
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", t.host)
	if err != nil || len(ips) == 0 {
		return "", errors.New("bad webhook: Failed to resolve host: Name or service not known")
	}
	for _, ip := range ips {
		if ip.Unmap().Is4() {
			return checkIP(ip.Unmap(), local)
		}
	}
	return checkIP(ips[0], local)
}

// reserved is IPAddress::is_reserved of tdlib.
var reserved = func() (all []netip.Prefix) {
	for _, p := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
	} {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}()

func checkIP(ip netip.Addr, local bool) (string, error) {
	ip = ip.Unmap()
	switch {
	case local:
	case !ip.Is4():
		return "", errIPv6
	case slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(ip) }):
		return "", fmt.Errorf("bad webhook: IP address %s is reserved", ip)
	}
	return ip.String(), nil
}
