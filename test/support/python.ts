// Python for tests: Debian's, with the packages of clients/python/requirements.txt, which `scripts/testPrograms.mjs` installs.

import { fileURLToPath } from 'node:url';

const cache = new URL('../../node_modules/.cache/python/', import.meta.url);

/** The files from which pip installs without a network. */
export const wheels = fileURLToPath(new URL('wheels', cache));
/** The interpreter of an environment with what the client needs, but without the client. */
export const python = fileURLToPath(new URL('env/bin/python', cache));
export const pythonPackage = fileURLToPath(new URL('../../clients/python', import.meta.url));
/** Lets that interpreter import the client from its sources. */
export const pythonVariables = { PYTHONPATH: pythonPackage, PYTHONDONTWRITEBYTECODE: '1' };
