// Every sentence that SDK, page, extension and command show about lookups and verifications, by code. Values in them are
// sanitized. A translation is a module with the same exports.

export * from './explanations/credentials.js';
export * from './explanations/facts.js';
export * from './explanations/lookups.js';
export * from './explanations/problems.js';
export * from './explanations/sources.js';
export * from './explanations/verdicts.js';
