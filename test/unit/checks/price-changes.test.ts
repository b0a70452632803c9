// Which operations make a change of price, and which are charged wrongly: how many there must be, in
// what order, and what lies between them.

import { describe, expect, test } from 'vitest';
import { EVERY_INTERPRETATION, setOf } from '../../../src/core/domain/assumptions.ts';
import { DAY, MINUTE } from '../../../src/core/domain/instant.ts';
import type { Merchant, Price } from '../../../src/core/domain/merchant.ts';
import type { Operation } from '../../../src/core/domain/operation.ts';
import {
  beginPricing,
  judgePricing,
  retakeCharge,
  takeCharge,
} from '../../../src/core/kernel/checks/across/pricing.ts';

const START = Date.UTC(2026, 9, 1);
const STATED: Price = { bps: 200, flat: 0 };
const OTHER: Price = { bps: 300, flat: 0 };
const ODD: Price = { bps: 303, flat: 3 };

const profileAt = (price: Price) =>
  ({ pricing: { cashin: price, cashout: price } }) as unknown as Merchant;

interface Charged {
  readonly price?: Price;
  readonly amount?: number;
  readonly type?: Operation['type'];
}

/** Operations a minute apart, each charged by its price. */
function charge(all: readonly Charged[]): readonly Operation[] {
  return all.map(({ price = STATED, amount = 10_000, type = 'CASHIN' }, i) => {
    const fees = Math.round((amount * price.bps) / 10_000) + price.flat;
    const reference = `GUI-${String(i).padStart(3, '0')}`;
    const createdAt = START + i * MINUTE;
    return { reference, type, amount, fees, createdAt, status: 'SUCCEEDED' } as Operation;
  });
}

function judge(operations: readonly Operation[], profiles = [profileAt(STATED)]) {
  const state = beginPricing();
  for (const one of operations) takeCharge(state, one, profiles);
  return judgePricing(state, profiles, EVERY_INTERPRETATION);
}

/** Each letter is an operation: S as stated, O by another price, N by an odd one, t tiny. */
const LETTERS: Readonly<Record<string, Charged>> = {
  S: {},
  O: { price: OTHER },
  N: { price: ODD },
  t: { amount: 10 },
};
const written = (letters: string, type: Operation['type'] = 'CASHIN') =>
  [...letters].map((one, i) => ({
    ...LETTERS[one]!,
    ...(one === 't' ? {} : { amount: 10_000 + 1_000 * (i % 5) }),
    type,
  }));

/** How many operations each change of price has, and how many misfit. */
function said(
  letters: string,
  order: (all: readonly Operation[]) => readonly Operation[] = (all) => all,
) {
  const drafts = judge(order(charge(written(letters))));
  const changes = drafts.filter(({ kind }) => kind === 'PRICING_CHANGED');
  return [
    ...changes.map(
      ({ figures }) => `${figures.charges} from ${String(figures.reference).slice(-2)}`,
    ),
    ...drafts
      .filter(({ kind }) => kind === 'FEE_NOT_AS_PRICED')
      .map(({ operationReference }) => operationReference!.slice(-2)),
  ];
}

describe('a change of price', () => {
  test('is four operations in a row that share another price', () => {
    expect(said('SOOOOS')).toEqual(['4 from 01']);
    expect(said('SOOOS')).toEqual(['01', '02', '03']);
    expect(said('SOOONNNS')).toHaveLength(6);
    expect(said('SNNNNS')).toEqual(['4 from 01']);
    expect(said('SOOOONNNN')).toEqual(['4 from 01', '4 from 05']);
  });

  test('is none where one of the stated price lies between, unless it is too small to tell', () => {
    expect(said('SOOSOO')).toEqual(['01', '02', '04', '05']);
    expect(said('SOOtOO')).toEqual(['4 from 01']);
    const between = (amount: number) => {
      const all = written('SOOSOO').map((one, i) => (i === 3 ? { ...one, amount } : one));
      return judge(charge(all)).map(({ kind }) => kind);
    };
    // Nine of fees, and ten.
    expect(between(450)).toEqual(['PRICING_CHANGED']);
    expect(between(500)).toHaveLength(4);
  });

  test('goes on over three operations of the stated price, and ends with four', () => {
    expect(said('SOOOOSSSO')).toEqual(['5 from 01']);
    expect(said('SOOOOSSSSO')).toEqual(['4 from 01', '09']);
    expect(said('SOOOOSSSOSSSO')).toEqual(['6 from 01']);
    expect(said('SOOOOSSSOSSSSO')).toEqual(['5 from 01', '13']);
  });

  test('has also the operations that came before its row at that price', () => {
    expect(said('SOSSSOOOO')).toEqual(['5 from 01']);
    expect(said('SOSSSSOOOO')).toEqual(['4 from 06', '01']);
    expect(said('SOSSSOSSSOOOO')).toEqual(['6 from 01']);
    expect(said('SNOSOOOO')).toEqual(['5 from 02', '01']);
  });

  test('is the same in whatever order operations come', () => {
    for (const letters of ['SOOOOSSSO', 'SOSSSOOOO', 'SOOSOO', 'SOOOOSSSSO', 'SNOSOOOO', 'OOtS']) {
      const inOrder = said(letters);
      expect(
        said(letters, (all) => all.toReversed()),
        letters,
      ).toEqual(inOrder);
      const odd = (all: readonly Operation[]) => [
        ...all.filter((_, i) => i % 2 === 1),
        ...all.filter((_, i) => i % 2 === 0),
      ];
      expect(said(letters, odd), letters).toEqual(inOrder);
    }
  });

  test('of one instant goes by reference', () => {
    const at = (letters: string) =>
      charge(written(letters)).map((one) => ({ ...one, createdAt: START }));
    expect(judge(at('SOOOOSSSO').toReversed())).toMatchObject([
      { kind: 'PRICING_CHANGED', figures: { reference: 'GUI-001', charges: 5 } },
    ]);
    expect(judge(at('SOOSOO').toReversed())).toHaveLength(4);
  });

  test('says by how much more or less was charged', () => {
    const moved = (price: Price) => {
      const all = written('SOOOO').map((one) => (one.price === OTHER ? { ...one, price } : one));
      const { than, moved: by, bps, flat, last } = judge(charge(all))[0]!.figures;
      return [than, by, bps, flat, last];
    };
    // On 11 000, 12 000, 13 000 and 14 000.
    expect(moved(OTHER)).toEqual(['MORE', 500n, 300, 0, 'GUI-004']);
    expect(moved({ bps: 100, flat: 0 })).toEqual(['LESS', 500n, 100, 0, 'GUI-004']);
    expect(moved({ bps: 200, flat: 25 })).toEqual(['MORE', 100n, 200, 25, 'GUI-004']);
    expect(moved({ bps: 100, flat: 125 })).toEqual(['AS_MUCH', 0n, 100, 125, 'GUI-004']);
  });
});

