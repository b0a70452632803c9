// Blocks on commissions: what was charged, compared with what the price in the merchant's profile
// asks for.

import { labelOf, parseDay } from '../../../core/domain/period.ts';
import type { JournalEntry } from '../../../core/statements/journal.ts';
import { hasOperations } from '../../../core/statements/statement.ts';
import {
  COMMISSION_DIFFERENCES,
  COMMISSIONS,
  FEE_TAXES,
} from '../../../core/statements/tables/commissions.ts';
import { fill } from '../../../core/words/finding.ts';
import { nameAnswer } from '../../../core/words/names.ts';
import type { DocumentContext } from '../port/wording.ts';
import { type Block, heading, note, pairs, SHEET, tableOf } from './block.ts';

/**
 * Shows the commissions. Where operations were not read, only the lines that were posted can be
 * shown.
 */
export function commissionBlocks({
  statement,
  labels,
  words,
  language,
}: DocumentContext): readonly Block[] {
  const titles = labels.commissions;
  const { rows, total, posted, roundings, differences, differenceCount } = statement.commissions;
  const isRead = hasOperations(statement);
  const prices = tableOf('prices', COMMISSIONS, {
    titles,
    rows,
    total: { ...total, differenceCount },
  });
  const list = nameAnswer(words.speech, 'feeRounding', roundings)[1];
  const { taxes, others } = statement.journal;
  const invoices = others.filter(({ source }) => source === 'invoice');
  return [
    note(isRead ? titles.note : labels.document.operationsUnread),
    isRead ? prices : { ...prices, on: 'sheet' },
    ...(isRead && roundings.length > 0 && total.count > 0
      ? [note(fill(titles.roundings, { list }))]
      : []),
    heading(titles.posted, SHEET),
    {
      ...pairs(
        [words.code('type', 'CASHIN'), posted.cashin, 'amount'],
        [words.code('type', 'CASHOUT'), posted.cashout, 'amount'],
      ),
      ...SHEET,
    },
    ...(isRead && taxes.length > 0
      ? [heading(titles.taxes), tableOf('taxes', FEE_TAXES, { titles, rows: taxes })]
      : []),
    ...invoices.map((entry) => {
      const own = parseDay(entry.pieceDate ?? '');
      const date = own === null ? '' : labelOf(own, language);
      return note(fill(titles.invoice, { ...invoiceFigures(entry), date }, words.speech));
    }),
    ...(differenceCount > 0
      ? [
          heading(titles.differences),
          tableOf('differences', COMMISSION_DIFFERENCES, {
            titles,
            rows: differences,
            count: differenceCount,
          }),
        ]
      : []),
  ];
}

/**
 * Returns the figures of an invoice for commissions. `difference` is what stays open: it is
 * positive where more was invoiced than withheld.
 */
function invoiceFigures({ piece, rows }: JournalEntry): Readonly<Record<string, string | number>> {
  const of = (...roles: readonly string[]): number =>
    rows.reduce(
      (sum, { role, debit, credit }) => sum + (roles.includes(role) ? debit - credit : 0),
      0,
    );
  const open = rows.find(({ role, letter }) => role === 'suppliers' && letter === undefined);
  const difference = (open?.credit ?? 0) - (open?.debit ?? 0);
  const [net, tax] = [of('fees'), of('feeTax')];
  return { number: piece, net, tax, withheld: net + tax - difference, difference };
}
