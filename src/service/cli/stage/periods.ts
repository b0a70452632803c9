// The words `M001 2026-10` of a command: which period of which merchant.

import {
  type Period,
  parsePeriod,
  parseYear,
  type StatedPeriod,
} from '../../../core/domain/period.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';

/** The periods that a command takes. */
export interface Periods<Stated> {
  readonly parse: (text: string) => Stated | null;
  /** `month`, `month or year`. */
  readonly name: string;
  /** `2026-10`. */
  readonly example: string;
}

export const MONTHS: Periods<Period> = { parse: parsePeriod, name: 'month', example: '2026-10' };
export const MONTHS_AND_YEARS: Periods<StatedPeriod> = {
  parse: (text) => parsePeriod(text) ?? parseYear(text),
  name: 'month or year',
  example: '2026-10',
};

/**
 * Returns which period of which merchant the words ask for. The merchant is `null` with `--all`.
 */
export function wishOf<Stated>(
  words: readonly (string | undefined)[],
  {
    all,
    command,
    periods,
  }: { readonly all: boolean; readonly command: string; readonly periods: Periods<Stated> },
): { readonly merchant: string | null; readonly period: Stated } {
  const [merchant, text, ...extra] = all ? [null, words[0], words[1]] : [words[0], words[1]];
  if (merchant === undefined || text === undefined || extra.some((word) => word !== undefined)) {
    const usage = `pointage ${command} ${all ? '--all' : 'M001'} ${periods.example}`;
    throw new ConfigurationInvalid(`Say which ${periods.name} of whom, for example: ${usage}`);
  }
  const period = periods.parse(text);
  if (period === null) {
    throw new ConfigurationInvalid(
      `'${text}' is not a ${periods.name}; write it like ${periods.example}.`,
    );
  }
  return { merchant, period };
}
