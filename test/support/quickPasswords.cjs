// Preloaded into services under test: scrypt with a lower cost. With the real one, each account and log-in would take
// 0.3 s of CPU time, a sixth of the whole run. `SCRYPT_COST=real` in a service's environment leaves it as it is.

const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');

const { scrypt } = crypto;

/** The service's own cost, and what replaces it; other costs are those of hashes that a test has stored. */
const [REAL_N, QUICK_N] = [2 ** 15, 2 ** 8];

if (process.env['SCRYPT_COST'] !== 'real') {
  crypto.scrypt = (password, salt, length, options, done) => {
    const N = options.N === REAL_N ? QUICK_N : options.N;
    scrypt(password, salt, length, { ...options, N }, done);
  };
  syncBuiltinESMExports();
}
