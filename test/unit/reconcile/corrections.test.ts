// Corrections: what settles a root, what is only proposed, and what leaves it open. Each time, both
// ways of computing what is due agree.

import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/core/domain/finding.ts';
import { groundsOf } from '../../../src/core/domain/operators/grounds.ts';
import { namesIn } from '../../../src/core/kernel/checks/across/identities.ts';
import { fingerprintOf } from '../../../src/core/kernel/checks/port/fingerprint.ts';
import {
  type CorrectionLine,
  noteAdjustment,
} from '../../../src/core/kernel/reconcile/corrections/correction-lines.ts';
import {
  applyDecisions,
  paidOutside,
} from '../../../src/core/kernel/reconcile/corrections/settle-roots.ts';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';
import { verdictInWords } from '../../../src/io/formats/sentences/verdict-reasons.ts';
import { auditSnapshot } from '../../../src/service/workflows/audit/audit-snapshot.ts';
import { handBooks, instant } from '../../support/hand-books.ts';
import { memorySnapshot } from '../../support/memory-snapshot.ts';
import { auditBooks, stateBooks } from '../../support/month-of-books.ts';
import { optionsAt } from '../../support/nightly.ts';

const SOUND = `
    line 1 CASHIN_CREDIT 5000 5000/0 CI-1
    op CI-1 SUCCEEDED 5000
    op CI-2 SUCCEEDED 1000`;
const TWICE = `${SOUND}
    line 2 CASHIN_CREDIT 1000 6000/0 CI-2
    line 3 CASHIN_CREDIT 1000 7000/0 CI-2`;
const DRIFT = `${SOUND}
    line 2 CASHIN_CREDIT 1000 6047/0 CI-2`;

/** Returns every root with money in it, and how it stands. */
function standOf(ledger: string) {
  const report = reconcileSample(ledger);
  const { due, verdict, findings } = report;
  expect(due!.unexplained, ledger).toEqual({ balance: '0', reserved: '0' });
  const roots = findings.filter(
    ({ causedBy, severity }) => causedBy === null && severity !== 'info',
  );
  return { verdict, due: `${due!.balance}/${due!.reserved}`, roots: roots.map(saidOf) };
}

function saidOf({ kind, settledBy, proposedSettlement }: Finding): string {
  if (settledBy !== null) return `${kind} settled by ${settledBy.lines.join(' ')}`;
  if (proposedSettlement === null) return kind;
  const { lines, ambiguous } = proposedSettlement;
  return `${kind} perhaps by ${ambiguous ? 'one of ' : ''}${lines.join(' ')}`;
}

