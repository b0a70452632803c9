// Payments by link, one rule at a time: what is late, gone, changed, paid twice or notified, each at
// the edge where it begins to be a finding.

import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/core/domain/instant.ts';
import { DELIVERY_WINDOW } from '../../../src/core/domain/notification.ts';
import type { Payment, ReceivedClaim } from '../../../src/core/domain/payment.ts';
import type { FailedDelivery } from '../../../src/core/domain/published/failed-delivery.ts';
import {
  judgeLinks,
  type LinkCase,
  unnotified,
} from '../../../src/core/kernel/checks/links/judge-links.ts';

const TOLERANCE = 5 * MINUTE;
const ASKED = Date.UTC(2026, 9, 20, 12);
const FROM = ASKED - 15 * DAY;
/** Within the span, and long over. */
const MADE = ASKED - 10 * DAY;

const pay = (reference: string, change: Partial<Payment> = {}): Payment => ({
  ...{ reference, amount: 500, country: 'CI', operator: 'wave', orderId: null },
  ...{ status: 'SUCCESS', createdAt: MADE },
  ...change,
});

const claim = (reference: string, change: Partial<ReceivedClaim> = {}): ReceivedClaim => ({
  ...{ reference, status: 'SUCCESS', amount: 500, fees: null, createdAt: MADE },
  ...{ receivedAt: MADE + HOUR },
  ...change,
});

const mapped = (payments: readonly Payment[]): ReadonlyMap<string, Payment> =>
  new Map(payments.map((one) => [one.reference, one]));

interface Given extends Partial<Omit<LinkCase, 'payments' | 'kept'>> {
  readonly payments?: readonly Payment[];
  /** By reference, each seen an hour after the one before. */
  readonly versions?: Readonly<Record<string, readonly Payment[]>>;
  readonly claims?: readonly ReceivedClaim[] | null;
}

function caseOf({ payments = [], versions = {}, claims = null, ...rest }: Given): LinkCase {
  const seen = Object.entries(versions).map(
    ([reference, rows]) =>
      [reference, rows.map((value, i) => ({ at: MADE + (i + 1) * HOUR, value }))] as const,
  );
  return {
    payments: mapped(payments),
    span: { from: FROM, until: ASKED },
    kept: { versions: new Map(seen), claims },
    isWhole: true,
    undelivered: new Map(),
    askedAt: ASKED,
    clockTolerance: TOLERANCE,
    ...rest,
  };
}

const judge = (given: Given) => judgeLinks(caseOf(given));
const kinds = (given: Given): readonly string[] => judge(given).drafts.map(({ kind }) => kind);
const sought = (given: Given): readonly string[] =>
  judge(given).sought.map(({ kind, inputPlace }) => `${kind} ${inputPlace}`);

describe('a payment that is PENDING', () => {
  const due = MADE + 24 * HOUR;
  const pending = pay('PAY1', { status: 'PENDING' });
  const overdue = (askedAt: number) => kinds({ payments: [pending], askedAt });

  test('is overdue an hour after its link has ended, and the tolerance later', () => {
    expect(overdue(due + HOUR + TOLERANCE)).toEqual([]);
    expect(overdue(due + HOUR + TOLERANCE + 1)).toEqual(['PAYMENT_OVERDUE']);
    expect(judge({ payments: [pending] }).drafts[0]).toMatchObject({
      figures: { reference: 'PAY1', amount: 500, due: '2026-10-11T12:00:00.000Z' },
      evidence: [{ what: 'report', note: 'PENDING 500, created at 2026-10-10T12:00:00.000Z' }],
    });
  });

  test('is looked for once it was seen so, also where it has ended since', () => {
    expect(sought({ payments: [pay('PAY1')], versions: { PAY1: [pending] } })).toContain(
      'PAYMENT_OVERDUE payment PAY1',
    );
    expect(
      sought({ payments: [pay('PAY1')], versions: { PAY1: [pending, pay('PAY1')] } }),
    ).toContain('PAYMENT_OVERDUE payment PAY1');
    expect(kinds({ payments: [pay('PAY1')], versions: { PAY1: [pending] } })).toEqual([]);
  });

  test('and one that never was is not', () => {
    expect(sought({ payments: [pay('PAY1')] })).toEqual([]);
    expect(sought({ payments: [pay('PAY1')], versions: { PAY1: [pay('PAY1')] } })).toEqual([]);
  });
});

