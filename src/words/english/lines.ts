// English for what is wrong with a line alone, or with the chain of lines.

import type { LineFigures } from '../../checks/finding-figures.ts';
import type { Reported } from '../../domain/figures.ts';
import { listed, money } from '../spelling.ts';
import type { WordsOf } from '../words.ts';

export const LINE_WORDS: WordsOf<keyof LineFigures> = {
  LINES_MISSING({ first, last, balance, reserved, undoneBy }) {
    const ofReserved = `${money(reserved)} of reserved`;
    const ofBalance = `a net ${money(balance)} of balance${reserved === '0' ? '' : ` and ${ofReserved}`}`;
    const with_ = first === last ? 'it' : 'them';
    return `${absent(first, last)} missing, and with ${with_} ${balance === '0' ? ofReserved : ofBalance}.${ends(undoneBy)}`;
  },
  SEQUENCE_GAP: ({ first, last }) =>
    `${absent(first, last)} absent from the sequence; balance and reserved continue, so no money is missing.`,
  SEQUENCE_DUPLICATE({ sequence, kind, amount, id, others }) {
    const also = listed(others, (other) => `${other.kind} ${money(other.amount)} (id ${other.id})`);
    return `Sequence ${sequence} is carried by ${kind} ${money(amount)} (id ${id}) and also by ${also}.`;
  },
  ENTRY_ID_REUSED: ({ sequence, first, id }) => `Line ${sequence} carries the id of line ${first} (${id}).`,
  BALANCE_DRIFT: ({ expected, actual, difference, undoneBy, ...line }) =>
    `After ${named(line)} the balance must be ${money(expected)}, but ${money(actual)} is recorded: off by ${money(difference)}.${ends(undoneBy)}`,
  RESERVED_DRIFT(figures) {
    if (figures.fault === 'hold-kept') {
      const { sequence, amount, reference } = figures;
      return `Line ${sequence} debits ${money(amount)} for ${reference} and leaves the reserved amount alone; this wallet’s debits consume their hold.`;
    }
    const { expected, actual, difference, undoneBy } = figures;
    return `After ${named(figures)} ${money(expected)} must be reserved, but ${money(actual)} is recorded: off by ${money(difference)}.${ends(undoneBy)}`;
  },
  OPENING_BALANCE_UNEXPLAINED: ({ sequence, opening, undoneBy }) =>
    `The first known line (${sequence}) implies an opening balance of ${money(opening)} that nothing explains.${ends(undoneBy)}`,
  AMOUNT_NOT_POSITIVE: ({ sequence, kind, amount }) =>
    `Line ${sequence} (${kind}) carries the amount ${money(amount)}; amounts are always positive.`,
  KIND_DIRECTION_MISMATCH: ({ sequence, kind, due, direction, taken }) =>
    `Line ${sequence} is a ${kind}, which must be a ${due}, but says ${direction}; its figures move as a ${taken}.`,
  UNKNOWN_KIND: ({ sequence, kind, direction, effect }) =>
    `Line ${sequence} is a '${kind}' in direction '${direction}', which the document does not know; its figures move the balance by ${money(effect)}.`,
  CURRENCY_MISMATCH: (figures) =>
    figures.of === 'line'
      ? `Line ${figures.sequence} is in ${figures.currency}, not in the wallet’s currency.`
      : `The wallet is in ${figures.currency}, but every line of its ledger is in another currency.`,
  HOLD_EXCEEDS_AVAILABLE(figures) {
    const { sequence, amount, available } = figures;
    const held = `Line ${sequence} holds ${money(amount)}`;
    if (figures.fault === 'hold') return `${held} while only ${money(available)} was available.`;
    const { reference, fees, required } = figures;
    return `${held} for ${reference}, which needs ${money(required)} with its fees of ${money(fees)}, while only ${money(available)} was available.`;
  },
  RESERVED_NEGATIVE: (figures) => `${takes(figures)} the reserved amount to ${money(figures.reserved)}.`,
  BALANCE_NEGATIVE: (figures) => `${takes(figures)} the balance to ${money(figures.balance)}${excuse(figures)}.`,
  AVAILABLE_NEGATIVE: (figures) =>
    `${takes(figures)} the available amount to ${money(figures.available)}${excuse(figures)}.`,
  ENTRY_TIME_IMPOSSIBLE: ({ sequence, createdAt }) =>
    `Line ${sequence} is dated ${createdAt}, which is outside the life of this ledger.`,
  REFERENCE_MISSING: ({ sequence, kind, amount }) => `Line ${sequence} (${kind} ${money(amount)}) names no operation.`,
  ADJUSTMENT_UNEXPLAINED: ({ sequence, amount, direction }) =>
    `Line ${sequence} adjusts the balance by ${money(amount)} (${direction}) without a description.`,
};

type Line = { readonly sequence: string; readonly kind: string; readonly amount: string };

function named({ sequence, kind, amount }: Line): string {
  return `line ${sequence} (${kind} ${money(amount)})`;
}

function takes(line: Line): string {
  return `L${named(line).slice(1)} takes`;
}

function excuse({ excused }: { readonly excused: boolean }): string {
  return excused ? ', as a reversal or an adjustment may' : '';
}

function absent(first: string, last: string): string {
  return first === last ? `Line ${first} is` : `Lines ${first} to ${last} are`;
}

/** Where later lines undo a drift, a sentence of its own. */
function ends(undoneBy: Reported<LineFigures['BALANCE_DRIFT']['undoneBy']>): string {
  if (undoneBy.length === 0) return '';
  const lines = listed(undoneBy, ({ sequence, difference }) => `line ${sequence} (${money(difference)})`);
  return ` It is undone by ${lines}.`;
}