describe('a correction that names its fault settles it', () => {
  const print = fingerprintOf('SAMPLE', {
    kind: 'BALANCE_DRIFT',
    sequence: 2,
    operationReference: 'GUI-CI-2',
    inputPlace: null,
  });
  test.each([
    [
      'by its reference',
      `${TWICE}\nline 4 ADJUSTMENT_DEBIT 1000 6000/0 CI-2`,
      'CREDIT_DUPLICATED settled by 4',
    ],
    [
      'by the reference in its description',
      `${TWICE}\nline 4 ADJUSTMENT_DEBIT 1000 6000/0 - description=double:gui-ci-2.`,
      'CREDIT_DUPLICATED settled by 4',
    ],
    [
      'by the number of the line',
      `${TWICE}\nline 4 ADJUSTMENT_DEBIT 1000 6000/0 - description=#3`,
      'CREDIT_DUPLICATED settled by 4',
    ],
    [
      'in two lines',
      `${TWICE}\nline 4 ADJUSTMENT_DEBIT 400 6600/0 CI-2\nline 5 ADJUSTMENT_DEBIT 600 6000/0 - description=line:3`,
      'CREDIT_DUPLICATED settled by 4 5',
    ],
    [
      'too much, and what was too much taken back',
      `${TWICE}\nline 4 ADJUSTMENT_DEBIT 1050 5950/0 CI-2\nline 5 ADJUSTMENT_CREDIT 50 6000/0 - description=#4`,
      'CREDIT_DUPLICATED settled by 4 5',
    ],
    [
      'by a reversal of no operation that names it',
      `${TWICE}\nline 4 REVERSAL_DEBIT 1000 6000/0 - description=GUI-CI-2`,
      'CREDIT_DUPLICATED settled by 4',
    ],
    [
      'by a reversal and an adjustment',
      `${TWICE}\nline 4 REVERSAL_DEBIT 400 6600/0 CI-2\nline 5 ADJUSTMENT_DEBIT 600 6000/0 CI-2`,
      'CREDIT_DUPLICATED settled by 4 5',
    ],
    [
      'by a reversal of an operation that is not reversed',
      `${TWICE}\nline 4 REVERSAL_DEBIT 1000 6000/0 CI-2`,
      'CREDIT_DUPLICATED settled by 4',
    ],
    [
      'of a drift',
      `${DRIFT}\nline 3 ADJUSTMENT_DEBIT 47 6000/0 - description=#2`,
      'BALANCE_DRIFT settled by 3',
    ],
    [
      'of a drift, by its operation',
      `${DRIFT}\nline 3 ADJUSTMENT_DEBIT 47 6000/0 CI-2`,
      'BALANCE_DRIFT settled by 3',
    ],
    [
      'of a drift, by its fingerprint',
      `${DRIFT}\nline 3 ADJUSTMENT_DEBIT 47 6000/0 - description=(${print.slice(0, 8)})`,
      'BALANCE_DRIFT settled by 3',
    ],
    [
      'of a drift, by a reversal',
      `${DRIFT}\nline 3 REVERSAL_DEBIT 47 6000/0 CI-2`,
      'BALANCE_DRIFT settled by 3',
    ],
    [
      'of a credit that is missing',
      `${SOUND}\nline 2 ADJUSTMENT_CREDIT 1000 6000/0 CI-2`,
      'CREDIT_MISSING settled by 2',
    ],
    [
      'of an operation that is not served',
      `${SOUND}\nline 2 CASHIN_CREDIT 1000 6000/0 CI-2
       line 3 CASHIN_CREDIT 700 6700/0 CI-3\nline 4 ADJUSTMENT_DEBIT 700 6000/0 CI-3`,
      'OPERATION_UNKNOWN settled by 4',
    ],
  ])('%s', (_, ledger, said) => {
    const { balance } = /(?<balance>\d+)\/0 [^\n]*$/.exec(ledger)!.groups!;
    expect(standOf(`${ledger}\nwallet ${balance}/0`)).toEqual({
      verdict: 'clean',
      due: `${balance}/0`,
      roots: [said],
    });
  });

  test('of a reversal that went the wrong way, by another line of it', () => {
    const ledger = `${SOUND}
      line 2 CASHIN_CREDIT 1000 6000/0 CI-2
      line 3 CASHIN_CREDIT 1000 7000/0 CI-3
      line 4 REVERSAL_CREDIT 1000 8000/0 CI-3
      line 7 REVERSAL_DEBIT 2000 6000/0 CI-3
      op CI-3 REVERSED 1000
      wallet 6000/0`;
    const roots = ['REVERSAL_WRONG_DIRECTION settled by 7'];
    expect(standOf(ledger)).toEqual({ verdict: 'clean', due: '6000/0', roots });
  });

  test('of a credit that was posted twice and reversed once, by another line of the reversal', () => {
    const ledger = `${SOUND}
      line 2 CASHIN_CREDIT 1000 6000/0 CI-2
      line 3 CASHIN_CREDIT 700 6700/0 CI-3
      line 4 CASHIN_CREDIT 700 7400/0 CI-3
      line 5 REVERSAL_DEBIT 700 6700/0 CI-3
      op CI-3 REVERSED 700
      line 7 REVERSAL_DEBIT 700 6000/0 CI-3
      wallet 6000/0`;
    const roots = ['CREDIT_DUPLICATED settled by 7'];
    expect(standOf(ledger)).toEqual({ verdict: 'clean', due: '6000/0', roots });
  });

  test('though it is the very next line, days later: a wallet may stand still', async () => {
    const books = handBooks(
      `10-30T12:00 CASHIN_CREDIT 2300 GUI-CI-1
       10-30T12:00 CASHIN_FEE 46 GUI-CI-1
       10-31T06:00 REVERSAL_CREDIT 2300 GUI-CI-1
       10-31T06:00 REVERSAL_CREDIT 46 GUI-CI-1
       11-09T23:00 REVERSAL_DEBIT 4600 GUI-CI-1
       op GUI-CI-1 REVERSED 2300 fees=46 created=10-30T11:59 completed=10-30T12:00`,
      '12-02T00:00',
    );
    const report = auditBooks(books);
    expect(report.findings.map(saidOf)).toEqual(['REVERSAL_WRONG_DIRECTION settled by 5']);
    const { statement: october } = await stateBooks(books, { period: '2026-10', report });
    expect(october.due.recorded.balance).toBe(4_600);
    expect(october.due.due!.balance).toBe(0);
    const { statement: november } = await stateBooks(books, { period: '2026-11', report });
    expect(november.summary.verdict.state).toBe('clean');
  });

  test('whatever totals the wallet states then', () => {
    for (const collected of [6000, 7000]) {
      const ledger = `${TWICE}\nline 4 ADJUSTMENT_DEBIT 1000 6000/0 CI-2\nwallet 6000/0 totalCollected=${collected}`;
      expect(standOf(ledger)).toMatchObject({
        verdict: 'clean',
        roots: ['CREDIT_DUPLICATED settled by 4'],
      });
    }
  });

  test('and is explained by that, where it says nothing itself', () => {
    const { findings } = reconcileSample(
      `${TWICE}\nline 4 ADJUSTMENT_DEBIT 1000 6000/0 CI-2\nwallet 6000/0`,
    );
    expect(findings.map(({ kind }) => kind)).toEqual(['CREDIT_DUPLICATED']);
    expect(findings[0]!.settledBy).toEqual({
      by: 'correction',
      lines: ['4'],
      at: '2026-10-01T00:04:00.000Z',
      person: null,
      reason: null,
    });
  });
});

