// Roots that are settled or accepted, by a correction in the ledger or by a person's decision. They
// weigh nothing in the verdict while what they rest on stands, are shown all the same, and open
// again by themselves when it no longer does.

import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { AuditDocument } from '../../src/core/kernel/reconcile/audit-document.ts';
import type { Language, Statement } from '../../src/core/statements/statement.ts';
import type { Ended } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { pointageAs } from '../support/operator-token.ts';
import { testFolder } from '../support/test-folder.ts';

const EXAMPLE = join(import.meta.dirname, '../../docs/example-books');
const NOON = Date.UTC(2026, 10, 15, 12);

let opened: TestStore;
let books: string;
let now: number;
/** Whether the test shares its books with others, because everything in it is refused. */
let areShared = false;
beforeEach(async () => {
  if (!areShared) await begin();
});
afterEach(async () => {
  if (!areShared) await end();
});

async function begin(): Promise<void> {
  now = NOON;
  opened = await openTestStore();
  books = mkdtempSync(join(tmpdir(), 'pointage-settle-'));
  cpSync(EXAMPLE, books, { recursive: true });
}

async function end(): Promise<void> {
  rmSync(books, { recursive: true, force: true });
  await opened.close();
}

const said = (...words: string[]): Promise<Ended> =>
  pointageAs('awa', [...words, '--database-url', opened.databaseUrl], { clock: () => now });
const findings = (...words: string[]): Promise<Ended> => said('findings', ...words);

/** Returns what a run says of the drift at line 6, which makes the balance 47 too high. */
async function run() {
  const { out, status } = await said('run', '--source', `file:${books}`, '--format', 'json');
  const { merchants, totals } = JSON.parse(out) as AuditDocument;
  const { findings: found, due, verdict } = merchants[0]!;
  const root = found.find(({ kind }) => kind === 'BALANCE_DRIFT')!;
  const drifts = found.filter(
    ({ kind, causedBy }) => kind === 'BALANCE_DRIFT' && causedBy === null,
  );
  return { root, drifts, due, verdict, status, totals, kinds: found.map(({ kind }) => kind) };
}

const CORRECTION = { description: 'Correction ligne 6' };
const IN_OCTOBER = '2026-10-20T08:00:00.000Z';

/**
 * Posts a line after the last one, and changes the wallet. `drift` is what the line's balance is
 * off by.
 */
function post(
  kind: string,
  amount: number,
  {
    description = null as string | null,
    drift = 0,
    at: createdAt = IN_OCTOBER,
    direction = kind.endsWith('CREDIT') ? 'CREDIT' : 'DEBIT',
  } = {},
): void {
  const wallet = JSON.parse(readFileSync(join(books, 'wallet.json'), 'utf8')) as Record<
    string,
    number
  >;
  const lines = readFileSync(join(books, 'ledger.jsonl'), 'utf8').trim().split('\n');
  const last = JSON.parse(lines.at(-1)!) as Record<string, unknown>;
  const moved = direction === 'CREDIT' ? amount : direction === 'DEBIT' ? -amount : 0;
  const balanceAfter = wallet.balance! + moved + drift;
  const sequence = lines.length + 1;
  const line = {
    ...last,
    id: `line-${sequence}`,
    sequence,
    direction,
    kind,
    amount,
    balanceAfter,
    createdAt,
  };
  appendFileSync(
    join(books, 'ledger.jsonl'),
    `${JSON.stringify({ ...line, operationReference: null, description })}\n`,
  );
  writeFileSync(
    join(books, 'wallet.json'),
    JSON.stringify({
      ...wallet,
      balance: balanceAfter,
      available: balanceAfter,
      updatedAt: createdAt,
    }),
  );
}

const stateOf = async (fingerprint: string) =>
  /confirmed, (\w+)/.exec((await said('findings', 'show', fingerprint)).out)![1];

/** Returns the statement of the month of the drift, as JSON. */
async function october() {
  const out = testFolder('pointage-settled-month-');
  const { status, err } = await said(
    'statement',
    'EPICERIE_EXEMPLE',
    '2026-10',
    '--format',
    'json',
    '--out',
    out,
  );
  expect(err).toBe('');
  expect(status).toBe(0);
  const text = readFileSync(join(out, 'RELEVE_EPICERIE_EXEMPLE_2026-10_r1.json'), 'utf8');
  return JSON.parse(text) as {
    statement: Statement;
    verdict: Readonly<Record<Language, readonly string[]>>;
  };
}

