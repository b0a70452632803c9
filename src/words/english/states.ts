// English for states, times and limits of operations.

import type { StateFigures } from '../../checks/finding-figures.ts';
import { money } from '../spelling.ts';
import type { WordsOf } from '../words.ts';

export const STATE_WORDS: WordsOf<keyof StateFigures> = {
  OPERATION_OVERDUE: ({ reference, status, expiresAt }) =>
    `Operation ${reference} is still ${status}, although it expired at ${expiresAt}.`,
  EXPIRY_WINDOW_WRONG: ({ reference, minutes, due }) =>
    `Operation ${reference} expires ${minutes} minutes after its creation instead of ${due}.`,
  COMPLETION_TIME_INCONSISTENT(figures) {
    const { reference, status } = figures;
    switch (figures.fault) {
      case 'missing':
        return `Operation ${reference} is ${status}, a final state, without a completion time.`;
      case 'not-final':
        return `Operation ${reference} is ${status}, not final, but has a completion time.`;
      case 'before-creation':
        return `Operation ${reference} was completed before it was created.`;
      case 'expired-early':
        return `Operation ${reference} is EXPIRED since ${figures.completedAt}, before its expiry at ${figures.expiresAt}.`;
      case 'succeeded-late':
        return `Operation ${reference} succeeded at ${figures.completedAt}, long after its expiry at ${figures.expiresAt}.`;
    }
  },
  FAILURE_DETAIL_INCONSISTENT(figures) {
    const { reference, status } = figures;
    switch (figures.fault) {
      case 'missing':
        return `Operation ${reference} is FAILED without a failure code.`;
      case 'did-not-fail':
        return `Operation ${reference} is ${status}, but carries the failure ${figures.code}.`;
      case 'unknown':
        return `Operation ${reference} carries the failure code '${figures.code}', which the document does not know.`;
    }
  },
  PAYER_ACTION_INCONSISTENT({ fault, reference, status }) {
    switch (fault) {
      case 'cashout-waits':
        return `Operation ${reference} is a cash-out that waits for a payer.`;
      case 'cashout-url':
        return `Operation ${reference} is a cash-out with a payer action URL.`;
      case 'no-url':
        return `Operation ${reference} requires a payer action without a URL.`;
      case 'waits-without-url':
        return `Operation ${reference} waits for its payer without a URL to act on.`;
      case 'waits-unsaid':
        return `Operation ${reference} is ${status}, but does not say that it requires a payer action.`;
      case 'over':
        return `Operation ${reference} is ${status}, a final state, and still requires a payer action.`;
    }
  },
  AMOUNT_OUT_OF_BOUNDS: ({ reference, amount, least, most }) =>
    `Operation ${reference} is of ${money(amount)}, outside ${money(least)} to ${money(most)}.`,
  DAILY_CASHOUT_LIMIT_EXCEEDED: ({ reference, sum, ceiling }) =>
    `With cash-out ${reference} the merchant paid out ${money(sum)} within 24 hours, over the ceiling of ${money(ceiling)}.`,
  COUNTRY_NOT_ALLOWED: ({ by, reference, country, allowed }) =>
    by === 'account'
      ? `Operation ${reference} is in ${country}; the account allows ${allowed.join(', ')}.`
      : `Operation ${reference} is in ${country}, which the document does not know.`,
  OPERATED_WHILE_BLOCKED: ({ reference }) =>
    `Operation ${reference} was created while the wallet or the account was not open for operations.`,
};
