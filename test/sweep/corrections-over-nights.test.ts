// Corrections come one after the other, a night or a month between them. After each, every fault is
// settled, open again or off by what is left, as one look at the books says; its state follows, and
// each month says what was so at its end. TEST_POLICIES=all corrects every fault in every way.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MINUTE } from '../../src/core/domain/instant.ts';
import { fingerprintOf } from '../../src/core/kernel/checks/port/fingerprint.ts';
import { namePolicy } from '../../src/sandbox/model/policy.ts';
import { findOne } from '../../src/service/workflows/operators/decide-findings.ts';
import { arraySource } from '../support/array-source.ts';
import { plantCorrectable, whyNotLeft } from '../support/correctable-books.ts';
import {
  type CorrectingLine,
  EVERY_WAY,
  NAMINGS,
  postCorrecting,
  WAYS,
} from '../support/correcting-lines.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { ALL_POLICIES } from '../support/in-turn.ts';
import { stateBooks } from '../support/month-of-books.ts';
import { outcomeOf, runSource } from '../support/nightly-run.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const SEEDS = ALL_POLICIES ? [0, 1, 2, 3, 4, 5] : [0];
const corrected = SEEDS.flatMap((seed) =>
  plantCorrectable(seed).flatMap((one, turn) =>
    (ALL_POLICIES ? EVERY_WAY : [EVERY_WAY[turn % EVERY_WAY.length]!]).map((way) => ({
      ...one,
      seed,
      turn,
      way,
    })),
  ),
);

type Corrected = (typeof corrected)[number];

function linesOf({
  root,
  turn,
  way,
}: Pick<Corrected, 'root' | 'turn' | 'way'>): readonly CorrectingLine[] {
  const naming = NAMINGS[turn % NAMINGS.length]!;
  return WAYS[way](Number(root.item!.balance)).map((effect) => ({
    kind: 'ADJUSTMENT',
    naming,
    effect,
    root,
  }));
}

const leftBy = ({ root }: Pick<Corrected, 'root'>, lines: readonly CorrectingLine[]): number =>
  lines.reduce((sum, { effect }) => sum + effect, Number(root.item!.balance));

test('most faults are corrected in most ways', () => {
  expect(corrected.length).toBeGreaterThan(20);
  expect(new Set(corrected.map(({ way }) => way)).size).toBe(EVERY_WAY.length);
});

describe(`a night between the lines (TEST_SEED=${TEST_SEED})`, () => {
  let opened: TestStore;
  beforeAll(async () => {
    opened = await openTestStore();
  });
  afterAll(() => opened.close());

  test.each(corrected)('$name, $way, shop $seed', async (one) => {
    const merchant = `${one.name} ${one.way} ${one.seed}`.replaceAll(/\W/g, '_');
    const { kind, sequence, operationReference } = one.root;
    const place = {
      kind,
      sequence: sequence === null ? null : Number(sequence),
      operationReference,
      inputPlace: null,
    };
    const root = { ...one.root, fingerprint: fingerprintOf(merchant, place) };
    const lines = linesOf({ ...one, root });
    for (let posted = 0; posted <= lines.length; posted += 1) {
      const books = decodeBooks(postCorrecting(one.books, lines.slice(0, posted)));
      const asOf = books.asOf + posted * MINUTE;
      const source = arraySource({
        ...books,
        asOf,
        profile: { ...books.profile, reference: merchant },
      });
      const run = await runSource(opened.store, source, {
        merchants: [merchant],
        clock: () => asOf,
        optionsFor: () => ({
          asOf,
          grace: 0,
          clockTolerance: 5 * MINUTE,
          pinned: {},
          opening: null,
        }),
      });
      const { report } = outcomeOf(run, merchant);
      const left = leftBy(one, lines.slice(0, posted));
      const wish = { root, left, count: posted };
      const why = whyNotLeft(report, { ...wish, reserved: one.root.item!.reserved });
      expect(why, `after ${posted} lines, ${namePolicy(one.books.policy)}`).toBeNull();
      expect(report.due!.balance, `after ${posted} lines`).toBe(one.due);
      const isSettled = left === 0 && one.root.item!.reserved === '0';
      expect((await findOne(opened.store, root.fingerprint)).state).toBe(
        isSettled ? 'settled' : 'open',
      );
    }
  });
});

describe(`the end of a month before the last line (TEST_SEED=${TEST_SEED})`, () => {
  test.each(corrected)('$name, $way, shop $seed', async (one) => {
    const lines = linesOf(one).map((line, i, all) => ({
      ...line,
      createdAt: i < all.length - 1 ? '2026-08-20T10:00:00.000Z' : '2026-09-05T10:00:00.000Z',
    }));
    const books = { ...decodeBooks(postCorrecting(one.books, lines)), asOf: Date.UTC(2026, 9, 2) };
    for (const [period, posted] of [
      ['2026-08', lines.slice(0, -1)],
      ['2026-09', lines],
    ] as const) {
      const { summary, due } = (await stateBooks(books, { period })).statement;
      const left = leftBy(one, posted);
      const isSettled = left === 0 && one.root.item!.reserved === '0';
      const open = due.items.filter(({ state }) => state === 'open');
      const context = `${period}, ${namePolicy(one.books.policy)}`;
      expect(summary.verdict.state, context).toBe(isSettled ? 'clean' : 'broken');
      expect(due.recorded.balance - due.due!.balance, context).toBe(left);
      expect(
        open.reduce((sum, { balance }) => sum + balance, 0),
        context,
      ).toBe(left);
    }
  });
});