describe('a correction that names nothing', () => {
  test('is shown as a candidate, without an entry that would post it twice', async () => {
    expect((await run()).root.proposal).toEqual([expect.objectContaining({ amount: '47' })]);
    post('ADJUSTMENT_DEBIT', 47);
    const { root } = await run();
    expect(root).toMatchObject({
      proposal: null,
      proposedSettlement: { lines: ['8'] },
      settledBy: null,
    });
    const shown = (await said('findings', 'show', root.fingerprint)).out;
    expect(shown).toContain('Perhaps settled by line 8');
    expect(shown).not.toContain('Would be put right by');
    const { statement, verdict } = await october();
    expect(statement.due.items).toMatchObject([
      { state: 'open', proposal: [], candidate: { lines: ['8'] } },
    ]);
    expect(verdict.fr.join(' ')).toContain(
      ' La ligne n° 8, du même montant, n’est rattachée à rien : à confirmer.',
    );
    await findings('settle', root.fingerprint, '--line', '8', '--reason', 'vu avec le service');
    await run();
    expect((await october()).verdict.fr.join(' ')).toContain(
      'régularisé par la ligne n° 8, selon awa : ',
    );
  });
});

describe('a root that was paid back outside the ledger, and that the service corrects all the same', () => {
  test('is open with what was put right twice, until a person says that this was paid back as well', async () => {
    const { root } = await run();
    await findings('settle', root.fingerprint, '--reason', 'rendu en espèces');
    now += DAY;
    post('ADJUSTMENT_DEBIT', 47, { ...CORRECTION, at: new Date(now).toISOString() });
    now += 1_000;
    const twice = await run();
    expect(twice).toMatchObject({
      status: 1,
      verdict: 'broken',
      root: { item: { balance: '-47' }, settledBy: null },
    });
    await findings('settle', root.fingerprint, '--reason', 'rendu par la caisse');
    now += DAY;
    const even = await run();
    expect(even).toMatchObject({
      status: 0,
      verdict: 'clean',
      root: { settledBy: { by: 'person', person: 'awa' } },
    });
    await findings('reopen', root.fingerprint, '--reason', 'la caisse n’a rien rendu');
    expect(await run()).toMatchObject({
      status: 1,
      root: { item: { balance: '-47' }, settledBy: null },
    });
  });
});

describe('a correction that names its line', () => {
  test('settles the root in the next run, and the engine says so in its history', async () => {
    const before = await run();
    expect(before).toMatchObject({ status: 1, verdict: 'broken', due: { balance: '11655' } });
    const open = (await said('findings', 'show', before.root.fingerprint)).out;
    expect(open).toContain(
      'Would be put right by ADJUSTMENT_DEBIT 47 of GUI-CI-EXEMPLE3 (“Correction c7dd4ef1 #6”).',
    );
    expect(before.root.proposal).toMatchObject([{ kind: 'ADJUSTMENT_DEBIT', amount: '47' }]);
    post('ADJUSTMENT_DEBIT', 47, CORRECTION);
    const after = await run();
    expect(after).toMatchObject({
      status: 0,
      verdict: 'clean',
      due: { balance: '11655' },
      totals: { settled: 1 },
    });
    const settledBy = {
      by: 'correction',
      lines: ['8'],
      at: '2026-10-20T08:00:00.000Z',
      person: null,
      reason: null,
    };
    expect(after.root).toMatchObject({ settledBy, proposal: null });
    const { out } = await said('findings', 'show', after.root.fingerprint);
    expect(out).toContain('confirmed, settled');
    expect(out).toContain('Settled by line 8 on 2026-10-20T08:00:00.000Z.');
    const shown = (await said('findings', 'show', before.root.fingerprint)).out;
    expect(shown).not.toContain('Would be put right');
    expect(out).toContain('pointage: settle (Corrected by line 8.)');
    expect((await said('findings', 'list', '--state', 'settled')).out).toContain(
      after.root.fingerprint,
    );
    expect(await run()).toMatchObject({ status: 0, verdict: 'clean' });
    expect(
      (await said('findings', 'show', after.root.fingerprint)).out.match(/pointage: settle/g),
    ).toHaveLength(1);
  });

  test('does not, once a person has opened the root again', async () => {
    post('ADJUSTMENT_DEBIT', 47, CORRECTION);
    const { root } = await run();
    await findings('reopen', root.fingerprint, '--reason', 'that was for another merchant');
    const shown = (await findings('show', root.fingerprint)).out;
    expect([shown.includes('confirmed, open'), shown.includes('Settled by')]).toEqual([
      true,
      false,
    ]);
    const after = await run();
    expect(after).toMatchObject({ status: 1, verdict: 'broken', root: { settledBy: null } });
    expect(after.due!.unexplained).toEqual({ balance: '0', reserved: '0' });
    expect(await stateOf(root.fingerprint)).toBe('open');
  });

  test('is printed among the changes of the run', async () => {
    await run();
    post('ADJUSTMENT_DEBIT', 47, CORRECTION);
    const { out } = await said('run', '--source', `file:${books}`);
    expect(out).toContain('= settled   EPICERIE_EXEMPLE: 1 finding was put right: ');
  });
});

