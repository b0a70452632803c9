// A night over merchants whose books are in different places. One place that is down concerns the
// merchants of that place alone.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditDocument } from '../../src/core/kernel/reconcile/audit-document.ts';
import { planMerchant } from '../../src/sandbox/model/plan.ts';
import { pointage } from '../support/command.ts';
import { withTestStore } from '../support/database-store.ts';
import { makeHttpBooks } from '../support/http-books.ts';
import { credentialsOf, type HttpService, startHttpService } from '../support/http-service.ts';
import { EVENING } from '../support/nightly-run.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';

let scratch: string;
let service: HttpService;
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'pointage-several-'));
  const plan = planMerchant({ reference: 'IN_FILES' });
  const until = plan.opensAt + 3 * 86_400_000;
  for (const [folder, reference] of [
    ['all', 'IN_FILES'],
    ['other', 'IN_OTHER_FILES'],
  ] as const) {
    await writeBundle(
      join(scratch, folder, reference),
      simulateBooks({ ...plan, reference }, { seed: 'x', until }),
    );
  }
  service = await startHttpService({ OVER_HTTP: makeHttpBooks('OVER_HTTP', 60) });
  service.clockOffset = EVENING - Date.now();
});
afterAll(async () => {
  await service.close();
  rmSync(scratch, { recursive: true, force: true });
});

async function run(
  databaseUrl: string,
  ...words: readonly string[]
): Promise<AuditDocument & { status: number }> {
  const config = join(scratch, 'config.json');
  const settings = {
    source: `file:${join(scratch, 'all')}`,
    merchants: {
      IN_OTHER_FILES: { source: `file:${join(scratch, 'other')}` },
      OVER_HTTP: { source: service.baseUrl, ...credentialsOf('OVER_HTTP') },
      DOWN: { source: 'postgres://nobody:hidden@127.0.0.1:1/none' },
      NOWHERE: { source: 'ftp://hidden@host' },
    },
  };
  writeFileSync(config, JSON.stringify(settings));
  const flags = ['--config', config, '--database-url', databaseUrl, '--format', 'json'];
  const ended = await pointage(['run', ...words, ...flags], { clock: () => EVENING });
  expect(ended.out + ended.err).not.toContain('hidden');
  return { ...(JSON.parse(ended.out) as AuditDocument), status: ended.status };
}

const verdictsOf = (document: AuditDocument) =>
  Object.fromEntries(document.merchants.map(({ merchant, verdict }) => [merchant, verdict]));

test('each merchant is read where it is, and only those are incomplete whose place is down or not one', async () => {
  await withTestStore(async (_, databaseUrl) => {
    const document = await run(databaseUrl);
    expect(verdictsOf(document)).toEqual({
      DOWN: 'incomplete',
      IN_FILES: 'clean',
      IN_OTHER_FILES: 'clean',
      NOWHERE: 'incomplete',
      OVER_HTTP: 'clean',
    });
    expect(document.status).toBe(2);
    expect(document.source).toBe(`file:${join(scratch, 'all')} and 4 sources of single merchants`);
    const whyOf = (name: string) =>
      document.merchants.find(({ merchant }) => merchant === name)?.notChecked[0]?.why;
    expect(whyOf('DOWN')).toMatch(/^UNREACHABLE/);
    expect(whyOf('NOWHERE')).toMatch(/^UNKNOWN_SOURCE/);
    const one = await run(databaseUrl, 'OVER_HTTP');
    expect([one.status, verdictsOf(one)]).toEqual([0, { OVER_HTTP: 'clean' }]);
  });
});

test('an address on the command line applies to every merchant', async () => {
  await withTestStore(async (_, databaseUrl) => {
    const document = await run(databaseUrl, '--source', `file:${join(scratch, 'other')}`);
    expect(verdictsOf(document)).toEqual({ IN_OTHER_FILES: 'clean' });
  });
});
