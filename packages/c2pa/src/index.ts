export {
  type BindingFault,
  bindingFaults,
  type CheckedFile,
  findBindingFault,
  findStoreFault,
} from './binding/checkBinding.js';
export * from './containers/bmff.js';
export { type ByteRange, ContainerError } from './containers/container.js';
export { FileBytes } from './containers/fileBytes.js';
export { GIF_MANIFEST_START, readGifStructure } from './containers/gif.js';
export { type FoundStore, findManifestStore } from './containers/index.js';
export * from './containers/jpeg.js';
export { PNG_CHUNK_OVERHEAD_BYTES, PNG_MANIFEST_TYPE, readPngStructure } from './containers/png.js';
export {
  RIFF_CHUNK_HEADER_BYTES,
  RIFF_HEADER_BYTES,
  RIFF_MANIFEST_TYPE,
  readRiffStructure,
} from './containers/riff.js';
export { type SvgTag, walkSvg } from './containers/svg.js';
export {
  findTiffPages,
  findTiffStore,
  listTiffEntries,
  openTiff,
  readTiffTag,
  TIFF_FIELD_TYPE,
  TIFF_MANIFEST_TAG,
  type Tiff,
  type TiffDirectory,
} from './containers/tiff.js';
export { childOf, childrenOf, contentOf, JumbfError, labelOf } from './jumbf.js';
export { type ClaimSignature, type ClaimStamp, readClaimSignature, stampHeaders } from './timestamps/claimSignature.js';
export { type TimestampToken, verifyToken } from './timestamps/token.js';
export {
  type DigestName,
  hash,
  InvalidEvidenceError,
  publicKeyId,
  readScheme,
  UnsupportedError,
} from './x509/algorithms.js';
export {
  ANY_PURPOSE,
  nextTime,
  parseX509,
  readExtensions,
  readValidity,
  TIME_STAMPING,
  usage,
  type X509,
} from './x509/certificate.js';
export * from './x509/der.js';
export { findPath, type PathFinding, type PathTrust, type Revocation } from './x509/path.js';
