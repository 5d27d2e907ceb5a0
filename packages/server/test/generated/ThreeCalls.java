// Three calls with the packages that openapi-generator generates: `java ThreeCalls URL TOKEN MARK_ID FINGERPRINT`.

import java.util.UUID;
import registry.ApiClient;
import registry.ApiException;
import registry.api.ArtifactsApi;
import registry.api.PublicApi;
import registry.model.CreateArtifactRequest;
import registry.model.ErrorBody;

class ThreeCalls {
  public static void main(String[] args) throws Exception {
    var fingerprint = args[3];
    var client = new ApiClient();
    client.updateBaseUri(args[0]);
    var caller = new ApiClient();
    caller.updateBaseUri(args[0]);
    caller.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + args[1]));
    var artifacts = new ArtifactsApi(caller);
    var body = new CreateArtifactRequest().markId(UUID.fromString(args[2])).fingerprint(fingerprint).filename("a.txt");

    System.out.println("created " + artifacts.createArtifact(body, null).getFingerprint());

    var found = new PublicApi(client).getPublicArtifact(fingerprint, null);
    System.out.println("found " + found.getMetadata().getFilename());

    try {
      artifacts.createArtifact(body, null);
    } catch (ApiException refused) {
      var error = caller.getObjectMapper().readValue(refused.getResponseBody(), ErrorBody.class);
      System.out.println("refused " + error.getCode());
    }
  }
}
