// Connects a client of the Model Context Protocol to `provenance file mcp` in the process of the test.

import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Machine, RunningCommand } from './machine.js';

export class CommandTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  readonly #running: RunningCommand;
  #received = '';

  constructor(machine: Machine, args: readonly string[]) {
    this.#running = machine.start(['file', 'mcp', ...args], { onStdout: (text) => this.#receive(text) });
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#running.type(serializeMessage(message));
  }

  /** Resolves when the command has ended. */
  async close(): Promise<void> {
    this.#running.stdin.end();
    await this.#running.end;
    this.onclose?.();
  }

  #receive(text: string): void {
    const lines = (this.#received + text).split('\n');
    this.#received = lines.pop() ?? '';
    for (const line of lines) this.onmessage?.(deserializeMessage(line));
  }

  errors(): string {
    return this.#running.errors();
  }
}
