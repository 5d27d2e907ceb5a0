// JSON-RPC 2.0 as Ethereum uses it: calls and errors, for clients and servers.

export interface JsonRpcCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Error codes of JSON-RPC 2.0 and EIP-1474. */
export const errorCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  /** The transaction is rejected, or the state that it needs is missing. */
  server: -32_000,
  /** Clients retry after this one. */
  limitExceeded: -32_005,
  /** geth's code for a reverted call; `data` is what the contract returned. */
  reverted: 3,
} as const;

/** The node received the call and rejected it. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';
  readonly code: number;
  /** What a contract returned when it reverted, in hex. */
  readonly data: string | undefined;

  constructor(code: number, message: string, data?: string) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
