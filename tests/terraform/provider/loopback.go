package main

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/terraform-provider-google/google/transport"
)

// loopback sends every request for SERVICE.googleapis.com to the same path below /SERVICE of the stand-in of the APIs, and
// refuses all others: no request leaves this computer, not even one to an address that is fixed in the code of the provider.
type loopback struct {
	standin *url.URL
	http.Transport
}

func client(timeout time.Duration) (*http.Client, error) {
	standin, err := url.Parse(os.Getenv("GOOGLE_APIS"))
	if err != nil {
		return nil, err
	}
	if address := net.ParseIP(standin.Hostname()); standin.Hostname() != "" && (address == nil || !address.IsLoopback()) {
		return nil, fmt.Errorf("GOOGLE_APIS is %s, which is not on this computer", standin)
	}
	retries := transport.NewTransportWithDefaultRetries(&loopback{standin: standin})
	return &http.Client{Transport: transport.NewTransportWithHeaders(retries), Timeout: timeout}, nil
}

func (l *loopback) RoundTrip(request *http.Request) (*http.Response, error) {
	service, google := strings.CutSuffix(request.URL.Hostname(), ".googleapis.com")
	if !google || l.standin.Host == "" {
		return nil, fmt.Errorf("%s %s is not sent: there is no stand-in for it", request.Method, request.URL)
	}
	sent := request.Clone(request.Context())
	sent.Host, sent.URL.Scheme, sent.URL.Host = "", "http", l.standin.Host
	sent.URL.Path = "/" + service + request.URL.Path
	if request.URL.RawPath != "" {
		sent.URL.RawPath = "/" + service + request.URL.RawPath
	}
	return l.Transport.RoundTrip(sent)
}
