// Asks a domain whether it names a Mark: by a TXT record, or by a file on its web server.

import { DOMAIN_FILE_PATH, DOMAIN_RECORD_LABEL } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import type { DomainChecker } from '../domain/ports/index.js';
import { type DnsLookup, openDnsLookup } from '../outbound/dnsLookup.js';
import { OutboundError } from '../outbound/outboundError.js';
import { DomainCheckError } from './domainCheckError.js';
import { fetchFile } from './fetchFile.js';

/** Timeout of one of the two ways. Servers of domains respond within a second; a worker must not wait long for others. */
const TIMEOUT_MS = 5_000;

export interface DomainCheckerOptions {
  /** `address` or `address:port`; undefined: those of the system. */
  readonly dnsServers: readonly string[] | undefined;
  /** Web servers on loopback addresses are asked at this port; undefined: not at all. */
  readonly loopbackPort: number | undefined;
}

const MarkFile = Type.Object({ marks: Type.Array(Type.String()) });

export function createDomainChecker({ dnsServers, loopbackPort }: DomainCheckerOptions): DomainChecker {
  async function findReason(check: (lookup: DnsLookup, signal: AbortSignal) => Promise<void>) {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      await check(openDnsLookup(dnsServers, signal), signal);
      return undefined;
    } catch (error) {
      if (error instanceof OutboundError) return error.message;
      throw error;
    }
  }

  return {
    async check(domain, markTexts) {
      const dnsReason = await findReason((lookup) => checkRecord(lookup, domain, markTexts));
      if (dnsReason === undefined) return { method: 'dns' };
      const fileReason = await findReason((lookup, signal) =>
        checkFile(domain, markTexts, { lookup, signal, loopbackPort }),
      );
      if (fileReason === undefined) return { method: 'file' };
      return { error: `TXT record: ${dnsReason} File: ${fileReason}` };
    },
  };
}

async function checkRecord(lookup: DnsLookup, domain: string, markTexts: readonly string[]): Promise<void> {
  const records = await lookup.findTexts(`${DOMAIN_RECORD_LABEL}.${domain}`);
  const expected = markTexts.map((text) => `mark=${text}`);
  if (!records.some((text) => expected.includes(text.trim().toLowerCase())))
    throw new DomainCheckError('It names another Mark, or none.');
}

async function checkFile(
  domain: string,
  markTexts: readonly string[],
  options: Parameters<typeof fetchFile>[2],
): Promise<void> {
  const text = (await fetchFile(domain, DOMAIN_FILE_PATH, options)).toString('utf8');
  const { marks } = parseMarkFile(text);
  if (!marks.some((text) => markTexts.includes(text.trim().toLowerCase()))) {
    throw new DomainCheckError('It does not name this Mark.');
  }
}

function parseMarkFile(text: string): { marks: string[] } {
  try {
    return Value.Parse(MarkFile, JSON.parse(text));
  } catch {
    throw new DomainCheckError('It is not JSON with a list of Marks.');
  }
}
