// What of the public log may be anchored on chain: heads that are published, with proofs from the published files.

import {
  decodeTile,
  formatPolicy,
  formatTilePath,
  HashTile,
  isConsistent,
  parsePolicy,
  proveConsistency,
  readRoot,
  type TiledTree,
  type TilePosition,
  verifyCheckpoint,
} from '@provenance-registry/log';
import type { AnchoredLog, LogFiles, LogSequence } from '../domain/ports/index.js';
import { treeHasher } from './hasher.js';

export function createAnchoredLog(
  records: Pick<LogSequence, 'listKeys'>,
  files: Pick<LogFiles, 'read' | 'readCheckpoint'>,
): AnchoredLog {
  async function readTile(position: TilePosition): Promise<HashTile> {
    const bytes = await files.read(formatTilePath(position));
    if (!bytes) throw new Error(`the published file ${formatTilePath(position)} is missing`);
    return new HashTile(decodeTile(bytes, position.width), treeHasher);
  }

  return {
    async readPublished() {
      const published = await files.readCheckpoint();
      if (!published) return undefined;
      const keys = new Set((await records.listKeys()).map(({ vkey }) => vkey));
      const { size, root } = await verifyCheckpoint(published.text, parsePolicy(formatPolicy([...keys])));
      return { size, root };
    },
    async prove(from, to) {
      const tree: TiledTree = { size: to.size, readTile, hasher: treeHasher };
      if (from.size > to.size) return 'contradiction';
      // The contract takes the first head without a proof.
      const isOfFiles = Buffer.compare(await readRoot(tree), to.root) === 0;
      if (!isOfFiles) throw new Error('the published files are not those of the published checkpoint');
      const proof = await proveConsistency(tree, from.size);
      const isExtended = from.size === 0 || isConsistent(from, to, proof, treeHasher);
      return isExtended ? proof : 'contradiction';
    },
  };
}
