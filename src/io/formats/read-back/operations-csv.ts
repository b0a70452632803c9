// Reads the CSV of a month's operations back: how many there are, and that the cash-ins that succeeded in the month make the
// collections of its summary.

import { LABELS } from '../../../core/words/tree.ts';
import { placesOf, rowsOf, wholeNumber } from './csv.ts';
import { textOf } from './decode-text.ts';
import type { ReadBack } from './read-back.ts';

export const readOperationsCsv: ReadBack = async (file, { statement, language }) => {
  const { columns, types, states } = LABELS[language].monthOperations;
  const titles = [columns.type, columns.state, columns.completed, columns.amount, columns.fees];
  const { startText, endText } = statement.period;
  const found = { count: 0, paymentCount: 0, totalAmount: 0, totalFees: 0 };
  let places: readonly number[] | null = null;
  for await (const cells of rowsOf(textOf(file), ';')) {
    if (places === null) {
      places = placesOf(cells, titles);
      continue;
    }
    const [type, state, completed, amount, fees] = places.map((place) => cells[place] ?? '') as [
      string,
      string,
      string,
      string,
      string,
    ];
    found.count += 1;
    const isSettled = state === states.SUCCEEDED || state === states.REVERSED;
    if (type !== types.CASHIN || !isSettled || completed < startText.local || completed >= endText.local) continue;
    found.paymentCount += 1;
    found.totalAmount += wholeNumber(amount);
    found.totalFees += wholeNumber(fees);
  }
  const { paymentCount, totalAmount, totalFees } = statement.summary;
  const stated = { count: statement.operations.count, paymentCount, totalAmount, totalFees };
  return (Object.keys(stated) as (keyof typeof stated)[])
    .filter((figure) => stated[figure] !== found[figure])
    .map((figure) => ({ figure, stated: String(stated[figure]), found: String(found[figure]) }));
};
