// Composes the subject and body of a mail: the key figures of a month, new findings, or a night
// that went wrong. Every text from outside is put on one line.

import type { Portion, SentFile } from '../../core/domain/delivery/choose-files.ts';
import type {
  DeliveryContent,
  NightDigest,
  RunProblem,
} from '../../core/domain/delivery/delivery.ts';
import type {
  MonthColumn,
  Parcel,
  ReportParcel,
} from '../../core/domain/delivery/delivery-channel.ts';
import type { Verdict } from '../../core/domain/finding.ts';
import type { FindingKind } from '../../core/domain/finding-kind.ts';
import { invariant } from '../../core/domain/invariant.ts';
import { isPermitted, type Permission } from '../../core/domain/operators/role.ts';
import { labelOf, type Period, parsePeriod } from '../../core/domain/period.ts';
import { markText } from '../../core/domain/snapshot.ts';
import type { Language } from '../../core/statements/statement.ts';
import { MOVEMENTS } from '../../core/statements/tables/bridge.ts';
import { fill, nameFinding, wordFinding } from '../../core/words/finding.ts';
import { oneLine, typeset } from '../formats/port/one-line.ts';
import type { MailTemplate } from '../formats/port/template.ts';
import { figureWordingOf } from '../formats/port/wording.ts';
import { heroOf, verdictSentences } from '../formats/sentences/verdict-sentences.ts';
import {
  type Block,
  type FigureRow,
  findingLinks,
  htmlOf,
  linesOf,
  linksTo,
  textOf,
} from './mail-blocks.ts';
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

export type Message = Readonly<Record<'subject' | 'text' | 'html', string>>;

interface Draft {
  readonly subject: string;
  readonly blocks: readonly Block[];
  /**
   * Notes at the end of the mail, for a reader who verifies the files; absent when there are none.
   */
  readonly notes?: readonly string[];
}

export function composeMessage(
  parcel: Parcel,
  { template, language }: { readonly template: MailTemplate; readonly language: Language },
): Message {
  const { greeting, signature } = template.words;
  const { subject, blocks, notes = [] } = draftOf(parcel, template, language);
  const whole: readonly Block[] = [
    { line: greeting },
    ...blocks,
    { note: [fill(signature, { id: parcel.id }), ...notes].join('\n') },
  ];
  return {
    subject: typeset(oneLine(subject)),
    text: typeset(textOf(whole, template)),
    html: htmlOf(whole, language),
  };
}

function draftOf(
  { content, report, ...parcel }: Parcel,
  template: MailTemplate,
  language: Language,
): Draft {
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
  const { figures, doubted, files, merchantName, reasons, toDo, verifierKey, chain } = report;
  const isRevised = report.revision > 1;
  const portions = report.portions.filter(({ how }) => how !== 'first' || isRevised);
  const proofs = files.filter(({ fileName }) => fileName.endsWith('.tlog-proof'));
  const proof = { proof: namesOf(proofs), count: proofs.length };
  const reference = oneLine(content.merchant);
  const name = oneLine(merchantName ?? '');
  const merchant =
    name === '' || name === reference ? reference : fill(words.named, { name, reference });
  const period = labelOf(parsePeriod(content.period)!, language);
  const revision = String(report.revision);
  return {
    subject: fill(isRevised ? words.statement.subjectRevised : words.statement.subject, {
      period,
      revision,
      merchant,
      verdict: words.findings.verdict[figures.verdict.state],
    }),
    blocks: [
      {
        line: fill(words.statement.intro, {
          merchant,
          period,
          currency: oneLine(figures.currency),
        }),
      },
      ...(isRevised ? [{ line: fill(words.statement.revised, { revision }) }] : []),
      ...(doubted === null
        ? []
        : [{ line: fill(words.statement.again, { at: minuteOf(doubted, template) }) }]),
      ...verdictBlocks(report, parsePeriod(content.period)!, template, language),
      ...linesOf(reasons[language].map(oneLine)),
      ...toDoBlocks(toDo[language].map(oneLine), template),
      { line: fill(words.statement.attached, { files: namesOf(files) }) },
      ...linesOf(portions.map((portion) => importLine(portion, template))),
    ],
    notes: [
      ...(proofs.length === 0 || verifierKey === null
        ? []
        : [fill(words.statement.proof, { ...proof, key: verifierKey }, template.speech)]),
      ...(chain === null ? [] : [fill(words.statement.chain, { mark: markText(chain, 12) })]),
    ],
  };
}

/** Puts what the merchant has to do on one line each. The first line has the heading. */
function toDoBlocks(
  [first, ...others]: readonly string[],
  { firstPage }: MailTemplate,
): readonly Block[] {
  if (first === undefined) return [];
  return [{ title: firstPage.toDo.heading, line: first }, ...linesOf(others)];
}

function namesOf(files: readonly Pick<SentFile, 'fileName'>[]): string {
  return files.map(({ fileName }) => oneLine(mailedName(fileName))).join(', ');
}

/**
 * Returns the name that a file has in a mail. A proof is plain text and gets the ending `.txt`,
 * because gateways hold back files with endings that they do not know.
 */
export function mailedName(fileName: string): string {
  return fileName.endsWith('.tlog-proof') ? `${fileName}.txt` : fileName;
}

/** Says how to import the files of one format. */
export function importLine({ how, files, after }: Portion, template: MailTemplate): string {
  const since =
    after === null ? {} : { revision: after.revision, at: minuteOf(after.at, template) };
  const named = { files: namesOf(files), count: files.length, ...since };
  return fill(template.words.statement.imports[how], named, template.speech);
}

/**
 * Returns the figures that the first page has, with all items in one row. Movements of 0 are left
 * out.
 */
