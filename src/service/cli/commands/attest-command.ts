// `pointage attest`: the balance at the end of a day, confirmed on one page, for an auditor. Made of the mirror, or of books in files
// or tables, as a statement of the month up to that day.

import type { Command } from 'commander';
import { type MonthToDay, parseDay } from '../../../core/domain/period.ts';
import { ATTESTATION_FORMATS } from '../../../io/formats/attestation/attestation-formats.ts';
import { type Stage, withCommonOptions } from '../command.ts';
import { type Periods, type StatementFlags, wishOf, writeWished } from './statement-command.ts';

const EXAMPLES = `
Examples:
  pointage attest M001 2026-10-31
  pointage attest M001 2026-12-31 --lang en --out ./audit
  pointage attest --all 2026-12-31 --source file:./books

The day ends at midnight in the zone of the merchant's months. One page as PDF, and JSON: the balance as recorded, as due and as
recomputed, what is reserved and what is available, the verdict, what is open, and what was not checked. Made again without a
change, its files are left as they are; with one, revision 2 is written beside them.

Exit status: 0 all written · 2 some could not be stated · 3 the command failed`;

const DAYS: Periods<MonthToDay> = { parse: parseDay, name: 'day', example: '2026-10-31' };

export function defineAttest(command: Command, stage: Stage): void {
  withCommonOptions(command)
    .argument('[merchant]', 'reference of the merchant; left out with --all')
    .argument('[day]', 'a day that is over: YYYY-MM-DD')
    .option('--all', 'every merchant')
    .option('--source <uri>', 'where the books are: file:DIR or postgres://… (default: the mirror)')
    .option('--lang <language>', 'fr or en', 'fr')
    .option('--out <dir>', 'folder to write to', 'attestations')
    .option('--phone-numbers <how>', 'masked or whole', 'masked')
    .option('--template <dir>', 'layout, words and fonts (default: those of pointage)')
    .option('--as-of <instant>', 'when the books were read (default: now)')
    .addHelpText('after', EXAMPLES)
    .action(async (first: string | undefined, second: string | undefined, flags: Omit<StatementFlags, 'format'>) => {
      const wish = wishOf([first, second], { all: flags.all === true, command: 'attest', periods: DAYS });
      await writeWished(stage, flags, { ...wish, formats: ATTESTATION_FORMATS });
    });
}