describe('a person settles', () => {
  test('by the line that was proposed, and audits of the mirror know of it', async () => {
    post('ADJUSTMENT_DEBIT', 47, { description: 'Régularisation' });
    const before = await run();
    expect(before).toMatchObject({ status: 1, root: { proposedSettlement: { lines: ['8'] } } });
    expect((await findings('settle', before.root.fingerprint)).err).toMatch(
      /needs a reason.* Line 8 would fit\./,
    );
    const { out } = await findings('settle', before.root.fingerprint, '--line', '8');
    expect(out).toBe(`${before.root.fingerprint} is now settled.\n`);
    const after = await run();
    expect(after).toMatchObject({ status: 0, verdict: 'clean', due: { balance: '11655' } });
    const settledBy = {
      by: 'person',
      lines: ['8'],
      at: '2026-10-20T08:00:00.000Z',
      person: 'awa',
      reason: 'by line 8',
    };
    expect(after.root).toMatchObject({ settledBy, proposedSettlement: null });
    expect((await said('audit', '--format', 'json')).status).toBe(0);
    expect(await stateOf(after.root.fingerprint)).toBe('settled');
  });

  test('by a line, until that line is served with another content', async () => {
    post('ADJUSTMENT_DEBIT', 47, { description: 'Régularisation' });
    const { root } = await run();
    await findings('settle', root.fingerprint, '--line', '8');
    expect((await run()).status).toBe(0);
    const { pool } = opened.store;
    const { rows } = await pool.query('select merchant_id from entries where sequence = 8');
    await pool.query(
      `insert into entries
        (merchant_id, sequence, amount, balance_after, reserved_after, created_at, intake, variant, direction, kind,
          currency, entry_id, operation_reference, description)
      select merchant_id, sequence, 46, balance_after, reserved_after, created_at, intake, 1, direction, kind,
        currency, entry_id, operation_reference, description
      from entries where merchant_id = $1 and sequence = 8`,
      [rows[0].merchant_id],
    );
    expect(await run()).toMatchObject({ status: 1, root: { settledBy: null } });
    expect(await stateOf(root.fingerprint)).toBe('open');
  });

  test('not by an adjustment that is posted as a hold: it moves no balance', async () => {
    post('ADJUSTMENT_DEBIT', 47, { direction: 'HOLD' });
    const { root } = await run();
    expect((await findings('settle', root.fingerprint, '--line', '8')).err).toContain(
      'The lines move the balance by 0, and the finding has it off by 47',
    );
  });

  test('by a line that says nothing, which is then explained', async () => {
    post('ADJUSTMENT_DEBIT', 47);
    const before = await run();
    expect(before.kinds).toContain('ADJUSTMENT_UNEXPLAINED');
    await findings('settle', before.root.fingerprint, '--line', '8');
    expect((await run()).kinds).toEqual(['BALANCE_DRIFT']);
  });

  test('for a reason alone: the recorded figures are due then, until the evidence is another', async () => {
    const { root } = await run();
    await findings('settle', root.fingerprint, '--reason', 'paid back in cash');
    const settled = await run();
    expect(settled).toMatchObject({ status: 0, verdict: 'clean', due: { balance: '11702' } });
    expect(settled.due!.unexplained).toEqual({ balance: '0', reserved: '0' });
    post('ADJUSTMENT_CREDIT', 1_000, { description: 'Geste commercial', drift: -47 });
    const after = await run();
    expect(after).toMatchObject({ status: 1, verdict: 'broken', root: { settledBy: null } });
    expect((await said('findings', 'show', root.fingerprint)).out).toContain(
      'pointage: reopen (It was settled with other figures.)',
    );
  });

  test('and then by a line too, which is told: it was put right twice, until that is settled or the word taken back', async () => {
    const { root, due } = await run();
    now = Date.UTC(2026, 9, 25, 12);
    await findings('settle', root.fingerprint, '--reason', 'paid back in cash');
    now = NOON;
    expect((await run()).status).toBe(0);
    post('ADJUSTMENT_DEBIT', 47, { ...CORRECTION, at: '2026-11-10T08:00:00.000Z' });
    const after = await run();
    expect(after).toMatchObject({ status: 1, root: { settledBy: null, item: { balance: '-47' } } });
    expect(after.due).toMatchObject({
      balance: '11702',
      unexplained: { balance: '0', reserved: '0' },
    });
    // The run has ended the settlement, and what was paid stays paid, for the audit and for each
    // later run.
    expect((await said('audit', '--format', 'json')).status).toBe(1);
    expect(await run()).toMatchObject({
      status: 1,
      due: after.due,
      root: { settledBy: null, item: { balance: '-47' } },
    });
    expect((await said('findings', 'show', root.fingerprint)).out).toContain(
      'Line 8 corrects it; −47 of the balance',
    );
    await findings('reopen', root.fingerprint, '--reason', 'the cash was never paid');
    expect(await run()).toMatchObject({
      status: 0,
      due: { balance: due!.balance },
      root: { settledBy: { lines: ['8'] } },
    });
  });

  test('and it stays open once it has opened again, even if the old evidence were back', async () => {
    const { root } = await run();
    await findings(
      'accept',
      root.fingerprint,
      '--reason',
      'small',
      '--until',
      '2026-11-16T12:00:00Z',
    );
    expect((await run()).status).toBe(0);
    now = NOON + 2 * DAY;
    expect((await run()).status).toBe(1);
    now = NOON;
    expect(await stateOf(root.fingerprint)).toBe('open');
    expect((await said('audit', '--format', 'json')).status).toBe(1);
  });
});

