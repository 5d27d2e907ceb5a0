// What is needed once there is something to look up: fetched while people still look at the first view.

export { SeveralFiles } from './FileResults.js';
export { OneFile } from './FingerprintResult.js';
