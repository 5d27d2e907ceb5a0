// Transparency logs without I/O, for Node and browsers: Merkle tree, tiles, signed notes, checkpoints, receipts, leaves.

export { copyPaths, decodeIndex, encodeIndex, type IndexRecord, isCopyPath } from './copy.js';
export { decodeUtf8, encodeBase64, encodeUtf8, isSameBytes } from './encoding.js';
export {
  LogFileError,
  LogForkError,
  LogFormatError,
  LogProofError,
  SignatureUnsupportedError,
  WitnessesMissingError,
} from './errors.js';
export { FingerprintIndex } from './indexTree/fingerprintIndex.js';
export { findProvenLeaf, type IndexHead, type IndexProof } from './indexTree/indexProofs.js';
export { decodeAiCode, encodeAiPreferences } from './leaves/aiCodes.js';
export { commitToTerms, commitToText, formatSalt, parseOpening } from './leaves/commitments.js';
export type { LeafContent, LeafKind, Opening } from './leaves/contents.js';
export { encodeLeaf, type Leaf, parseLeaf } from './leaves/leaf.js';
export {
  type Checkpoint,
  type Cosignature,
  formatCheckpoint,
  parseCheckpoint,
  type VerifiedCheckpoint,
  verifyCheckpoint,
} from './notes/checkpoint.js';
export {
  createVerifierKey,
  formatVerifierKey,
  type KeyKind,
  parseVerifierKey,
  type VerifierKey,
} from './notes/keys.js';
export { formatNote, type Note, type NoteSignature, parseNote, parseSignatures } from './notes/note.js';
export {
  formatPolicy,
  isQuorum,
  type LogPolicy,
  type PolicyWitness,
  parsePolicy,
  type Quorum,
} from './notes/policy.js';
export { type CheckedSignature, checkSignature, cosignNote, type NoteSigner, signNote } from './notes/signatures.js';
export {
  formatWitnessRequest,
  MAX_WITNESS_REQUEST_LENGTH,
  parseWitnessRequest,
  requireExtension,
  WITNESS_SIZE_TYPE,
  WitnessRefusal,
  type WitnessRequest,
} from './notes/witnessRequest.js';
export { formatReceipt, parseReceipt, type Receipt, type VerifiedReceipt, verifyReceipt } from './receipt.js';
export { decodeBundle, encodeBundle } from './tree/bundles.js';
export { appendEntries, readEdge, type TileFile, type TreeEdge } from './tree/edge.js';
export { type FollowedBatch, type FollowedLeaf, type FollowOptions, followLog } from './tree/followLog.js';
export { createTreeHasher, portableHasher, type Sha256, type TreeHasher } from './tree/hasher.js';
export { type InclusionProof, isConsistent, isIncluded, type TreeHead } from './tree/proofs.js';
export { ProvenTree, type ReadLogFile } from './tree/provenTree.js';
export { proveConsistency, proveInclusion, readRoot, type TiledTree } from './tree/tiledTree.js';
export { decodeTile, formatTilePath, HashTile, parseTilePath, TILE_WIDTH, type TilePosition } from './tree/tiles.js';
