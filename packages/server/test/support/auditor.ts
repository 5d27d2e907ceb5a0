// Runs the audit in the test's process, on the database, files and chain of a service, without the delay before the
// second look.

import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Registry } from '../../../../test/support/artifacts.js';
import { createReader } from '../../../../test/support/manifestReader.js';
import type { AuditParts, Divergence } from '../../src/audit/divergence.js';
import { type AuditSummary, runAudit } from '../../src/audit/index.js';
import { createFileInspector } from '../../src/c2pa/reading/fileInspector.js';
import { prepareSigning } from '../../src/c2pa/signing/signingSetup.js';
import { openChainReader } from '../../src/chain/chainReader.js';
import { openDatabase } from '../../src/database/connection.js';
import { ChainOutboxQueries } from '../../src/database/queries/artifacts/chainOutbox.js';
import { AuditQueries } from '../../src/database/queries/audit/audit.js';
import { MirrorRowQueries } from '../../src/database/queries/lookups/mirrorRows.js';
import { SoundHashQueries } from '../../src/database/queries/lookups/soundHashes.js';
import type { Hex } from '../../src/domain/ports/index.js';
import { joinDiskStore } from '../../src/files/disk.js';

export interface Finding {
  readonly code: Divergence['code'];
  readonly about: Divergence['about'];
  readonly repairable: boolean;
  readonly repaired: boolean;
}

export interface Auditor {
  readonly parts: AuditParts;
  audit(options?: {
    repair?: boolean;
    parts?: Partial<AuditParts>;
  }): Promise<{ found: Finding[]; summary: AuditSummary }>;
}

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
});

export async function startAuditor({ databaseUrl, dataDir, settings }: Registry): Promise<Auditor> {
  const database = openDatabase({ connectionString: databaseUrl });
  const clock = () => new Date();
  const signingOptions = { dataDir, version: '0.0.0', source: undefined, timestampUrls: [], clock };
  const { signing, trustAnchorsPem } = await prepareSigning(signingOptions);
  const { RPC_URL: url = '', REGISTRY_ADDRESS: registry } = settings;
  const chain = await openChainReader(
    {
      source: {
        kind: 'node',
        url,
        chainId: undefined,
        registry: asHex(registry),
        logContract: undefined,
        writingKey: undefined,
      },
      queue: new ChainOutboxQueries(database),
    },
    new MirrorRowQueries(database),
  );
  ends.push(
    () => chain.close(),
    () => database.destroy(),
  );
  const parts: AuditParts = {
    records: new AuditQueries(database),
    soundHashes: new SoundHashQueries(database),
    files: joinDiskStore(join(dataDir, 'public')),
    inspector: createFileInspector(signing, await createReader(trustAnchorsPem)),
    chain,
    mirror: chain.mirror,
    clock,
  };
  return {
    parts,
    async audit({ repair = false, parts: others = {} } = {}) {
      const found: Finding[] = [];
      const summary = await runAudit(
        { ...parts, ...others },
        {
          repair,
          delays: { recheckMs: 0, retryMs: 1 },
          onDivergence: async (divergence, repaired) => {
            const { code, about } = divergence;
            found.push({ code, about, repairable: divergence.repair !== undefined, repaired });
          },
          onProgress: () => {},
        },
      );
      return { found, summary };
    },
  };
}

function asHex(text = ''): Hex {
  return `0x${text.slice(2)}`;
}
