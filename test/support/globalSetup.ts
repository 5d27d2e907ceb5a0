// Starts one PostgreSQL server for all test files; each test that needs a database creates its own on it. Makes one key for
// the certificates of all services, because an RSA key takes a second of CPU time.

import type { TestProject } from 'vitest/node';
import { migrateToLatest } from '../../packages/server/src/database/migrate.js';
import { generateDocumentKey } from '../../packages/server/src/pdfCertificates/documentKey.js';
import { createTemplate, startPostgres } from './postgres.js';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    documentKey: string;
  }
}

export default async function setup(project: TestProject) {
  const postgres = await startPostgres();
  await migrateToLatest({ connectionString: await createTemplate(postgres.url) });
  project.provide('postgresUrl', postgres.url);
  project.provide('documentKey', await generateDocumentKey(new Date()));
  return () => postgres.remove();
}