test('a price is every one that all charges fit, and the roundest of them is named', () => {
  const same = charge([{}, ...Array.from({ length: 4 }, () => ({ price: OTHER }))]);
  const [draft] = judge(same);
  expect(draft!.figures).toMatchObject({ bps: 0, flat: 300 });
  // From nothing and 300, through 2 % and 100, to 3 % and nothing.
  expect(draft!.evidence[0]!.note).toBe('301 price(s) fit');
  const far = Array.from({ length: 4 }, (_, i) => ({ price: OTHER, amount: (i + 1) * 1_000_000 }));
  expect(judge(charge([{}, ...far]))[0]!.evidence[0]!.note).toBe('1 price(s) fit');
});

test('a price is narrowed by each charge that fits it', () => {
  const four = Array.from({ length: 4 }, () => ({ price: OTHER }));
  const steep = { price: OTHER, amount: 20_000 };
  const flat = { price: { bps: 200, flat: 100 }, amount: 20_000 };
  const kinds = (...more: readonly Charged[]) =>
    judge(charge([{}, ...four, ...more])).map(({ kind, figures }) => [kind, figures.charges]);
  expect(kinds(steep)).toEqual([['PRICING_CHANGED', 5]]);
  expect(kinds(flat)).toEqual([['PRICING_CHANGED', 5]]);
  expect(kinds(steep, flat)).toEqual([
    ['PRICING_CHANGED', 5],
    ['FEE_NOT_AS_PRICED', undefined],
  ]);
});

test('a charge that fits both prices interrupts no row, one of a third price does', () => {
  const price = { bps: 100, flat: 100 };
  const amounts = [11_000, 12_000, 10_000, 13_000, 14_000];
  const both = amounts.map((amount) => ({ price, amount }));
  expect(judge(charge([{}, ...both])).map(({ figures }) => figures.charges)).toEqual([4]);
  expect(said('SOOOONNONN')).toEqual(['5 from 01', '05', '06', '08', '09']);
  const state = beginPricing();
  for (const one of charge(written('SOONOO'))) takeCharge(state, one, [profileAt(STATED)]);
  const later = [profileAt(STATED), profileAt(ODD)];
  expect(judgePricing(state, later, EVERY_INTERPRETATION)).toHaveLength(4);
});

test('each type has its own price', () => {
  const profile = { pricing: { cashin: STATED, cashout: OTHER } } as unknown as Merchant;
  expect(judge(charge([...written('SSSS'), ...written('OOOO', 'CASHOUT')]), [profile])).toEqual([]);
  expect(judge(charge([...written('SO'), ...written('OS', 'CASHOUT')]), [profile])).toMatchObject([
    { operationReference: 'GUI-001', figures: { due: 220 } },
    { operationReference: 'GUI-003', figures: { due: 330 } },
  ]);
});

