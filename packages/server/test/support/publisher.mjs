// Publishes files on disk as a process of its own, to be killed or starved: `node publisher.mjs FOLDER NAME BYTES`.
// Says how it went: `published`, or the code of the error.

import { openDiskStore } from '../../dist/files/disk.js';

const [folder, name, bytes] = process.argv.slice(2);
const store = await openDiskStore(folder);
process.stdout.write(
  await store.publish({ [name]: new Uint8Array(Number(bytes)).fill(7) }).then(
    () => 'published',
    (error) => error.code,
  ),
);
