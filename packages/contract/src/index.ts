// The registry contract: its ABI, the bytecode of a new deployment, and its constants.

export * from './constants.js';
export { contentRegistryAbi, contentRegistryBytecode } from './contentRegistry.generated.js';
