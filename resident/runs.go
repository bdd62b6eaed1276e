package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/util/cancel"
)

// stackKey names a stack.
type stackKey struct{ project, stack string }

// run is a run that is under way.
type run struct {
	id      string
	request *runRequest
	stack   stackKey
	context *cancel.Context
	source  *cancel.Source
}

// server answers requests.
type server struct {
	out       *output
	keys      *keyring
	pool      *pool
	directory string

	mu    sync.Mutex
	runs  map[string]*run
	busy  map[stackKey]struct{}
	ended int
	// stopping is set once no more runs are begun.
	stopping bool
	group    sync.WaitGroup
}

func newServer(out *output, passphrase string, pool *pool, directory string) *server {
	return &server{
		out:       out,
		keys:      newKeyring(passphrase),
		pool:      pool,
		directory: directory,
		runs:      map[string]*run{},
		busy:      map[stackKey]struct{}{},
	}
}

// handle answers one line. Runs go on after it returns.
func (s *server) handle(line []byte) {
	var request request
	if err := json.Unmarshal(line, &request); err != nil {
		// the id is all that the caller can make use of
		var partial struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(line, &partial)
		s.refuse(partial.ID, resultInvalid, "the request is malformed")
		return
	}
	switch {
	case request.Ping != nil:
		s.send(s.pong(*request.Ping))
	case request.WriteUntil != nil:
		s.pool.writes.set(time.UnixMilli(*request.WriteUntil))
	case request.Cancel != "":
		s.cancel(request.ID, request.Cancel)
	case request.Run != nil && request.ID != "":
		s.begin(request.ID, request.Run)
	default:
		s.refuse(request.ID, resultInvalid, "the request is none of run, cancel, ping and writeUntil")
	}
}

func (s *server) send(message any) {
	if err := s.out.send(message); err != nil {
		complain.Printf("cannot answer: %v", err)
	}
}

func (s *server) refuse(id string, result result, message string) {
	s.send(answer{ID: id, Done: &done{Result: result, Message: message}})
}

func (s *server) begin(id string, request *runRequest) {
	if problem := request.problem(); problem != "" {
		s.refuse(id, resultInvalid, problem)
		return
	}
	r := &run{id: id, request: request, stack: stackKey{request.Project, request.Stack}}
	r.context, r.source = cancel.NewContext(context.Background())
	switch s.enter(r) {
	case resultBusy:
		s.refuse(id, resultBusy, "the stack has a run already")
	case resultInvalid:
		s.refuse(id, resultInvalid, "another run has this id")
	case resultCancelled:
		s.refuse(id, resultCancelled, "no more runs are begun")
	default:
		go func() {
			done := s.execute(r)
			s.leave(r)
			s.send(answer{ID: id, Done: done})
			s.group.Done()
		}()
	}
}

// enter takes the run's stack; it returns why it cannot.
func (s *server) enter(r *run) result {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return resultCancelled
	}
	if _, taken := s.runs[r.id]; taken {
		return resultInvalid
	}
	// a preview leaves no state: it is in the way of no run, and no run in its way
	if !r.request.Operation.isPreview() {
		if _, taken := s.busy[r.stack]; taken {
			return resultBusy
		}
		s.busy[r.stack] = struct{}{}
	}
	s.runs[r.id] = r
	s.group.Add(1)
	return ""
}

// leave comes before the last answer, which lets the caller start the next run on the stack.
func (s *server) leave(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, r.id)
	if !r.request.Operation.isPreview() {
		delete(s.busy, r.stack)
	}
	s.ended++
}

// cancel cancels a run; one that has ended meanwhile has answered already.
func (s *server) cancel(id string, mode cancelMode) {
	s.mu.Lock()
	r := s.runs[id]
	s.mu.Unlock()
	if r == nil {
		return
	}
	if mode == cancelForced {
		r.source.Terminate()
	} else {
		r.source.Cancel()
	}
}

// stop lets the runs end, gracefully for as long as `patience`, and ends the providers.
func (s *server) stop(patience time.Duration) {
	s.mu.Lock()
	s.stopping = true
	s.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		s.group.Wait()
		close(ended)
	}()
	s.cancelAll(cancelGraceful)
	select {
	case <-ended:
	case <-time.After(patience):
		s.cancelAll(cancelForced)
		select {
		case <-ended:
		case <-time.After(time.Second):
		}
	}
	s.pool.close()
}

func (s *server) cancelAll(mode cancelMode) {
	s.mu.Lock()
	ids := make([]string, 0, len(s.runs))
	for id := range s.runs {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	for _, id := range ids {
		s.cancel(id, mode)
	}
}

func (s *server) pong(text string) pong {
	s.mu.Lock()
	defer s.mu.Unlock()
	return pong{
		Pong:       text,
		Runs:       s.ended,
		Active:     len(s.runs),
		Goroutines: runtime.NumGoroutine(),
		RSS:        residentBytes(),
		Providers:  s.pool.count(),
	}
}

// residentBytes is the memory that the process occupies; where the kernel does not tell, what Go has of it.
func residentBytes() int {
	if statm, err := os.ReadFile("/proc/self/statm"); err == nil {
		var total, resident int
		if _, err := fmt.Sscan(string(statm), &total, &resident); err == nil {
			return resident * os.Getpagesize()
		}
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return int(memory.Sys - memory.HeapReleased)
}
