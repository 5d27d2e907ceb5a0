// What search engines are told of: what a visitor without an account may see.

import type { Fingerprint } from '@provenance-registry/core';

export interface SitemapQuery {
  /** The first hexadecimal digits; empty: all. */
  readonly prefix: string;
  readonly limit: number;
}

export interface Sitemap {
  /** Counts all rows, public or not, as of the last vacuum. */
  estimateCounts(): Promise<{ readonly artifacts: number; readonly marks: number }>;
  /** The fingerprints of Artifacts under public Marks that have not failed, without signed copies. */
  listArtifacts(query: SitemapQuery): Promise<Fingerprint[]>;
  /** The ids of public Marks. */
  listMarks(query: SitemapQuery): Promise<string[]>;
}
