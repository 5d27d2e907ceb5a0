// The current schema as one file, for readers: what the migrations make of an empty database.

import { expect, it } from 'vitest';
import { createMigratedDatabase } from '../../../../test/support/postgres.js';
import { printSchema } from '../support/schemaText.js';

it('schema.sql is what the migrations make of an empty database: `npm run docs:schema` writes it', async () => {
  const url = await createMigratedDatabase();
  await expect(await printSchema(url)).toMatchFileSnapshot('../../schema.sql');
});
