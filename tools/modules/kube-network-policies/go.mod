module database-operator/tools/kube-network-policies

go 1.26.0

require sigs.k8s.io/kube-network-policies v1.1.1 // indirect