test('what a correction leaves of a root is what a decision about it weighs', async () => {
  post('ADJUSTMENT_DEBIT', 20, CORRECTION);
  const { root } = await run();
  expect(root.item).toEqual({ balance: '27', reserved: '0' });
  const accept = (limit: string) =>
    findings('accept', root.fingerprint, '--reason', 'small', '--limit', limit);
  expect((await accept('26')).err).toContain('at least 27, which it is now');
  expect((await accept('27')).status).toBe(0);
  expect(await run()).toMatchObject({ status: 0, root: { accepted: { limit: '27' } } });
});

describe('a line is used once', () => {
  /** Runs over two drifts of 47, and one line that puts one of them right. */
  async function runOfTwo(description: string | null) {
    post('ADJUSTMENT_CREDIT', 1_000, { description: 'Geste commercial', drift: 47 });
    post('ADJUSTMENT_DEBIT', 47, { description });
    const { drifts, due } = await run();
    return { fingerprints: drifts.map(({ fingerprint }) => fingerprint), due };
  }

  test('by what a person settles with it, before and after the next run', async () => {
    const { fingerprints, due } = await runOfTwo(null);
    const [one, other] = fingerprints as [string, string];
    expect((await findings('settle', one, '--line', '9')).out).toBe(`${one} is now settled.\n`);
    const refusal = `Line 9 settles ${one} (BALANCE_DRIFT) already, and is used once.`;
    expect((await findings('settle', other, '--line', '9')).err).toContain(refusal);
    const after = await run();
    expect(after.drifts.map(({ settledBy }) => settledBy?.lines ?? null)).toEqual([['9'], null]);
    expect(Number(after.due!.balance)).toBe(Number(due!.balance) + 47);
    expect((await findings('settle', other, '--line', '9')).err).toContain(refusal);
    // A root that is opened again gives its line back.
    await findings('reopen', one, '--reason', 'it was for the other');
    expect((await findings('settle', other, '--line', '9')).out).toBe(`${other} is now settled.\n`);
  });

  test('by the root that it names', async () => {
    const { fingerprints } = await runOfTwo(CORRECTION.description);
    const [one, other] = fingerprints as [string, string];
    expect((await findings('settle', other, '--line', '9')).err).toContain(
      `Line 9 settles ${one} (BALANCE_DRIFT) already, and is used once.`,
    );
  });

  test('until a later line that names it takes it back: then the root is open again, and it is due as before', async () => {
    const before = await run();
    post('ADJUSTMENT_DEBIT', 47, { description: 'Reprise' });
    await run();
    await findings('settle', before.root.fingerprint, '--line', '8');
    expect(await run()).toMatchObject({ status: 0, verdict: 'clean', due: before.due });
    post('ADJUSTMENT_CREDIT', 47, { description: 'Annulation de la ligne 8' });
    const after = await run();
    expect(after).toMatchObject({
      status: 1,
      verdict: 'broken',
      root: { settledBy: null, item: { balance: '47' } },
    });
    expect(after.due).toEqual(before.due);
  });
});

