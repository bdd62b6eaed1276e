module database-operator/tools/kubeconform

go 1.26

require github.com/yannh/kubeconform v0.7.0 // indirect