function columnRows(
  column: MonthColumn,
  { words, numbers, speech, firstPage }: MailTemplate,
): readonly FigureRow[] {
  const { amount } = figureWordingOf(numbers);
  const { opening, recorded, due } = column;
  const row = (name: string, value: number, isBold = false): FigureRow => {
    return {
      name: fill(name, { withheld: null, doubled: 0 }, speech),
      figure: amount(value),
      isBold,
    };
  };
  const said = firstPage.rows;
  return [
    row(said.opening, opening, true),
    // 0 + x and not −x: there is no −0 in an account.
    ...MOVEMENTS.flatMap(([of, sign]) =>
      column[of] === 0 ? [] : [row(said[of], 0 + sign * column[of])],
    ),
    row(due === recorded ? said.both : said.recorded, recorded, true),
    ...(due === recorded || due === null
      ? []
      : [row(words.statement.suspense, due - recorded), row(said.due, due, true)]),
  ];
}

/**
 * Returns what is due, the verdict in the statement's own sentences, how the figure came about, and
 * how much of it is reserved.
 */
function verdictBlocks(
  { figures, column }: ReportParcel,
  { year, month }: Period,
  template: MailTemplate,
  language: Language,
): readonly Block[] {
  const { numbers, due, firstPage, speech } = template;
  const { amount } = figureWordingOf(numbers);
  const day = labelOf(
    { year, month, day: new Date(Date.UTC(year, month, 0)).getUTCDate() },
    language,
  );
  const { label, figure } = heroOf(figures, day, firstPage, amount);
  const { reserved, available } = figures.due ?? figures.recorded;
  const held = fill(firstPage.held, { reserved: amount(reserved), available: amount(available) });
  const said = verdictSentences(figures, { due, notChecked: speech.words.notChecked }, amount);
  const [verdict, ...others] = linesOf(said.map(oneLine));
  return [
    { line: '', ...verdict, title: oneLine(`${label} ${figure}`) },
    ...others,
    ...(column === null ? [] : [{ rows: columnRows(column, template) }]),
    ...linesOf(reserved === 0 ? [] : [held]),
  ];
}

function draftFindings(content: ContentOf<'findings'>, template: MailTemplate): Draft {
  const { findings: words } = template.words;
  const { amount } = figureWordingOf(template.numbers);
  const merchant = oneLine(content.merchant);
  const { findings, more, verdict, runId } = content;
  return {
    subject: fill(words.subject, { count: amount(findings.length + more), merchant }),
    blocks: [
      {
        line: fill(words.intro, { run: String(runId), merchant, verdict: words.verdict[verdict] }),
      },
      ...findingBlocks(content, template),
      ...findings
        .slice(0, 1)
        .map(({ fingerprint }) => ({ line: fill(words.how, { fingerprint }) })),
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
    line: oneLine(
      figures === undefined ? message : wordFinding(speech, kind as FindingKind, figures),
    ),
    ...findingLinks(template, merchant, fingerprint),
  }));
  return [
    ...blocks,
    ...(more > 0 ? [{ line: fill(words.findings.more, { count: more }, speech) }] : []),
  ];
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
        ...linksTo(template, template.console.places.morning, '/'),
      },
      {
        line: fill(words.run.progress, { done: amount(run.done), expected: amount(run.expected) }),
      },
      ...problemLines(run, template),
      ...(run.missing.length > 0 && others > 0
        ? [{ line: fill(words.run.more, { count: others }, speech) }]
        : []),
    ],
  };
}

type Unreached = Pick<RunProblem, 'down' | 'missing'>;

/**
 * Returns a line for each place that was out of reach, and one for each merchant that failed by
 * itself.
 */
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
 * Parts of the mail at a night's end, in order, each with the permission that its reader must have.
 * A mail without a reader has all of them. A reader of one merchant gets only the parts about that
 * merchant.
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

/**
 * Composes the mail at a night's end. It is sent even when all is well, so that a mail that does
 * not come shows that the nights have stopped.
 */
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
  const links = linksTo(template, template.console.places.morning, '/');
  return { subject: fill(words.run.subject, { problem }), blocks: [{ line, ...links }, ...blocks] };
}

function coverageBlocks(
  { content: { night } }: NightParcel,
  template: MailTemplate,
): readonly Block[] {
  const { words, numbers } = template;
  const { amount } = figureWordingOf(numbers);
  const { clean, broken, incomplete } = countsOf(night);
  const [done, expected, entries] = [night.done, night.expected, night.entriesAdded].map(amount);
  const intro = {
    night: minuteOf(night.night, template),
    done: done!,
    expected: expected!,
    entries: entries!,
  };
  const counts = { clean: amount(clean), broken: amount(broken), incomplete: amount(incomplete) };
  return [
    {
      line: fill(words.night.intro, intro),
      ...linksTo(template, template.console.places.morning, '/'),
    },
    { line: fill(words.night.verdicts, counts) },
    ...problemLines(night, template),
  ];
}

/**
 * Counts the verdicts. Books that are incomplete only because a place is down are not counted,
 * because the line of that place counts them. Books that stay broken count as broken.
 */
function countsOf(night: NightDigest): Readonly<Record<Verdict, number>> {
  const { down = [], verdicts } = night;
  const unread = down.reduce((sum, { merchants, broken = 0 }) => sum + merchants - broken, 0);
  return { ...verdicts, incomplete: verdicts.incomplete - unread };
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

/** Names the places that are down, and the verdicts. Without a verdict the places stand alone. */
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
  return verdicts === ''
    ? fill(words.run.subject, { problem: down })
    : fill(words.night.subjectDown, { verdicts, down });
}
