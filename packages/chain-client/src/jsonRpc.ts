// JSON-RPC 2.0 as Ethereum speaks it: a call, and the error that answers one.

export interface JsonRpcCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** The numbers that JSON-RPC 2.0 and EIP-1474 give to failures; clients tell failures apart by them. */
export const errorCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  /** The transaction, or what it stands on, does not allow it. */
  server: -32_000,
  /** Clients try again after this one. */
  limitExceeded: -32_005,
  /** A contract reverted; `data` is what it returned. geth answers so, and clients decode it. */
  reverted: 3,
} as const;

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
