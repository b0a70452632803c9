// A process of its own for part c: address of the operator's database and of a migrated, empty
// mirror, and what to do: `pull` (fill the mirror), `chain` (the hash chain over its lines alone),
// `run` (a whole first run) or `copy` (the least: COPY piped into COPY). A sample as JSON out.

import { pipeline } from 'node:stream/promises';
import { from, to } from 'pg-copy-streams';
import { beginChain, extendChain } from '../src/io/evidence/chain.ts';
import type { StoredLine } from '../src/io/evidence/line-text.ts';
import { openPostgresSource } from '../src/io/sources/postgres/open-postgres-source.ts';
import { POSTGRES_DEFAULTS } from '../src/io/sources/postgres/postgres-settings.ts';
import { withMerchantLock } from '../src/io/storage/merchants/merchant-lock.ts';
import { openMirrorSnapshot } from '../src/io/storage/mirror/read/mirror-snapshot.ts';
import { mirrorMerchant } from '../src/service/workflows/mirror/mirror-merchant.ts';
import { MERCHANT } from './books.ts';
import { withClient, withStore } from './databases.ts';
import { runOnce } from './mirrors.ts';

const [operator = '', mirror = '', what = ''] = process.argv.slice(2);
const source = openPostgresSource({ connectionString: operator, ...POSTGRES_DEFAULTS });

const milliseconds = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint`;

const ENTRIES = {
  out: `select 1, 1, sequence, 0, amount, balance_after, reserved_after, ${milliseconds('created_at')}, direction, kind,
    currency, id, operation_reference, description from ledger_entries order by sequence`,
  into: `entries (merchant_id, intake, sequence, variant, amount, balance_after, reserved_after, created_at, direction,
    kind, currency, entry_id, operation_reference, description)`,
};

const OPERATIONS = {
  out: `select 1, 1, 1, amount, fees, net_amount, ${['created_at', 'updated_at', 'completed_at', 'expires_at'].map(milliseconds).join(', ')},
    requires_payer_action, reference, type, status, currency, country, operator, external_reference, payer_action_url,
    failure_code from operations order by created_at`,
  into: `operation_versions (merchant_id, intake, version, amount, fees, net_amount, created_at, updated_at,
    completed_at, expires_at, requires_payer_action, reference, type, status, currency, country, operator,
    external_reference, payer_action_url, failure_code)`,
};

async function copyAcross(): Promise<void> {
  await withClient(operator, (theirs) =>
    withClient(mirror, async (ours) => {
      for (const { out, into } of [ENTRIES, OPERATIONS]) {
        const reading = theirs.query(to(`copy (${out}) to stdout`));
        await pipeline(reading, ours.query(from(`copy ${into} from stdin`)));
      }
    }),
  );
}

async function pull(): Promise<void> {
  await withStore(mirror, async (store) => {
    await withMerchantLock(store, MERCHANT, (lease) =>
      mirrorMerchant({ store, source, lease, since: null, now: Date.now(), onProgress: () => {} }),
    );
  });
}

async function runFirst(): Promise<void> {
  await withStore(mirror, (store) => runOnce(store, source, Date.now()));
}

/** Computes the hash chain over the lines, in pages as large as those of a pull. */
async function chain(): Promise<void> {
  await pull();
  await withStore(mirror, async (store) => {
    const lines: StoredLine[] = [];
    const snapshot = await openMirrorSnapshot(store, {
      merchant: MERCHANT,
      after: null,
      watermark: null,
    });
    for await (const { rows } of snapshot.entries())
      for (const entry of rows) lines.push({ entry, variant: 0 });
    await snapshot.close();
    let state = beginChain(MERCHANT);
    started = performance.now();
    for (let from = 0; from < lines.length; from += 10_000)
      ({ state } = extendChain(state, lines.slice(from, from + 10_000)));
    seconds = (performance.now() - started) / 1_000;
  });
}

let [started, seconds]: [number, number | null] = [0, null];
const work = { pull, chain, run: runFirst, copy: copyAcross }[what];
if (work === undefined) throw new Error(`there is nothing called '${what}'`);
started = performance.now();
await work();
process.stdout.write(JSON.stringify({ seconds: seconds ?? (performance.now() - started) / 1_000 }));
await source.close();
