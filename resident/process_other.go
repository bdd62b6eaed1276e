//go:build !linux

package main

import "syscall"

// dieWithParent: providers look for their engine from time to time, and end without it.
func dieWithParent() *syscall.SysProcAttr { return nil }