describe('a payment that is not served any more', () => {
  const gone = (createdAt: number, change: Given = {}) =>
    kinds({ versions: { PAY1: [pay('PAY1', { createdAt })] }, ...change });

  test('is gone where it was created within what was read, whatever the clocks', () => {
    expect(gone(FROM + TOLERANCE - 1)).toEqual([]);
    expect(gone(FROM + TOLERANCE)).toEqual(['PAYMENT_OUTCOME_CHANGED']);
    const span = { from: FROM, until: MADE };
    expect(gone(MADE - TOLERANCE - 1, { span })).toEqual(['PAYMENT_OUTCOME_CHANGED']);
    expect(gone(MADE - TOLERANCE, { span })).toEqual([]);
    expect(gone(MADE + TOLERANCE - 1, { span })).toEqual([]);
  });

  test('is not, where it was created as the payments were read', () => {
    const span = { from: FROM, until: ASKED + DAY };
    expect(gone(ASKED - TOLERANCE - 1, { span })).toEqual(['PAYMENT_OUTCOME_CHANGED']);
    expect(gone(ASKED - TOLERANCE, { span })).toEqual([]);
    expect(gone(ASKED + TOLERANCE - 1, { span })).toEqual([]);
  });

  test('is not, where rows could not be read', () => {
    expect(gone(MADE, { isWhole: false })).toEqual([]);
  });

  test('is gone too where it was PENDING when it was seen last', () => {
    const versions = { PAY1: [pay('PAY1', { status: 'PENDING' })] };
    expect(judge({ versions }).drafts).toMatchObject([
      { figures: { before: 'PENDING', now: null } },
    ]);
  });

  test('is shown as it was seen last', () => {
    const versions = { PAY1: [pay('PAY1', { status: 'PENDING' }), pay('PAY1')] };
    expect(judge({ versions }).drafts).toMatchObject([
      {
        figures: { before: 'SUCCESS', now: null },
        expected: 'SUCCESS',
        actual: 'not served',
        evidence: [
          {
            note: 'SUCCESS 500, created at 2026-10-10T12:00:00.000Z, as seen at 2026-10-10T14:00:00.000Z',
          },
        ],
      },
    ]);
  });
});

describe('an outcome', () => {
  const through = (...statuses: readonly Payment['status'][]) => {
    const versions = statuses.slice(0, -1).map((status) => pay('PAY1', { status }));
    const payments = [pay('PAY1', { status: statuses.at(-1)! })];
    return judge({ payments, versions: { PAY1: versions }, askedAt: MADE + 3 * HOUR }).drafts;
  };

  test('comes after PENDING, and stays', () => {
    expect(through('PENDING', 'SUCCESS')).toEqual([]);
    expect(through('PENDING', 'FAILED')).toEqual([]);
    expect(through('SUCCESS', 'SUCCESS')).toEqual([]);
    expect(through('PENDING', 'PENDING')).toEqual([]);
  });

  test('that becomes another one is shown from the first to the first other', () => {
    expect(through('PENDING', 'FAILED', 'SUCCESS')).toMatchObject([
      { kind: 'PAYMENT_OUTCOME_CHANGED', figures: { before: 'FAILED', now: 'SUCCESS' } },
    ]);
    expect(through('FAILED', 'PENDING', 'SUCCESS')).toMatchObject([
      { kind: 'PAYMENT_OUTCOME_CHANGED', figures: { before: 'FAILED', now: 'PENDING' } },
    ]);
    expect(through('SUCCESS', 'FAILED')[0]!.evidence).toHaveLength(2);
  });
});

