// Receipts of the public log, and its anchors.

import Type from 'typebox';
import { MAX_WAIT_SECONDS } from '../../longPolling.js';
import { ok, operations, route } from '../declarations.js';
import { artifactOperations } from './artifacts.js';
import { exampleAnchor, exampleReceipt, LogReceipt, PublishedAnchor } from './logRecords.js';

const receiptQuery = {
  query: Type.Object({
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_SECONDS,
        description: 'In seconds: respond when the receipt is ready, or after that time.',
      }),
    ),
  }),
  exampleQuery: { wait: '5' },
};

const receiptErrors = {
  NOT_FOUND:
    'The fingerprint is not registered; or, with `Retry-After`, no checkpoint of the log covers its registration yet.',
};

export const receiptOperations = operations('Artifacts', {
  getReceipt: {
    ...route('GET', '/api/v1/artifacts/{fingerprint}/receipt', 'bearer'),
    summary: 'Get the receipt of a registration',
    description:
      'The proof that the registration is in the public log, under the newest checkpoint. Under a private Mark, users with ' +
      'write access get `opening` too: what the leaf hides.',
    params: artifactOperations.getArtifact.params,
    ...receiptQuery,
    success: ok('The receipt.', LogReceipt, exampleReceipt),
    errors: receiptErrors,
  },
});

export const publicReceiptOperations = operations('Public', {
  getPublicReceipt: {
    ...route('GET', '/api/v1/public/artifacts/{fingerprint}/receipt', 'none'),
    summary: 'Get the receipt of a public registration',
    description:
      'The proof that the registration is in the public log, under the newest checkpoint. `opening` is there if the leaf ' +
      'hides what has become public since. No token needed.',
    params: artifactOperations.getArtifact.params,
    ...receiptQuery,
    success: ok('The receipt.', LogReceipt, exampleReceipt),
    errors: receiptErrors,
  },
  getLastAnchor: {
    ...route('GET', '/api/v1/public/log/anchor', 'none'),
    summary: 'Get the last anchor of the public log',
    description: 'The last head of the log that its contract on chain has, with enough confirmations. No token needed.',
    success: ok('The anchor.', PublishedAnchor, exampleAnchor),
    errors: { NOT_FOUND: 'The log is not anchored, or has no anchor yet.' },
  },
});