describe('at the beginning of the books', () => {
  test('two operations of a round price are a change, one is not', () => {
    expect(said('OOS')).toEqual(['2 from 00']);
    expect(said('OS')).toEqual(['00']);
    expect(said('SOO')).toEqual(['01', '02']);
    expect(said('NNS')).toEqual(['00', '01']);
  });

  test('so are two of any price, among four that fit it', () => {
    const fitting = (count: number) => {
      const both = { price: STATED, amount: 10 };
      const steep = { bps: 217, flat: 0 };
      const all = [
        ...Array.from({ length: count }, () => both),
        { price: steep, amount: 10_000 },
        { price: steep, amount: 20_000 },
        {},
      ];
      return judge(charge(all)).map(({ kind }) => kind);
    };
    expect(fitting(1)).toEqual(['FEE_NOT_AS_PRICED', 'FEE_NOT_AS_PRICED']);
    expect(fitting(2)).toEqual(['PRICING_CHANGED']);
    expect(fitting(39)).toEqual(['PRICING_CHANGED']);
    expect(fitting(40)).toEqual(['FEE_NOT_AS_PRICED', 'FEE_NOT_AS_PRICED']);
  });

  test('so is one, where the price of the other type changed', () => {
    const all = charge([...written('OS'), ...written('SOOOO', 'CASHOUT')]);
    expect(judge(all).map(({ kind, figures }) => [kind, figures.type, figures.charges])).toEqual([
      ['PRICING_CHANGED', 'CASHIN', 1],
      ['PRICING_CHANGED', 'CASHOUT', 4],
    ]);
    expect(judge(all)[0]!.evidence).toHaveLength(1);
    expect(judge(all)[1]!.evidence).toHaveLength(2);
  });
});

describe('a misfit', () => {
  test('is compared with the price stated last, rounded half up', () => {
    const odd = charge([{}, { price: { bps: 0, flat: 1 }, amount: 12_325 }, {}]);
    expect(judge(odd)).toMatchObject([
      { kind: 'FEE_NOT_AS_PRICED', figures: { amount: 12_325, fees: 1, due: 247, bps: 200 } },
    ]);
    const due = (rounding: 'FLOOR' | 'CEILING') => {
      const standing = { ...EVERY_INTERPRETATION, feeRounding: setOf('feeRounding', rounding) };
      const state = beginPricing();
      for (const one of odd) takeCharge(state, one, [profileAt(STATED)]);
      return judgePricing(state, [profileAt(STATED)], standing)[0]!.figures.due;
    };
    expect([due('FLOOR'), due('CEILING')]).toEqual([246, 247]);
    const profiles = [profileAt(STATED), profileAt({ bps: 400, flat: 5 })];
    expect(judge(odd, profiles)).toMatchObject([{ figures: { due: 498, bps: 400, flat: 5 } }]);
  });

  test('is none by a price that is stated later', () => {
    const state = beginPricing();
    const operations = charge(written('SOOOO'));
    for (const one of operations) takeCharge(state, one, [profileAt(STATED)]);
    const both = [profileAt(STATED), profileAt(OTHER)];
    expect(judgePricing(state, both, EVERY_INTERPRETATION)).toEqual([]);
    expect(takeCharge(beginPricing(), operations[1]!, [profileAt(STATED)])).toBe(0);
    expect(takeCharge(beginPricing(), operations[1]!, both)).toBeGreaterThan(0);
  });

  test('has its newest state, and what fits is not kept', () => {
    const state = beginPricing();
    const operations = charge(written('SO'));
    for (const one of operations) takeCharge(state, one, [profileAt(STATED)]);
    for (const one of operations) retakeCharge(state, { ...one, status: 'REVERSED' });
    expect([...state.misfits.values()].map(({ reference, status }) => [reference, status])).toEqual(
      [['GUI-001', 'REVERSED']],
    );
  });

  test('is unknown without a profile', () => {
    const state = beginPricing();
    expect(takeCharge(state, charge(written('O'))[0]!, [])).toBe(0);
    expect(state).toEqual(beginPricing());
  });
});

test('between two misfits the first four and the last four charges are kept, small ones not', () => {
  const state = beginPricing();
  const all = charge(written(`${'S'.repeat(12)}t`)).map((one, i) =>
    i === 12 ? { ...one, createdAt: START + DAY } : one,
  );
  for (const one of [...all.slice(6), ...all.slice(0, 6)])
    takeCharge(state, one, [profileAt(STATED)]);
  const kept = state.runs.CASHIN[0]!.charges.map(({ reference }) => reference.slice(-2));
  expect(kept).toEqual(['00', '01', '02', '03', '08', '09', '10', '11']);
});

test('the first forty charges that fit are kept, in their order, whatever order they come in', () => {
  const all = charge(written('S'.repeat(43)));
  const keptOf = (some: readonly Operation[]) => {
    const state = beginPricing();
    for (const one of some) takeCharge(state, one, [profileAt(STATED)]);
    return state.earlyFits.CASHIN.map(({ reference }) => reference);
  };
  const first = all.slice(0, 40).map(({ reference }) => reference);
  expect(keptOf(all)).toEqual(first);
  expect(keptOf(all.toReversed())).toEqual(first);
  expect(keptOf([...all.slice(20), ...all.slice(0, 20)])).toEqual(first);
  expect(keptOf([...all.slice(0, 39), ...all.slice(40), all[39]!])).toEqual(first);
  const together = all.map((one) => ({ ...one, createdAt: START }));
  expect(keptOf(together.toReversed())).toEqual(first);
});
