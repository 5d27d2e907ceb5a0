#!/usr/bin/env node
// The `provenance-server` command: starts the service and stops it on signals, or runs another command.

import { pino } from 'pino';
import { failAudit, runAuditCommand } from './auditCommand.js';
import { describeError, exitOnConfigError, printMessage } from './bootstrap.js';
import { type Config, ConfigError, loadConfig, secretSettings, settings } from './config.js';
import { failRegistrarCommand, runRegistrarCommand } from './registrarCommand.js';
import { openRegistry } from './registry.js';

/** A stop must take at most ten seconds. */
const STOP_MS = 9_500;

const EXIT_FAILED = 1;

const logger = pino({ timestamp: pino.stdTimeFunctions.isoTime, base: null });

async function serve(): Promise<void> {
  const config = loadConfig(process.env);
  logger.level = config.logLevel;
  const registry = await openRegistry(config, { logger, notify: printMessage, onDatabaseLost: fail });
  stopOnSignals(registry.close);
  await registry.listen();
  announce(config);
}

function announce(config: Config): void {
  logger.info({ pid: process.pid, role: config.role, baseUrl: config.baseUrl, dataDir: config.dataDir }, 'started');
  printMessage(`The provenance registry is ready.
  Page           ${config.baseUrl}/
  API reference  ${config.baseUrl}/api/reference
${config.rpcUrl === undefined ? `  Chain          http://127.0.0.1:${config.chainPort}\n` : ''}  Data folder    ${config.dataDir}`);
}

function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(EXIT_FAILED);
    stopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => fail(new Error('could not stop in time')), STOP_MS).unref();
    stop().then(() => process.exit(0), fail);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
}

function printHelp(): void {
  const lines = Object.entries(settings).map(
    ([name, [fallback, meaning]]) => `  ${name}\n      ${meaning} (default: ${fallback})`,
  );
  process.stdout.write(`provenance-server        starts the service
provenance-server audit  finds where database, published files and chain disagree (see audit --help)
provenance-server registrar  grants and revokes the role that writes on chain (see registrar --help)

The provenance registry is configured by environment variables:\n\n${lines.join('\n')}

A secret can also be read from a file, whose path is in the setting with _FILE at its end:
${secretSettings.map((name) => `  ${name}_FILE\n`).join('')}`);
}

function fail(error: unknown): never {
  exitOnConfigError(error);
  logger.fatal({ err: error }, 'stopped');
  printMessage(describeError(error));
  process.exit(EXIT_FAILED);
}

const [command, ...rest] = process.argv.slice(2);
if (command === 'audit') runAuditCommand(rest).then((code) => process.exit(code), failAudit);
else if (command === 'registrar') {
  runRegistrarCommand(rest, process.env).then((code) => process.exit(code), failRegistrarCommand);
} else if (command === '--help') printHelp();
else if (command === undefined) serve().catch(fail);
else fail(new ConfigError([`${command}: unknown command; see --help`]));
