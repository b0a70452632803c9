// One cause is told once. Where one fact of an account or of a file is wrong, ten times as many
// rows give as many findings, the verdict is no better, and what is due is what it is in sound
// books. A fault of another cause keeps a root of its own beside it.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { reconcileSample } from '../../src/core/samples/read-sample.ts';
import { assertProperty } from '../support/assert-property.ts';

interface LineRow {
  sequence: number;
  kind: string;
  amount: number;
  balance: number;
  reserved: number;
  reference: string;
  at: number;
  extras: string;
}

interface OperationRow {
  readonly reference: string;
  amount: number;
  fees: number;
  readonly extras: Record<string, string | number>;
}

interface Rows {
  readonly lines: LineRow[];
  readonly operations: OperationRow[];
  readonly profile: Record<string, string | number>;
  readonly end: number;
}

/** Minutes before the first operation. */
const BEGIN = 5_000;
/** Minutes between two operations. */
const STEP = 20;

/** Returns two cash-ins and a cash-out in turn, all succeeded and sound. */
function soundRows(count: number): Rows {
  const lines: LineRow[] = [];
  const operations: OperationRow[] = [];
  let [balance, reserved] = [0, 0];
  for (let i = 1; i <= count; i += 1) {
    const at = BEGIN + i * STEP;
    const isCashout = i % 3 === 0;
    const reference = `${isCashout ? 'CO' : 'CI'}-${i}`;
    const amount = (isCashout ? 4_000 : 10_000) + 50 * i;
    const fees = Math.round(amount * (isCashout ? 0.015 : 0.02));
    const post = (kind: string, posted: number, moved: number, held: number): void => {
      balance += moved;
      reserved += held;
      lines.push({
        ...{ sequence: lines.length + 1, kind, amount: posted, balance, reserved },
        reference,
        at,
        extras: '',
      });
    };
    if (isCashout) {
      post('CASHOUT_HOLD', amount + fees, 0, amount + fees);
      post('CASHOUT_DEBIT', amount, -amount, -amount);
      post('CASHOUT_FEE', fees, -fees, -fees);
    } else {
      post('CASHIN_CREDIT', amount, amount, 0);
      post('CASHIN_FEE', fees, -fees, 0);
    }
    operations.push({ reference, amount, fees, extras: { createdAt: at - 2, completedAt: at } });
  }
  return {
    lines,
    operations,
    profile: { cashinFeeBps: 200, cashoutFeeBps: 150 },
    end: BEGIN + count * STEP,
  };
}

const MINUTES = ['createdAt', 'completedAt'];

function textOf({ lines, operations, profile, end }: Rows): string {
  const last = lines.at(-1)!;
  const shown = (extras: Readonly<Record<string, string | number>>): string =>
    Object.entries(extras)
      .map(([name, value]) => `${name}=${MINUTES.includes(name) ? `+${value}m` : value}`)
      .join(' ');
  return [
    `profile ${shown(profile)}`,
    ...lines.map(
      ({ sequence, kind, amount, balance, reserved, reference, at, extras }) =>
        `line ${sequence} ${kind} ${amount} ${balance}/${reserved} ${reference} at=+${at}m ${extras}`,
    ),
    ...operations.map(
      ({ reference, amount, fees, extras }) =>
        `op ${reference} SUCCEEDED ${amount} fees=${fees} ${shown(extras)}`,
    ),
    `wallet ${last.balance}/${last.reserved} updatedAt=+${last.at}m`,
    `at +${end + 4_320}m`,
  ].join('\n');
}

/** Makes a fact wrong. `by`: how far the fact is off. */
type Wrong = (rows: Rows, by: number) => void;

const ofOperations =
  (extrasOf: (one: OperationRow, by: number) => OperationRow['extras']): Wrong =>
  ({ operations }, by) => {
    for (const one of operations) Object.assign(one.extras, extrasOf(one, by));
  };
const ofLines =
  (partsOf: (line: LineRow, by: number) => Partial<LineRow>): Wrong =>
  ({ lines }, by) => {
    for (const line of lines) Object.assign(line, partsOf(line, by));
  };

/** A service that charges nothing, and writes a line for it all the same. */
const chargeNothing: Wrong = ({ lines, operations, profile }) => {
  Object.assign(profile, { cashinFeeBps: 0, cashoutFeeBps: 0 });
  const amounts = new Map(operations.map(({ reference, amount }) => [reference, amount]));
  let [balance, reserved] = [0, 0];
  for (const line of lines) {
    line.amount = line.kind.endsWith('_FEE') ? 0 : amounts.get(line.reference)!;
    if (line.kind === 'CASHIN_CREDIT') balance += line.amount;
    if (line.kind === 'CASHOUT_DEBIT') balance -= line.amount;
    if (line.kind === 'CASHOUT_HOLD') reserved += line.amount;
    if (line.kind === 'CASHOUT_DEBIT') reserved -= line.amount;
    Object.assign(line, { balance, reserved });
  }
  for (const one of operations) one.fees = 0;
};

