// The lies of a dishonest node: one for each field of each result, with what contracts return decoded by the ABI.

import { contentRegistryAbi } from '@provenance-registry/contract';
import {
  type AbiParameter,
  decodeAbiParameters,
  encodeAbiParameters,
  encodeErrorResult,
  type Hex,
  isHex,
  toEventSelector,
  toFunctionSelector,
  toHex,
} from 'viem';
import { isEqual, isObject, type JsonLie, listJsonLies } from './tamperingJson.js';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export type RpcReply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

export interface RpcExchange {
  readonly call: RpcCall;
  readonly reply: RpcReply;
}

/** What a node replies instead of the truth. */
export interface NodeLie {
  /** A name such as `eth_call resolveByBindingDetailed /timestamp changed`. */
  readonly name: string;
  tamper(call: RpcCall, honest: RpcReply): RpcReply;
}

const ENTRY = 'resolveByBindingDetailed';

/** Every lie about these exchanges. Those about another Artifact provide what fields are replaced by. */
export function listNodeLies(honest: readonly RpcExchange[], others: readonly RpcExchange[]): NodeLie[] {
  const single = honest.flatMap((exchange) => {
    const theirs = others.find(
      ({ call, reply }) => describe(call) === describe(exchange.call) && !isEqual(reply, exchange.reply),
    );
    return listExchangeLies(exchange, theirs);
  });
  return [...single, ...listConsistentLies(single)];
}

function listExchangeLies({ call, reply }: RpcExchange, theirs: RpcExchange | undefined): NodeLie[] {
  const isThis = (other: RpcCall) => isEqual(other, call);
  const lie = (name: string, change: (honest: RpcReply) => RpcReply): NodeLie => ({
    name: `${describe(call)} ${name}`,
    tamper: (other, honest) => (isThis(other) ? change(honest) : honest),
  });
  const whole = [
    lie('missing', () => ({ result: null })),
    lie('empty', () => ({ result: '0x' })),
    lie('refused', () => ({ error: { code: -32_601, message: 'the method is not available' } })),
    ...(theirs ? [lie("replaced by another Artifact's", () => theirs.reply)] : []),
  ];
  if (!('result' in reply)) return whole;
  const decoded = decodeCall(call, reply.result);
  const otherResult = theirs && 'result' in theirs.reply ? theirs.reply.result : undefined;
  const fields = decoded
    ? [
        lie('reverted', () => ({ error: notFoundError(call) })),
        ...listJsonLies(decoded.values, theirs && decodeCall(theirs.call, otherResult)?.values).map((change) =>
          lie(change.name, (honest) => changeOutputs(call, honest, change)),
        ),
      ]
    : listJsonLies(reply.result, otherResult).map((change) =>
        lie(change.name, (honest) => ('result' in honest ? { result: change.tamper(honest.result) } : honest)),
      );
  return [...whole, ...fields, ...listEventLies(reply.result, lie)];
}

/** Methods, and the functions of the registry that they call. */
function describe({ method, params }: RpcCall): string {
  const call = isObject(params[0]) ? params[0]['data'] : undefined;
  const name = typeof call === 'string' ? functionOf(call)?.name : undefined;
  return name === undefined ? method : `${method} ${name}`;
}

function functionOf(data: string) {
  return contentRegistryAbi
    .filter((item) => item.type === 'function')
    .find((item) => toFunctionSelector(item) === data.slice(0, 10));
}

type Outputs = { readonly parameters: readonly AbiParameter[]; readonly values: Record<string, unknown> };

/** What a function of the registry returned, by name. */
function decodeCall({ method, params }: RpcCall, result: unknown): Outputs | undefined {
  const data = method === 'eth_call' && isObject(params[0]) ? params[0]['data'] : undefined;
  const parameters = typeof data === 'string' ? functionOf(data)?.outputs : undefined;
  return parameters && isHex(result) && result !== '0x' ? decodeValues(parameters, result) : undefined;
}

function changeOutputs(call: RpcCall, honest: RpcReply, change: JsonLie): RpcReply {
  const outputs = 'result' in honest ? decodeCall(call, honest.result) : undefined;
  return outputs ? { result: encodeValues(outputs.parameters, change.tamper(outputs.values)) } : honest;
}

function decodeValues(parameters: readonly AbiParameter[], data: Hex): Outputs {
  const values = decodeAbiParameters(parameters, data).map((value, index) => [
    nameOf(parameters[index], index),
    typeof value === 'bigint' || typeof value === 'number' ? toHex(value) : value,
  ]);
  return { parameters, values: Object.fromEntries(values) };
}