describe('a person accepts', () => {
  test('the amount stays due, the verdict does not count it, and the report shows both', async () => {
    const { root } = await run();
    const limit = ['--limit', '50', '--until', '2026-12-01T00:00:00Z'];
    const { out } = await findings(
      'accept',
      root.fingerprint,
      '--reason',
      'below the cost of asking',
      ...limit,
    );
    expect(out).toBe(`${root.fingerprint} is now accepted.\n`);
    const after = await run();
    expect(after).toMatchObject({
      status: 0,
      verdict: 'clean',
      due: { balance: '11655' },
      totals: { accepted: 1 },
    });
    const accepted = {
      person: 'awa',
      reason: 'below the cost of asking',
      limit: '50',
      until: '2026-12-01T00:00:00.000Z',
    };
    expect(after.root).toMatchObject({ accepted, settledBy: null });
    const shown = (await said('findings', 'show', root.fingerprint)).out;
    expect(shown).toContain(
      'Accepted up to 50, until 2026-12-01T00:00:00.000Z by awa: below the cost of asking.',
    );
    expect(shown).toContain('off by      balance 47 XOF, reserved 0 XOF');
    expect(shown).toContain('due         balance 11 655 XOF, reserved 0 XOF');
    expect((await said('audit')).out).toContain('1 accepted');
  });

  test('since the month’s end, which changes no month: its documents say who, since when and until when', async () => {
    const { root } = await run();
    const before = await october();
    expect(before.verdict.fr[0]).toBe('Livres non conformes.');
    await findings(
      'accept',
      root.fingerprint,
      '--reason',
      'petit écart',
      '--until',
      '2026-12-01T00:00:00Z',
    );
    now = NOON + DAY;
    expect(await run()).toMatchObject({ status: 0, verdict: 'clean' });
    const after = await october();
    expect(after.statement.integrity.contentHash).toBe(before.statement.integrity.contentHash);
    expect(after.statement.integrity.documentHash).not.toBe(
      before.statement.integrity.documentHash,
    );
    expect(after.statement.summary).toEqual(before.statement.summary);
    expect(after.verdict.fr.join(' ')).toContain(
      ' Accepté depuis, le 15/11/2026 12:00:00, par awa jusqu’au 01/12/2026 00:00:00 (petit écart).',
    );
    expect(after.verdict.en.join(' ')).toContain(' Accepted since, on ');
  });

  test('within a month, which stays as it was when the acceptance ends, by its date or by a later word', async () => {
    now = Date.UTC(2026, 9, 25);
    const { root } = await run();
    const until = ['--until', '2026-11-10'];
    await findings('accept', root.fingerprint, '--reason', 'petit écart', ...until);
    now = Date.UTC(2026, 10, 5);
    await run();
    const before = await october();
    expect(before.statement.summary.verdict.state).toBe('clean');
    const later = [
      ['the date has come', async () => {}],
      ['it is accepted anew', () => findings('accept', root.fingerprint, '--reason', 'encore')],
      ['it is opened again', () => findings('reopen', root.fingerprint, '--reason', 'à corriger')],
      [
        'it is put right',
        async () => post('ADJUSTMENT_DEBIT', 47, { ...CORRECTION, at: '2026-11-19T08:00:00.000Z' }),
      ],
    ] as const;
    now = NOON;
    for (const [what, happens] of later) {
      now += DAY;
      await happens();
      await run();
      const after = await october();
      expect(after.statement.integrity.contentHash, what).toBe(
        before.statement.integrity.contentHash,
      );
      const said = 'accepté par awa jusqu’au 10/11/2026 00:00:00 (petit écart)';
      expect(after.verdict.fr.join(' '), what).toContain(said);
    }
    expect(await run()).toMatchObject({
      status: 0,
      root: { accepted: null, settledBy: { by: 'correction' } },
    });
  });

  test('too late or too short for a month, which is broken', async () => {
    now = Date.UTC(2026, 9, 25);
    const { root } = await run();
    await findings(
      'accept',
      root.fingerprint,
      '--reason',
      'petit écart',
      '--until',
      '2026-10-31T00:00:00Z',
    );
    now = NOON;
    await run();
    const { verdict } = await october();
    expect(verdict.fr[0]).toBe('Livres non conformes.');
    expect(verdict.fr.join(' ')).not.toContain('ccepté');
  });

  test('up to a day', async () => {
    const { root } = await run();
    await findings(
      'accept',
      root.fingerprint,
      '--reason',
      'small',
      '--until',
      '2026-11-17T00:00:00Z',
    );
    now = NOON + DAY;
    expect((await run()).status).toBe(0);
    expect((await said('audit', '--format', 'json')).status).toBe(0);
    now = NOON + 2 * DAY;
    expect((await said('audit', '--format', 'json')).status, 'before a run has opened it').toBe(1);
    expect(await run()).toMatchObject({ status: 1, root: { accepted: null } });
    expect(await stateOf(root.fingerprint)).toBe('open');
  });
});