const WRONG_FACTS: Readonly<Record<string, Wrong>> = {
  'the account was opened later than its first lines': ({ profile, end }, by) => {
    profile.createdAt = BEGIN + Math.ceil(((end - BEGIN) * Math.min(by, 9)) / 10) + STEP * 22;
  },
  'the account was opened after its last line': ({ profile, end }, by) => {
    profile.createdAt = end + by * 60;
  },
  'the numbers step by more than one': ofLines(({ sequence }, by) => ({
    sequence: sequence * (1 + by),
  })),
  'fees of nothing have lines': chargeNothing,
  'a partner writes one reference everywhere': ofOperations(() => ({ externalReference: 'NA' })),
  'references of partners are blank': ofOperations(() => ({ externalReference: '' })),
  'addresses for payers are blank': ofOperations(() => ({ payerActionUrl: '' })),
  'cash-outs have an address for their payer': ofOperations(() => ({
    payerActionUrl: 'https://pay',
  })),
  'failure codes are blank': ofOperations(() => ({ failureCode: '' })),
  'all operations are in another currency': ofOperations(() => ({ currency: 'XAF' })),
  'all operations are in another country': ofOperations(() => ({ country: 'CM' })),
  'the net amount is the amount': ofOperations(({ amount }) => ({ netAmount: amount })),
  'the net amount takes the fees the other way': ofOperations(({ reference, amount, fees }) => ({
    netAmount: reference.startsWith('CI') ? amount + fees : amount - fees,
  })),
  'all lines are in another currency': ofLines(() => ({ extras: 'currency=XAF' })),
  'all lines have one id': ofLines(() => ({ extras: 'id=1' })),
  'all lines are credits': ofLines(() => ({ extras: 'direction=CREDIT' })),
  'kinds are written in small letters': ofLines(({ kind }) => ({ kind: kind.toLowerCase() })),
  'no line names its operation': ofLines(() => ({ reference: '-' })),
  'no hold shows in the reserved figure': ofLines(() => ({ reserved: 0 })),
  'lines are dated in another zone': ofLines(({ at }, by) => ({ at: at - by * 60 })),
  'operations are dated in another zone': ofOperations(({ extras }, by) =>
    Object.fromEntries(MINUTES.map((name) => [name, Number(extras[name]) + by * 60])),
  ),
  'operations begin in another zone': ofOperations(({ extras }, by) => ({
    createdAt: Number(extras.createdAt) + by * 60,
  })),
};

const FEW = 120;

function reportOn(count: number, ...wrong: readonly ((rows: Rows) => void)[]): AuditReport {
  const rows = soundRows(count);
  for (const change of wrong) change(rows);
  return reconcileSample(textOf(rows));
}

const RANK = ['clean', 'incomplete', 'broken'] as const;
const rankOf = ({ verdict }: AuditReport): number => RANK.indexOf(verdict);
const rootsOf = ({ findings }: AuditReport) => findings.filter(({ causedBy }) => causedBy === null);

/** Returns by how much what is due differs from what the last line records. */
function offIn({ due, recorded }: AuditReport): readonly bigint[] {
  return (['balance', 'reserved'] as const).map(
    (side) => BigInt(due![side]) - BigInt(recorded[side]!),
  );
}

describe.each(Object.entries(WRONG_FACTS))('where %s', (_, wrong) => {
  test('there are no more findings for ten times as many rows, and what is due stays', () => {
    assertProperty(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 30 }), (by, more) => {
        const [few, many] = [FEW + more, 10 * (FEW + more)].map((count) =>
          reportOn(count, (rows) => wrong(rows, by)),
        );
        expect(many!.findings.length).toBe(few!.findings.length);
        expect(few!.findings.length).toBeLessThanOrEqual(9);
        expect(many!.verdict).toBe(few!.verdict);
        for (const report of [few!, many!]) {
          expect(offIn(report)).toEqual([0n, 0n]);
          expect(report.due!.unexplained).toEqual({ balance: '0', reserved: '0' });
        }
      }),
      { runs: 2 },
    );
  });

  test('a fault of another cause keeps a root of its own, and what it puts off', () => {
    assertProperty(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.nat({ max: FEW - 30 }), (by, where) => {
        const losing = (rows: Rows): void => loseSome(rows, where);
        const alone = reportOn(FEW, losing);
        const both = reportOn(FEW, (rows) => wrong(rows, by), losing);
        const fact = reportOn(FEW, (rows) => wrong(rows, by));
        // The move of a line of an unknown kind is read off its figures.
        const isRead = rootsOf(fact).some(({ kind }) => kind === 'UNKNOWN_KIND');
        expect(rootsOf(both).length).toBe(rootsOf(fact).length + (isRead ? 0 : 1));
        expect(rankOf(both)).toBeGreaterThanOrEqual(
          Math.max(isRead ? 0 : rankOf(alone), rankOf(fact)),
        );
        expect(both.due!.unexplained.balance).toBe('0');
      }),
      { runs: 3 },
    );
  });
});

/** Takes 47 off the balance at a line, and off all balances after it. */
function loseSome({ lines }: Rows, from: number): void {
  const at = 2 * from + 30;
  for (const line of lines.slice(at)) line.balance -= 47;
}
