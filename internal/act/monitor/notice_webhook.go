package monitor

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

const (
	// hookWithin bounds one attempt: what takes longer would not be taken later.
	hookWithin = 10 * time.Second
	// hookAnswer is how much of an answer is read, so that the connection can be reused; its content is ignored.
	hookAnswer = 16 << 10
	// hookRedirects are followed, on the same host only.
	hookRedirects = 3
)

// Webhook posts each notice to a URL.
type Webhook struct {
	url    *url.URL
	client *http.Client
}

// NewWebhook takes a URL apart. Notices name settings and paths, so they go over
// https, or to this host itself. No error repeats the URL: it may hold a secret.
func NewWebhook(raw string) (*Webhook, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, say.Err("not a URL")
	case u.Host == "":
		return nil, say.Err("URL without a host")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, say.Err("http is allowed only to this host, as others could read it on the way")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, say.Err("{scheme} is not https", "scheme", say.Quoted(u.Scheme))
	}
	u.Fragment = ""
	h := &Webhook{url: u}
	h.client = &http.Client{Timeout: hookWithin, CheckRedirect: h.redirect, Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: hookWithin, ForceAttemptHTTP2: true, MaxIdleConns: 1,
		IdleConnTimeout:        time.Minute,
		MaxResponseHeaderBytes: hookAnswer,
	}}
	return h, nil
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// errElsewhere stops a redirect that would send the notice, and any secret in the URL, to another host.
var errElsewhere = say.Err("redirect to another host, not followed")

func (h *Webhook) redirect(req *http.Request, via []*http.Request) error {
	switch {
	case req.URL.Scheme != h.url.Scheme || !strings.EqualFold(req.URL.Host, h.url.Host):
		return errElsewhere
	case req.Method != http.MethodPost:
		return say.Err("the redirect would turn POST into GET")
	case len(via) > hookRedirects:
		return say.Err("too many redirects")
	}
	return nil
}

// Name implements Sink: the host alone, as a path or a query may be a secret.
func (h *Webhook) Name() string { return "notify webhook:" + h.url.Hostname() }

// Send implements Sink.
func (h *Webhook) Send(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url.String(), bytes.NewReader(body))
	if err != nil {
		return say.Err("could not make the request")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "pgfettle")
	res, err := h.client.Do(req)
	if err != nil {
		plain := inner(err)
		if errors.Is(err, errElsewhere) || res != nil {
			return plain
		}
		return &Passing{plain}
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, hookAnswer))
	switch {
	case res.StatusCode >= 200 && res.StatusCode < 300:
		return nil
	case res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests ||
		res.StatusCode == http.StatusRequestTimeout:
		return &Passing{say.Err("answered with status {code}", "code", strconv.Itoa(res.StatusCode))}
	}
	return say.Err("answered with status {code}", "code", strconv.Itoa(res.StatusCode))
}

// inner is an error without the URL that net/http puts before it.
func inner(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		if u.Timeout() {
			return say.Err("no answer in time")
		}
		return u.Err
	}
	return err
}
