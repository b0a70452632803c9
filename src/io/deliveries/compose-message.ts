// The subject and body of a mail: key figures of a month, new findings, or a night that went wrong. Every text
// from outside is one line.

import type { SentFile } from '../../core/domain/delivery/choose-files.ts';
import type { DeliveryContent, NightDigest, RunProblem } from '../../core/domain/delivery/delivery.ts';
import type { MonthFigures, Parcel, ReportParcel } from '../../core/domain/delivery/delivery-channel.ts';
import type { Verdict } from '../../core/domain/finding.ts';
import type { FindingKind } from '../../core/domain/finding-kind.ts';
import { invariant } from '../../core/domain/invariant.ts';
import { isPermitted, type Permission } from '../../core/domain/operators/role.ts';
import { labelOf, parsePeriod } from '../../core/domain/period.ts';
import { markText } from '../../core/domain/snapshot.ts';
import type { Language } from '../../core/statements/statement.ts';
import { nameFinding, wordFinding } from '../../core/words/finding.ts';
import { fill } from '../../core/words/message.ts';
import { oneLine, typeset } from '../formats/port/one-line.ts';
import type { MailTemplate } from '../formats/port/template.ts';
import { figureWordingOf } from '../formats/port/wording.ts';
import { verdictSentences } from '../formats/sentences/verdict-sentences.ts';
import { type Block, type FigureRow, findingLinks, htmlOf, linesOf, linksTo, textOf } from './mail-blocks.ts';
import {
  heldLines,
  largestLines,
  logLines,
  minuteOf,
  openLines,
  ownerLines,
  stakeBlocks,
  waitingLines,
} from './open-blocks.ts';

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

function draftOf({ content, report, ...parcel }: Parcel, template: MailTemplate, language: Language): Draft {
  switch (content.topic) {
    case 'statement':
      return draftStatement(content, report!, template, language);
    case 'findings':
      return draftFindings(content, template);
    case 'run':
      return draftRun(content.problem, template);
    case 'night':
      return draftNight({ ...parcel, content }, template);
    default:
      invariant(false, `a mail tells of ${content.topic}`);
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
  const { figures, files, merchantName, reasons, verifierKey, chain } = report;
  const proofs = files.filter(({ fileName }) => fileName.endsWith('.tlog-proof'));
  const proof = { proof: namesOf(proofs), count: proofs.length };
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
      ...linesOf([...verdictLines(figures, template), ...reasons[language]].map(oneLine)),
      { line: fill(words.statement.attached, { files: namesOf(files) }) },
      ...linesOf(importLines(report, template)),
      ...(proofs.length === 0 || verifierKey === null
        ? []
        : [{ line: fill(words.statement.proof, { ...proof, key: verifierKey }, template.speech) }]),
      ...(chain === null ? [] : [{ line: fill(words.statement.chain, { mark: markText(chain, 12) }) }]),
    ],
  };
}

function namesOf(files: readonly Pick<SentFile, 'fileName'>[]): string {
  return files.map(({ fileName }) => oneLine(fileName)).join(', ');
}

/** How to import what is attached, where a revision came before: a line for each format. */
function importLines({ portions, revision }: ReportParcel, template: MailTemplate): readonly string[] {
  const { words, speech } = template;
  return portions
    .filter(({ how }) => how !== 'first' || revision > 1)
    .map(({ how, files, after }) => {
      const since = after === null ? {} : { revision: after.revision, at: minuteOf(after.at, template) };
      return fill(words.statement.imports[how], { files: namesOf(files), count: files.length, ...since }, speech);
    });
}

/** Opening + movements = closing, each with its sign; movements that most months lack are left out at 0. */
function figureRows(figures: MonthFigures, { words, numbers, due }: MailTemplate): readonly FigureRow[] {
  const { statement } = words;
  const { amount } = figureWordingOf(numbers);
  const balance = (name: string, value: number): FigureRow => ({ name, figure: amount(value), isBold: true });
  const moved = (name: string, value: number): FigureRow => ({ name, figure: amount(value), isBold: false });
  const rare = (['reversals', 'adjustments', 'otherMovements'] as const).filter((name) => figures[name] !== 0);
  const { closing: said } = due;
  const {
    closingBalance: closing,
    recorded: { balance: recorded },
  } = figures;
  const owed = figures.due?.balance ?? recorded;
  // 0 − x and not −x: there is no −0 in an account.
  return [
    balance(statement.opening, figures.openingBalance),
    moved(statement.collected, figures.collected),
    moved(statement.disbursed, 0 - figures.disbursed),
    moved(statement.fees, 0 - figures.fees),
    ...rare.map((name) => moved(statement[name], figures[name])),
    balance(statement.closing, figures.closingBalance),
    ...(recorded === closing
      ? []
      : [moved(said.gap, recorded - closing), balance(owed === recorded ? said.both : said.recorded, recorded)]),
    ...(owed === recorded ? [] : [moved(said.suspense, owed - recorded), balance(said.due, owed)]),
    moved(statement.reserved, figures.closingReserved),
    balance(statement.available, figures.availableAtClose),
  ];
}