describe('what is fixed at creation', () => {
  const changed = (change: Partial<Payment>) =>
    judge({ payments: [pay('PAY1', change)], versions: { PAY1: [pay('PAY1')] } }).drafts;

  test.each([
    ['amount', { amount: 470 }, '500', '470', -30n],
    ['country', { country: 'SN' }, 'CI', 'SN', null],
    ['order_id', { orderId: `o-${'1'.repeat(100)}` }, 'null', `o-${'1'.repeat(78)}`, null],
    [
      'createdAt',
      { createdAt: MADE + SECOND },
      '2026-10-10T12:00:00.000Z',
      '2026-10-10T12:00:01.000Z',
      null,
    ],
  ] as const)('does not change: %s', (name, change, before, now, difference) => {
    const figures = { reference: 'PAY1', name, before, now };
    expect(changed(change)).toMatchObject([
      { kind: 'PAYMENT_FIELD_CHANGED', figures, expected: before, actual: now, difference },
    ]);
    expect(changed(change)[0]!.evidence).toHaveLength(2);
  });

  test('an operator is named once the payment is made', () => {
    expect(changed({ operator: 'mtn' })).toEqual([]);
  });

  test('and a version that was seen before counts as well', () => {
    const versions = { PAY1: [pay('PAY1'), pay('PAY1', { amount: 600 })] };
    expect(kinds({ payments: [pay('PAY1')], versions })).toEqual(['PAYMENT_FIELD_CHANGED']);
  });
});

describe('one order', () => {
  const paid = (...at: readonly (number | Partial<Payment>)[]) =>
    judge({
      payments: at.map((one, i) => {
        const change = typeof one === 'number' ? { createdAt: MADE + one } : one;
        return pay(`PAY${i}`, { orderId: 'o-1', ...change });
      }),
    });

  test('is paid twice where two payments of one amount follow within a day', () => {
    expect(paid(0, DAY).drafts).toMatchObject([
      {
        kind: 'ORDER_PAID_TWICE',
        figures: { order: 'o-1', amount: 500, first: 'PAY0', second: 'PAY1', count: 2 },
        about: { amount: 500, createdAt: MADE + DAY },
      },
    ]);
    expect(paid(0, DAY + 1).drafts).toEqual([]);
    expect(paid(0, { createdAt: MADE, amount: 501 }).drafts).toEqual([]);
    expect(paid(0, { createdAt: MADE, status: 'FAILED' }).drafts).toEqual([]);
    expect(paid(DAY, 0).drafts).toMatchObject([{ figures: { first: 'PAY1', second: 'PAY0' } }]);
  });

  test('is looked for where it has two payments, whatever became of them', () => {
    expect(paid(0).sought).toEqual([]);
    expect(paid(0, { status: 'FAILED' }).sought).toEqual([
      { kind: 'ORDER_PAID_TWICE', inputPlace: 'order o-1' },
    ]);
  });

  test('ends where more than a day passes, and begins where less does', () => {
    const counts = (...at: readonly number[]) => {
      const { figures } = paid(...at).drafts[0]!;
      return [figures.first, figures.second, figures.count];
    };
    expect(counts(0, DAY, 2 * DAY, 3 * DAY + 1, 3 * DAY + 2)).toEqual(['PAY0', 'PAY1', 3]);
    expect(counts(0, DAY + 1, DAY + 2)).toEqual(['PAY1', 'PAY2', 2]);
    expect(counts(0, 1, 2)).toEqual(['PAY0', 'PAY1', 3]);
  });

  test('of another amount is looked at where the first was paid once', () => {
    const later = { createdAt: MADE + 1, amount: 700 };
    expect(paid(0, later, { ...later, createdAt: MADE + 2 }).drafts).toMatchObject([
      { figures: { amount: 700, first: 'PAY1', second: 'PAY2', count: 2 } },
    ]);
  });

  test('is named by 80 characters at most, its place by 120, with 20 payments as evidence', () => {
    const payments = Array.from({ length: 21 }, (_, i) =>
      pay(`PAY${i}`, { orderId: 'x'.repeat(130) }),
    );
    const [draft] = judge({ payments }).drafts;
    expect(draft).toMatchObject({
      figures: { order: 'x'.repeat(80), count: 21 },
      inputPlace: `order ${'x'.repeat(120)}`,
    });
    expect(draft!.evidence).toHaveLength(20);
  });

  test('is none where no order is named', () => {
    expect(judge({ payments: [pay('PAY1'), pay('PAY2')] }).sought).toEqual([]);
  });
});

