// A service that serves only the last lines: night after night the oldest lines are no longer
// served, nor are their operations. That is one finding, accepted once. Judging goes on from what
// was read, and whatever else happens to lines is found as before.

import { expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { DAY } from '../../src/core/domain/instant.ts';
import { auditSource } from '../../src/service/workflows/audit/audit-source.ts';
import { compareMirrored } from '../../src/service/workflows/mirror/compare-mirrored.ts';
import { makeLine, makeOperation } from '../support/http-books.ts';
import { openSource } from '../support/http-reader.ts';
import { acceptFinding } from '../support/known-findings.ts';
import { EVENING, JUDGED } from '../support/nightly-run.ts';
import { nightlyService } from '../support/nightly-service.ts';

const LINES = 60;
const AT_ONCE = 10;

const nights = nightlyService(LINES);
const { books } = nights;
let count = 0;

async function night(more: object = {}): Promise<AuditReport> {
  const now = EVENING + DAY * ++count;
  return (await nights.night({}, { clock: () => now, ...more })).report;
}

const REREAD = {
  reread: { at: EVENING, by: 'amina', reason: 'the service keeps thirteen months' },
};

/** Takes away the oldest lines and operations, and adds six new ones. */
function goOn(gone = AT_ONCE): void {
  const { ledger, operations } = books();
  ledger.splice(0, gone);
  const from = String(ledger[0]!.createdAt);
  books().operations = operations.filter(({ createdAt }) => String(createdAt) >= from);
  for (let i = 0; i < 6; i += 1) {
    const last = Number(ledger.at(-1)!.sequence) + 1;
    ledger.push({ ...makeLine(last), balanceAfter: Number(ledger.at(-1)!.balanceAfter) + 1_000 });
    books().operations.push(makeOperation(last));
    const balance = Number(ledger.at(-1)!.balanceAfter);
    books().wallet = {
      ...books().wallet,
      balance,
      available: balance,
      totalCollected: last * 1_000,
    };
  }
}

const rootsIn = ({ findings }: AuditReport) =>
  findings.flatMap(({ kind, sequence, severity, accepted, causedBy }) =>
    causedBy === null
      ? [`${kind} ${sequence}, ${accepted === null ? severity : `accepted, ${severity}`}`]
      : [],
  );

const said = (report: AuditReport) => [report.verdict, ...rootsIn(report)];

test('is one finding, accepted once, and clean from then on, also when what is altered is read anew', async () => {
  expect(said(await night())).toEqual(['clean']);
  goOn();
  const first = await night();
  expect(said(first)).toEqual(['broken', 'HISTORY_NO_LONGER_SERVED 1, error']);
  expect(first.findings[0]!.message).toContain(
    'The oldest 10 lines, 1 to 10, are no longer served: the ledger begins with line 11 of 2026-11-01',
  );
  goOn();
  const second = await night();
  expect(said(second)).toEqual(['broken', 'HISTORY_NO_LONGER_SERVED 1, error']);
  expect(second.findings[0]).toMatchObject({ figures: { lines: '20', last: '20', oldest: '21' } });
  await acceptFinding(nights.store, 'HISTORY_NO_LONGER_SERVED');
  for (const more of [{}, {}, REREAD, {}]) {
    goOn();
    const report = await night(more);
    expect(said(report)).toEqual(['clean', 'HISTORY_NO_LONGER_SERVED 1, accepted, info']);
    expect(report.notChecked.filter(({ incomplete }) => incomplete)).toEqual([]);
    expect(report.firstSequence).toBe(1);
  }
});

test('a line gone from the middle, and one that is rewritten, stay found when the front has passed them', async () => {
  await night();
  books().ledger[24] = { ...books().ledger[24]!, description: 'changed afterwards' };
  books().ledger.splice(29, 1);
  goOn(0);
  const altered = ['ENTRY_REWRITTEN 25, critical', 'ENTRY_DELETED 30, critical'];
  expect(said(await night())).toEqual(['broken', ...altered]);
  for (let fallen = 0; fallen < 50; fallen += AT_ONCE) {
    goOn();
    expect(said(await night())).toEqual([
      'broken',
      'HISTORY_NO_LONGER_SERVED 1, error',
      ...altered,
    ]);
  }
});

test('the oldest lines are known to have fallen away, also where the first of them was rewritten before', async () => {
  await night();
  books().ledger[0] = { ...books().ledger[0]!, description: 'changed afterwards' };
  goOn(0);
  expect(said(await night())).toEqual(['broken', 'ENTRY_REWRITTEN 1, critical']);
  for (const lines of ['10', '20']) {
    goOn();
    const report = await night();
    const found = report.findings.find(({ kind }) => kind === 'HISTORY_NO_LONGER_SERVED');
    expect(found?.figures).toMatchObject({ lines });
    expect(rootsIn(report)).toContain('ENTRY_REWRITTEN 1, critical');
  }
});

test('what is served otherwise is read anew from there, and what fell away stays known', async () => {
  await night();
  goOn();
  await night();
  await acceptFinding(nights.store, 'HISTORY_NO_LONGER_SERVED');
  books().ledger[30] = { ...books().ledger[30]!, description: 'changed afterwards' };
  goOn(0);
  expect(said(await night())[0]).toBe('broken');
  expect(said(await night(REREAD))).toEqual([
    'clean',
    'HISTORY_NO_LONGER_SERVED 1, accepted, info',
  ]);
  for (let i = 0; i < 3; i += 1) {
    goOn();
    expect(said(await night())).toEqual(['clean', 'HISTORY_NO_LONGER_SERVED 1, accepted, info']);
  }
});

test('a credit that was missing before it fell away stays missing', async () => {
  const [line] = books().ledger.splice(4, 1);
  for (const [i, one] of books().ledger.entries())
    if (i >= 4)
      books().ledger[i] = { ...one, balanceAfter: Number(one.balanceAfter) - Number(line!.amount) };
  books().wallet = { ...books().wallet, balance: 59_000, available: 59_000 };
  expect(rootsIn(await night())).toContain('CREDIT_MISSING null, critical');
  goOn();
  goOn();
  const roots = rootsIn(await night());
  expect(roots).toContain('CREDIT_MISSING null, critical');
  expect(roots).toContain('HISTORY_NO_LONGER_SERVED 1, error');
});

test('lines that were read anew and fell away since stay judged when later ones are read anew', async () => {
  await night();
  for (let fallen = 0; fallen < 20; fallen += AT_ONCE) {
    goOn();
    await night();
  }
  await acceptFinding(nights.store, 'HISTORY_NO_LONGER_SERVED');
  const CLEAN = ['clean', 'HISTORY_NO_LONGER_SERVED 1, accepted, info'];
  for (let round = 0; round < 3; round += 1) {
    books().ledger[5] = { ...books().ledger[5]!, description: `changed ${round}` };
    goOn(0);
    expect(said(await night())[0]).toBe('broken');
    expect(said(await night(REREAD))).toEqual(CLEAN);
    for (let fallen = 0; fallen < 20; fallen += AT_ONCE) {
      goOn();
      const report = await night();
      expect(said(report)).toEqual(CLEAN);
      const figures = { lines: String(Number(books().ledger[0]!.sequence) - 1) };
      expect(report.findings[0]).toMatchObject({ figures });
    }
  }
});

test('an audit joins what has fallen away since with what had before, as the night after it does', async () => {
  await night();
  goOn();
  await night();
  await acceptFinding(nights.store, 'HISTORY_NO_LONGER_SERVED');
  goOn();
  const source = openSource(nights.service, { clock: () => EVENING });
  const [report] = await auditSource(source, {
    merchants: [],
    optionsFor: () => JUDGED,
    onMerchant: () => () => {},
    compared: compareMirrored.bind(null, nights.store),
  });
  await source.close();
  const found = ({ findings }: AuditReport) =>
    findings.flatMap(({ kind, sequence, figures }) =>
      kind === 'HISTORY_NO_LONGER_SERVED' ? [{ sequence, figures }] : [],
    );
  expect(found(report!)).toEqual(found(await night()));
});
