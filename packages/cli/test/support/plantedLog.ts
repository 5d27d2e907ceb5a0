// A public log that its operator can change as no honest one would: in memory, with a real key.

import { hash } from 'node:crypto';
import {
  appendEntries,
  cosignNote,
  createTreeHasher,
  encodeLeaf,
  formatCheckpoint,
  formatNote,
  type Leaf,
  type LogPolicy,
  type NoteSigner,
  signNote,
  type TreeEdge,
} from '../../../log/src/index.js';

const hasher = createTreeHasher((data) => hash('sha256', data, 'buffer'));
const EMPTY: TreeEdge = { size: 0, root: hasher.emptyRoot, tiles: [], entries: [] };

export class PlantedLog {
  readonly files = new Map<string, Uint8Array>();
  #edge = EMPTY;
  #entries: Uint8Array[] = [];

  constructor(
    readonly signer: NoteSigner,
    readonly witnesses: readonly NoteSigner[] = [],
  ) {}

  get policy(): LogPolicy {
    return { logKeys: [this.signer.key], witnesses: this.witnesses.map(({ key }) => ({ key })), quorum: undefined };
  }

  get entries(): readonly Uint8Array[] {
    return this.#entries;
  }

  /** Publishes the leaves with a checkpoint, which the witnesses sign at that time: milliseconds since 1970. */
  async publish(leaves: readonly (Leaf | Uint8Array)[], time: number): Promise<void> {
    const entries = leaves.map((leaf) => (leaf instanceof Uint8Array ? leaf : encodeLeaf(leaf)));
    const { edge, files } = appendEntries(this.#edge, entries, hasher);
    for (const { path, bytes } of files) this.files.set(path, bytes);
    this.#edge = edge;
    this.#entries.push(...entries);
    await this.sign(edge, time);
  }

  async sign({ size, root }: Pick<TreeEdge, 'size' | 'root'>, time: number): Promise<void> {
    const text = formatCheckpoint({ origin: this.signer.key.name, size, root });
    const seconds = Math.floor(time / 1_000);
    const cosignatures = await Promise.all(this.witnesses.map((witness) => cosignNote(text, seconds, witness)));
    const signatures = [await signNote(text, this.signer), ...cosignatures];
    this.files.set('checkpoint', Buffer.from(formatNote({ text, signatures })));
  }

  get head(): Pick<TreeEdge, 'size' | 'root'> {
    return this.#edge;
  }

  /** The same log with other leaves from the beginning, signed with the same key. */
  async rewrite(change: (entries: Uint8Array[]) => Uint8Array[], time: number): Promise<PlantedLog> {
    const other = new PlantedLog(this.signer, this.witnesses);
    await other.publish(change([...this.#entries]), time);
    return other;
  }

  /** Everything that is published now. */
  copy(): Map<string, Uint8Array> {
    return new Map(this.files);
  }
}
