// English for what does not agree between an operation and its lines.

import type { OperationFigures } from '../../checks/finding-figures.ts';
import { money } from '../spelling.ts';
import type { WordsOf } from '../words.ts';

export const OPERATION_WORDS: WordsOf<keyof OperationFigures> = {
  CREDIT_MISSING: (figures) => neverPosted(figures, 'credit'),
  CREDIT_WITHOUT_SUCCESS: (figures) => postedWithoutSuccess(figures, 'credit'),
  CREDIT_DUPLICATED: (figures) => postedTimes(figures, 'credited'),
  CREDIT_AMOUNT_MISMATCH: (figures) => postedInstead(figures, 'credited'),
  FEE_MISSING: ({ reference, fees }) =>
    `Operation ${reference} succeeded with a commission of ${money(fees)}, but no fee line was posted.`,
  FEE_AMOUNT_MISMATCH: ({ reference, posted, due }) =>
    `Operation ${reference} was charged ${money(posted)} instead of ${money(due)}.`,
  FEE_WITHOUT_SUCCESS: ({ reference, status, posted }) =>
    `Operation ${reference} is ${status}, but a commission of ${money(posted)} was charged for it.`,
  FEE_NOT_AS_PRICED: ({ reference, amount, fees, bps, flat, due }) =>
    `Operation ${reference} of ${money(amount)} was charged ${money(fees)}; ${bps} basis points plus ${money(flat)} is ${money(due)}.`,
  PRICING_CHANGED: ({ reference, charges, type, bps, flat }) =>
    `From operation ${reference} on, ${charges} ${type} operations were charged ${bps} basis points plus ${money(flat)}, another price than the profile states.`,
  NET_AMOUNT_INCONSISTENT({ reference, type, netAmount, due }) {
    const rule = type === 'CASHIN' ? 'amount less fees' : 'amount plus fees';
    return `Operation ${reference} states a net amount of ${money(netAmount)}, but ${rule} is ${money(due)}.`;
  },
  HOLD_MISSING: ({ reference, status }) => `Cash-out ${reference} is ${status}, but nothing was ever held for it.`,
  HOLD_AMOUNT_MISMATCH: ({ reference, held, due }) =>
    `Cash-out ${reference} holds ${money(held)} instead of ${money(due)}.`,
  HOLD_DUPLICATED: ({ reference, times, held, due }) =>
    `Cash-out ${reference} was held ${times} times: ${money(held)} instead of ${money(due)}.`,
  HOLD_ON_CASHIN: ({ reference, kind, amount }) =>
    `Cash-in ${reference} has a ${kind} of ${money(amount)}; a cash-in never holds money.`,
  HOLD_NOT_RELEASED: ({ reference, status, held }) =>
    `Cash-out ${reference} is ${status}, but ${money(held)} is still held for it.`,
  HOLD_PAST_EXPIRY: ({ reference, status, held }) =>
    `Cash-out ${reference} is ${status} past its expiry and still holds ${money(held)}.`,
  RELEASE_WITHOUT_HOLD: ({ reference, released }) =>
    `Cash-out ${reference} released ${money(released)}, but never held anything.`,
  RELEASE_EXCEEDS_HOLD({ sequence, reference, released, held, consumed }) {
    const releases = `Line ${sequence} releases ${money(released)} for cash-out ${reference}`;
    if (consumed === null) return `${releases}, but only ${money(held)} was still held.`;
    return `${releases}, but its debit took ${money(consumed)} of the ${money(held)} that was held for it.`;
  },
  DEBIT_WITHOUT_HOLD({ sequence, amount, reference, holdSequence }) {
    const when = holdSequence === null ? 'without any hold' : `before its hold (line ${holdSequence})`;
    return `Line ${sequence} debits ${money(amount)} for cash-out ${reference} ${when}.`;
  },
  DEBIT_MISSING: (figures) => neverPosted(figures, 'debit'),
  DEBIT_DUPLICATED: (figures) => postedTimes(figures, 'debited'),
  DEBIT_AMOUNT_MISMATCH: (figures) => postedInstead(figures, 'debited'),
  DEBIT_WITHOUT_SUCCESS: (figures) => postedWithoutSuccess(figures, 'debit'),
  REVERSAL_MISSING: ({ reference, due }) =>
    `Operation ${reference} is REVERSED, but no reversal line was posted: ${money(due)} is owed back.`,
  REVERSAL_UNANNOUNCED: ({ reference, status, reversed }) =>
    `Operation ${reference} is ${status}, but ${money(reversed)} was reversed for it.`,
  REVERSAL_INCOMPLETE: (figures) => undoes(figures, 'less'),
  REVERSAL_EXCESSIVE: (figures) => undoes(figures, 'more'),
  REVERSAL_WRONG_DIRECTION: ({ reference, kind, amount }) =>
    `Operation ${reference} is reversed by ${kind} of ${money(amount)}, which moves the money the wrong way.`,
  REVERSAL_BEFORE_ORIGINAL: ({ reference, sequence, original }) =>
    `Operation ${reference} is reversed at line ${sequence}, before its original at line ${original}.`,
  OPERATION_UNKNOWN: ({ sequence, kind, amount, reference }) =>
    `Line ${sequence} (${kind} ${money(amount)}) names operation ${reference}, which is not among the operations.`,
  REFERENCE_TYPE_MISMATCH(figures) {
    const { reference, type } = figures;
    if (figures.of === 'line')
      return `Line ${figures.sequence} is a ${figures.kind}, but operation ${reference} is a ${type}.`;
    const whose = figures.announced === null ? 'neither a cash-in nor a cash-out' : `a ${figures.announced}`;
    return `Operation ${reference} is a ${type}, but its reference is that of ${whose}.`;
  },
  COUNTRY_CURRENCY_MISMATCH(figures) {
    const { reference, currency, due } = figures;
    const whose = figures.of === 'country' ? `${figures.country} uses` : 'the wallet is in';
    return `Operation ${reference} is in ${currency}, but ${whose} ${due}.`;
  },
  EXTERNAL_REFERENCE_DUPLICATED: ({ first, reference, externalReference }) =>
    `Operations ${first} and ${reference} share the partner’s reference '${externalReference}'.`,
  ENTRY_BEFORE_OPERATION: ({ sequence, lineCreatedAt, reference, createdAt }) =>
    `Line ${sequence} is dated ${lineCreatedAt}, before operation ${reference} was created (${createdAt}).`,
};

