// `provenance-server` without arguments: starts the service and stops it on signals.

import { once } from 'node:events';
import { pino } from 'pino';
import { openRegistry, type Registry } from '../composition/registry.js';
import { type Config, ConfigError, loadConfig } from '../config/config.js';
import type { StopSignals } from '../jobs/closers.js';
import { describeError, printMessage, reportFailure } from './command.js';
import { describeData } from './describeData.js';

/** A stop must take at most ten seconds, of which this is for an orderly one, */
const STOP_MS = 7_500;
/** and this for a quick one. */
const HURRY_MS = 2_000;
/** npm passes on a signal that the service has received from the terminal as well: within this time, it is the same one. */
const REPEATED_SIGNAL_MS = 500;

const EXIT_FAILED = 1;

const logger = pino({
  timestamp: pino.stdTimeFunctions.isoTime,
  base: null,
  // PostgreSQL puts the values of a row there: fingerprints, names and addresses.
  redact: { paths: ['err.detail', 'err.where'], remove: true },
});

export function startService(): void {
  serve().catch(fail);
}

async function serve(): Promise<void> {
  const config = loadConfig(process.env);
  logger.level = config.logLevel;
  const stop = listenForSignals();
  const host = { logger, notify: printMessage, onDatabaseLost: fail, stop };
  const registry = await openRegistry(config, host).catch((error: unknown) => {
    if (stop.requested.aborted) process.exit(0);
    throw error;
  });
  await registry.listen();
  announce(config, registry);
  if (!stop.requested.aborted) await once(stop.requested, 'abort');
  await registry.close();
  process.exit(stop.hurried.aborted ? EXIT_FAILED : 0);
}

function announce(config: Config, { developmentChain }: Registry): void {
  logger.info({ pid: process.pid, role: config.role, baseUrl: config.baseUrl, dataDir: config.dataDir }, 'started');
  const rows = [
    ['Page', `${config.baseUrl}/`],
    ['API reference', `${config.baseUrl}/api/reference`],
    ...(developmentChain
      ? [
          ['Chain', developmentChain.url],
          ['Contract', developmentChain.contract],
        ]
      : []),
    ...describeData(config),
  ];
  const lines = rows.map(([name = '', value]) => `  ${name.padEnd(13)}  ${value}`);
  printMessage(['The provenance registry is ready.', ...lines].join('\n'));
}

/** The first signal stops the service in order. A second one, or too much time, leaves out whatever is not needed. */
function listenForSignals(): StopSignals {
  const requested = new AbortController();
  const hurried = new AbortController();
  let requestedAt: number | undefined;
  function hurry(): void {
    if (hurried.signal.aborted) return;
    logger.warn('stopping at once');
    hurried.abort();
    setTimeout(() => process.exit(EXIT_FAILED), HURRY_MS);
  }
  const onSignal = (signal: NodeJS.Signals) => {
    if (requestedAt === undefined) {
      requestedAt = Date.now();
      logger.info({ signal }, 'stopping');
      setTimeout(hurry, STOP_MS);
      requested.abort(new Error('stopped by a signal'));
    } else if (Date.now() - requestedAt > REPEATED_SIGNAL_MS) hurry();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
  return { requested: requested.signal, hurried: hurried.signal };
}

function fail(error: unknown): never {
  if (!(error instanceof ConfigError)) logger.fatal({ err: error }, 'stopped');
  process.exit(reportFailure(error, printMessage, { describeFailure: describeError, exitCodeOfFailure: EXIT_FAILED }));
}
