// Blocks about what is open when a mail is sent, whether that night or an earlier one found it:
// findings by currency and age, who looks after them, statements that are held. Also the head of
// the log, for keeping.

import type { OpenRoot } from '../../core/domain/delivery/delivery.ts';
import type { Parcel } from '../../core/domain/delivery/delivery-channel.ts';
import { SEVERITIES } from '../../core/domain/finding.ts';
import { formatInstant, type Instant } from '../../core/domain/instant.ts';
import { AGES, type StateExposure } from '../../core/domain/measures.ts';
import { fill, wordTerms } from '../../core/words/finding.ts';
import { oneLine } from '../formats/port/one-line.ts';
import type { MailTemplate } from '../formats/port/template.ts';
import { DASH, figureWordingOf } from '../formats/port/wording.ts';
import { type Block, type FigureRow, findingLinks, linksTo } from './mail-blocks.ts';

type Night = Pick<Parcel, 'open' | 'waiting' | 'heldMonths' | 'signed'>;

/** Says how many roots are open, new ones and old ones, and which is the oldest. */
export function openLines({ open }: Night, template: MailTemplate): readonly Block[] {
  if (open === undefined) return [];
  const { words, speech, verdict } = template;
  const { oldest, counts } = open;
  if (oldest === null) return [{ line: words.night.noneOpen }];
  const counted = ([...SEVERITIES, 'followers'] as const)
    .filter((name) => counts[name] > 0)
    .map((name) => fill(verdict.parts[name], { count: counts[name] }, speech));
  const line = fill(words.night.open, { parts: counted.join(', '), ...namesOf(oldest, template) });
  return [{ line, ...findingLinks(template, oldest.merchant, oldest.fingerprint) }];
}

function namesOf({ merchant, fingerprint, since }: OpenRoot, template: MailTemplate) {
  const root = fill(template.words.night.root, { merchant: oneLine(merchant), fingerprint });
  return { root, since: minuteOf(since, template) };
}

/** Shows what is at stake, by currency, state and age. */
export function stakeBlocks({ open }: Night, template: MailTemplate): readonly Block[] {
  const rows = (open?.exposure ?? []).flatMap((one) => stakeRows(one, template));
  return rows.length === 0 ? [] : [{ line: template.words.night.stakes }, { rows }];
}

/** Names the root with the largest amount in each currency. */
export function largestLines({ open }: Night, template: MailTemplate): readonly Block[] {
  const { words, speech, numbers } = template;
  return (open?.largest ?? []).map(({ item: { balance, reserved }, currency, ...root }) => {
    const side = Math.abs(Number(balance)) < Math.abs(Number(reserved)) ? 'reserved' : 'balance';
    const amount = figureWordingOf(numbers).figure({ balance, reserved }[side]);
    const about = { currency: oneLine(currency), amount, side, ...namesOf(root, template) };
    const line = fill(words.night.largest, about, speech);
    return { line, ...findingLinks(template, root.merchant, root.fingerprint) };
  });
}

/**
 * Returns a row for the currency and state, and below it one for each age when there are several.
 */
function stakeRows(
  { currency, state, findings: count, stake, ages }: StateExposure,
  { words: { night }, numbers, console, speech }: MailTemplate,
): readonly FigureRow[] {
  const { figure } = figureWordingOf(numbers);
  const unit = currency === null ? night.unknownCurrency : oneLine(currency);
  const worth = (text: string | null): string =>
    text === null ? DASH : `${figure(text)}\u00a0${unit}`;
  const aged = AGES.flatMap((age) =>
    ages[age] === undefined ? [] : [{ ...ages[age], age: console.morning.ages[age] }],
  );
  const age = aged.length === 1 ? aged[0]!.age : null;
  const parts = aged.map((part): FigureRow => {
    const name = fill(night.aged, { age: part.age, count: part.findings }, speech);
    return { name, figure: worth(part.stake), isBold: false };
  });
  const whole = {
    name: fill(night.stake, { currency: unit, count, state, age }, speech),
    figure: worth(stake),
  };
  return [{ ...whole, isBold: true }, ...(age === null ? parts : [])];
}

export function ownerLines({ open }: Night, { words, speech }: MailTemplate): readonly Block[] {
  const named = (open?.owners ?? []).map(({ owner, findings: count }) =>
    fill(words.night.owner, { owner: oneLine(owner), count }, speech),
  );
  return named.length === 0
    ? []
    : [{ line: fill(words.night.owners, { owners: named.join(', ') }) }];
}

/** Lists what one operator has proposed and another must confirm. */
export function waitingLines({ waiting = [] }: Night, template: MailTemplate): readonly Block[] {
  const { words, speech, numbers } = template;
  const { figure } = figureWordingOf(numbers);
  const instant = (at: Instant) => minuteOf(at, template);
  return waiting.map(({ action, subject, wish, ...proposal }) => {
    const currency = oneLine(proposal.currency ?? words.night.unknownCurrency);
    const amount = figure(proposal.amount);
    const by = { merchant: oneLine(proposal.merchant), by: oneLine(proposal.by) };
    const terms = wordTerms(words.night.terms, wish.terms, { figure, instant, speech });
    const line = fill(
      words.night.waiting,
      { action, subject, currency, amount, terms, ...by },
      speech,
    );
    const isOfFinding = action === 'settle' || action === 'accept';
    return { line, ...(isOfFinding ? findingLinks(template, proposal.merchant, subject) : {}) };
  });
}

/**
 * Shows the size and the first 12 digits of the log's root, so that an auditor who kept them can
 * compare them with the log's checkpoint of that size.
 */
export function logLines({ signed }: Night, { words, speech }: MailTemplate): readonly Block[] {
  if (signed === undefined) return [];
  if (signed === null) return [{ line: words.night.unsigned }];
  return [
    { line: fill(words.night.log, { size: signed.size, root: signed.root.slice(0, 12) }, speech) },
  ];
}

const MOST_HELD = 20;

/**
 * Lists the months that are held when the mail is sent, because statements are made after the
 * night's end.
 */
export function heldLines(
  { heldMonths: held = [] }: Night,
  template: MailTemplate,
): readonly Block[] {
  const { words, numbers, speech } = template;
  if (held.length === 0) return [];
  const named = held.slice(0, MOST_HELD).map(({ merchant, period, open, since }) => {
    const outcomes = [
      ...Map.groupBy(since, ({ action, by }) => JSON.stringify([action, by])).values(),
    ].map((some) =>
      fill(
        words.night.heldSince,
        { ...some[0]!, by: some[0]!.by && oneLine(some[0]!.by), count: some.length },
        speech,
      ),
    );
    const month = { merchant: oneLine(merchant), period, open };
    return fill(
      words.night.heldMonth,
      { ...month, since: outcomes.length === 0 ? null : outcomes.join(', ') },
      speech,
    );
  });
  const months = [...named, ...(held.length > MOST_HELD ? ['…'] : [])].join(', ');
  const links = held.slice(0, MOST_HELD).flatMap(({ merchant, period }) => {
    const path = `/console/merchants/${encodeURIComponent(merchant)}/months/${period}`;
    return linksTo(template, `${oneLine(merchant)} ${period}`, path).links ?? [];
  });
  return [
    {
      line: fill(words.night.held, { count: figureWordingOf(numbers).amount(held.length), months }),
      links,
    },
  ];
}

export function minuteOf(instant: Instant, { numbers }: MailTemplate): string {
  return figureWordingOf(numbers).time(formatInstant(instant).slice(0, 16));
}
