// Reads who signed a published manifest and when, from the signature of its active manifest. The signature itself was
// checked before the manifest was published.

import { createHash, X509Certificate } from 'node:crypto';
import { ContentInfo, SignedData } from '@peculiar/asn1-cms';
import { AsnConvert } from '@peculiar/asn1-schema';
import { TSTInfo } from '@peculiar/asn1-tsp';
import { ExtendedKeyUsage, id_ce_extKeyUsage } from '@peculiar/asn1-x509';
import { childrenOf } from '@provenance-registry/c2pa';
import Type from 'typebox';
import { Value } from 'typebox/value';
import type { CertificateName, ManifestSignature } from '../../domain/ports/index.js';
import { readSign1, readSignerX509 } from '../signing/cose.js';

const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';

const Bytes = Type.Refine(Type.Unsafe<Uint8Array>({}), (value) => value instanceof Uint8Array);
const Tokens = Type.Object({ tstTokens: Type.Array(Type.Object({ val: Bytes }), { minItems: 1 }) });
const Header = Type.Object({ sigTst2: Type.Optional(Tokens), sigTst: Type.Optional(Tokens) });

/** Throws if the manifest cannot be read. */
export function readSignature(sidecar: Uint8Array): ManifestSignature {
  const active = childrenOf(Buffer.from(sidecar)).at(-1);
  if (!active) throw new Error('the manifest store is empty');
  const { protectedHeader, header } = readSign1(active);
  const { sigTst2, sigTst } = Value.Parse(Header, header);
  const [token] = (sigTst2 ?? sigTst)?.tstTokens ?? [];
  return { signer: nameX509(readSignerX509(protectedHeader)), timestamp: token && readTimestamp(token.val) };
}

/** Undefined if it is of a form that is not known. */
function readTimestamp(token: Uint8Array): ManifestSignature['timestamp'] {
  try {
    const { content } = AsnConvert.parse(token, ContentInfo);
    const { encapContentInfo, certificates = [] } = AsnConvert.parse(content, SignedData);
    const info = encapContentInfo.eContent?.single;
    if (!info) return undefined;
    const raw = certificates.flatMap(({ certificate }) => (certificate ? [certificate] : []));
    const authority = raw.find(({ tbsCertificate }) =>
      tbsCertificate.extensions?.some(
        ({ extnID, extnValue }) =>
          extnID === id_ce_extKeyUsage && AsnConvert.parse(extnValue, ExtendedKeyUsage).includes(TIME_STAMPING),
      ),
    );
    return {
      at: AsnConvert.parse(info.buffer, TSTInfo).genTime,
      authority: authority && nameX509(new Uint8Array(AsnConvert.serialize(authority))),
    };
  } catch {
    return undefined;
  }
}

function nameX509(der: Uint8Array): CertificateName {
  const { subject, issuer, serialNumber } = new X509Certificate(der);
  return {
    subject: inOneLine(subject),
    issuer: inOneLine(issuer),
    serialNumber: serialNumber.toLowerCase(),
    sha256: createHash('sha256').update(der).digest('hex'),
  };
}

/** Node has one line for each part of a name. */
function inOneLine(name: string): string {
  return name.replaceAll('\n', ', ');
}
