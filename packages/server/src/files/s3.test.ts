// Bucket URLs of stores that no test can reach.

import { expect, it } from 'vitest';
import { bucketAddress } from './s3Bucket.js';

it.each([
  ['at Amazon, in its own host', 'files', undefined, 'https://files.s3.eu-west-1.amazonaws.com'],
  ['at Amazon, with a dot in its name', 'files.example', undefined, 'https://s3.eu-west-1.amazonaws.com/files.example'],
  ['elsewhere', 'files', 'http://store.example:9000/', 'http://store.example:9000/files'],
  ['elsewhere, below a path', 'files', 'https://store.example/s3', 'https://store.example/s3/files'],
])('A bucket %s', (_, bucket, endpoint, address) => {
  expect(bucketAddress(bucket, 'eu-west-1', endpoint)).toBe(address);
});