/** The verdict in the statement's own sentences. */
function verdictLines(figures: MonthFigures, { numbers, due, speech }: MailTemplate): readonly string[] {
  const { amount } = figureWordingOf(numbers);
  return verdictSentences(figures, { due, notChecked: speech.words.notChecked }, amount);
}

function draftFindings(content: ContentOf<'findings'>, template: MailTemplate): Draft {
  const { findings: words } = template.words;
  const { amount } = figureWordingOf(template.numbers);
  const merchant = oneLine(content.merchant);
  const { findings, more, verdict, runId } = content;
  return {
    subject: fill(words.subject, { count: amount(findings.length + more), merchant }),
    blocks: [
      { line: fill(words.intro, { run: String(runId), merchant, verdict: words.verdict[verdict] }) },
      ...findingBlocks(content, template),
      ...findings.slice(0, 1).map(({ fingerprint }) => ({ line: fill(words.how, { fingerprint }) })),
    ],
  };
}

function findingBlocks(
  { merchant, findings, more }: Pick<ContentOf<'findings'>, 'merchant' | 'findings' | 'more'>,
  template: MailTemplate,
): readonly Block[] {
  const { words, speech } = template;
  const blocks = findings.map(({ severity, kind, fingerprint, message, figures }) => ({
    title: fill(words.findings.finding, {
      severity: words.findings.severity[severity],
      name: nameFinding(speech, kind),
      kind,
      fingerprint,
    }),
    line: oneLine(figures === undefined ? message : wordFinding(speech, kind as FindingKind, figures)),
    ...findingLinks(template, merchant, fingerprint),
  }));
  return [...blocks, ...(more > 0 ? [{ line: fill(words.findings.more, { count: more }, speech) }] : [])];
}

function draftRun(run: RunProblem, template: MailTemplate): Draft {
  const { words, numbers, speech } = template;
  const { amount } = figureWordingOf(numbers);
  const problem = words.run[run.kind];
  const others = run.expected - run.done - run.missing.length - countUnreached(run);
  const down = downLines(run, template);
  return {
    subject: fill(words.run.subject, { problem: down.length > 0 ? down.join(' ; ') : problem }),
    blocks: [
      {
        line: fill(words.run.night, { night: minuteOf(run.night, template), problem }),
        ...linksTo(template, template.morning, '/'),
      },
      { line: fill(words.run.progress, { done: amount(run.done), expected: amount(run.expected) }) },
      ...problemLines(run, template),
      ...(run.missing.length > 0 && others > 0 ? [{ line: fill(words.run.more, { count: others }, speech) }] : []),
    ],
  };
}

type Unreached = Pick<RunProblem, 'down' | 'missing'>;

/** Each place that was out of reach, once; then each merchant that failed by itself. */
function problemLines(run: Unreached, template: MailTemplate): readonly Block[] {
  const missing = run.missing.map(({ merchant, reason }) =>
    fill(template.words.run.missing, { merchant: oneLine(merchant), reason: oneLine(reason) }),
  );
  return linesOf([...downLines(run, template).map((line) => `${line}.`), ...missing]);
}

function downLines({ down = [] }: Unreached, { words, speech }: MailTemplate): readonly string[] {
  return down.map(({ place, why, merchants }) =>
    fill(words.run.down, { place: oneLine(place), why, count: merchants }, speech),
  );
}

function countUnreached({ down = [] }: Unreached): number {
  return down.reduce((sum, { merchants }) => sum + merchants, 0);
}

type NightParcel = Omit<Parcel, 'content' | 'report'> & { readonly content: ContentOf<'night'> };
type NightPart = readonly [
  needs: Permission,
  draw: (parcel: NightParcel, template: MailTemplate) => readonly Block[],
  isOfMerchant?: true,
];

