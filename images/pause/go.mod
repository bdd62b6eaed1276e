module example.com/database-operator/pause

go 1.24
