// Looks at the bytes of JSON while they arrive: how deeply values are nested, how many there are, and where the items of a list
// are. Too many, or too deep, is refused before anything is decoded, which takes time and memory for each value.

import { type JsonLimits, RegistryError } from '@provenance-registry/core';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACKET = 0x5d;
const CLOSING_BRACE = 0x7d;

/** A list that is a member of the object, by offsets in the text. */
export interface MemberList {
  /** Behind the comma or brace before its name. */
  readonly nameStart: number;
  /** Behind its bracket. */
  readonly start: number;
  /** The commas between its items. */
  readonly commas: readonly number[];
  /** Its closing bracket. */
  readonly end: number;
}

/** Assumes valid JSON: what is not fails when it is decoded. */
export class JsonScanner {
  readonly lists: MemberList[] = [];
  readonly #limits: Pick<JsonLimits, 'maxDepth' | 'maxValues'>;
  #offset = 0;
  #depth = 0;
  #values = 1;
  #isInText = false;
  #isEscaped = false;
  #nameStart = 0;
  /** The list that has not ended yet. */
  #list: { readonly nameStart: number; readonly start: number; readonly commas: number[] } | undefined;

  constructor(limits: Pick<JsonLimits, 'maxDepth' | 'maxValues'>) {
    this.#limits = limits;
  }

  /** Throws BAD_REQUEST when a limit is exceeded. */
  add(chunk: Uint8Array): void {
    for (const byte of chunk) {
      this.#offset += 1;
      if (this.#isInText) this.#readText(byte);
      else if (byte === QUOTE) this.#isInText = true;
      else if (byte === COMMA) this.#readComma();
      else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) this.#open(byte);
      else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) this.#close();
    }
  }

  #readText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInText = false;
  }

  #readComma(): void {
    this.#countValue();
    if (this.#depth === 1) this.#nameStart = this.#offset;
    else if (this.#depth === 2) this.#list?.commas.push(this.#offset - 1);
  }

  #open(byte: number): void {
    this.#countValue();
    this.#depth += 1;
    if (this.#depth > this.#limits.maxDepth) throw new RegistryError('BAD_REQUEST', 'The body is nested too deeply.');
    if (this.#depth === 1) this.#nameStart = this.#offset;
    else if (this.#depth === 2 && byte === OPENING_BRACKET) {
      this.#list = { nameStart: this.#nameStart, start: this.#offset, commas: [] };
    }
  }

  #close(): void {
    this.#depth -= 1;
    if (this.#depth !== 1 || !this.#list) return;
    this.lists.push({ ...this.#list, end: this.#offset - 1 });
    this.#list = undefined;
  }

  #countValue(): void {
    this.#values += 1;
    const { maxValues } = this.#limits;
    if (this.#values > maxValues) throw new RegistryError('BAD_REQUEST', `The body has more than ${maxValues} values.`);
  }
}
