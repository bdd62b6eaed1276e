package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

const (
	// startTimeout bounds how long a provider may take until it answers its first call.
	startTimeout = 60 * time.Second
	// After maxDeletions a provider gets a successor: for each it goes on to hear of all objects of the kind in the
	// namespace (pulumi-kubernetes, await.Deletion, which stops no source).
	maxDeletions = 1000
	// A provider is asked for a sign of life every watchInterval while a run waits for it, and killed when it gives none
	// for answerTimeout: ten seconds together.
	watchInterval = 2 * time.Second
	answerTimeout = 8 * time.Second
)

// process is a running provider.
type process struct {
	name   string
	conn   grpc.ClientConnInterface
	kill   func()
	exited <-chan struct{}
	// remove deletes an object without the provider, and tells whether it is gone; nil where only the provider can.
	remove func(context.Context, deletion) bool
	// handshake is what the provider answered; nil where it knows no handshake.
	handshake *pulumirpc.ProviderHandshakeResponse
	// waiting counts the calls that are under way.
	waiting atomic.Int32
	// deletions counts the objects that the provider was to delete.
	deletions atomic.Int32
	// stale is set once the provider is of no use to new runs.
	stale atomic.Bool
}

// command is the part of a process that the operating system knows.
type command struct {
	kill   func()
	exited chan struct{}
	stdout io.Reader
	stderr *tail
}

// launch starts the program. Its thread lives as long as the child: the kernel ties the child's life to the thread.
func launch(path, engine string, environ []string) (*command, error) {
	cmd := exec.Command(path, engine)
	cmd.Env = environ
	cmd.SysProcAttr = dieWithParent()
	stderr := &tail{}
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	started, exited := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_, _ = cmd.Process.Wait()
			close(exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return &command{kill: func() { _ = cmd.Process.Kill() }, exited: exited, stdout: stdout, stderr: stderr}, nil
}

// surroundings are what providers find around them.
type surroundings struct {
	environ []string
	// directory is private to this process.
	directory string
	writes    *fence
	// creations are what their runs are about to make.
	creations *creations
}

// startProvider starts the provider of a package from PATH, and returns it once it answers.
func startProvider(ctx context.Context, name, engine string, around surroundings) (_ *process, err error) {
	path, err := exec.LookPath("pulumi-resource-" + name)
	if err != nil {
		return nil, fmt.Errorf("provider %s: there is no pulumi-resource-%s on PATH", name, name)
	}
	environ, leave := around.environ, func() {}
	var remove func(context.Context, deletion) bool
	if name == "kubernetes" {
		gateway, err := openGateway(around)
		if err != nil {
			// the provider can find no cluster, either, and says so better
			complain.Printf("provider %s works without a gateway: %v", name, err)
		} else {
			environ, leave, remove = gateway.environ, gateway.close, gateway.remove
		}
	}
	cmd, err := launch(path, engine, environ)
	if err != nil {
		leave()
		return nil, fmt.Errorf("provider %s does not start: %w", name, err)
	}
	defer func() {
		if err != nil {
			cmd.kill()
			leave()
			err = fmt.Errorf("provider %s does not start: %w%s", name, err, cmd.stderr.quoted())
		}
	}()
	port, err := readPort(ctx, cmd.stdout)
	if err != nil {
		return nil, err
	}
	transport := grpc.WithTransportCredentials(insecure.NewCredentials())
	conn, err := grpc.NewClient("127.0.0.1:"+strconv.Itoa(port), transport, rpcutil.GrpcChannelOptions())
	if err != nil {
		return nil, err
	}
	handshake, err := shakeHands(ctx, conn, engine)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	p := &process{name: name, conn: conn, kill: cmd.kill, exited: cmd.exited, remove: remove, handshake: handshake}
	go func() {
		<-p.exited
		_ = conn.Close()
		leave()
		complain.Printf("provider %s ended%s", name, cmd.stderr.quoted())
	}()
	go p.watch(watchInterval, answerTimeout)
	return p, nil
}

// readPort reads the first line that a plugin writes, and leaves the rest to be read and dropped.
func readPort(ctx context.Context, from io.Reader) (int, error) {
	type line struct {
		text string
		err  error
	}
	first := make(chan line, 1)
	go func() {
		reader := bufio.NewReader(from)
		text, err := reader.ReadString('\n')
		first <- line{text, err}
		_, _ = io.Copy(io.Discard, reader)
	}()
	select {
	case <-ctx.Done():
		return 0, errors.New("it tells no port in time")
	case line := <-first:
		if line.err != nil {
			return 0, errors.New("it ended before it told its port")
		}
		port, err := strconv.Atoi(strings.TrimSpace(line.text))
		if err != nil || port <= 0 || port > 65535 {
			return 0, errors.New("what it tells is no port")
		}
		return port, nil
	}
}

func shakeHands(
	ctx context.Context, conn grpc.ClientConnInterface, engine string,
) (*pulumirpc.ProviderHandshakeResponse, error) {
	answer, err := pulumirpc.NewResourceProviderClient(conn).Handshake(ctx, &pulumirpc.ProviderHandshakeRequest{
		EngineAddress:               engine,
		ConfigureWithUrn:            true,
		SupportsViews:               true,
		SupportsRefreshBeforeUpdate: true,
		InvokeWithPreview:           true,
		AcceptsByteString:           true,
	}, grpc.WaitForReady(true))
	if status.Code(err) == codes.Unimplemented {
		return nil, nil
	}
	return answer, err
}

// watch kills the provider when somebody waits for it and it gives no sign of life: frozen, it would hold every run.
func (p *process) watch(interval, timeout time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-p.exited:
			return
		case <-ticker.C:
		}
		if p.waiting.Load() == 0 {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		_, err := pulumirpc.NewResourceProviderClient(p.conn).GetPluginInfo(ctx, &emptypb.Empty{})
		cancel()
		if status.Code(err) == codes.DeadlineExceeded {
			complain.Printf("provider %s does not answer: killed", p.name)
			p.kill()
			return
		}
	}
}

// alive tells whether new runs may use the provider.
func (p *process) alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return !p.stale.Load()
	}
}

// removed tells whether it deleted what the request is about, so that the provider is not needed for it.
func (p *process) removed(ctx context.Context, request *pulumirpc.DeleteRequest) bool {
	object, isOne := deletedBy(request)
	return isOne && p.remove != nil && p.remove(ctx, object)
}

// call passes a call on, and notices what the answer tells about the provider itself.
func (p *process) call(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	p.waiting.Add(1)
	defer p.waiting.Add(-1)
	if method == pulumirpc.ResourceProvider_Delete_FullMethodName && p.deletions.Add(1) >= maxDeletions {
		p.stale.Store(true)
	}
	err := reworded(p.conn.Invoke(ctx, method, args, reply, opts...))
	if err != nil && strings.Contains(err.Error(), "unreachable") {
		// pulumi-kubernetes looks for its cluster once, when it is configured; one that found none never does
		p.stale.Store(true)
	}
	return err
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(text []byte) (int, error) {
	const limit = 4096
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, text...)
	if over := len(t.kept) - limit; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(text), nil
}

func (t *tail) quoted() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.kept) == 0 {
		return ""
	}
	return fmt.Sprintf("; its last words: %q", t.kept)
}