/**
 * What the mail at a night's end has, in order, and what its reader must be permitted; without a reader all of it. A reader of one merchant
 * has what is of that merchant alone.
 */
const NIGHT_PARTS: readonly NightPart[] = [
  ['read', coverageBlocks],
  ['investigate', openLines, true],
  ['decide', stakeBlocks, true],
  ['investigate', ownerLines],
  ['decide', largestLines, true],
  ['confirm', waitingLines],
  ['publish', heldLines, true],
  ['investigate', newsBlocks, true],
  ['trail', logLines],
];

/** Sent also when all is well: a mail that does not come shows that the nights have stopped. */
function draftNight(parcel: NightParcel, template: MailTemplate): Draft {
  const { night, reader } = parcel.content;
  const { words } = template;
  const merchant = reader?.merchant ?? null;
  const isShown = ([needs, , isOfMerchant]: NightPart): boolean =>
    merchant === null ? reader === undefined || isPermitted(reader, needs) : isOfMerchant === true;
  const blocks = NIGHT_PARTS.filter(isShown).flatMap(([, draw]) => draw(parcel, template));
  if (merchant === null) return { subject: nightSubject(night, template), blocks };
  const verdict = words.findings.verdict[parcel.verdict ?? 'incomplete'];
  const says = parcel.verdict === undefined ? words.night.absent : words.night.merchant;
  const problem = fill(says, { merchant: oneLine(merchant), verdict });
  const line = fill(words.run.night, { night: minuteOf(night.night, template), problem });
  const links = linksTo(template, template.morning, '/');
  return { subject: fill(words.run.subject, { problem }), blocks: [{ line, ...links }, ...blocks] };
}

function coverageBlocks({ content: { night } }: NightParcel, template: MailTemplate): readonly Block[] {
  const { words, numbers } = template;
  const { amount } = figureWordingOf(numbers);
  const { clean, broken, incomplete } = countsOf(night);
  const [done, expected, entries] = [night.done, night.expected, night.entriesAdded].map(amount);
  const intro = { night: minuteOf(night.night, template), done: done!, expected: expected!, entries: entries! };
  const counts = { clean: amount(clean), broken: amount(broken), incomplete: amount(incomplete) };
  return [
    { line: fill(words.night.intro, intro), ...linksTo(template, template.morning, '/') },
    { line: fill(words.night.verdicts, counts) },
    ...problemLines(night, template),
  ];
}

/** Books that are incomplete only because a place is down count with that place. */
function countsOf(night: NightDigest): Readonly<Record<Verdict, number>> {
  return { ...night.verdicts, incomplete: night.verdicts.incomplete - countUnreached(night) };
}

function newsBlocks({ content: { night } }: NightParcel, template: MailTemplate): readonly Block[] {
  const { words, numbers, speech } = template;
  const { news, moreNews } = night;
  const count = figureWordingOf(numbers).amount(news.length + moreNews);
  return [
    { line: news.length === 0 ? words.night.noNews : fill(words.night.news, { count }) },
    ...news.flatMap((one) => {
      const verdict = words.findings.verdict[one.verdict];
      const line = fill(words.night.merchant, { merchant: oneLine(one.merchant), verdict });
      return [{ line }, ...findingBlocks(one, template)];
    }),
    ...(moreNews === 0 ? [] : [{ line: fill(words.night.more, { count: moreNews }, speech) }]),
  ];
}

/** Places that are down come first; of a night that judged nothing, alone. */
function nightSubject(night: NightDigest, template: MailTemplate): string {
  const { words, speech, numbers } = template;
  const counts = countsOf(night);
  if (counts.broken + counts.incomplete === 0 && night.done === night.expected)
    return fill(words.night.subjectWell, { clean: figureWordingOf(numbers).amount(counts.clean) });
  const verdicts = (['broken', 'incomplete', 'clean'] as const)
    .filter((verdict) => counts[verdict] > 0)
    .map((verdict) => fill(words.night.parts[verdict], { count: counts[verdict] }, speech))
    .join(', ');
  const down = downLines(night, template).join(' ; ');
  if (down === '') return fill(words.night.subject, { verdicts });
  return night.done === 0
    ? fill(words.run.subject, { problem: down })
    : fill(words.night.subjectDown, { verdicts, down });
}
