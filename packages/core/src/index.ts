// The vocabulary shared by server, SDK, command line and web pages. Performs no I/O.

export * from './api/accounts.js';
export * from './api/apiKeys.js';
export * from './api/artifacts.js';
export * from './api/health.js';
export * from './api/identity.js';
export { api } from './api/index.js';
export * from './api/limits.js';
export * from './api/marks.js';
export * from './api/operation.js';
export * from './api/organizations.js';
export * from './api/publicReads.js';
export * from './api/resolution.js';
export * from './digitalSourceTypes.js';
export * from './displayText.js';
export * from './errors.js';
export * from './fileFields.js';
export * from './fingerprints.js';
export * from './formats.js';
export * from './licenses.js';
export * from './limitConcurrency.js';
export * from './openapi.js';
export * from './randomart.js';
export * from './registryFingerprint.js';
export * from './signingPurposes.js';
export * from './statuses.js';
export * from './text.js';
export * from './tiers.js';
