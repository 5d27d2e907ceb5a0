// scrypt with a lower cost, for services under test: with the real one, each account and log-in would take 0.3 s of CPU time,
// a sixth of the whole run. Preloaded into processes of the service, where `SCRYPT_COST=real` leaves it as it is; services in
// the process of a test install and remove it.

const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');

const { scrypt } = crypto;

/** The service's own cost, and what replaces it; other costs are those of hashes that a test has stored. */
const [REAL_N, QUICK_N] = [2 ** 15, 2 ** 8];

function quickScrypt(password, salt, length, options, done) {
  const N = options.N === REAL_N ? QUICK_N : options.N;
  scrypt(password, salt, length, { ...options, N }, done);
}

/** @param {boolean} isQuick */
exports.setQuickPasswords = (isQuick) => {
  crypto.scrypt = isQuick ? quickScrypt : scrypt;
  syncBuiltinESMExports();
};

const isPreloaded = process.execArgv.includes(__filename);
if (isPreloaded && process.env['SCRYPT_COST'] !== 'real') exports.setQuickPasswords(true);
