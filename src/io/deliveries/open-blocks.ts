// What is open when a mail is sent, whether the night found it or one before: findings by currency and age, who looks after them,
// statements that are held. And the head of the log, for keeping.

import type { OpenRoot } from '../../core/domain/delivery/delivery.ts';
import type { HeldMonth, OpenNow, Parcel } from '../../core/domain/delivery/delivery-channel.ts';
import { SEVERITIES } from '../../core/domain/finding.ts';
import { formatInstant, type Instant } from '../../core/domain/instant.ts';
import { AGES, type StateExposure } from '../../core/domain/measures.ts';
import { fill } from '../../core/words/message.ts';
import { oneLine } from '../formats/port/one-line.ts';
import type { MailTemplate } from '../formats/port/template.ts';
import { DASH, figureWordingOf } from '../formats/port/wording.ts';
import { type Block, type FigureRow, findingLinks, linksTo } from './mail-blocks.ts';

/** All open roots, new or not, for readers of this mail alone. */
export function openBlocks(open: OpenNow | undefined, template: MailTemplate): readonly Block[] {
  if (open === undefined) return [];
  const { words, speech, numbers, parts } = template;
  const { oldest, counts, largest, exposure } = open;
  if (oldest === null) return [{ line: words.night.noneOpen }];
  const { figure } = figureWordingOf(numbers);
  const counted = ([...SEVERITIES, 'followers'] as const)
    .filter((name) => counts[name] > 0)
    .map((name) => fill(parts[name], { count: counts[name] }, speech));
  const named = ({ merchant, fingerprint, since }: OpenRoot) => ({
    root: fill(words.night.root, { merchant: oneLine(merchant), fingerprint }),
    since: minuteOf(since, template),
  });
  return [
    {
      line: fill(words.night.open, { parts: counted.join(', '), ...named(oldest) }),
      ...findingLinks(template, oldest.merchant, oldest.fingerprint),
    },
    { line: words.night.stakes },
    { rows: exposure.flatMap((one) => stakeRows(one, template)) },
    ...ownerLines(open, template),
    ...largest.map(({ item: { balance, reserved }, currency, ...root }) => {
      const side = Math.abs(Number(balance)) < Math.abs(Number(reserved)) ? 'reserved' : 'balance';
      const amount = figure({ balance, reserved }[side]);
      return {
        line: fill(words.night.largest, { currency: oneLine(currency), amount, side, ...named(root) }, speech),
        ...findingLinks(template, root.merchant, root.fingerprint),
      };
    }),
  ];
}

/** One row of a currency and state, and one below it for each age where there are several. */
function stakeRows(
  { currency, state, findings: count, stake, ages }: StateExposure,
  { words: { night }, numbers, ages: names, speech }: MailTemplate,
): readonly FigureRow[] {
  const { figure } = figureWordingOf(numbers);
  const unit = currency === null ? night.unknownCurrency : oneLine(currency);
  const worth = (text: string | null): string => (text === null ? DASH : `${figure(text)}\u00a0${unit}`);
  const aged = AGES.flatMap((age) => (ages[age] === undefined ? [] : [{ ...ages[age], age: names[age] }]));
  const age = aged.length === 1 ? aged[0]!.age : null;
  const parts = aged.map((part): FigureRow => {
    const name = fill(night.aged, { age: part.age, count: part.findings }, speech);
    return { name, figure: worth(part.stake), isBold: false };
  });
  const whole = { name: fill(night.stake, { currency: unit, count, state, age }, speech), figure: worth(stake) };
  return [{ ...whole, isBold: true }, ...(age === null ? parts : [])];
}

function ownerLines({ owners }: OpenNow, { words, speech }: MailTemplate): readonly Block[] {
  if (owners.length === 0) return [];
  const named = owners.map(({ owner, findings: count }) =>
    fill(words.night.owner, { owner: oneLine(owner), count }, speech),
  );
  return [{ line: fill(words.night.owners, { owners: named.join(', ') }) }];
}

/** The first letters of the root: whoever has them later compares them with the log's checkpoint of that size. */
export function logLines(signed: Parcel['signed'], { words, speech }: MailTemplate): readonly Block[] {
  if (signed === undefined) return [];
  if (signed === null) return [{ line: words.night.unsigned }];
  return [{ line: fill(words.night.log, { size: signed.size, root: signed.root.slice(0, 12) }, speech) }];
}

const MOST_HELD = 20;

/** Held when the mail is sent, not when the night ended: its statements are made after it. */
export function heldLines(held: readonly HeldMonth[], template: MailTemplate): readonly Block[] {
  const { words, numbers, speech } = template;
  if (held.length === 0) return [];
  const named = held.slice(0, MOST_HELD).map(({ merchant, period, open, since }) => {
    const outcomes = [...Map.groupBy(since, ({ action, by }) => JSON.stringify([action, by])).values()].map((some) =>
      fill(words.night.heldSince, { ...some[0]!, by: some[0]!.by && oneLine(some[0]!.by), count: some.length }, speech),
    );
    const month = { merchant: oneLine(merchant), period, open };
    return fill(words.night.heldMonth, { ...month, since: outcomes.length === 0 ? null : outcomes.join(', ') }, speech);
  });
  const months = [...named, ...(held.length > MOST_HELD ? ['…'] : [])].join(', ');
  const links = held.slice(0, MOST_HELD).flatMap(({ merchant, period }) => {
    const path = `/console/merchants/${encodeURIComponent(merchant)}/months/${period}`;
    return linksTo(template, `${oneLine(merchant)} ${period}`, path).links ?? [];
  });
  return [{ line: fill(words.night.held, { count: figureWordingOf(numbers).amount(held.length), months }), links }];
}

export function minuteOf(instant: Instant, { numbers }: MailTemplate): string {
  return figureWordingOf(numbers).time(formatInstant(instant).slice(0, 16));
}
