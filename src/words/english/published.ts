// English for what stands beside the books: reports, notifications, and rows that could not be read.

import type { PublishedFigures } from '../../checks/finding-figures.ts';
import { money } from '../spelling.ts';
import type { WordsOf } from '../words.ts';

export const PUBLISHED_WORDS: WordsOf<keyof PublishedFigures> = {
  REPORT_SUMMARY_MISMATCH({ period, name, stated, due, more }) {
    const said = stated === null ? `leaves out ${name}` : `states ${name} ${decimal(stated)}`;
    const others = more === '0' ? '' : `; ${more} more of its figures differ`;
    return `The report of ${period} ${said}, where the payments by link of the month give ${money(due)}${others}.`;
  },
  EVENT_MISSING(figures) {
    if (figures.of === 'adjustment')
      return `No notification says that line ${figures.sequence} adjusted the wallet by ${money(figures.amount)} (${figures.direction}).`;
    const { reference, status, since } = figures;
    if (figures.of === 'one')
      return `No notification says that operation ${reference} is ${status}, which it has been since ${since}.`;
    const count = `${figures.isMore ? 'more than ' : ''}${figures.count}`;
    return `No notification reports the final state of ${count} operations, beginning with ${reference}, ${status} since ${since}: they go elsewhere, or are lost.`;
  },
  EVENT_CONTRADICTS_OPERATION(figures) {
    const { reference, stated } = figures;
    switch (figures.of) {
      case 'amount':
        return `${named(figures)} states an amount of ${money(stated)} for ${reference}, whose amount is ${money(figures.due)}.`;
      case 'fees':
        return `${named(figures)} states fees of ${money(stated)} for ${reference}, whose fees are ${money(figures.due)}.`;
      case 'netAmount':
        return `${named(figures)} states a net amount of ${money(stated)} for ${reference}, whose net amount is ${money(figures.due)}.`;
      case 'currency':
        return `${named(figures)} states the currency ${stated} for ${reference}, which is in ${figures.due}.`;
      case 'externalReference': {
        const own = figures.due === null ? 'which has none' : `whose own is '${figures.due}'`;
        return `${named(figures)} states the partner’s reference '${stated}' for ${reference}, ${own}.`;
      }
      case 'failureCode':
        return `${named(figures)} states the failure ${stated} for ${reference}, which failed with ${figures.due}.`;
      case 'status':
        return `${named(figures)} of ${figures.createdAt} states ${reference} as ${stated}; the operation is ${figures.status} since ${figures.since}.`;
    }
  },
  EVENT_ID_REUSED({ id, contents, more }) {
    const others = more === '0' ? '' : `, and so it is with ${more} more of its notifications`;
    return `The id ${id} stands on ${contents} notifications of different content${others}.`;
  },
  EVENT_UNKNOWN_OPERATION: (figures) =>
    `${named(figures)} names operation ${figures.reference}, which is not among the operations.`,
  EVENT_TYPE_MISMATCH(figures) {
    const { reference } = figures;
    switch (figures.of) {
      case 'body':
        return `${named(figures)} carries ${reference} as a ${figures.carried}.`;
      case 'operation':
        return `${named(figures)} is about a ${figures.carried}, but ${reference} is a ${figures.due}.`;
      case 'status':
        return `${named(figures)} carries ${reference} as ${figures.status}.`;
    }
  },
  INPUT_REJECTED: ({ part, place, reason }) => `The ${part} row at ${place} could not be read: ${reason}.`,
};

function named({ id, type }: { readonly id: string; readonly type: string }): string {
  return `Notification ${id} (${type})`;
}

/** Whole figures as money, others as they are stated. */
function decimal(text: string): string {
  return (/^-?\d+$/.test(text) ? money(text) : text).slice(0, 80);
}
