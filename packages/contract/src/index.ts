// The contracts: ABI and bytecode of the registry and of the log's anchors, and the constants of the registry.

export * from './constants.js';
export { contentRegistryAbi, contentRegistryBytecode } from './contentRegistry.generated.js';
export { registryLogAbi, registryLogBytecode } from './registryLog.generated.js';
