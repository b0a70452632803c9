// Section 4, Commissions: what was charged, compared with what the price in the merchant's profile asks for.

import { hasOperations } from '../../../../core/statements/statement.ts';
import { COMMISSION_DIFFERENCES, COMMISSIONS, FEE_TAXES } from '../../../../core/statements/tables/commissions.ts';
import { fill } from '../../../../core/words/message.ts';
import { nameAnswer } from '../../../../core/words/names.ts';
import { drawHeading, drawParagraph, drawSubheading, type Flow, pair } from '../page/flow.ts';
import { drawDeclared, drawNote } from '../page/tables.ts';

export function drawCommissions(flow: Flow): void {
  const { statement, labels, words, layout } = flow;
  const said = labels.commissions;
  const { rows, total, posted, roundings, differences, differenceCount } = statement.commissions;
  drawHeading(flow, said.heading);
  drawParagraph(flow, said.note, { tone: 'muted', size: layout.sizes.note });
  const isRead = hasOperations(statement);
  if (isRead) drawDeclared(flow, COMMISSIONS, said, { rows, total: { ...total, differenceCount } });
  else drawNote(flow, labels.document.operationsUnread);
  const ofType = (type: 'CASHIN' | 'CASHOUT', figure: number) => `${words.code('type', type)} ${words.amount(figure)}`;
  const amounts = [ofType('CASHIN', posted.cashin), ofType('CASHOUT', posted.cashout)].join(' · ');
  drawNote(flow, pair(flow, said.posted, amounts));
  if (!isRead) return;
  if (statement.journal.taxes.length > 0) {
    drawSubheading(flow, said.taxes);
    drawDeclared(flow, FEE_TAXES, said, { rows: statement.journal.taxes });
  }
  const list = nameAnswer(words.speech, 'feeRounding', roundings)[1];
  if (roundings.length > 0) drawNote(flow, fill(said.roundings, { list }));
  if (differenceCount === 0) return;
  drawSubheading(flow, said.differences);
  drawDeclared(flow, COMMISSION_DIFFERENCES, said, { rows: differences, count: differenceCount });
}
