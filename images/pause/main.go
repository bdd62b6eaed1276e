// Command pause is the first process of a pod sandbox and of a node: it holds the namespaces open, reaps orphans and waits for SIGTERM.
package main

import (
	"errors"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	// one per pod: keep the footprint small
	debug.SetGCPercent(10)
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGCHLD, syscall.SIGTERM, syscall.SIGINT)
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		reap()
	}
}

// reap collects every child that has ended; signals coalesce, so one may stand for several.
func reap() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
	}
}