describe('it is refused in a sentence', () => {
  let root: Awaited<ReturnType<typeof run>>['root'];
  beforeAll(async () => {
    areShared = true;
    await begin();
    post('ADJUSTMENT_DEBIT', 40, { description: 'Régularisation' });
    ({ root } = await run());
  });
  afterAll(async () => {
    await end();
    areShared = false;
  });

  test.each<[string, readonly string[], RegExp]>([
    ['a line that is not there', ['settle', '--line', '99'], /There is no line 99 in the mirror\./],
    [
      'a line before the fault',
      ['settle', '--line', '5'],
      /Line 5 is not an adjustment after the fault\./,
    ],
    [
      'a line that is no adjustment',
      ['settle', '--line', '7'],
      /Line 7 is not an adjustment after the fault\./,
    ],
    [
      'lines of another sum',
      ['settle', '--line', '8'],
      /move the balance by -40, and the finding has it off by 47/,
    ],
    [
      'a limit that is passed already',
      ['accept', '--reason', 'x', '--limit', '46'],
      /at least 47, which it is now/,
    ],
    [
      'a limit that is no number',
      ['accept', '--reason', 'x', '--limit', '4.5'],
      /must be a whole amount without sign, not '4.5'/,
    ],
    [
      'an expiry that is over',
      ['accept', '--reason', 'x', '--until', '2026-11-15T12:00:00Z'],
      /later than now/,
    ],
    [
      'an expiry that is no instant',
      ['accept', '--reason', 'x', '--until', 'monday'],
      /--until must be like 2027-01-01/,
    ],
  ])('%s', async (_, [action, ...words], says) => {
    const ended = await findings(action!, root.fingerprint, ...words);
    expect(ended).toMatchObject({ status: 3, out: '' });
    expect(ended.err).toMatch(says);
    expect(await stateOf(root.fingerprint)).toBe('open');
  });
});
