// The subject and body of a mail: key figures of a month, new findings, or a night that went wrong, in plain text and as
// simple HTML that says the same. Every text from outside is one line, and escaped.

import type { DeliveryContent, NightDigest, OpenRoot, RunProblem } from '../../../core/domain/delivery/delivery.ts';
import type { HeldMonth, Parcel, ReportParcel } from '../../../core/domain/delivery/delivery-channel.ts';
import { SEVERITIES, type Verdict } from '../../../core/domain/finding.ts';
import type { FindingKind } from '../../../core/domain/finding-kind.ts';
import { formatInstant } from '../../../core/domain/instant.ts';
import { assertNever } from '../../../core/domain/invariant.ts';
import { labelOf, parsePeriod } from '../../../core/domain/period.ts';
import type { Language } from '../../../core/statements/statement.ts';
import { nameFinding, wordFinding } from '../../../core/words/finding.ts';
import { fill } from '../../../core/words/message.ts';
import { oneLine, typeset } from '../../formats/port/one-line.ts';
import type { MailTemplate } from '../../formats/port/template.ts';
import { figureWordingOf } from '../../formats/port/wording.ts';
import { type Block, figureRows, verdictLines } from './key-figures.ts';
import { htmlOf, textOf } from './lay-out.ts';

export interface Message {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface Draft {
  readonly subject: string;
  readonly blocks: readonly Block[];
}

export function composeMessage(
  parcel: Parcel,
  { template, language }: { readonly template: MailTemplate; readonly language: Language },
): Message {
  const { greeting, signature } = template.words;
  const { subject, blocks } = draftOf(parcel, template, language);
  const whole: readonly Block[] = [{ line: greeting }, ...blocks, { note: fill(signature, { id: parcel.id }) }];
  return {
    subject: typeset(oneLine(subject)),
    text: typeset(textOf(whole, template)),
    html: htmlOf(whole, language),
  };
}

function draftOf({ content, report, heldMonths }: Parcel, template: MailTemplate, language: Language): Draft {
  switch (content.topic) {
    case 'statement':
      return draftStatement(content, report!, template, language);
    case 'findings':
      return draftFindings(content, template);
    case 'run':
      return draftRun(content.problem, template);
    case 'night':
      return draftNight(content.night, heldMonths ?? [], template);
    default:
      return assertNever(content);
  }
}

type ContentOf<Topic> = Extract<DeliveryContent, { readonly topic: Topic }>;

function draftStatement(
  content: ContentOf<'statement'>,
  report: ReportParcel,
  template: MailTemplate,
  language: Language,
): Draft {
  const { words } = template;
  const { figures, files, merchantName, reasons } = report;
  const reference = oneLine(content.merchant);
  const name = oneLine(merchantName ?? '');
  const merchant = name === '' || name === reference ? reference : fill(words.named, { name, reference });
  const period = labelOf(parsePeriod(content.period)!, language);
  const revision = String(report.revision);
  const isRevised = report.revision > 1;
  return {
    subject: fill(isRevised ? words.statement.subjectRevised : words.statement.subject, {
      period,
      revision,
      merchant,
      verdict: words.findings.verdict[figures.verdict.state],
    }),
    blocks: [
      { line: fill(words.statement.intro, { merchant, period, currency: oneLine(figures.currency) }) },
      ...(isRevised ? [{ line: fill(words.statement.revised, { revision }) }] : []),
      { rows: figureRows(figures, template) },
      ...[...verdictLines(figures, template), ...reasons[language]].map((line) => ({ line: oneLine(line) })),
      { line: fill(words.statement.attached, { files: files.map(({ fileName }) => oneLine(fileName)).join(', ') }) },
    ],
  };
}

function draftFindings(content: ContentOf<'findings'>, template: MailTemplate): Draft {
  const { words, numbers } = template;
  const { amount } = figureWordingOf(numbers);
  const merchant = oneLine(content.merchant);
  const { findings, more, verdict } = content;
  const run = String(content.runId);
  return {
    subject: fill(words.findings.subject, { count: amount(findings.length + more), merchant }),
    blocks: [
      { line: fill(words.findings.intro, { run, merchant, verdict: words.findings.verdict[verdict] }) },
      ...findingLines(content, template),
      ...findings.slice(0, 1).map(({ fingerprint }) => ({ line: fill(words.findings.how, { fingerprint }) })),
    ],
  };
}

function findingLines(
  { findings, more }: Pick<ContentOf<'findings'>, 'findings' | 'more'>,
  { words, speech }: MailTemplate,
): readonly Block[] {
  const lines = findings.map(({ severity, kind, fingerprint, message, figures }) => ({
    title: fill(words.findings.finding, {
      severity: words.findings.severity[severity],
      name: nameFinding(speech, kind),
      kind,
      fingerprint,
    }),
    line: oneLine(figures === undefined ? message : wordFinding(speech, kind as FindingKind, figures)),
  }));
  return [...lines, ...(more > 0 ? [{ line: fill(words.findings.more, { count: more }, speech) }] : [])];
}

/** Also when all is well: a mail that stays away says that nobody watches. */
function draftNight(night: NightDigest, held: readonly HeldMonth[], template: MailTemplate): Draft {
  const { words, numbers } = template;
  const { amount, time } = figureWordingOf(numbers);
  const { verdicts, expected, done, missing, news, moreNews, entriesAdded } = night;
  const down = downLines(night, template);
  const { clean, broken } = verdicts;
  const incomplete = verdicts.incomplete - unreached(night);
  const counts = { clean: amount(clean), broken: amount(broken), incomplete: amount(incomplete) };
  const told = (['broken', 'incomplete', 'clean'] as const)
    .map((verdict) => ({ verdict, count: { broken, incomplete, clean }[verdict] }))
    .filter(({ count }) => count > 0)
    .map(({ verdict, count }) => fill(words.night.parts[verdict], { count }, template.speech));
  const isWell = broken + incomplete === 0 && done === expected;
  const at = time(formatInstant(night.night).slice(0, 16));
  const verdictOf = (verdict: Verdict): string => words.findings.verdict[verdict];
  return {
    subject: isWell
      ? fill(words.night.subjectWell, counts)
      : subjectOf(night, { down, told: told.join(', ') }, template),
    blocks: [
      {
        line: fill(words.night.intro, {
          night: at,
          done: amount(done),
          expected: amount(expected),
          entries: amount(entriesAdded),
        }),
      },
      { line: fill(words.night.verdicts, counts) },
      ...down.map((line) => ({ line: `${line}.` })),
      ...missing.map(({ merchant, reason }) => ({
        line: fill(words.run.missing, { merchant: oneLine(merchant), reason: oneLine(reason) }),
      })),
      {
        line:
          news.length === 0 ? words.night.noNews : fill(words.night.news, { count: amount(news.length + moreNews) }),
      },
      ...news.flatMap((one) => [
        { line: fill(words.night.merchant, { merchant: oneLine(one.merchant), verdict: verdictOf(one.verdict) }) },
        ...findingLines(one, template),
      ]),
      ...(moreNews === 0 ? [] : [{ line: fill(words.night.more, { count: moreNews }, template.speech) }]),
      ...openLines(night.open, template),
      ...heldLines(held, template),
    ],
  };
}

/** A place that is down is the first thing to know; of a night that judged nothing, the only one. */
function subjectOf(
  { done }: NightDigest,
  { down, told }: { readonly down: readonly string[]; readonly told: string },
  { words }: MailTemplate,
): string {
  const said = down.join(' ; ');
  if (down.length === 0) return fill(words.night.subject, { verdicts: told });
  return done === 0
    ? fill(words.run.subject, { problem: said })
    : fill(words.night.subjectDown, { verdicts: told, down: said });
}

/** Each place that was out of reach, once. */
function downLines({ down = [] }: Pick<RunProblem, 'down'>, { words, speech }: MailTemplate): readonly string[] {
  return down.map(({ place, why, merchants }) =>
    fill(words.run.down, { place: oneLine(place), why, count: merchants }, speech),
  );
}

function unreached({ down = [] }: Pick<RunProblem, 'down'>): number {
  return down.reduce((sum, { merchants }) => sum + merchants, 0);
}

/** What is open, new or not: a reader of this mail alone knows what waits. */
function openLines(open: NightDigest['open'], { words, speech, numbers, parts }: MailTemplate): readonly Block[] {
  if (open === undefined) return [];
  const { oldest, counts, largest } = open;
  if (oldest === null) return [{ line: words.night.noneOpen }];
  const { figure, time } = figureWordingOf(numbers);
  const counted = ([...SEVERITIES, 'followers'] as const)
    .filter((name) => counts[name] > 0)
    .map((name) => fill(parts[name], { count: counts[name] }, speech));
  const named = ({ merchant, fingerprint, since }: OpenRoot) => ({
    root: fill(words.night.root, { merchant: oneLine(merchant), fingerprint }),
    since: time(formatInstant(since).slice(0, 16)),
  });
  return [
    { line: fill(words.night.open, { parts: counted.join(', '), ...named(oldest) }) },
    ...largest.map(({ item: { balance, reserved }, currency, ...root }) => {
      const side = Math.abs(Number(balance)) < Math.abs(Number(reserved)) ? 'reserved' : 'balance';
      const amount = figure({ balance, reserved }[side]);
      return { line: fill(words.night.largest, { currency: oneLine(currency), amount, side, ...named(root) }, speech) };
    }),
  ];
}

const MOST_HELD = 20;

/** What waits when the mail is sent, not when the night ended: its statements are made after it. */
function heldLines(held: readonly HeldMonth[], { words, numbers, speech }: MailTemplate): readonly Block[] {
  if (held.length === 0) return [];
  const named = held.slice(0, MOST_HELD).map(({ merchant, period, open, since }) => {
    const told = [...Map.groupBy(since, ({ action, by }) => JSON.stringify([action, by])).values()].map((some) =>
      fill(words.night.heldSince, { ...some[0]!, by: some[0]!.by && oneLine(some[0]!.by), count: some.length }, speech),
    );
    const said = { merchant: oneLine(merchant), period, since: told.length === 0 ? null : told.join(', '), open };
    return fill(words.night.heldMonth, said, speech);
  });
  const months = [...named, ...(held.length > MOST_HELD ? ['…'] : [])].join(', ');
  return [{ line: fill(words.night.held, { count: figureWordingOf(numbers).amount(held.length), months }) }];
}

function draftRun(run: RunProblem, template: MailTemplate): Draft {
  const { words, numbers, speech } = template;
  const { amount, time } = figureWordingOf(numbers);
  const problem = words.run[run.kind];
  const night = time(formatInstant(run.night).slice(0, 16));
  const others = run.expected - run.done - run.missing.length - unreached(run);
  const down = downLines(run, template);
  return {
    subject: fill(words.run.subject, { problem: down.length > 0 ? down.join(' ; ') : problem }),
    blocks: [
      { line: fill(words.run.night, { night, problem }) },
      { line: fill(words.run.progress, { done: amount(run.done), expected: amount(run.expected) }) },
      ...down.map((line) => ({ line: `${line}.` })),
      ...run.missing.map(({ merchant, reason }) => ({
        line: fill(words.run.missing, { merchant: oneLine(merchant), reason: oneLine(reason) }),
      })),
      ...(run.missing.length > 0 && others > 0 ? [{ line: fill(words.run.more, { count: others }, speech) }] : []),
    ],
  };
}