describe('a notification', () => {
  const settled = ASKED - 2 * TOLERANCE - 1;
  const contradicts = (given: Given) =>
    judge(given).drafts.filter(({ kind }) => kind === 'PAYMENT_EVENT_CONTRADICTS');

  test('that says what is served contradicts nothing, and needs no look', () => {
    const given = { payments: [pay('PAY1')], claims: [claim('PAY1')] };
    expect(kinds(given)).toEqual([]);
    expect(sought(given)).not.toContain('PAYMENT_EVENT_CONTRADICTS payment PAY1');
    const twice = { ...given, claims: [claim('PAY1'), claim('PAY1')] };
    expect(sought(twice)).toContain('PAYMENT_EVENT_CONTRADICTS payment PAY1');
    const seen = { ...given, versions: { PAY1: [pay('PAY1', { status: 'PENDING' })] } };
    expect(sought(seen)).toContain('PAYMENT_EVENT_CONTRADICTS payment PAY1');
  });

  test('of another amount is compared by its amount, of another outcome by its outcome', () => {
    const payments = [pay('PAY1')];
    expect(contradicts({ payments, claims: [claim('PAY1', { amount: 400 })] })).toMatchObject([
      { expected: '500', actual: '400', figures: { amount: 400, servedAmount: 500 } },
    ]);
    const failed = { status: 'FAILED', amount: 400 } as const;
    expect(contradicts({ payments, claims: [claim('PAY1', failed)] })).toMatchObject([
      { expected: 'SUCCESS', actual: 'FAILED' },
    ]);
    const silent = { status: 'FAILED', amount: null } as const;
    const [draft] = contradicts({ payments, claims: [claim('PAY1', silent)] });
    expect(draft!.evidence[0]).toMatchObject({
      what: 'notification',
      note: 'FAILED without an amount, received at 2026-10-10T13:00:00.000Z',
    });
  });

  test('may have overtaken the payments, until twice the tolerance has passed', () => {
    const at = (receivedAt: number) =>
      contradicts({ payments: [pay('PAY1')], claims: [claim('PAY1', { amount: 1, receivedAt })] });
    expect(at(settled)).toHaveLength(1);
    expect(at(settled + 1)).toEqual([]);
  });

  test('that one other agrees with, or an earlier look, is true', () => {
    const payments = [pay('PAY1')];
    const wrong = claim('PAY1', { amount: 1 });
    expect(contradicts({ payments, claims: [wrong, claim('PAY1')] })).toEqual([]);
    const versions = { PAY1: [pay('PAY1', { amount: 1 })] };
    expect(contradicts({ payments, versions, claims: [wrong] })).toEqual([]);
  });

  test('is judged of a payment that is served, and where any are kept', () => {
    expect(
      contradicts({ payments: [pay('PAY2')], claims: [claim('PAY1', { amount: 1 })] }),
    ).toEqual([]);
    expect(sought({ payments: [pay('PAY1')], claims: [] })).toContain(
      'PAYMENT_EVENT_MISSING notifications that are missing',
    );
  });
});