function encodeValues(parameters: readonly AbiParameter[], changed: unknown): Hex {
  const fields = isObject(changed) ? changed : {};
  return encodeAbiParameters(
    parameters,
    parameters.map((parameter, index) => toAbiValue(parameter, fields[nameOf(parameter, index)])),
  );
}

/** Returns the value, or that of an entry that does not exist if there is none. */
function toAbiValue({ type }: AbiParameter, value: unknown): unknown {
  if (type.endsWith('[]')) return value ?? [];
  if (type.startsWith('uint')) return BigInt(String(value ?? 0));
  // In lower case: a changed address with its old checksum would be refused by the encoder, not by verification.
  if (type === 'address') return String(value ?? `0x${'00'.repeat(20)}`).toLowerCase();
  if (type.startsWith('bytes')) return value ?? `0x${'00'.repeat(Number(type.slice(5)) || 0)}`;
  return value ?? '';
}

function nameOf(parameter: AbiParameter | undefined, index: number): string {
  return parameter?.name || String(index);
}

function notFoundError({ params }: RpcCall) {
  const data = isObject(params[0]) ? String(params[0]['data']) : '';
  const fingerprint: Hex = `0x${data.slice(10, 74).padEnd(64, '0')}`;
  const reason = encodeErrorResult({ abi: contentRegistryAbi, errorName: 'ManifestNotFound', args: [fingerprint] });
  return { code: 3, message: 'execution reverted', data: reason };
}

/** Lies about the decoded data of each event in a list of logs or in a receipt. */
function listEventLies(
  result: unknown,
  lie: (name: string, change: (honest: RpcReply) => RpcReply) => NodeLie,
): NodeLie[] {
  return logsIn(result).flatMap((log, index) => {
    const event = eventOf(log);
    if (!event) return [];
    const { values, parameters } = decodeValues(event.parameters, event.data);
    return listJsonLies(values, undefined).map((change) =>
      lie(`${event.name} #${index} ${change.name}`, (honest) => {
        if (!('result' in honest)) return honest;
        const data = encodeValues(parameters, change.tamper(values));
        return { result: changeLog(honest.result, index, data) };
      }),
    );
  });
}

function logsIn(result: unknown): unknown[] {
  if (Array.isArray(result)) return result;
  return isObject(result) && Array.isArray(result['logs']) ? result['logs'] : [];
}

function changeLog(result: unknown, index: number, data: Hex): unknown {
  const logs = logsIn(result).map((log, at) => (at === index && isObject(log) ? { ...log, data } : log));
  return Array.isArray(result) ? logs : isObject(result) ? { ...result, logs } : result;
}

function eventOf(log: unknown) {
  if (!isObject(log) || !Array.isArray(log['topics']) || !isHex(log['data'])) return undefined;
  const topic = log['topics'][0];
  const event = contentRegistryAbi
    .filter((item) => item.type === 'event')
    .find((item) => toEventSelector(item) === topic);
  const parameters = event?.inputs.filter((input) => !input.indexed);
  return parameters && { name: event?.name ?? '', parameters, data: log['data'] };
}

/** The same lie in every result that could give it away: about the time, the manifest and the hash of its record. */
function listConsistentLies(single: readonly NodeLie[]): NodeLie[] {
  const together = (name: string, ...patterns: readonly RegExp[]): NodeLie => {
    const lies = single.filter((lie) => patterns.some((pattern) => pattern.test(lie.name)));
    return {
      name: `${name} (${lies.length} results)`,
      tamper: (call, honest) => lies.reduce((reply, lie) => lie.tamper(call, reply), honest),
    };
  };
  const earlier = /changed to \d+$/;
  return [
    together(
      'an earlier time in the entry and all blocks',
      new RegExp(`${ENTRY} /timestamp ${earlier.source}`),
      /eth_getBlockBy\w+ \/timestamp changed to \d+$/,
    ),
    together(
      'another hash of the record',
      new RegExp(`${ENTRY} /manifestHash changed`),
      /ManifestRegistered .*\/manifestHash changed/,
    ),
    together(
      'another manifest',
      new RegExp(`${ENTRY} /manifestId changed`),
      /SoftBindingRegistered .*\/manifestId changed/,
    ),
    together('no logs, another registrar', new RegExp(`${ENTRY} /registeredBy changed`), /eth_getLogs refused/),
    together('no logs, another time', new RegExp(`${ENTRY} /timestamp changed`), /eth_getLogs refused/),
    together('no logs and another chain', /eth_chainId \/ changed/, /eth_getLogs refused/),
  ];
}
