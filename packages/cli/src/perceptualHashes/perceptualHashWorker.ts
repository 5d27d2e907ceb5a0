// The process that decodes files: the SDK's, in a file of its own next to the bundled command.

import '@provenance-registry/client/perceptualHashWorker';
