// Builds the maker of certificates, and its signer, from the configuration.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TrustRoot } from '@provenance-registry/core';
import type { FastifyBaseLogger } from 'fastify';
import type { PreparedSigning } from '../c2pa/signing/signingSetup.js';
import { describeRoots } from '../c2pa/signing/trustRoots.js';
import type { Chain } from '../chain/chainService.js';
import { type Config, ConfigError } from '../config/config.js';
import {
  DocumentKeyError,
  type DocumentSigner,
  generateDocumentKey,
  readDocumentSigner,
} from '../pdfCertificates/documentKey.js';
import { createPdfCertificates } from '../pdfCertificates/pdfCertificates.js';
import { readOrCreateSecret } from '../secretFile.js';

interface CertificateParts {
  readonly signer: DocumentSigner;
  readonly signing: PreparedSigning;
  readonly chain: Chain;
  readonly logger: FastifyBaseLogger;
}

export function startCertificates(config: Config, { signer, signing, chain, logger }: CertificateParts) {
  return createPdfCertificates({
    signer,
    describeIssuer() {
      const chainId = chain.contract.chainId ?? config.chainId;
      return {
        identity: {
          name: config.registryName,
          url: config.baseUrl,
          ...(chainId !== undefined && { chainId }),
          contract: chain.contract.address,
          timestampRoots: signing.publishedRoots.timestampRoots,
        },
        isDevelopmentChain: config.rpcUrl === undefined,
        rootsUrl: `${config.baseUrl}/.well-known/provenance-registry`,
      };
    },
    // The built-in authority for clients: viewers of PDF files know its algorithm.
    timestamper: signing.authority?.timestamps ?? signing.signing.timestamper,
    log: (level, details, message) => logger[level](details, message),
  });
}

/**
 * A configured key is checked at once. Making one takes seconds, in which the service can start other parts: the signer is
 * ready later.
 */
export async function openDocumentSigner(config: Config, now: Date): Promise<{ signer: Promise<DocumentSigner> }> {
  const signer = prepareDocumentSigner(config, now);
  if (config.documentKey) await signer;
  // Reported when it is used.
  signer.catch(() => {});
  return { signer };
}

/** Empty if the configured certificates have no root. */
export function describeDocumentRoots({ root, isBuiltIn }: DocumentSigner): TrustRoot[] {
  return describeRoots(root ? [root] : [], isBuiltIn);
}

/** The key of certificates: the configured one, or one made on first start. */
async function prepareDocumentSigner({ dataDir, documentKey }: Config, now: Date): Promise<DocumentSigner> {
  if (!documentKey) {
    const pem = await readOrCreateSecret(join(dataDir, 'document-key.pem'), () => generateDocumentKey(now));
    return readDocumentSigner(pem, pem, { now, isBuiltIn: true });
  }
  const [certificatesPem, keyPem] = await Promise.all([
    readFile(documentKey.certificateFile, 'utf8'),
    readFile(documentKey.keyFile, 'utf8'),
  ]);
  try {
    return readDocumentSigner(certificatesPem, keyPem, { now, isBuiltIn: false });
  } catch (error) {
    if (!(error instanceof DocumentKeyError)) throw error;
    const setting = error.part === 'key' ? 'DOCUMENT_KEY_FILE' : 'DOCUMENT_CERT_FILE';
    throw new ConfigError([`${setting}: ${error.message}`]);
  }
}
