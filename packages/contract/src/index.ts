// What other packages need of the contract: its interface, and the code that a new deployment starts from.

export { contentRegistryAbi, contentRegistryBytecode } from './contentRegistry.generated.js';
