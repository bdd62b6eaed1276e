package main

import (
	"context"
	"crypto/sha256"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// packageKey names a provider's package and version.
func packageKey(descriptor workspace.PluginDescriptor) providerPackage {
	key := providerPackage{name: descriptor.Name}
	if descriptor.Version != nil {
		key.version = descriptor.Version.String()
	}
	return key
}

type providerPackage struct{ name, version string }

// configuredAs tells providers of one package apart by what they were configured with; zero is not configured.
type configuredAs [sha256.Size]byte

type providerKey struct {
	providerPackage
	config configuredAs
}

// provider is a place in the pool: a process that is being started and configured, or was.
type provider struct {
	done      chan struct{}
	process   *process
	configure *pulumirpc.ConfigureResponse
	err       error
	// users counts the leases.
	users int
}

// usable tells whether new runs may wait for, or use, the provider.
func (p *provider) usable() bool {
	select {
	case <-p.done:
		return p.err == nil && p.process.alive()
	default:
		return true
	}
}

// end kills the process, as soon as there is one.
func (p *provider) end() {
	kill := func() {
		if p.process != nil {
			p.process.kill()
		}
	}
	select {
	case <-p.done:
		kill()
	default:
		go func() {
			<-p.done
			kill()
		}()
	}
}

// pool keeps one process per package and configuration, over the runs.
type pool struct {
	start  func(ctx context.Context, name, engine string) (*process, error)
	engine *engineServer
	// writes is the fence in front of what all of them write.
	writes fence
	// creations are what runs are about to make.
	creations creations

	mu        sync.Mutex
	closed    bool
	providers map[providerKey]*provider
	// retired providers are of no use any more, and end with the last run that has them.
	retired map[*provider]struct{}
	// listeners are the runs that are under way: a stack may have previews beside its run.
	listeners map[*runHost]struct{}
}

func newPool(environ []string, directory string) (*pool, error) {
	p := &pool{
		providers: map[providerKey]*provider{},
		retired:   map[*provider]struct{}{},
		listeners: map[*runHost]struct{}{},
	}
	around := surroundings{environ, directory, &p.writes, &p.creations}
	p.start = func(ctx context.Context, name, engine string) (*process, error) {
		return startProvider(ctx, name, engine, around)
	}
	engine, err := serveEngine(p.route)
	p.engine = engine
	return p, err
}

// listen lets the providers' messages about the stack of a run go to it.
func (p *pool) listen(host *runHost) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listeners[host] = struct{}{}
}

func (p *pool) unlisten(host *runHost) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.listeners, host)
}

// route passes a provider's message on to the runs on the stack that it is about: to which of them it belongs, it does not
// say. What is about no stack cannot be passed on: it might be about another one.
func (p *pool) route(message logMessage) {
	if !message.urn.IsValid() {
		return
	}
	stack := stackKey{string(message.urn.Project()), string(message.urn.Stack())}
	message.text = reword(message.text)
	for _, host := range p.listening(stack) {
		host.log(message)
	}
}

func (p *pool) listening(stack stackKey) []*runHost {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found []*runHost
	for host := range p.listeners {
		if host.stack == stack {
			found = append(found, host)
		}
	}
	return found
}

// take finds or makes the place of a provider, and counts the caller as a user.
func (p *pool) take(key providerKey, prepare func(*provider)) (*provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	found, ok := p.providers[key]
	if ok && !found.usable() {
		p.retire(key, found)
		ok = false
	}
	if !ok {
		found = &provider{done: make(chan struct{})}
		p.providers[key] = found
		go prepare(found)
	}
	found.users++
	return found, nil
}

// anyOf returns a configured provider of the package, for calls that need none in particular.
func (p *pool) anyOf(pkg providerPackage) *provider {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, found := range p.providers {
		if key.providerPackage == pkg && key.config != (configuredAs{}) && found.usable() {
			found.users++
			return found
		}
	}
	return nil
}

// retire takes a provider out of reach of new runs. The caller holds the lock.
func (p *pool) retire(key providerKey, old *provider) {
	delete(p.providers, key)
	if old.users > 0 {
		p.retired[old] = struct{}{}
	} else {
		old.end()
	}
}

func (p *pool) giveBack(used *provider) {
	p.mu.Lock()
	defer p.mu.Unlock()
	used.users--
	if _, isRetired := p.retired[used]; isRetired && used.users == 0 {
		delete(p.retired, used)
		used.end()
	}
}

// started starts a process for a place. It is nobody's in particular: no run's end is the end of it.
func (p *pool) started(at *provider, pkg providerPackage) {
	defer close(at.done)
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	at.process, at.err = p.start(ctx, pkg.name, p.engine.address)
}

// spare is the place of a process that is not configured. PATH has one program for a package, whichever version is asked for.
func spare(pkg providerPackage) providerKey {
	return providerKey{providerPackage: providerPackage{name: pkg.name}}
}

// unconfigured returns a process of the package that is not configured, and counts the caller as its user.
func (p *pool) unconfigured(pkg providerPackage) (*provider, error) {
	return p.take(spare(pkg), func(at *provider) { p.started(at, pkg) })
}

// startAhead starts a provider that a run is about to need. Where it does not start, the run tries again, and says why.
func (p *pool) startAhead(name string) {
	if using, err := p.unconfigured(providerPackage{name: name}); err == nil {
		p.giveBack(using)
	}
}

// configured returns the provider that is configured as the request wants, and counts the caller as its user.
func (p *pool) configured(pkg providerPackage, request *pulumirpc.ConfigureRequest) (*provider, error) {
	config, err := digestOf(request)
	if err != nil {
		return nil, err
	}
	return p.take(providerKey{pkg, config}, func(at *provider) {
		defer close(at.done)
		if at.process, at.err = p.claim(pkg); at.err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
		defer cancel()
		response := &pulumirpc.ConfigureResponse{}
		at.err = at.process.call(ctx, pulumirpc.ResourceProvider_Configure_FullMethodName, request, response)
		at.configure = response
		if at.err != nil {
			at.process.kill()
		}
	})
}

// claim takes the package's unconfigured process out of the pool, for it to be configured.
func (p *pool) claim(pkg providerPackage) (*process, error) {
	using, err := p.unconfigured(pkg)
	if err != nil {
		return nil, err
	}
	defer p.giveBack(using)
	<-using.done
	if using.err != nil {
		return nil, using.err
	}
	p.mu.Lock()
	key := spare(pkg)
	isMine := p.providers[key] == using
	if isMine {
		delete(p.providers, key)
	}
	p.mu.Unlock()
	if isMine {
		return using.process, nil
	}
	// another configuration was faster
	at := &provider{done: make(chan struct{})}
	p.started(at, pkg)
	return at.process, at.err
}

func digestOf(request *pulumirpc.ConfigureRequest) (configuredAs, error) {
	// the same configuration comes from each stack under another URN and id
	same := &pulumirpc.ConfigureRequest{Variables: request.Variables, Args: request.Args}
	bytes, err := proto.MarshalOptions{Deterministic: true}.Marshal(same)
	return sha256.Sum256(bytes), err
}

// count is the number of running providers.
func (p *pool) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	running := len(p.retired)
	for _, found := range p.providers {
		if found.usable() {
			running++
		}
	}
	return running
}

// close ends all providers.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for key, found := range p.providers {
		found.users = 0
		p.retire(key, found)
	}
	for old := range p.retired {
		old.end()
	}
	p.engine.close()
}
