// The hashing of the SDK, apart from the rest of it, which takes longer to load than a small file to hash.

export { FileChangedError, hashFile, hashStream } from '@provenance-registry/client/node';
