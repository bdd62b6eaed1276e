package main

import (
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

// guard lets only reading requests through a closed fence.
func (f *fence) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(to http.ResponseWriter, request *http.Request) {
		if request.Method == http.MethodGet || f.isOpen() {
			next.ServeHTTP(to, request)
			return
		}
		refuse(to, http.StatusForbidden, metav1.StatusReasonForbidden,
			"another operator may lead by now: this one writes no more")
	})
}