describe('what was released beyond a hold is put right by another hold', () => {
  const held = `${SOUND}
      line 2 CASHIN_CREDIT 1000 6000/0 CI-2
      line 3 CASHOUT_HOLD 700 6000/700 CO-4
      line 4 CASHOUT_HOLD 300 6000/1000 CO-3
      line 5 CASHOUT_RELEASE 400 6000/600 CO-3
      op CO-4 PENDING 700
      op CO-3 FAILED 300
      at +1h`;
  test.each([
    [
      'of just as much',
      'line 6 CASHOUT_HOLD 100 6000/700 CO-3\nwallet 6000/700',
      'clean',
      'settled by 6',
    ],
    ['but not of more', 'line 6 CASHOUT_HOLD 200 6000/800 CO-3\nwallet 6000/800', 'broken', null],
    [
      'and not of another operation',
      'line 6 CASHOUT_HOLD 100 6000/700 CO-4\nwallet 6000/700',
      'broken',
      null,
    ],
  ])('%s', (_, more, verdict, settled) => {
    const said = standOf(`${held}\n${more}`);
    expect([said.verdict, said.due]).toEqual([verdict, '6000/700']);
    if (settled === null) expect(said.roots.filter((one) => one.includes(' by '))).toEqual([]);
    else expect(said.roots).toEqual([`RELEASE_EXCEEDS_HOLD ${settled}`]);
  });

  test('and not by a hold that came before: that one was a second hold', () => {
    const ledger = `${SOUND}
      line 2 CASHIN_CREDIT 1000 6000/0 CI-2
      line 3 CASHOUT_HOLD 300 6000/300 CO-3
      line 4 CASHOUT_RELEASE 300 6000/0 CO-3
      line 5 CASHOUT_HOLD 300 6000/300 CO-3
      line 6 CASHOUT_RELEASE 300 6000/0 CO-3
      op CO-3 FAILED 300
      wallet 6000/0`;
    expect(standOf(ledger)).toEqual({
      verdict: 'broken',
      due: '6000/0',
      roots: ['HOLD_DUPLICATED'],
    });
  });
});

