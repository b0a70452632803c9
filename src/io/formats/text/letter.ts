// A letter to the service, about one finding as plain text, or about all that is open in a
// statement: what was found, the lines concerned, and a request. It computes no figures but sums of
// the findings' figures. A text from outside is shown and never acts.

import type { ReportedFigures } from '../../../core/domain/figures.ts';
import type { Finding } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { LegalIdentity } from '../../../core/domain/merchant.ts';
import { printable } from '../../../core/domain/printable.ts';
import { maskFigures, maskPhoneNumbers } from '../../../core/statements/mask-phone-numbers.ts';
import type {
  FoundItem,
  StatementFinding,
} from '../../../core/statements/section-reconciliation.ts';
import type { Language } from '../../../core/statements/statement.ts';
import { fill, type MessageValues, nameFinding, wordFinding } from '../../../core/words/finding.ts';
import { nameCode } from '../../../core/words/names.ts';
import { LABELS, type Labels } from '../../../core/words/tree.ts';
import { type DocumentContext, type Wording, wordingOf } from '../port/wording.ts';
import { asksAnswer, itemLine, openPosts } from '../sentences/verdict-reasons.ts';

export interface Letter {
  readonly merchant: string;
  /** Name of the merchant; `null` when it is not known. */
  readonly name: string | null;
  /** Currency of the amounts; `null` when it is not known. */
  readonly currency: string | null;
  /** To whom the letter goes; `null` for a line to fill in. */
  readonly addressee: LegalIdentity | null;
  /** Date of the letter; `null` for a line to fill in. */
  readonly at: Instant | null;
  /** IANA name of the zone of the merchant's months. */
  readonly zone: string;
  readonly language: Language;
  /** The findings that the letter is about, at least one. */
  readonly claims: readonly Claim[];
  /**
   * Present when the letter is about all that is open in a statement: the statement's number, how
   * many further items there are, and the holder of the wallet, who signs. When absent, the person
   * who looks after the finding signs.
   */
  readonly statement?: {
    readonly number: string;
    readonly others: number;
    readonly holder: LegalIdentity | null;
  };
}

/** What a letter says of one finding. */
interface Claim
  extends Pick<
    Finding,
    'kind' | 'fingerprint' | 'operationReference' | 'message' | 'figures' | 'item'
  > {
  readonly concerned?: string | null;
  readonly proposal: Finding['proposal'];
  /** When the fault arose; absent or `null` when that is not known. */
  readonly at?: Instant | null;
  readonly status?: Finding['status'];
  /** True when its figures are counts, or may be. */
  readonly counts?: boolean;
  /**
   * The lines concerned, by sequence. `isJudged` is false for another content of the same sequence.
   */
  readonly lines?: readonly { readonly entry: LedgerEntry; readonly isJudged: boolean }[];
  /** Sequences of lines concerned of which nothing else is known. */
  readonly sequences?: readonly number[];
}

/**
 * Names of figures that are line numbers or counts of lines. All other figures are amounts, unless
 * the kind of finding counts.
 */
const NO_AMOUNTS = new Set([
  'sequence',
  'first',
  'last',
  'until',
  'head',
  'original',
  'holdSequence',
  'lines',
]);
/** Fields whose values are amounts, where a sentence gives two values, `before` and `now`. */
const AMOUNTS = new Set<unknown>(['amount', 'balanceAfter', 'reservedAfter', 'fees', 'netAmount']);
const BLANK = '_'.repeat(30);
const MOST_POSTS = 5;
/** Most posts for which there is room to say what was found. */
const FEW = 2;

/** Returns the letter as plain text, which ends with a line break. */
export function letterOf(letter: Letter): string {
  const paragraphs = letterParagraphs(letter).map((lines) => lines.map(printable).join('\n'));
  return `${paragraphs.join('\n\n')}\n`;
}

