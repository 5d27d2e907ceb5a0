// A website whose page has the SDK, bundled by Vite and by esbuild; its Content-Security-Policy forbids eval.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { getBrowser } from '../../../../test/support/browser.js';
import { temporaryFolder } from '../../../../test/support/service.js';

export const bundlers = ['vite', 'esbuild'] as const;
type Bundler = (typeof bundlers)[number];

const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src *";
const mediaTypes: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};
const NODE_PATH = '/node';

interface SdkSite {
  readonly url: string;
  /** Relays to the node of a chain, which refuses pages of other origins than the service's. */
  readonly nodeUrl: string;
  relayTo(rpcUrl: string): void;
  openPage(bundler: Bundler): Promise<Page>;
  /** What the pages wrote on the console, and their errors. */
  readonly messages: readonly string[];
}

export async function startSdkSite(): Promise<SdkSite> {
  const folder = await temporaryFolder();
  const [script, root] = ['./bundlePage.mjs', './page'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  await promisify(execFile)(process.execPath, [script ?? '', root ?? '', folder], { env: {} });
  let relayedNode = '';
  const server = createServer(async (request, response) => {
    if (request.url === NODE_PATH) {
      const headers = { 'content-type': 'application/json' };
      const body = Buffer.concat(await request.toArray());
      response.end(await (await fetch(relayedNode, { method: 'POST', headers, body })).text());
      return;
    }
    if (request.url?.startsWith('/moved/')) return void response.writeHead(302, { location: '/elsewhere' }).end();
    const path = request.url?.replace(/\/$/, '/index.html') ?? '';
    const bytes = await readFile(join(folder, path)).catch(() => undefined);
    const headers = { 'content-type': mediaTypes[extname(path)] ?? '', 'content-security-policy': policy };
    response.writeHead(bytes ? 200 : 404, headers).end(bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const messages: string[] = [];
  return {
    url,
    nodeUrl: `${url}${NODE_PATH}`,
    relayTo(rpcUrl) {
      relayedNode = rpcUrl;
    },
    async openPage(bundler) {
      const page = await (await getBrowser()).newPage();
      page.on('console', (message) => messages.push(message.text()));
      page.on('pageerror', (error) => messages.push(error.message));
      // Its module has run when the page is loaded.
      await page.goto(`${url}/${bundler}/`);
      return page;
    },
    messages,
  };
}

/** Runs code in the page, where `sdk` has the SDK's exports. */
export function runInPage<T>(page: Page, work: string, argument?: unknown): Promise<T> {
  return page.evaluate(`(${work})(${JSON.stringify(argument)})`);
}
