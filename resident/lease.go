package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/types"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// lease is one run's use of a provider. To the run it is the connection to a provider of its own.
type lease struct {
	pool *pool
	pkg  providerPackage
	// existing is what the run's creations may take over; nil: what they find.
	existing map[string]types.UID

	mu       sync.Mutex
	using    *provider
	released bool
}

var _ grpc.ClientConnInterface = (*lease)(nil)

// lease returns a provider of the package that is not configured yet, as far as the run can tell.
func (p *pool) lease(ctx context.Context, pkg providerPackage) (*lease, error) {
	if using := p.anyOf(pkg); using != nil {
		if wait(ctx, using) == nil {
			return &lease{pool: p, pkg: pkg, using: using}, nil
		}
		p.giveBack(using)
	}
	using, err := p.unconfigured(pkg)
	if err != nil {
		return nil, err
	}
	if err := wait(ctx, using); err != nil {
		p.giveBack(using)
		return nil, err
	}
	return &lease{pool: p, pkg: pkg, using: using}, nil
}

func wait(ctx context.Context, wanted *provider) error {
	select {
	case <-wanted.done:
		return wanted.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// swap makes `to` what the run uses.
func (l *lease) swap(to *provider) {
	l.mu.Lock()
	old, released := l.using, l.released
	if !released {
		l.using = to
	}
	l.mu.Unlock()
	if released {
		old = to
	}
	l.pool.giveBack(old)
}

func (l *lease) release() {
	l.mu.Lock()
	first := !l.released
	l.released = true
	using := l.using
	l.mu.Unlock()
	if first {
		l.pool.giveBack(using)
	}
}

func (l *lease) provider() *provider {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.using
}

// Invoke passes calls on to the process, but for those that would change it for other runs.
func (l *lease) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	switch method {
	case pulumirpc.ResourceProvider_Handshake_FullMethodName:
		return l.handshake(reply)
	case pulumirpc.ResourceProvider_Configure_FullMethodName:
		return asStatus(l.configure(ctx, args, reply))
	case pulumirpc.ResourceProvider_Cancel_FullMethodName:
		return nil
	case pulumirpc.ResourceProvider_Parameterize_FullMethodName, pulumirpc.ResourceProvider_Attach_FullMethodName:
		return status.Error(codes.Unimplemented, "a shared provider cannot be parameterized or attached")
	}
	if request, isCreation := args.(*pulumirpc.CreateRequest); isCreation && l.existing != nil && !request.GetPreview() {
		if object, isOne := createdBy(request.GetProperties()); isOne {
			defer l.pool.creations.enter(object, l.existing[object.kind+" "+object.name])()
		}
	}
	using := l.provider().process
	if request, isDeletion := args.(*pulumirpc.DeleteRequest); isDeletion && using.removed(ctx, request) {
		return nil
	}
	return using.call(ctx, method, args, reply, opts...)
}

// asStatus makes of an error one that could come over a connection: the engine takes no other from a provider, and a run
// may be over before its provider is configured. What is a status already keeps its code and its words.
func asStatus(err error) error {
	var coded interface{ GRPCStatus() *status.Status }
	switch {
	case err == nil || errors.As(err, &coded) && status.Code(err) == coded.GRPCStatus().Code():
		return err
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return status.Error(codes.Canceled, err.Error())
	default:
		return status.Error(codes.Unknown, err.Error())
	}
}

func (l *lease) NewStream(
	ctx context.Context, desc *grpc.StreamDesc, method string, opts ...grpc.CallOption,
) (grpc.ClientStream, error) {
	return l.provider().process.conn.NewStream(ctx, desc, method, opts...)
}

func (l *lease) handshake(reply any) error {
	to, ok := reply.(*pulumirpc.ProviderHandshakeResponse)
	from := l.provider().process.handshake
	if !ok || from == nil {
		return status.Error(codes.Unimplemented, "the provider knows no handshake")
	}
	proto.Merge(to, from)
	return nil
}

func (l *lease) configure(ctx context.Context, args, reply any) error {
	request, isRequest := args.(*pulumirpc.ConfigureRequest)
	response, isResponse := reply.(*pulumirpc.ConfigureResponse)
	if !isRequest || !isResponse {
		return errors.New("not a call of Configure")
	}
	to, err := l.pool.configured(l.pkg, request)
	if err != nil {
		return err
	}
	err = wait(ctx, to)
	l.swap(to)
	if err != nil {
		return fmt.Errorf("configuring provider %s: %w", l.pkg.name, err)
	}
	proto.Merge(response, to.configure)
	return nil
}