describe('a root stays open', () => {
  test.each([
    [
      'where the amount is another',
      `${TWICE}\nline 4 ADJUSTMENT_DEBIT 999 6001/0 CI-2`,
      '6001',
      '6000',
    ],
    ['where the sign is', `${TWICE}\nline 4 ADJUSTMENT_CREDIT 1000 8000/0 CI-2`, '8000', '6000'],
    [
      'where another line names it for another reason',
      `${TWICE}\nline 4 ADJUSTMENT_CREDIT 50 7050/0 CI-2 description=kind\nline 5 ADJUSTMENT_DEBIT 1000 6050/0 CI-2`,
      '6050',
      '6000',
    ],
    [
      'where it is corrected twice',
      `${TWICE}\nline 4 ADJUSTMENT_DEBIT 1000 6000/0 CI-2\nline 5 ADJUSTMENT_DEBIT 1000 5000/0 CI-2`,
      '5000',
      '6000',
    ],
    [
      'where the correction is taken back, by the line that it names',
      `${TWICE}\nline 4 ADJUSTMENT_DEBIT 1000 6000/0 CI-2\nline 5 ADJUSTMENT_CREDIT 1000 7000/0 - description=#4`,
      '7000',
      '6000',
    ],
    [
      'of an operation that is not served, where the reversal is its own',
      `${SOUND}\nline 2 CASHIN_CREDIT 1000 6000/0 CI-2
       line 3 CASHIN_CREDIT 700 6700/0 CI-3\nline 4 REVERSAL_DEBIT 700 6000/0 CI-3`,
      '6000',
      '6000',
    ],
    [
      'where another operation is named',
      `${TWICE}\nline 4 ADJUSTMENT_DEBIT 1000 6000/0 CI-1 description=x`,
      '6000',
      '5000',
    ],
    [
      'where the line comes before the fault',
      `${SOUND}\nline 2 CASHIN_CREDIT 1000 6000/0 CI-2\nline 3 ADJUSTMENT_DEBIT 1000 5000/0 CI-2 description=x
       line 4 CASHIN_CREDIT 1000 6000/0 CI-2`,
      '6000',
      '5000',
    ],
  ])('%s', (_, ledger, balance, due) => {
    const said = standOf(`${ledger}\nwallet ${balance}/0`);
    expect(said).toMatchObject({ verdict: 'broken', due: `${due}/0` });
    expect(said.roots.filter((one) => one.includes(' by '))).toEqual([]);
  });

  test('of two that one line names, and the line counts against their sum', () => {
    const ledger = `${TWICE}
      line 4 CASHIN_CREDIT 1000 8000/0 CI-3
      line 5 CASHIN_CREDIT 1000 9000/0 CI-3
      op CI-3 SUCCEEDED 1000
      line 6 ADJUSTMENT_DEBIT 1000 8000/0 - description=GUI-CI-2,GUI-CI-3
      wallet 8000/0`;
    const root = 'CREDIT_DUPLICATED perhaps by one of 6';
    expect(standOf(ledger)).toEqual({ verdict: 'broken', due: '7000/0', roots: [root, root] });
    const amounts = reconcileSample(ledger).findings.map(
      ({ proposal }) => proposal?.map(({ amount }) => amount) ?? null,
    );
    expect(amounts).toEqual([null, ['1000']]);
  });

  test('where what is reserved is off too, and the release is proposed: no adjustment moves that', () => {
    const ledger = `${SOUND}
      line 2 CASHIN_CREDIT 1000 6000/0 CI-2
      line 3 CASHOUT_HOLD 1000 6000/1000 CO-3
      op CO-3 SUCCEEDED 1000
      line 4 ADJUSTMENT_DEBIT 1000 5000/1000 CO-3
      wallet 5000/1000`;
    expect(standOf(ledger)).toEqual({ verdict: 'broken', due: '5000/0', roots: ['DEBIT_MISSING'] });
    const [root] = reconcileSample(ledger).findings;
    expect(root!.item).toEqual({ balance: '0', reserved: '1000' });
    expect(root!.message).toMatch(/ Line 4 corrects it; 1.000 reserved are left\.$/);
    expect(root!.proposal).toMatchObject([{ kind: 'CASHOUT_RELEASE', amount: '1000' }]);
  });
});