/** Returns the paragraphs of the letter, each as lines. */
export function letterParagraphs(about: Letter): readonly (readonly string[])[] {
  const { addressee, language, zone, merchant, name, claims, statement, at } = about;
  const labels = LABELS[language];
  const { letter } = labels.console;
  const wording = wordingOf(zone, { labels, language });
  const said = (text: string, values: MessageValues): string => fill(text, values, wording.speech);
  const amount: AmountOf = (figure, of = about.currency) =>
    `${wording.figure(figure)}\u00a0${of ?? letter.unknown}`;
  const [first] = claims;
  const count = claims.length;
  const title =
    count === 1 ? nameFinding({ words: labels }, first!.kind) : said(letter.several, { count });
  const operation = count === 1 ? first!.operationReference : null;
  const reference = (fingerprint: string): string => said(letter.reference, { fingerprint });
  const written = { ...wording, amount };
  const entries = claims.flatMap((claim) => entryLines(claim, labels, written));
  const signer = statement === undefined ? null : (statement.holder?.legalName ?? name ?? merchant);
  const paragraphs: readonly (readonly string[])[] = [
    signer === null ? [] : [letter.from, signer, ...(statement?.holder?.address ?? [])],
    [
      letter.to,
      ...(addressee === null
        ? [BLANK, BLANK]
        : [addressee.legalName ?? BLANK, ...addressee.address]),
    ],
    [said(letter.date, { day: at === null ? BLANK : wording.instant(at).slice(0, 10) })],
    [
      said(letter.subject, { title, merchant, name, operation }),
      reference(statement?.number ?? first!.fingerprint),
    ],
    [letter.dear],
    [signer === null ? letter.found : letter.foundByHolder],
    ...claims.flatMap((claim) => [
      [
        ...claimLines(claim, labels, written),
        ...(statement === undefined ? [] : [reference(claim.fingerprint)]),
      ],
      postedLines(claim, about, written),
    ]),
    signer === null ? [] : sumLines(claims, letter, amount),
    (statement?.others ?? 0) === 0 ? [] : [said(letter.others, { count: statement!.others })],
    entries.length === 0
      ? []
      : [said(letter.correct, { count: entries.length }), ...entries, letter.keep],
    claims.every(({ proposal }) => (proposal ?? []).length > 0)
      ? []
      : [said(letter.answer, { count })],
    statement === undefined ? [] : [said(letter.answerBy, { day: BLANK })],
    [letter.close],
    [
      ...(signer === null ? [] : [said(letter.forHolder, { name: signer })]),
      labels.parties.nameAndDate,
      '',
      BLANK,
    ],
  ];
  return paragraphs.filter(({ length }) => length > 0);
}

/** Sums what was posted too much, and what too little, over claims with an entry to ask for. */
function sumLines(
  claims: readonly Claim[],
  letter: Labels['console']['letter'],
  amount: AmountOf,
): readonly string[] {
  return (['surplus', 'shortfall'] as const).flatMap((side) => {
    const sum = misstated(claims, side);
    return sum === 0n ? [] : [fill(letter[side], { amount: amount(String(sum)) })];
  });
}

/**
 * Returns one of these sums, without a sign. Only the balance counts, because no one gains by an
 * amount that is reserved wrongly.
 */
function misstated(claims: readonly Claim[], side: 'surplus' | 'shortfall'): bigint {
  return claims
    .filter(({ proposal }) => (proposal ?? []).length > 0)
    .map(({ item }) => BigInt(item?.balance ?? 0) * (side === 'surplus' ? 1n : -1n))
    .reduce((sum, off) => sum + (off > 0n ? off : 0n), 0n);
}

type AmountOf = (figure: string, currency?: string | null) => string;
type Written = Omit<Wording, 'amount'> & { readonly amount: AmountOf };

/** Says what was found, how much it is, since when, and in which lines. */
function claimLines(claim: Claim, { console }: Labels, written: Written): readonly string[] {
  const { letter, finding: heads } = console;
  const { amount, speech, figure } = written;
  const { item, concerned, status, at = null, sequences = [] } = claim;
  const worth = { balance: item?.balance, reserved: item?.reserved, concerned };
  const numbers = sequences.map((sequence) => figure(String(sequence))).join(', ');
  return [
    sentenceOf(claim, written),
    ...(status === 'provisional' ? [letter.provisional] : []),
    ...(['balance', 'reserved', 'concerned'] as const).flatMap((of) =>
      (worth[of] ?? '0') === '0'
        ? []
        : [fill(letter.worth, { head: heads[of], amount: amount(worth[of]!) })],
    ),
    ...(at === null ? [] : [fill(letter.since, { day: written.instant(at).slice(0, 10) })]),
    ...(numbers === '' ? [] : [fill(letter.numbers, { count: sequences.length, numbers }, speech)]),
  ];
}

function postedLines(
  { lines = [] }: Claim,
  { language, zone }: Letter,
  written: Written,
): readonly string[] {
  const labels = LABELS[language];
  const { letter, finding: heads } = labels.console;
  const posted = lines.map(
    ({ entry: { sequence, kind, createdAt, currency, ...entry }, isJudged }) => {
      const [moved, balance, reserved] = [
        entry.amount,
        entry.balanceAfter,
        entry.reservedAfter,
      ].map((figure) => written.amount(String(figure), currency));
      const line = {
        sequence,
        kind: nameCode(labels, 'kinds', kind),
        at: written.instant(createdAt),
      };
      const text = fill(
        letter.line,
        { ...line, amount: moved!, balance: balance!, reserved: reserved! },
        written.speech,
      );
      return isJudged ? text : `${text} (${heads.variant})`;
    },
  );
  return posted.length === 0 ? [] : [fill(letter.lines, { zone }), ...posted];
}

