// The words of findings in English, whole: the language of `message` in reports.

import { money } from '../spelling.ts';
import type { Words } from '../words.ts';
import { LINE_WORDS } from './lines.ts';
import { OPERATION_WORDS } from './operations.ts';
import { PUBLISHED_WORDS } from './published.ts';
import { STATE_WORDS } from './states.ts';
import { WALLET_WORDS } from './wallet.ts';

export const ENGLISH: Words = {
  ...LINE_WORDS,
  ...OPERATION_WORDS,
  ...STATE_WORDS,
  ...WALLET_WORDS,
  ...PUBLISHED_WORDS,
  gathered: ({ count, last, sum }) =>
    `So it is with ${count} operations, the last of them ${last}${sum === null ? '' : `; they differ by ${money(sum)} in all`}.`,
};
