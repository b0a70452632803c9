// `pointage lab demo --keep`: serves the console over the demonstration's books and works for it,
// until a signal stops the process. Each Enter lives through another day and its night. It also
// posts a correction, which the payment service would do by hand.

import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditReport } from '../../../core/domain/finding.ts';
import { DAY, formatInstant } from '../../../core/domain/instant.ts';
import { invariant } from '../../../core/domain/invariant.ts';
import type { Sandbox } from '../../../sandbox/service/start-sandbox.ts';
import { type Service, withService } from '../../compose/service.ts';
import { isIdle, OF_NIGHTS, startServiceWorker, workNight } from '../../compose/service-worker.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { withServing } from '../commands/serving.ts';
import { type Stage, stopRequested } from '../stage/stage.ts';
import { paint } from '../stage/terminal.ts';

const ROLES = ['decider', 'publisher', 'auditor'] as const;
const GRACE_SECONDS = 10;
const POLL_EVERY = 100;
/** A merchant that was credited twice in its simulated history. */
const CORRECTED = 'PHARMACIE_SAHEL_DEMO';

export interface KeptDemonstration {
  readonly sandbox: Sandbox;
  readonly port: number;
  /** The reports of the demonstration's last night. */
  readonly reports: readonly AuditReport[];
}

/**
 * Serves the demonstration until a signal stops the process. The clock of `stage` must be the
 * simulated time.
 */
export async function keepDemonstration(
  stage: Stage,
  configuration: Configuration,
  { sandbox, port, reports }: KeptDemonstration,
): Promise<void> {
  const { terminal } = stage;
  // Two, so that one can confirm what the other proposes.
  const operators = ['first', 'second'].map((name) => {
    return {
      name,
      token: randomBytes(16).toString('base64url'),
      roles: [...ROLES],
      merchant: null,
    };
  });
  const kept = { ...configuration, server: { ...configuration.server, operators } };
  await withServing(stage, kept, { host: '127.0.0.1', port }, ({ origin }) =>
    withService(kept, stage, async (service) => {
      const worker = await startServiceWorker(service);
      try {
        await correct(sandbox, reports);
        await liveOn(stage, service, sandbox);
        terminal.out(`\n${paint(terminal, 'bold', `The console: ${origin}/`)}\n`);
        for (const { name, token } of operators) terminal.out(`  ${name}: ${token}\n`);
        terminal.out(
          '  Log in with one of these tokens. Enter lives through another day and night; Ctrl-C ends.\n',
        );
        await liveOnAsAsked(stage, service, sandbox);
      } finally {
        await worker.stop(GRACE_SECONDS);
      }
    }),
  );
}

async function liveOnAsAsked(stage: Stage, service: Service, sandbox: Sandbox): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  let living = Promise.resolve();
  lines.on('line', () => {
    living = living.then(() => liveOn(stage, service, sandbox));
  });
  await stopRequested();
  lines.close();
  await living;
}

/** Lives through a day and its night, and waits for the months that are over by then. */
async function liveOn({ terminal }: Stage, service: Service, sandbox: Sandbox): Promise<void> {
  await sandbox.advanceTo(sandbox.now() + DAY);
  const { runId, verdicts, startedAt } = await workNight(service);
  while (!(await isIdle(service, OF_NIGHTS))) await sleep(POLL_EVERY);
  terminal.out(
    `Night ${runId}, ${formatInstant(startedAt)}: ${verdicts.clean} clean, ${verdicts.broken} broken.\n`,
  );
}

/**
 * Posts what is proposed for the merchant's first root. The line that it posts does not name the
 * fault, so that a person must settle the root by it.
 */
async function correct({ origin }: Sandbox, reports: readonly AuditReport[]): Promise<void> {
  const root = reports
    .find(({ merchant }) => merchant === CORRECTED)
    ?.findings.find(({ proposal }) => proposal);
  for (const { direction, amount } of root?.proposal ?? []) {
    const answer = await fetch(`${origin}/sandbox/merchants/${CORRECTED}/adjustments`, {
      method: 'POST',
      body: JSON.stringify({ direction, amount: Number(amount), description: 'Régularisation' }),
    });
    invariant(answer.ok, `the sandbox answered ${answer.status} to a correction`);
  }
}
