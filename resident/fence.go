package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fence keeps a process from writing that another one may have taken over from. Whoever was frozen while its lease ran out
// goes on where it stopped, and may hear of its loss too late: so a time is told in advance. The zero fence is open.
type fence struct {
	// until is in milliseconds since 1970: the clock must go on while this process does not. 0: no end is known.
	until atomic.Int64
}

func (f *fence) set(until time.Time) { f.until.Store(until.UnixMilli()) }

func (f *fence) isOpen() bool {
	until := f.until.Load()
	return until == 0 || time.Now().UnixMilli() < until
}

var errFenceClosed = errors.New("another operator may lead now: this one no longer writes")

// guard answers for the API server once the fence is closed.
func (f *fence) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(to http.ResponseWriter, request *http.Request) {
		if f.isOpen() {
			next.ServeHTTP(to, request)
			return
		}
		refuse(to, http.StatusForbidden, metav1.StatusReasonForbidden, errFenceClosed.Error())
	})
}

type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// fenced makes connections that carry nothing more once the fence is closed. The guard alone would let through what is on its
// way from there to a connection when the process is frozen.
func (f *fence) fenced(dial dialer) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return fencedConnection{connection, f}, nil
	}
}

type fencedConnection struct {
	net.Conn
	fence *fence
}

func (c fencedConnection) Write(data []byte) (int, error) {
	if c.fence.isOpen() {
		return c.Conn.Write(data)
	}
	// what is half sent must not be taken for whole
	_ = c.Close()
	return 0, errFenceClosed
}