test('a cash-in that was credited net is undone in one line, where both credits are lawful', () => {
  const { findings } = reconcileSample(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_FEE 20 980/0 CI-1
    line 3 CASHIN_CREDIT 980 1960/0 CI-2
    op CI-1 SUCCEEDED 1000 fees=20
    op CI-2 REVERSED 1000 fees=20
    wallet 1960/0`);
  expect(findings).toMatchObject([
    { kind: 'REVERSAL_MISSING', proposal: [{ kind: 'REVERSAL_DEBIT', amount: '980' }] },
  ]);
});

describe('a line that fits by amount and sign alone is proposed', () => {
  const adjusted = `${TWICE}\nline 4 ADJUSTMENT_DEBIT 1000 6000/0 - description=regularization`;
  test('where it fits one root, and the root no other line', () => {
    const roots = ['CREDIT_DUPLICATED perhaps by 4'];
    expect(standOf(`${adjusted}\nwallet 6000/0`)).toEqual({
      verdict: 'broken',
      due: '5000/0',
      roots,
    });
  });
  test('and as one of several where there are two such lines: no entry is proposed that would be a third', () => {
    const again = `${adjusted}\nline 5 ADJUSTMENT_DEBIT 1000 5000/0 - description=another\nwallet 5000/0`;
    expect(standOf(again)).toMatchObject({
      roots: ['CREDIT_DUPLICATED perhaps by one of 4 5'],
      due: '4000/0',
    });
    expect(reconcileSample(again).findings.map(({ proposal }) => proposal)).toEqual([null]);
  });
  test('and of two such roots to each: for neither an entry is proposed', () => {
    const ledger = `${TWICE}
      line 4 CASHIN_CREDIT 1000 8000/0 CI-3
      line 5 CASHIN_CREDIT 1000 9000/0 CI-3
      op CI-3 SUCCEEDED 1000
      line 6 ADJUSTMENT_DEBIT 1000 8000/0 - description=regularization
      wallet 8000/0`;
    const root = 'CREDIT_DUPLICATED perhaps by one of 6';
    expect(standOf(ledger)).toMatchObject({ roots: [root, root], due: '6000/0' });
    expect(reconcileSample(ledger).findings.map(({ proposal }) => proposal)).toEqual([null, null]);
  });
  test.each([
    ['two halves', '500', 'regularization'],
    ['two parts without a word', '400', ''],
  ])('%s that undo it together, and no entry is proposed', (_, first, says) => {
    const half = (line: number, amount: number, balance: number) =>
      `line ${line} ADJUSTMENT_DEBIT ${amount} ${balance}/0 -${says === '' ? '' : ` description=${says}`}`;
    const ledger = [
      TWICE,
      half(4, Number(first), 7000 - Number(first)),
      half(5, 1000 - Number(first), 6000),
    ];
    const report = reconcileSample([...ledger, 'wallet 6000/0'].join('\n'));
    const root = report.findings.find(({ kind }) => kind === 'CREDIT_DUPLICATED')!;
    expect([saidOf(root), root.proposal]).toEqual(['CREDIT_DUPLICATED perhaps by 4 5', null]);
  });
  test('not two parts that have reasons of their own', () => {
    const ledger = `${TWICE}
      line 4 ADJUSTMENT_DEBIT 400 6600/0 - description=regularization
      line 5 ADJUSTMENT_DEBIT 600 6000/0 - description=regularization
      wallet 6000/0`;
    expect(standOf(ledger).roots).toEqual(['CREDIT_DUPLICATED']);
    expect(reconcileSample(ledger).findings[0]!.proposal).toMatchObject([{ amount: '1000' }]);
  });
  test('in its balance, where the reserved amount is off as well: no second debit is proposed', () => {
    const lacking = `${SOUND}
      line 2 CASHIN_CREDIT 1000 6000/0 CI-2
      line 3 CASHOUT_HOLD 1000 6000/1000 CO-3
      op CO-3 SUCCEEDED 1000`;
    const [before] = reconcileSample(`${lacking}\nwallet 6000/1000`).findings.filter(
      ({ item }) => item !== null,
    );
    expect(before).toMatchObject({
      item: { balance: '1000', reserved: '1000' },
      proposal: [{ kind: 'CASHOUT_DEBIT' }],
    });
    const after = reconcileSample(
      `${lacking}\nline 4 ADJUSTMENT_DEBIT 1000 5000/1000 - description=paid\nwallet 5000/1000`,
    );
    const root = after.findings.find(({ fingerprint }) => fingerprint === before!.fingerprint)!;
    expect([saidOf(root), root.proposal]).toEqual([`${before!.kind} perhaps by 4`, null]);
  });
  test('on a statement too, in words, and its section proposes nothing', async () => {
    const twice = (reference: string) => `
      10-05T10:00 CASHIN_CREDIT 5000 ${reference}
      10-05T10:00 CASHIN_FEE 100 ${reference}
      10-05T10:01 CASHIN_CREDIT 5000 ${reference}
      op ${reference} SUCCEEDED 5000 fees=100 created=10-05T09:59 completed=10-05T10:00`;
    const half = '10-06T10:00 ADJUSTMENT_DEBIT 2500 - says=geste';
    const taken = '10-06T10:00 ADJUSTMENT_DEBIT 5000 - says=geste';
    for (const [text, fr, en] of [
      [
        `${twice('GUI-CI-1')}\n${taken}\n${taken}`,
        'Plusieurs lignes du même montant ne sont rattachées à rien, notamment les n° 4, 5 : à confirmer.',
        'Several lines of the same amount name nothing, among them 4, 5: to be confirmed.',
      ],
      [
        `${twice('GUI-CI-1')}\n${half}\n${half}`,
        'Les lignes n° 4, 5, qui font ensemble ce montant, ne sont rattachées à rien : à confirmer.',
        'Lines 4, 5, of this amount together, name nothing: to be confirmed.',
      ],
      [
        `${twice('GUI-CI-1')}\n${twice('GUI-CI-2')}\n${taken}`,
        'La ligne n° 7, du même montant, n’est rattachée à rien et convient aussi à un autre poste : à confirmer.',
        'Line 7, of the same amount, names nothing and fits another item too: to be confirmed.',
      ],
    ] as const) {
      const { statement } = await stateBooks(handBooks(text), { period: '2026-10' });
      const open = statement.due.items.filter(({ kind }) => kind === 'CREDIT_DUPLICATED');
      expect(open.map(({ state, proposal }) => [state, proposal])).toEqual(
        open.map(() => ['open', []]),
      );
      const said = verdictInWords(statement);
      expect(said.fr.reasons.filter((reason) => reason.endsWith(fr)).length).toBe(open.length);
      expect(said.en.reasons.filter((reason) => reason.endsWith(en)).length).toBe(open.length);
      expect(open.length).toBeGreaterThan(0);
    }
  });
});

describe('the names in a description', () => {
  test.each([
    ['Correction ligne 812', ['line:812']],
    ['voir lignes n° 812 et 0913, svp', ['line:812', 'line:913', '0913']],
    ['Écriture 7 : doublon', ['line:7']],
    ['#12', ['line:12']],
    ['séquence: 44', ['line:44']],
    ['Remboursement de GUI-CI-8XK2.', ['gui-ci-8xk2']],
    ['anomalie 1f658be6', ['1f658be6']],
    ['en ligne', []],
    ['ligne 4F, facture n° 812', []],
    ['Geste commercial « fidélité »', []],
    ['outline 99', []],
    [null, []],
  ])('%s', (description, names) => {
    expect(namesIn(description)).toEqual(names);
  });
});

describe('as of an instant before the correction', () => {
  const books = handBooks(`
    10-03T10:00 CASHIN_CREDIT 1000 GUI-CI-1
    10-03T10:01 CASHIN_CREDIT 1000 GUI-CI-1
    op GUI-CI-1 SUCCEEDED 1000 fees=0 created=10-03T09:59 completed=10-03T10:00
    11-02T10:00 ADJUSTMENT_DEBIT 1000 GUI-CI-1`);
  const standAt = async (until: string | null) => {
    const profile = {
      ...books.profile,
      pricing: { cashin: { bps: 0, flat: 0 }, cashout: { bps: 0, flat: 0 } },
    };
    const given = { books: { ...books, profile }, profiles: [profile], asOf: books.asOf };
    const snapshot = memorySnapshot(given, { keepsAll: false, batchRows: 10 });
    const options = {
      ...optionsAt(books.asOf),
      cut: until === null ? null : { end: instant(until), closed: [], withWallet: true },
    };
    const { verdict, findings, due } = await auditSnapshot(snapshot, options);
    const roots = findings.filter(({ causedBy }) => causedBy === null).map(saidOf);
    return { verdict, roots, rest: due!.unexplained.balance };
  };

  test('the root is open, and after it settled', async () => {
    const open = { verdict: 'broken', roots: ['CREDIT_DUPLICATED'], rest: '0' };
    expect(await standAt('11-01T00:00')).toEqual(open);
    const settled = { verdict: 'clean', roots: ['CREDIT_DUPLICATED settled by 3'], rest: '0' };
    expect(await standAt(null)).toEqual(settled);
    expect(await standAt('11-02T10:01')).toEqual(settled);
  });
});

test('what was reversed already is not proposed as a line behind its reversal, and no new root is made', () => {
  const ledger = `${SOUND}
      line 2 CASHIN_CREDIT 1000 6000/0 CI-2
      line 3 REVERSAL_DEBIT 700 5300/0 CI-3
      op CI-3 REVERSED 700`;
  const [root] = reconcileSample(`${ledger}\nwallet 5300/0`).findings.filter(
    ({ item }) => item !== null,
  );
  expect(root).toMatchObject({
    kind: 'CREDIT_MISSING',
    proposal: [{ kind: 'ADJUSTMENT_CREDIT', amount: '700' }],
  });
  const after = `${ledger}\nline 4 ADJUSTMENT_CREDIT 700 6000/0 CI-3\nwallet 6000/0`;
  expect(standOf(after)).toEqual({
    verdict: 'clean',
    due: '6000/0',
    roots: ['CREDIT_MISSING settled by 4'],
  });
});

test('who reopens what lines settled takes back that word, and not what was paid outside before', () => {
  const terms = (...lines: readonly string[]) => ({
    ...{ balance: '0', reserved: '0', difference: null, evidence: [], limit: null, until: null },
    lines: lines.map((sequence) => ({
      sequence,
      kind: 'x',
      direction: 'CREDIT',
      amount: '47',
      at: 'y',
    })),
  });
  const paid = { action: 'settle', terms: terms() };
  const [byLine, reopen] = [
    { action: 'settle', terms: terms('4') },
    { action: 'reopen', terms: terms() },
  ];
  expect(paidOutside([paid, byLine, reopen])).toEqual([paid]);
  expect(paidOutside([paid, byLine, reopen, reopen])).toEqual([]);
});

describe('an acceptance up to an amount', () => {
  const [root] = reconcileSample(`${TWICE}\nwallet 7000/0`).findings.filter(
    ({ item }) => item !== null,
  );
  const thrice = `${TWICE}\nline 4 CASHIN_CREDIT 1000 8000/0 CI-2\nwallet 8000/0`;
  const { fingerprint } = root!;
  test.each([
    ['2000', 'awa'],
    ['1999', undefined],
    [null, undefined],
  ])('of %s covers what has grown below it by another line', (limit, person) => {
    const terms = { ...groundsOf(root!), lines: [], limit, until: null };
    const decision = {
      fingerprint,
      action: 'accept',
      person: 'awa',
      reason: 'x',
      at: 'y',
      over: null,
      terms,
    } as const;
    const { findings } = reconcileSample(thrice);
    const [grown] = applyDecisions(
      findings,
      [{ ...decision, linesStand: true }],
      instant('12-01T00:00'),
    );
    expect([grown!.item!.balance, grown!.accepted?.person]).toEqual(['2000', person]);
  });
});

test('very many adjustments are not all kept in mind, and the newest are', () => {
  const books: { adjustments: CorrectionLine[] } = { adjustments: [] };
  const line = handBooks('10-03T10:00 ADJUSTMENT_CREDIT 5 -').entries[0]!;
  for (let sequence = 1; sequence <= 25_000; sequence += 1) {
    noteAdjustment(books, { ...line, sequence }, 5);
  }
  expect(books.adjustments.length).toBeLessThanOrEqual(10_000);
  expect(books.adjustments.at(-1)!.sequence).toBe(25_000);
});
