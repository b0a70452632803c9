// Mirrors to measure on: filled once from the books by the workflow that fills any mirror, then
// left alone.

import type { Instant } from '../src/core/domain/instant.ts';
import { openFileSource } from '../src/io/sources/file/open-file-source.ts';
import type { Source } from '../src/io/sources/port/source.ts';
import type { Store } from '../src/io/storage/server/store.ts';
import { judgingOf } from '../src/service/compose/open-configured.ts';
import { loadConfiguration } from '../src/service/config/load-configuration.ts';
import { ENGINE } from '../src/service/engine.ts';
import type { MerchantOutcome } from '../src/service/workflows/nightly/merchant-task.ts';
import { runMerchants } from '../src/service/workflows/nightly/run-merchants.ts';
import { MERCHANT, type MeasuredBooks } from './books.ts';
import { type BenchServer, withClient, withStore } from './databases.ts';

export const CONFIGURATION = await loadConfiguration({}, {});

/**
 * Runs once over the benchmark's merchant, as `pointage run` does. Throws when sound books are not
 * found clean.
 */
export async function runOnce(
  store: Store,
  source: Source,
  now: Instant,
): Promise<MerchantOutcome> {
  const outcome = await runMerchants({
    store,
    source,
    engine: ENGINE,
    clock: () => now,
    merchants: [MERCHANT],
    optionsFor: (merchant, asOf) => judgingOf(CONFIGURATION, merchant, { asOf, stateless: false }),
    onMerchant: () => () => {},
  });
  const [merchant] = outcome.merchants;
  if (merchant?.report.verdict !== 'clean') {
    const { findings, notChecked } = merchant!.report;
    throw new Error(
      `sound books were found ${merchant!.report.verdict}: ${JSON.stringify({ findings, notChecked }).slice(0, 2_000)}`,
    );
  }
  return merchant;
}

/** Returns the name of a database with the mirror of `books`, which is filled the first time. */
export async function mirrorOf(
  server: BenchServer,
  books: MeasuredBooks,
  name = `mirror_${books.form}_${books.lines}`,
): Promise<string> {
  if (await server.has(name)) return name;
  const unfinished = `${name}_part`;
  await server.drop(unfinished);
  await server.create(unfinished);
  await withStore(server.urlOf(unfinished), async (store) => {
    const source = openFileSource(books.folder);
    await runOnce(store, source, books.asOf);
    await source.close();
  });
  // Vacuum now, so that no automatic vacuum falls into a measurement.
  await withClient(server.urlOf(unfinished), (client) => client.query('vacuum (analyze)'));
  await server.rename(unfinished, name);
  return name;
}
