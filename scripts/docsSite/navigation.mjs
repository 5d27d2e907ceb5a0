// The pages of the documentation site: their groups and order. Every page in docs/ is listed here, and files of other folders
// that belong to the site.

/**
 * A name of docs/ without `.md`, or a file of another folder with the name of its page.
 * @typedef {string | { readonly name: string, readonly source: string }} Entry
 */

/** @type {readonly { readonly title: string, readonly pages: readonly Entry[] }[]} */
const navigation = [
  { title: 'Start', pages: ['index', 'concepts', 'quick-start', 'faq', 'glossary'] },
  {
    title: 'Guides',
    pages: [
      'guide-creators',
      'guide-newsrooms',
      'guide-legal',
      'guide-organizations',
      'guide-developers',
      'guide-operators',
    ],
  },
  {
    title: 'Verify',
    pages: ['trust', 'verify-without-us', 'certificates', 'bundles', 'lookups', 'lookalikes', 'downloads'],
  },
  {
    title: 'Register',
    pages: ['artifacts', 'manifests', 'identity', 'domains', 'names', 'ai-preferences', 'claims', 'evidence'],
  },
  { title: 'Accounts and pages', pages: ['accounts', 'access', 'page'] },
  {
    title: 'Command line',
    pages: ['cli', 'platforms', 'registering-folders', 'terminal-session', 'cli-json'],
  },
  {
    title: 'Integrations',
    pages: [
      { name: 'events', source: 'docs/integrations/events.md' },
      { name: 'webhooks', source: 'docs/integrations/webhooks.md' },
      { name: 'watched-folders', source: 'docs/integrations/watched-folders.md' },
      { name: 'release-files', source: 'docs/integrations/release-files.md' },
      { name: 'agents', source: 'docs/integrations/agents.md' },
      { name: 'browser-extension', source: 'docs/integrations/browser-extension.md' },
      { name: 'python', source: 'docs/integrations/python.md' },
    ],
  },
  { title: 'API and SDK', pages: ['api', 'generated-clients', 'sdk', 'sdk-reference'] },
  {
    title: 'Operate',
    pages: [
      'operating',
      'settings',
      'scaling',
      'chain',
      { name: 'contract', source: 'packages/contract/README.md' },
      'mirror',
      'audit',
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
      { name: 'request-flows', source: 'docs/internals/request-flows.md' },
      { name: 'ten-changes', source: 'docs/internals/ten-changes.md' },
      { name: 'decisions', source: 'docs/internals/decisions.md' },
      { name: 'chaos', source: 'docs/internals/chaos.md' },
      { name: 'fuzzing', source: 'docs/internals/fuzzing.md' },
      { name: 'documentation', source: 'docs/internals/documentation.md' },
      { name: 'changelog', source: 'CHANGELOG.md' },
    ],
  },
];

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
