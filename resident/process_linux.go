package main

import "syscall"

// dieWithParent: the kernel kills the child when this process is gone, also after a SIGKILL.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