/** Returns a line for each entry that would put the claim right. */
function entryLines(
  { proposal }: Pick<Claim, 'proposal'>,
  labels: Pick<Labels, 'codes' | 'console'>,
  { speech, amount }: Pick<Written, 'speech' | 'amount'>,
): readonly string[] {
  return (proposal ?? []).map(({ kind, operationReference: operation, description, ...entry }) => {
    const moved = { kind: nameCode(labels, 'kinds', kind), amount: amount(entry.amount) };
    return fill(labels.console.letter.entry, { ...moved, operation, description }, speech);
  });
}

/**
 * Says what is open and what to ask of the service, one text for each item. An item with an entry
 * to ask for leaves out what was found, unless there are few items. The letter, on `page` of the
 * PDF, has it all. Returns nothing where the books agree.
 */
export function toDoLines(
  { statement, labels, words }: DocumentContext,
  page = 2,
): readonly string[] {
  const posts = statement.summary.verdict.state === 'clean' ? [] : openPosts(statement);
  if (posts.length === 0) return [];
  const said = labels.firstPage.toDo;
  const { speech } = words;
  const service = statement.issuer?.legalName ?? null;
  const amount = (figure: string): string => `${words.figure(figure)}\u00a0${statement.currency}`;
  const items = posts.slice(0, MOST_POSTS).map((post, i) => {
    const found =
      'proposal' in post
        ? itemLine(post, labels.due, speech)
        : wordFinding(speech, post.kind, post.figures);
    const entries = entryLines(claimOf(post), labels, { ...words, amount }).map((line) =>
      line.replace(/^- /, ''),
    );
    const entry =
      entries.length === 0 ? said.answer : fill(said.entry, { entry: entries.join(' ; ') });
    const ask = asksAnswer(post) ? [entry] : [];
    const day = post.at === null ? null : words.instant(post.at).slice(0, 10);
    const since = day === null ? [] : [fill(labels.console.letter.since, { day })];
    const texts = entries.length > 0 && posts.length > FEW ? ask : [found, ...since, ...ask];
    return `${i + 1}. ${texts.join(' ')}`;
  });
  const beyond = Math.max(0, posts.length - MOST_POSTS) + statement.due.others.count;
  const others = beyond === 0 ? [] : [fill(labels.due.otherItems, { count: words.amount(beyond) })];
  const write = posts.some(asksAnswer) ? [fill(said.write, { service, page }, speech)] : [];
  const surplus = misstated(posts.filter(asksAnswer).map(claimOf), 'surplus');
  const leave = surplus === 0n ? [] : [fill(said.leave, { amount: amount(String(surplus)) })];
  return [...write, ...items, ...others, ...leave];
}

/** Makes a claim of what is open in a statement. */
export function claimOf(post: FoundItem | StatementFinding): Claim {
  if (!('proposal' in post))
    return { ...post, item: null, proposal: null, sequences: numbersIn([post]) };
  const { balance, reserved, parts } = post;
  const item = { balance: String(balance), reserved: String(reserved) };
  return {
    ...post,
    item,
    sequences: numbersIn([post, ...parts.filter(({ of }) => of !== 'settled')]),
  };
}

function numbersIn(places: readonly Pick<StatementFinding, 'sequence'>[]): readonly number[] {
  return [...new Set(places.flatMap(({ sequence }) => sequence ?? []))];
}

/**
 * Says what was found, each amount with its currency. Repeats the reported message for a kind that
 * this version does not know.
 */
function sentenceOf(
  { kind, message, counts, figures: own }: Claim,
  { speech, figure, amount }: Pick<Written, 'speech' | 'figure' | 'amount'>,
): string {
  if (!Object.hasOwn(speech.words.findings.messages, kind)) return maskPhoneNumbers(message);
  const { before, now, ...figures } = maskFigures(own);
  const isAmount = AMOUNTS.has(figures.field ?? figures.name);
  const values = isAmount
    ? { before: amount(String(before)), now: amount(String(now)) }
    : { before, now };
  // A finding on a report is about a number of payments or about their amount, which the name of
  // its key tells.
  const isCount = counts && !/amount$/i.test(String(figures.name));
  const number = (text: string, name = ''): string =>
    isCount || NO_AMOUNTS.has(name) ? figure(text) : amount(text);
  return wordFinding({ ...speech, number }, kind, { ...figures, ...values } as ReportedFigures);
}
