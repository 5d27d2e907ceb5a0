// Three calls with the package `registry` that oapi-codegen generates: `go run . URL TOKEN MARK_ID FINGERPRINT`.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"example.com/client/registry"
	"github.com/google/uuid"
)

func main() {
	url, token, fingerprint := os.Args[1], os.Args[2], os.Args[4]
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	client, err := registry.NewClientWithResponses(url)
	check(err)
	body := registry.CreateArtifactJSONRequestBody{
		MarkId:      uuid.MustParse(os.Args[3]),
		Fingerprint: fingerprint,
		Filename:    "a.txt",
	}

	created, err := client.CreateArtifactWithResponse(ctx, nil, body, authorize)
	check(err)
	fmt.Println("created", created.JSON201.Fingerprint)

	found, err := client.GetPublicArtifactWithResponse(ctx, fingerprint, nil)
	check(err)
	fmt.Println("found", *found.JSON200.Metadata.Filename)

	refused, err := client.CreateArtifactWithResponse(ctx, nil, body, authorize)
	check(err)
	fmt.Println("refused", refused.JSON409.Code)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
