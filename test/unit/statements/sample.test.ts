// The samples that formats are tested with must agree themselves, because no format can get right
// what a sample gets wrong.

import { describe, expect, test } from 'vitest';
import type { StatementLine } from '../../../src/core/statements/statement-line.ts';
import { sampleDocument } from '../../support/sample-statement.ts';

describe.each([0, 1, 40, 3_000])('a sample of %i lines', (count) => {
  test('has figures that follow from its lines', async () => {
    const { statement, lines } = sampleDocument({ lines: count, texts: 'hostile' });
    const all: StatementLine[] = [];
    for await (const batch of lines()) all.push(...batch);
    const { summary, days, movements, operators, journal, openHolds } = statement;
    expect(all.length).toBe(count);
    expect(summary.entryCount).toBe(count);
    const net = summary.closingBalance - summary.openingBalance;
    expect(
      summary.collected -
        summary.disbursed -
        summary.fees +
        summary.reversals +
        summary.adjustments,
    ).toBe(net);
    for (const rows of [days, operators.rows])
      expect(rows.reduce((sum, row) => sum + row.net, 0)).toBe(net);
    expect(movements.reduce((sum, row) => sum + row.balanceEffect, 0)).toBe(net);
    expect(days.at(-1)!.closing).toBe(summary.closingBalance);
    expect(all.at(-1)?.balance ?? summary.openingBalance).toBe(summary.closingBalance);
    expect(journal.debit).toBe(journal.credit);
    expect(journal.wallet.opening + journal.wallet.debit - journal.wallet.credit).toBe(
      summary.closingBalance,
    );
    expect(openHolds.rows.reduce((sum, row) => sum + row.held, 0)).toBe(summary.closingReserved);
    expect(summary.byOperator.reduce((sum, row) => sum + row.amount, 0)).toBe(summary.totalAmount);
    expect(summary.byDay.reduce((sum, row) => sum + row.fees, 0)).toBe(summary.totalFees);
    expect(JSON.parse(JSON.stringify(statement))).toEqual(statement);
  });
});
