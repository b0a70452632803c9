// The words of findings in English, whole: the language of `message` in reports.

import { LINE_WORDS } from './english/lines.ts';
import { OPERATION_WORDS } from './english/operations.ts';
import { PUBLISHED_WORDS } from './english/published.ts';
import { STATE_WORDS } from './english/states.ts';
import { WALLET_WORDS } from './english/wallet.ts';
import type { Words } from './words.ts';

export const ENGLISH: Words = {
  ...LINE_WORDS,
  ...OPERATION_WORDS,
  ...STATE_WORDS,
  ...WALLET_WORDS,
  ...PUBLISHED_WORDS,
};
