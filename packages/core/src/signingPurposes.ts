// Purposes (extended key usage) of certificates that may sign C2PA claims.

/** Object identifiers by name. C2PA accepts any of them. */
export const signingPurposes = {
  emailProtection: '1.3.6.1.5.5.7.3.4',
  documentSigning: '1.3.6.1.5.5.7.3.36',
  /** C2PA's own purpose. */
  claimSigning: '1.3.6.1.4.1.62558.2.1',
} as const;

/** The form that c2pa-rs takes (`trust_config`), which accepts emailProtection alone by default. */
export const trustedPurposes = Object.values(signingPurposes).join('\n');
