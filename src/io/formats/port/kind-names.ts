// What people call the kinds of ledger lines, for formats that have no words of a template: ours, in both languages.

import type { MovementRow } from '../../../core/statements/section-movements.ts';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import { fill } from '../../../core/words/message.ts';
import { nameCode } from '../../../core/words/names.ts';
import { LABELS, type Labels } from '../../../core/words/tree.ts';

/** A kind that the service's document does not know is named by itself. */
export function nameKind(kind: string, language: Language): string {
  return nameCode(LABELS[language], 'kinds', kind);
}

/** As `nameKind`; of collections that are posted net it says how much of commissions is not in the lines, but in what was collected. */
export function nameMovement(
  { kind }: MovementRow,
  { operators, movements, summary }: Statement,
  said: { readonly language: Language; readonly due: Labels['due']; readonly amount: (figure: number) => string },
): string {
  const name = nameKind(kind, said.language);
  const posted = movements.find((row) => row.kind === 'CASHIN_FEE')?.balanceEffect ?? 0;
  const fees = operators.total.feesIn + posted;
  // What moved the wrong way is under other movements: the difference is then no commission alone.
  if (kind !== 'CASHIN_CREDIT' || fees <= 0 || summary.otherMovements !== 0) return name;
  return fill(said.due.netOf, { kind: name, fees: said.amount(fees) });
}
