// `pointage show`: what happened to one operation, found by any text that names it, or to one line
// and its neighbours. Phone numbers are masked; to show them whole takes a reason, which is logged.

import type { Command } from 'commander';
import { printable } from '../../../core/domain/printable.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { requireMerchant } from '../../workflows/operators/runs-and-merchants.ts';
import type { SearchAnswer } from '../../workflows/operators/search-books.ts';
import { printEntries, printHits, printOperation } from '../print/operation.ts';
import { asOperator } from '../stage/signing.ts';
import { oneOf, type Stage, wholeNumber, withCommonOptions } from '../stage/stage.ts';
import { inStore } from './subject.ts';

const EXAMPLES = `
Examples:
  pointage show GUI-CO-P7BAT40001X
  pointage show GUI-CO-P7BAT40001X --format json
  pointage show M001#124                 (a line and its neighbours)
  pointage show order-77 --merchant M001 (the partner's reference)
  pointage show "+225 07 12 34 56 78"    (who paid, or was paid)
  pointage show "202700 2026-08-11"      (amount and day)
  pointage show GUI-CO-P7BAT40001X --phone-numbers whole --reason "the payer called, ticket 4412"

Exit status: 0 shown · 3 there is no such thing, or the command failed`;

interface ShowFlags extends Flags {
  readonly merchant?: string;
  readonly format: string;
  readonly lines: number;
  readonly phoneNumbers: string;
  readonly reason?: string;
}

export function defineShow(command: Command, stage: Stage): void {
  withCommonOptions(command)
    .argument(
      '<what>',
      "a reference, the partner's reference, a line (M001#124), a phone number, or an amount and a day",
    )
    .option('--merchant <reference>', 'of one merchant, where several have it')
    .option('--lines <count>', 'lines shown around a line', wholeNumber(1, 200), 9)
    .option('--format <format>', 'text or json', 'text')
    .option('--phone-numbers <how>', 'masked or whole', 'masked')
    .option('--reason <text>', 'why phone numbers are shown whole; logged')
    .addHelpText('after', EXAMPLES)
    .action((what: string, flags: ShowFlags) => show(stage, what, flags));
}

async function show(
  stage: Stage,
  what: string,
  { merchant, lines, ...flags }: ShowFlags,
): Promise<void> {
  const isJson = oneOf('--format', flags.format, ['text', 'json']) === 'json';
  const reason = reasonOf(flags);
  await inStore(stage, flags, async (opened) => {
    const { desk, store } = opened;
    if (merchant !== undefined) await requireMerchant(store, merchant);
    // The trail gets no `subject`, because the text that is searched for may be a phone number.
    const about = {
      action: 'show --phone-numbers whole',
      merchant: merchant ?? null,
      subject: null,
    };
    const deed = { ...opened, permission: 'investigate', ...about } as const;
    const whole =
      reason === null
        ? undefined
        : await asOperator(stage, deed, async ({ name: by }) => ({ by, reason }));
    const [, of, sequence] = /^(.+)#(\d{1,15})$/.exec(what) ?? [];
    if (of !== undefined) {
      await requireMerchant(store, of);
      const page = (await desk.listEntries({
        merchant: of,
        around: Number(sequence),
        limit: lines,
        whole,
      }))!;
      if (isJson) return printJson(stage, 'entriesForm', page);
      return printEntries(stage.terminal, page);
    }
    const answer = await desk.search({ text: what, merchant });
    const [hit, ...others] = answer.items;
    if (hit === undefined) throw unfound(what, answer);
    if (others.length > 0 || hit.reference === null) {
      if (isJson) return printJson(stage, 'searchForm', answer);
      return printHits(stage.terminal, answer);
    }
    const followed = await desk.followOperation({
      reference: hit.reference,
      merchant: hit.merchant,
      whole,
    });
    if ('holders' in followed) throw unfound(what, answer);
    if (isJson) return printJson(stage, 'operationForm', followed);
    return printOperation(stage.terminal, followed);
  });
}

/** Returns the reason for which phone numbers are shown whole; `null` where they stay masked. */
function reasonOf({
  phoneNumbers,
  reason = '',
}: Pick<ShowFlags, 'phoneNumbers' | 'reason'>): string | null {
  if (oneOf('--phone-numbers', phoneNumbers, ['masked', 'whole']) === 'masked') return null;
  if (reason.trim() === '')
    throw new ConfigurationInvalid('--phone-numbers whole needs a --reason: it is logged.');
  return reason;
}

/** Prints `value` in the form in which the server answers it. */
async function printJson(
  stage: Stage,
  form: 'operationForm' | 'entriesForm' | 'searchForm',
  value: object,
): Promise<void> {
  const { encodeForm } = await import('../../http/routes/operations.ts');
  stage.terminal.out(`${JSON.stringify(encodeForm(form, value), null, 2)}\n`);
}

function unfound(what: string, { reading, tried }: SearchAnswer): ConfigurationInvalid {
  const read = [...tried, reading].join(', or ');
  return new ConfigurationInvalid(
    `There is no operation '${printable(what)}' in the mirror (read as ${read}).`,
  );
}
