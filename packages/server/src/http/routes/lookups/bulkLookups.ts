// Route of bulk lookups: public, without credentials.

import {
  api,
  type Fingerprint,
  isFingerprint,
  type LineError,
  type LookupResult,
  RegistryError,
} from '@provenance-registry/core';
import { lookUpFingerprints } from '../../../domain/lookups/bulkLookups.js';
import type { Ports } from '../../../domain/ports/index.js';
import { FairLimit } from '../../../workers/fairLimit.js';
import type { Item } from '../../parsing/ndjson.js';
import { findUnknownFields } from '../../parsing/unknownFields.js';
import type { Router } from '../../router.js';

/** Lookups of all clients, each of a few hundred fingerprints, with two statements. Leaves most connections to the database to others. */
const MAX_RUNNING = 2;

/** Each request has one of them at a time: as many as there may be uploads. */
const MAX_WAITING = 256;
const MAX_WAITING_PER_CLIENT = 64;

const [, objectForm] = api.lookUpFingerprints.lines.item.anyOf;

export function bulkLookupRoutes(route: Router, ports: Ports, requestMs: number): void {
  const limit = new FairLimit({
    name: 'bulk-lookups',
    maxRunning: MAX_RUNNING,
    maxRunningPerClient: MAX_RUNNING,
    maxWaiting: MAX_WAITING,
    maxWaitingPerClient: MAX_WAITING_PER_CLIENT,
    maxWaitingPerLane: MAX_WAITING_PER_CLIENT,
  });

  route(
    api.lookUpFingerprints,
    ({ items }, { client, signal }) =>
      items.respond((lines) => limit.run({ client, signal }, () => lookUpLines(ports, lines))),
    { timeoutMs: requestMs, takesNoTurn: true },
  );
}

async function lookUpLines(ports: Ports, lines: readonly Item[]): Promise<(LookupResult | LineError)[]> {
  const fingerprints = lines.map(readFingerprint);
  const valid = fingerprints.filter((fingerprint) => typeof fingerprint === 'string');
  const resultOf = await lookUpFingerprints(ports, valid);
  return fingerprints.map((fingerprint) => (typeof fingerprint === 'string' ? resultOf(fingerprint) : fingerprint));
}

function readFingerprint(item: Item): Fingerprint | LineError {
  if (item.error) return lineError(item.number, item.error);
  const { value } = item;
  const isInObject = typeof value === 'object' && value !== null && 'fingerprint' in value;
  const text = isInObject ? value.fingerprint : value;
  const unknown = isInObject ? findUnknownFields(value, objectForm.properties, '') : [];
  if (typeof text === 'string' && isFingerprint(text) && unknown.length === 0) return text;
  const message =
    unknown[0]?.message ??
    'The line must be a fingerprint: "0x" and 64 lower-case hex digits, as a JSON string or in an object.';
  return lineError(item.number, new RegistryError('BAD_REQUEST', message));
}

function lineError(line: number, { message, code }: RegistryError): LineError {
  return { line, error: message, code };
}
