// An S3-compatible store as a process of its own: `node s3Server.mjs PORT FOLDER BUCKET`. Its keys are S3RVER, S3RVER.

import S3rver from 's3rver';

const [port, directory, bucket] = process.argv.slice(2);
const server = new S3rver({
  address: '127.0.0.1',
  port: Number(port),
  directory,
  silent: true,
  configureBuckets: [{ name: bucket }],
});
await server.run();
process.stdout.write('listening\n');
