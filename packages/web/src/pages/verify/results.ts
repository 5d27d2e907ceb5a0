// What is needed once there is something to look up: fetched while people still look at the first view.

export { OneFile } from './OneFile.js';
export { SeveralFiles } from './SeveralFiles.js';
