// An opening made from any lines, also such as no service posts: holds, debits and releases of a
// few operations in any order, wrong directions, shared sequences, figures that do not follow. A
// replay that begins from it counts what the first pass counts, and finds lines before it as that
// pass took them.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EVERY_INTERPRETATION, setOf } from '../../src/core/domain/assumptions.ts';
import { MINUTE } from '../../src/core/domain/instant.ts';
import { directionOf, type LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import { openZone } from '../../src/core/domain/zone.ts';
import { planSuspense } from '../../src/core/statements/entries/suspense-plan.ts';
import { DEFAULT_JOURNAL } from '../../src/core/statements/journal.ts';
import {
  beginLineReplay,
  finishLines,
  replayLines,
} from '../../src/core/statements/line-replay.ts';
import { beginOperations } from '../../src/core/statements/month/month-operations.ts';
import {
  beginPass,
  earlierLines,
  endPass,
  passLines,
  takesFromHold,
} from '../../src/core/statements/month/month-pass.ts';
import type { MonthSettings } from '../../src/core/statements/month-settings.ts';
import { beginningOf, type EarlierLine, type Opening } from '../../src/core/statements/opening.ts';
import { assertProperty, runsOf } from '../support/assert-property.ts';

const START = Date.UTC(2026, 9, 1);
const KINDS = [
  'CASHOUT_HOLD',
  'CASHOUT_DEBIT',
  'CASHOUT_FEE',
  'CASHOUT_RELEASE',
  'CASHIN_CREDIT',
  'ODD_KIND',
] as const;

const drawn = fc.record({
  kind: fc.constantFrom(...KINDS),
  direction: fc.constantFrom(null, null, null, null, 'CREDIT', 'HOLD', 'NONE'),
  amount: fc.constantFrom(100, 100, 300, 400),
  reference: fc.constantFrom('CO-1', 'CO-1', 'CO-2', null),
  /** What the recorded figures are off by. */
  off: fc.constantFrom(0, 0, 0, -100, 100),
  reserved: fc.constantFrom(-400, -300, -100, 0, 100, 400),
  /** Step to the next sequence; 0 shares that of the line before. */
  step: fc.constantFrom(1, 1, 1, 1, 0, 3),
});
const worlds = fc.record({
  rows: fc.array(drawn, { minLength: 4, maxLength: 14 }),
  rule: fc.constantFrom(
    ...(
      ['DEBIT_AND_FEE', 'FEE_OUTSIDE', 'DEBIT_ALL', 'RELEASE_FIRST', 'RELEASE_LAST'] as const
    ).map((one) => setOf('holdSettlement', one)),
    EVERY_INTERPRETATION.holdSettlement,
  ),
  declared: fc.constantFrom(null, { balance: 900, reserved: 400 }),
});

test('counts what the first line on counts', () => {
  let unlike = 0;
  const RUNS = 50;
  assertProperty(
    fc.property(worlds, ({ rows, rule, declared }) => {
      const lines = linesOf(rows);
      for (let cut = 1; cut < lines.length; cut += 1) {
        const settings = settingsOf(lines[cut]!.createdAt, { rule, declared });
        const whole = passOf(settings, lines, beginningOf(settings));
        const { opening } = whole;
        if (opening.position === null) continue;
        const kept = JSON.parse(JSON.stringify(opening)) as Opening;
        const later = lines.filter(({ sequence }) => sequence >= opening.position!);
        const again = passOf(settings, later, kept);
        expect(figuresOf(again)).toEqual(figuresOf(whole));
        expect(again.opening).toEqual(opening);
        const below = lines.filter(({ sequence }) => sequence < opening.position!);
        const taken = visited(settings, lines).filter(
          ({ entry }) => entry.sequence < opening.position!,
        );
        expect(earlierLines(kept, below, settings).map(factOf)).toEqual(taken.map(factOf));
        if (taken.length !== below.length) unlike += 1;
      }
    }),
    { runs: RUNS },
  );
  expect(unlike, 'lines of a shared sequence that the replay left out').toBeGreaterThan(
    runsOf(RUNS) / 20,
  );
});

type Row = typeof drawn extends fc.Arbitrary<infer One> ? One : never;

function linesOf(rows: readonly Row[]): readonly LedgerEntry[] {
  let [sequence, balanceAfter, reservedAfter] = [10, 5_000, 0];
  return rows.map(({ kind, direction, amount, reference, off, reserved, step }, i): LedgerEntry => {
    sequence += step;
    const own = kind === 'ODD_KIND' ? 'DEBIT' : directionOf(kind);
    balanceAfter += (own === 'CREDIT' ? amount : own === 'DEBIT' ? -amount : 0) + off;
    reservedAfter += reserved;
    return {
      sequence,
      id: `L-${i}`,
      createdAt: START + i * MINUTE,
      kind,
      direction: direction ?? own,
      amount,
      currency: 'XOF',
      balanceAfter,
      reservedAfter,
      operationReference: reference,
      description: null,
    };
  });
}

function settingsOf(
  start: number,
  { rule, declared }: { readonly rule: number; readonly declared: MonthSettings['opening'] },
): MonthSettings {
  return {
    merchant: 'M001',
    currency: 'XOF',
    period: { year: 2026, month: 10 },
    zone: openZone('UTC')!,
    bounds: { start, end: START + 20 * MINUTE },
    boundsFrom: 'configuration',
    cut: null,
    opening: declared,
    standing: { ...EVERY_INTERPRETATION, holdSettlement: rule },
    closed: [],
    moved: new Map(),
    profiles: [],
    parties: { issuer: null, holder: null },
    hasOperations: true,
    journal: DEFAULT_JOURNAL,
    before: null,
    phoneNumbers: 'masked',
    hash: (text) => String(text.length),
  };
}

function passOf(settings: MonthSettings, lines: readonly LedgerEntry[], from: Opening) {
  const nothing = planSuspense([], []);
  const pass = beginPass({
    operations: beginOperations(settings, []),
    from,
    wanted: [],
    plan: nothing,
  });
  passLines(pass, lines);
  return endPass(pass);
}

function figuresOf({ figures }: ReturnType<typeof passOf>) {
  const { before, inside, after, columns, byKind, cutOff, startCutOff, holds, lastSequence } =
    figures;
  return {
    before,
    inside,
    after,
    columns,
    byKind,
    cutOff,
    startCutOff,
    holds: [...holds],
    lastSequence,
  };
}

function visited(settings: MonthSettings, lines: readonly LedgerEntry[]): readonly EarlierLine[] {
  const taken: EarlierLine[] = [];
  const replay = beginLineReplay(settings, beginningOf(settings), ({ entry, effect, move }) => {
    taken.push({ entry, effect, move });
  });
  replayLines(replay, lines);
  finishLines(replay);
  return taken;
}

/**
 * Returns what an opening knows of an earlier line. What takes from a hold is not known by itself.
 */
function factOf({ entry, effect, move }: EarlierLine): readonly [string, number, number] {
  return [entry.id, effect + 0, takesFromHold(entry) ? 0 : move + 0];
}
