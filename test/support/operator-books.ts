// Books of several merchants in a mirror of their own, some of them wrong, and a server that
// operators may ask about them.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Operator, Role } from '../../src/core/domain/operators/role.ts';
import { openFileSource } from '../../src/io/sources/file/open-file-source.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { operatorBackendFor } from '../../src/service/compose/auditing.ts';
import type { Configuration } from '../../src/service/config/check-configuration.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { ENGINE } from '../../src/service/engine.ts';
import type { JobRequest } from '../../src/service/workflows/jobs.ts';
import { runMerchants } from '../../src/service/workflows/nightly/run-merchants.ts';
import {
  type Operators,
  openOperators,
} from '../../src/service/workflows/operators/known-operators.ts';
import { openTestStore } from './database-store.ts';
import { optionsAt } from './nightly.ts';
import { plantNamed } from './plant-named.ts';
import { writeBundle } from './sandbox-bundle.ts';
import { simulateBooks } from './simulate-books.ts';

export const OPERATOR = operatorOf('controle', ['decider', 'publisher', 'auditor', 'metrics']);

export function operatorOf(
  name: string,
  roles: readonly Role[],
  merchant: string | null = null,
): Operator & { readonly token: string } {
  return { name, roles, merchant, token: randomUUID() + randomUUID() };
}

export interface OperatorBooks {
  readonly folder: string;
  readonly store: Store;
  readonly databaseUrl: string;
  /** The configuration, whose `source` is the folder of the books. */
  readonly configuration: Configuration;
  close(): Promise<void>;
}

/**
 * Opens books of merchants by reference, each with the named faults, from `opensAt` on, and reads
 * them into the mirror at `readAt`.
 */
export async function openOperatorBooks(
  merchants: Readonly<Record<string, readonly string[]>>,
  { opensAt, readAt }: { readonly opensAt: number; readonly readAt: number },
): Promise<OperatorBooks> {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-operator-'));
  for (const [reference, names] of Object.entries(merchants)) {
    const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 6, reversalRate: 0.1 };
    const plan = planMerchant({ reference, country: 'CM', opensAt, traffic });
    const { books } = plantNamed(simulateBooks(plan, { seed: reference, until: readAt }), {
      names,
      seed: reference,
    });
    await writeBundle(join(folder, reference), books);
  }
  const opened = await openTestStore();
  const { store, databaseUrl } = opened;
  const source = await openFileSource(folder);
  await runMerchants({
    store,
    source,
    engine: ENGINE,
    clock: () => readAt,
    merchants: [],
    optionsFor: (_, asOf) => optionsAt(asOf),
    onMerchant: () => () => {},
  });
  await source.close();
  const configuration = {
    ...(await loadConfiguration({ source: `file:${folder}`, databaseUrl }, {})),
    graceMinutes: 0,
  };
  return {
    folder,
    store,
    databaseUrl,
    configuration,
    close: async () => {
      await opened.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface OperatorEntrance {
  readonly operators: Operators;
  readonly findOperator: Operators['ofToken'];
  readonly backend: ReturnType<typeof operatorBackendFor>;
  /** Jobs that were sent to the queue, in order. */
  readonly sent: JobRequest[];
}

/** Returns what a server needs to serve operators. Jobs are only noted. */
export function entranceTo(
  { configuration, store }: Pick<OperatorBooks, 'configuration' | 'store'>,
  clock: () => number,
  log: (event: object) => void = () => {},
  others: readonly (Operator & { readonly token: string })[] = [],
): OperatorEntrance {
  const sent: JobRequest[] = [];
  const jobs = {
    send: async (requests: readonly JobRequest[]) => {
      sent.push(...requests);
    },
  };
  const configured = [OPERATOR, ...others];
  const server = {
    ...configuration.server,
    operators: configured.map((one) => ({ ...one, roles: [...one.roles] })),
  };
  const backend = operatorBackendFor({ ...configuration, server }, store, { clock, log, jobs });
  const operators = openOperators({ configured, store, clock });
  return { operators, findOperator: operators.ofToken, backend, sent };
}
