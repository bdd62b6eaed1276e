module database-operator/tools/kube-score

go 1.26

require github.com/zegl/kube-score v1.20.0 // indirect
