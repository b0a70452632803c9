// Commissions: what was charged, compared with what the price in the merchant's profile asks for.

import { hasOperations } from '../../../core/statements/statement.ts';
import { COMMISSION_DIFFERENCES, COMMISSIONS, FEE_TAXES } from '../../../core/statements/tables/commissions.ts';
import { fill } from '../../../core/words/message.ts';
import { nameAnswer } from '../../../core/words/names.ts';
import type { DocumentContext } from '../port/wording.ts';
import { type Block, heading, note, pairs, SHEET, tableOf } from './block.ts';

/** Without operations, only the lines that were posted can be shown. */
export function commissionBlocks({ statement, labels, words }: DocumentContext): readonly Block[] {
  const titles = labels.commissions;
  const { rows, total, posted, roundings, differences, differenceCount } = statement.commissions;
  const isRead = hasOperations(statement);
  const prices = tableOf('prices', COMMISSIONS, { titles, rows, total: { ...total, differenceCount } });
  const list = nameAnswer(words.speech, 'feeRounding', roundings)[1];
  const { taxes } = statement.journal;
  return [
    note(isRead ? titles.note : labels.document.operationsUnread),
    isRead ? prices : { ...prices, on: 'sheet' },
    ...(isRead && roundings.length > 0 && total.count > 0 ? [note(fill(titles.roundings, { list }))] : []),
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
    ...(differenceCount > 0
      ? [
          heading(titles.differences),
          tableOf('differences', COMMISSION_DIFFERENCES, { titles, rows: differences, count: differenceCount }),
        ]
      : []),
  ];
}
