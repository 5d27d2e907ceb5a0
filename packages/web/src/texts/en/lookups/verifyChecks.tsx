// Texts of the checks that the browser runs itself, and of the facts that they confirm.

import type { ReactNode } from 'preact/compat';

export const sources = {
  registry: { name: 'Service', description: 'What the service states publicly.' },
  chain: { name: 'Chain', description: 'Read by your browser from a node of the chain.' },
  manifest: {
    name: 'Signed manifest',
    description: 'Its signature, checked in your browser by the C2PA reference implementation.',
  },
  log: { name: 'Public log', description: 'Its receipt for this file, checked in your browser.' },
};

export const states = {
  confirmed: 'Confirmed',
  agrees: 'Agrees',
  contradicted: 'Contradicted',
  absent: 'No entry',
  unavailable: 'Unavailable',
};

export const checkIndependently = 'To check independently, name a node or compare the registry’s roots.';
export const checking = 'Checking …';
export const verifyIndependently = 'Verify independently';
export const hideDetails = 'Hide details';
export const withWhat = 'with the chain, the signed manifest and the public log';
export const inProgress = 'Reading the service and the chain, and checking the signatures …';
export const checkAgain = 'Check again';
export const useOwnSources = 'Use my own sources';
export const rawData = 'Raw data';

// Facts.

export const factLabels = {
  signedCopyOf: 'Signed copy of',
  mark: 'Mark',
  author: 'Registered by',
  license: 'License',
  allowAiTraining: 'AI training',
  filename: 'File name',
  previousFingerprint: 'Previous version',
  registrar: 'Written by',
};
export const evidenceNames = { chain: 'on chain', manifest: 'in the signed manifest', log: 'in the public log' };
export const aiUses = 'AI uses';
export const aiUse = (use: string, permission: ReactNode) => (
  <>
    {use}: {permission}
  </>
);
/** `marked` has the words that are the service's, as the page marks them. */
export const registeredAs = (name: ReactNode, currentName: ReactNode, marked: (text: ReactNode) => ReactNode) => (
  <>
    {marked('registered as ')}
    {name}
    {marked(<> (now called {currentName}, according to this service)</>)}
  </>
);
export const since = 'Since';
export const times = 'Times';
export const timeSources = {
  block: 'block on chain',
  timestamp: 'time-stamp in the signed manifest',
  anchor: 'block on chain before which the public log had it',
  service: 'recorded by this service',
};
export const block = 'Block';
export const blockNumberAndHash = (number: string, hash: ReactNode) => (
  <>
    {number}, {hash}
  </>
);
export const blockHash = 'block hash';
export const compareBlock = 'compare it with any explorer of the chain';
export const identityWhenSigned = 'Identity when signed';
export const domainVerifiedSince = (domain: string, day: ReactNode) => (
  <>
    {domain}, verified by this registry since {day}
  </>
);
