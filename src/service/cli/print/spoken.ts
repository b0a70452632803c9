// How the terminal says amounts and instants, in UTC. An unknown amount is a dash, an unknown instant
// an empty text.

import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { money } from '../../../core/words/finding.ts';

const cut =
  (length: number) =>
  (at: Instant | null): string =>
    at === null ? '' : formatInstant(at).slice(0, length);

export const SPOKEN = {
  /** `2026-10-31` */
  day: cut(10),
  /** `2026-10-31T12:05` */
  minute: cut(16),
  /** `2026-10-31T12:05:09` */
  second: cut(19),
  /**
   * Says whole units, given as text: `4 893 512 XOF`. Without a currency it says the number alone.
   */
  amount: (figure: string | null, currency: string | null = null): string =>
    figure === null ? '—' : `${money(figure)} ${currency ?? ''}`.trimEnd(),
};