describe('a success that no notification names', () => {
  const LONGEST = 25 * HOUR + DELIVERY_WINDOW;
  const first = claim('PAY0', { receivedAt: FROM, createdAt: FROM });
  const other = pay('PAY0', { createdAt: FROM });
  const missing = (payments: readonly Payment[], change: Given = {}) =>
    judge({ payments: [other, ...payments], claims: [first], ...change }).drafts.filter(
      ({ kind }) => kind === 'PAYMENT_EVENT_MISSING',
    );

  test('is missed once the link, its end and every attempt are over, and the tolerance', () => {
    const edge = ASKED - LONGEST - TOLERANCE;
    expect(missing([pay('PAY1', { createdAt: edge - 1 })])).toHaveLength(1);
    expect(missing([pay('PAY1', { createdAt: edge })])).toEqual([]);
    expect(missing([pay('PAY1', { status: 'FAILED' })])).toEqual([]);
  });

  test('is missed of a payment made since the first notification came', () => {
    const at = (createdAt: number) =>
      missing([pay('PAY1', { createdAt })], {
        claims: [claim('PAY0', { receivedAt: MADE + 1 }), claim('PAY0', { receivedAt: MADE })],
      });
    expect(at(MADE)).toHaveLength(1);
    expect(at(MADE - 1)).toEqual([]);
    const { undelivered: _, ...never } = caseOf({ payments: [pay('PAY1')], claims: null });
    expect(unnotified(never)).toEqual([]);
  });

  test('says how the service lists it', () => {
    const delivery = { status: 'EXHAUSTED' } as unknown as FailedDelivery;
    const undelivered = new Map([['PAY1', delivery]]);
    expect(missing([pay('PAY1')], { undelivered })).toMatchObject([
      { figures: { reference: 'PAY1', amount: 500, listed: 'EXHAUSTED', more: 0 } },
    ]);
    expect(missing([pay('PAY1')])).toMatchObject([{ figures: { listed: null } }]);
  });

  test('is named one by one up to twenty, and of more the oldest speaks for all', () => {
    const some = (count: number) =>
      Array.from({ length: count }, (_, i) =>
        pay(`PAY${count - i}`, { createdAt: MADE + (i === count - 1 ? -1 : 0) }),
      );
    expect(missing(some(20))).toHaveLength(20);
    expect(missing(some(21))).toMatchObject([
      {
        figures: { reference: 'PAY1', more: 20 },
        inputPlace: 'notifications that are missing',
      },
    ]);
    const equal = [pay('PAY2'), pay('PAY3'), pay('PAY1')];
    const sorted = unnotified(caseOf({ payments: equal, claims: [first] }));
    expect(sorted.map(({ reference }) => reference)).toEqual(['PAY1', 'PAY2', 'PAY3']);
    const order = unnotified(caseOf({ payments: some(3), claims: [first] }));
    expect(order.map(({ reference }) => reference)).toEqual(['PAY1', 'PAY2', 'PAY3']);
  });

  test('is looked for where the notification came late: it may have been missed before', () => {
    const place = 'PAYMENT_EVENT_MISSING payment PAY1';
    const at = (receivedAt: number) =>
      sought({ payments: [pay('PAY1')], claims: [claim('PAY1', { receivedAt })] });
    expect(at(MADE + LONGEST - TOLERANCE)).not.toContain(place);
    expect(at(MADE + LONGEST - TOLERANCE + 1)).toContain(place);
    expect(sought({ claims: [claim('PAY1', { receivedAt: ASKED })] })).not.toContain(place);
  });
});

describe('a notification of a payment that is not served', () => {
  const unknown = (change: Partial<ReceivedClaim>, given: Given = {}) =>
    judge({ claims: [claim('PAY9', change)], ...given }).drafts;

  test('is unknown where its link was made within what was read', () => {
    expect(unknown({ createdAt: FROM + TOLERANCE })).toMatchObject([
      {
        kind: 'PAYMENT_EVENT_UNKNOWN',
        figures: { reference: 'PAY9', status: 'SUCCESS', more: 0 },
      },
    ]);
    expect(unknown({ createdAt: FROM + TOLERANCE - 1 })).toEqual([]);
    const span = { from: FROM, until: MADE };
    expect(unknown({ createdAt: MADE - TOLERANCE - 1 }, { span })).toHaveLength(1);
    expect(unknown({ createdAt: MADE - TOLERANCE }, { span })).toEqual([]);
    expect(unknown({ createdAt: MADE + TOLERANCE - 1 }, { span })).toEqual([]);
    expect(unknown({ createdAt: null })).toEqual([]);
  });

  test('may have overtaken the payments, until twice the tolerance has passed', () => {
    expect(unknown({ receivedAt: ASKED - 2 * TOLERANCE - 1 })).toHaveLength(1);
    expect(unknown({ receivedAt: ASKED - 2 * TOLERANCE })).toEqual([]);
  });

  test('is not unknown where it was seen before, or rows could not be read', () => {
    const pending = pay('PAY9', { createdAt: FROM });
    expect(unknown({}, { versions: { PAY9: [pending] } })).toEqual([]);
    expect(unknown({}, { isWhole: false })).toEqual([]);
    expect(judge({ claims: [claim('PAY9')], isWhole: false }).sought).not.toContainEqual({
      kind: 'PAYMENT_EVENT_UNKNOWN',
      inputPlace: 'notifications of unknown payments',
    });
  });

  test('is one finding for all, each payment once, twenty as evidence', () => {
    const claims = Array.from({ length: 22 }, (_, i) => claim(`${i}${'9'.repeat(99)}`));
    const drafts = judge({ claims: [...claims, claims[0]!] }).drafts;
    expect(drafts).toMatchObject([{ figures: { reference: `0${'9'.repeat(79)}`, more: 21 } }]);
    expect(drafts[0]!.evidence).toHaveLength(20);
    expect(drafts[0]!.evidence[1]!.reference).toBe(`1${'9'.repeat(79)}`);
  });
});
