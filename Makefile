# Names over commands. `make run` for a first look, `make test` before a commit.

.PHONY: run test bench generate fmt audit

run:
	@./tools/need run
	go build -o build/sverka ./cmd/sverka
	@exec ./build/sverka dev

test:
	@./tools/need test
	@./tools/generated
	go vet ./...
	go tool staticcheck ./...
	go build -o build/withpg ./internal/pgtest/withpg
	go run ./internal/evidence/check clear
	./build/withpg go test -race -count=1 -timeout 12m ./...
	go run ./internal/evidence/check

bench:
	@./tools/need run
	go run ./bench

generate:
	go tool templ generate

fmt:
	gofmt -w -s .
	go tool templ fmt .

audit:
	@./tools/audit