type OfType = { readonly reference: string; readonly type: string };

function named({ reference, type }: OfType): string {
  return `${type === 'CASHIN' ? 'Cash-in' : 'Cash-out'} ${reference}`;
}

function neverPosted(figures: OfType & { readonly status: string; readonly due: string }, word: string): string {
  return `${named(figures)} is ${figures.status}, but its ${word} of ${money(figures.due)} was never posted.`;
}

function postedWithoutSuccess(
  figures: OfType & { readonly status: string; readonly posted: string },
  word: string,
): string {
  return `${named(figures)} is ${figures.status}, but a ${word} of ${money(figures.posted)} was posted for it.`;
}

type Posted = OfType & { readonly posted: string; readonly due: string };

function postedTimes(figures: Posted & { readonly times: string }, done: string): string {
  return `${named(figures)} was ${done} ${figures.times} times: ${money(figures.posted)} instead of ${money(figures.due)}.`;
}

function postedInstead(figures: Posted, done: string): string {
  return `${named(figures)} was ${done} ${money(figures.posted)} instead of ${money(figures.due)}.`;
}

function undoes(
  { reference, reversed, due }: { readonly reference: string; readonly reversed: string; readonly due: string },
  extent: string,
): string {
  return `The reversal of ${reference} undoes ${extent} than the original: ${money(reversed)} net instead of ${money(due)}.`;
}
