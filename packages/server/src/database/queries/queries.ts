// The database of a class of queries, or the transaction that they are part of.

import type { Database } from '../connection.js';

export abstract class Queries {
  constructor(protected readonly database: Database) {}
}
