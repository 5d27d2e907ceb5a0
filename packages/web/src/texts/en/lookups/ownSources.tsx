// Texts of the form for the visitor's own sources.

import { formatNumber } from '../../../ui/text/format.js';

export const title = 'Use my own sources';
export const explanation =
  'A result is verified only by what you know from elsewhere than from this service: a node of the chain that you chose, or root certificates or a key of the log that you compared. What you leave empty is taken from this service. It stays in this browser.';
export const save = 'Save';
export const saving = 'Saving …';
export const remove = 'Remove my sources';

export const nodes = 'Nodes of the chain';
export const nodesHint =
  'JSON-RPC addresses, one on each line. All of them must agree, and allow requests of web pages (CORS).';
export const contract = 'Contract';
export const contractHint = '0x and 40 hexadecimal digits.';
export const chainId = 'Chain id';
export const roots = 'Root certificates';
export const rootsHint =
  'PEM, of the signers that you trust: of this registry, or of those who sign Content Credentials in files.';
export const rootsFile = 'Or from files:';
export const logKey = 'Key of the public log';
export const logKeyHint = 'As the log names it: name+id+key.';
export const logContract = 'Anchors of the public log';
export const logContractHint = 'The address of their contract.';

export const nodeCount = (count: number) => (count === 1 ? '1 node' : `${formatNumber(count)} nodes`);
export const rootCount = (count: number) => (count === 1 ? '1 root' : `${formatNumber(count)} roots`);
export const namedContract = 'contract';
export const namedChainId = 'chain id';
export const namedLogKey = 'key of the log';
export const namedLogContract = 'anchors of the log';
export const inUse = (parts: readonly string[]) => `(${parts.join(', ')})`;

export const tooManyNodes = (limit: number) => `Enter at most ${limit} nodes.`;
export const badContract = 'Enter the address of the contract: 0x and 40 hexadecimal digits.';
export const badChainId = 'Enter the id of the chain as a number.';
export const badLogKey = 'Enter the verifier key of a log. It looks like registry.example/log+1234abcd+AS8h….';
export const badRoots = 'Enter certificates in PEM form.';
export const badNode = (text: string) =>
  `${text} is not the address of a node. It looks like https://node.example/path.`;
export const unencryptedNode = (text: string) =>
  `${text} is not encrypted: browsers connect to it only from pages that are not encrypted either.`;
