// Texts of the frame around every page: header, footer, errors of whole pages.

import type { ReactNode } from 'preact/compat';

export const siteName = 'Provenance registry';
export const pageTitle = (title: string) => `${title} · ${siteName}`;
export const skipToContent = 'Skip to content';
export const loading = 'Loading …';

export const headerLabel = 'Pages';
export const verify = 'Verify';
export const gallery = 'Gallery';
export const howItWorks = 'How it works';
export const dashboard = 'Dashboard';
export const logIn = 'Log in';
export const signUp = 'Sign up';

export const fingerprintNote = 'Equal fingerprints mean identical files. They say nothing about the content.';
export const footerLabel = 'More';
export const faq = 'FAQ';
export const docs = 'Docs';
export const apiReference = 'API reference';
export const contract = 'Contract';
export const log = 'Log';
export const identity = 'Identity';

export const theme = 'Theme';
export const themes = { system: 'As the system', light: 'Light', dark: 'Dark' };

export const aboutRegistry = 'About this registry';
export const registryFacts = { name: 'Registry', chainId: 'Chain', contract: 'Contract', fingerprint: 'Fingerprint' };
export const registryIdentity = 'the identity of this registry';
export const whatToCompare = 'What to compare';
export const comparison = (command: ReactNode) => (
  <>
    The fingerprint stands for the chain, the contract and the root certificates of this registry. A page of the
    registry itself cannot prove it: compare it with one that the operator published elsewhere, in print or on another
    site. On the command line, {command} asks for that comparison and warns you if the registry changes later.
  </>
);
export const trustCommand = (url: string) => `provenance config trust add ${url}`;
export const withoutService = 'How to verify without this service';
export const computeHash = 'Compute the SHA-256 of the file with any tool.';
export const askNode = (chainId: number | undefined, contract: string) => (
  <>
    Ask any node of the chain {chainId} for <code>resolveByBindingDetailed</code> of that fingerprint at the contract{' '}
    {contract}. It returns the id of the manifest, the hash of the metadata and the time.
  </>
);
export const checkManifest = (
  <>
    Check the signed manifest with any C2PA validator. It is in the file <code>.c2pa</code> on the page of the Artifact,
    and inside signed copies.
  </>
);
export const otherSources =
  'That does without this service only with a contract address and root certificates from another source.';

export const notResponding = 'The service is not responding.';

export const notFound = 'Page not found';
export const notFoundReason = 'The address may be wrong, or the page was moved.';
export const verifyFile = 'Verify a file';
