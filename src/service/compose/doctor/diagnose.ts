// Looks at everything that a night depends on, at once and within a bounded time, and changes none of it.

import { newestReady } from '../../../core/checks/reports/choose-reports.ts';
import { unmappedIn } from '../../../core/checks/reports/read-summary.ts';
import type { ServiceReport } from '../../../core/domain/service-report.ts';
import { summaryKeysOf } from '../../../core/domain/summary-keys.ts';
import { hasCluster } from '../../../io/storage/server/embedded/location.ts';
import { openStore } from '../../../io/storage/server/open-store.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { openConfiguredDashboard, type Surroundings } from '../open-configured.ts';
import { type Diagnosis, type Examination, examineAll, good, idle } from './examination.ts';
import { examineDeliveries } from './examine-deliveries.ts';
import { examineIdentities } from './examine-identities.ts';
import { examineMachine } from './examine-machine.ts';
import { examineSource } from './examine-source.ts';
import { examineStore } from './examine-store.ts';
import { examineWaysOut } from './examine-ways-out.ts';

export interface DoctorTask {
  readonly configuration: Configuration;
  readonly surroundings: Surroundings;
  /** A text without secrets. */
  readonly conceal: (text: string) => string;
  /** Milliseconds for each examination. */
  readonly patience: number;
  /** Ask every merchant, which takes the time it takes; else a few. */
  readonly all?: boolean;
}

/** Merchants whose credentials are tried, where not all are asked. */
const MOST_ASKED = 20;

/** In the order in which a person would look. Never fails: what cannot be looked at is broken. */
export async function diagnose(task: DoctorTask): Promise<readonly Diagnosis[]> {
  const { configuration, surroundings, conceal, patience, all = false } = task;
  const { databaseUrl, dataDirectory } = configuration;
  const stop = new AbortController();
  const merchants = Object.keys(configuration.merchants).length;
  const most = all ? Math.max(merchants, MOST_ASKED) : MOST_ASKED;
  const asking = { surroundings, stop: stop.signal, most, turns: Math.ceil(most / MOST_ASKED) };
  const isMade = databaseUrl !== undefined || hasCluster(dataDirectory);
  const store = isMade ? openStore({ databaseUrl: databaseUrl ?? null, dataDirectory }) : null;
  // A caller who asks for it is answered; an embedded server that is late is not waited for.
  const closed = store?.then(
    (opened) => () => opened.close(),
    () => async () => {},
  );
  const diagnoses = await examineAll(
    [
      ...examineStore(configuration, { store, clock: surroundings.clock }),
      ...examineSource(configuration, asking),
      examineDeliveries(configuration, asking),
      examineDashboard(configuration, surroundings),
      examineIdentities(configuration, asking),
      ...examineWaysOut(configuration, patience),
      ...examineMachine(configuration),
    ],
    { patience, conceal },
  );
  stop.abort();
  await Promise.race([
    closed?.then((close) => close()),
    new Promise((resolve) => setTimeout(resolve, patience).unref()),
  ]);
  return diagnoses;
}

/** So that keys can be mapped before a report is compared. */
function unmappedNote(reports: readonly ServiceReport[], { summaryKeys }: Configuration): string {
  const summary = newestReady(reports)?.summary;
  const unmapped = [...unmappedIn(summary ?? {}, summaryKeysOf(summaryKeys))].slice(0, 20);
  if (unmapped.length === 0) return '';
  return `; of its newest report, summaryKeys does not map ${unmapped.map((name) => name.slice(0, 80)).join(', ')}`;
}

function examineDashboard(configuration: Configuration, surroundings: Surroundings): Examination {
  return {
    what: 'dashboard',
    todo: 'see that dashboard.baseUrl is right, and numero and password of the merchant',
    examine: async () => {
      if (configuration.dashboard === undefined) return idle('not configured');
      const once = { ...configuration.dashboard, retries: { ...configuration.dashboard.retries, attempts: 1 } };
      const opened = await openConfiguredDashboard({ ...configuration, dashboard: once }, undefined, surroundings);
      const { dashboard } = opened!;
      try {
        const [merchant] = await dashboard.merchants();
        if (merchant === undefined) return idle('no merchant has a numero and a password for it');
        const snapshot = await dashboard.open(merchant);
        const { rows } = await snapshot.reports();
        return good(`${dashboard.name} answers ${merchant}${unmappedNote(rows, configuration)}`);
      } finally {
        await dashboard.close();
      }
    },
  };
}
