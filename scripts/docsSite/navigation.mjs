// The pages of the documentation site: their groups and order. Every page in docs/ is listed here, and files of other folders
// that belong to the site.

/**
 * A name of docs/ without `.md`, or a file of another folder with the name of its page.
 * @typedef {string | { readonly name: string, readonly source: string }} Entry
 */

/** @type {readonly { readonly title: string, readonly pages: readonly Entry[] }[]} */
const navigation = [
  { title: 'Start', pages: ['index', 'concepts', 'faq', 'guide-creators', 'guide-verifying'] },
  {
    title: 'Verify',
    pages: [
      'trust',
      'verify-without-us',
      'if-this-registry-disappears',
      'bundles',
      'receipts',
      'lookups',
      'lookalikes',
    ],
  },
  { title: 'Register', pages: ['artifacts', 'manifests', 'marks', 'claims', 'accounts', 'access', 'page'] },
  { title: 'Command line', pages: ['cli', 'folders', 'cli-json', 'platforms'] },
  {
    title: 'API and SDK',
    pages: [
      'api',
      { name: 'events', source: 'docs/integrations/events.md' },
      'sdk',
      'sdk-reference',
      { name: 'python', source: 'clients/python/README.md' },
      'generated-clients',
    ],
  },
  {
    title: 'Integrations',
    pages: [
      { name: 'release-files', source: 'docs/integrations/release-files.md' },
      { name: 'agents', source: 'docs/integrations/agents.md' },
      { name: 'browser-extension', source: 'docs/integrations/browser-extension.md' },
    ],
  },
  {
    title: 'Operate',
    pages: [
      'operating',
      'settings',
      'chain',
      { name: 'contract', source: 'packages/contract/README.md' },
      'performance',
      'isolation',
      { name: 'security', source: 'SECURITY.md' },
    ],
  },
  {
    title: 'Contribute',
    pages: [
      { name: 'architecture', source: 'ARCHITECTURE.md' },
      { name: 'contributing', source: 'CONTRIBUTING.md' },
      { name: 'changes', source: 'docs/internals/changes.md' },
      { name: 'c2pa-rs-findings', source: 'docs/internals/c2pa-rs-findings.md' },
      { name: 'decisions', source: 'docs/internals/decisions.md' },
      { name: 'log', source: 'docs/internals/log.md' },
      { name: 'testing', source: 'docs/internals/testing.md' },
      { name: 'changelog', source: 'CHANGELOG.md' },
    ],
  },
];

/** Names of former pages, and the page or heading that has their content now. @type {Readonly<Record<string, string>>} */
export const redirects = {
  'ai-preferences': 'marks#ai-preferences',
  audit: 'operating#audit',
  certificates: 'bundles#certificates',
  chaos: 'testing#chaos-test',
  documentation: 'contributing#documentation',
  domains: 'marks#verified-domains',
  downloads: 'lookups#signed-downloads',
  evidence: 'claims#evidence',
  fuzzing: 'testing#fuzzing',
  glossary: 'concepts#glossary',
  'guide-developers': 'api',
  'guide-legal': 'guide-verifying#evidence-in-a-dispute',
  'guide-newsrooms': 'guide-verifying',
  'guide-operators': 'operating',
  'guide-organizations': 'accounts#organizations',
  identity: 'manifests#identity',
  mirror: 'chain#the-mirror',
  names: 'marks#names',
  'quick-start': 'index#quick-start',
  'registering-folders': 'folders',
  'request-flows': 'changes',
  scaling: 'performance#scaling',
  'ten-changes': 'changes#ten-changes',
  'terminal-session': 'cli',
  'watched-folders': 'folders#watch-folders',
  webhooks: 'events#webhooks',
};

/** Pages whose code examples are generated, and would be half of the search index. */
export const generatedPages = new Set(['cli-json', 'sdk-reference']);

/** @returns {{ name: string, source: string, group: string }[]} in reading order */
export function listPages() {
  return navigation.flatMap(({ title, pages }) =>
    pages.map((entry) =>
      typeof entry === 'string'
        ? { name: entry, source: `docs/${entry}.md`, group: title }
        : { ...entry, group: title },
    ),
  );
}
