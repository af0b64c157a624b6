# One static binary on an image that has nothing else. .git is needed for `sverka version`.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /sverka ./cmd/sverka

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /sverka /sverka
ENV SVERKA_LISTEN=0.0.0.0:8080
EXPOSE 8080
USER nonroot
ENTRYPOINT ["/sverka"]
CMD ["serve"]
