// Runs the examples of the OpenAPI document against a service, in the order of the operations, as one user would.

import { api, type Operation } from '@provenance-registry/core';
import { Value } from 'typebox/value';
import { expect } from 'vitest';
import { type MailServer, startMailServer } from '../../../../test/support/mailServer.js';
import { freePort } from '../../../../test/support/ports.js';
import { call, type Service, startService } from '../../../../test/support/service.js';
import { createPreparations, variables } from './exampleCases.js';

const OPERATOR_TOKEN = 'operator-of-this-test';

export type Language = 'shell' | 'typescript' | 'python';

export interface ExampleService extends Service {
  readonly mailServer: MailServer;
}

/** Examples register the same fingerprint and address in every language, so each language needs a service of its own. */
export async function startExampleService(): Promise<ExampleService> {
  const mailServer = await startMailServer();
  const service = await startService({
    ...{ OPERATOR_TOKEN, ...mailServer.settings, DOWNLOADS_SECONDS: '1' },
    // A chain of its own, whose contract anchors the log.
    ...{ CHAIN_PORT: String(await freePort()), LOG_ANCHOR_SECONDS: '1' },
  });
  return { ...service, mailServer };
}

/** Runs the example of each operation, and checks the JSON that it gets. */
export async function runExamples(
  service: ExampleService,
  language: Language,
  runExample: (operation: Operation, source: string, env: Record<string, string>) => Promise<unknown>,
): Promise<void> {
  const sources = await readSamples(service, language);
  const preparations = createPreparations(service, service.mailServer);
  const shell: Record<string, string> = { PATH: process.env['PATH'] ?? '', OPERATOR_TOKEN };
  for (const operation of Object.values<Operation>(api)) {
    const env = { ...shell, ...(await preparations[operation.id]?.(shell)) };
    const result = await runExample(operation, sources.get(operation.id) ?? '', env).catch((cause: Error) => {
      throw new Error(`${operation.id}: ${cause.message}`, { cause });
    });
    if (!operation.success.schema || !isJson(operation)) continue;
    expect([operation.id, Value.Errors(operation.success.schema, result)]).toEqual([operation.id, []]);
    // The schema has just been checked.
    Object.assign(shell, variables[operation.id]?.(result as Parameters<(typeof variables)[string]>[0]));
  }
}

export function isJson({ success }: Operation): boolean {
  return success.schema !== undefined && success.mediaType === undefined;
}

/** By operation. They name the URL of the service that runs them. */
export async function readSamples(service: Service, language: Language): Promise<Map<string, string>> {
  const { paths } = (await call(service, 'GET', '/api/openapi.json')).body;
  return new Map(
    Object.values<Operation>(api).map(({ id, path, method }) => {
      const samples: { lang: string; source: string }[] = paths[path][method.toLowerCase()]['x-codeSamples'];
      return [id, samples.find(({ lang }) => lang === language)?.source ?? ''];
    }),
  );
}
