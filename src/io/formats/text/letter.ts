// A letter to the service about one finding, as plain text: what was found, the lines concerned, and a request. It computes no
// figure: all are the finding's and its lines'. A text from outside is shown and never acts.

import type { ReportedFigures } from '../../../core/domain/figures.ts';
import type { Finding } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { LegalIdentity } from '../../../core/domain/merchant.ts';
import { printable } from '../../../core/domain/printable.ts';
import { maskFigures, maskPhoneNumbers } from '../../../core/statements/mask-phone-numbers.ts';
import type { Language } from '../../../core/statements/statement.ts';
import { nameFinding, wordFinding } from '../../../core/words/finding.ts';
import { fill, type MessageValues } from '../../../core/words/message.ts';
import { nameCode } from '../../../core/words/names.ts';
import { LABELS } from '../../../core/words/tree.ts';
import { type Wording, wordingOf } from '../port/wording.ts';

export interface Letter {
  readonly finding: Finding;
  readonly merchant: string;
  /** Of the merchant; null: not known. */
  readonly name: string | null;
  /** Of the finding's amounts; null: not known. */
  readonly currency: string | null;
  /** Its figures are counts, or may be. */
  readonly counts: boolean;
  /** By sequence; `isJudged`: false for another content of the sequence. */
  readonly lines: readonly { readonly entry: LedgerEntry; readonly isJudged: boolean }[];
  /** Whom it is to; null: a line to fill in. */
  readonly addressee: LegalIdentity | null;
  /** IANA name, of the merchant's months. */
  readonly zone: string;
  readonly at: Instant;
  readonly language: Language;
}

/** Figures of sentences that number or count lines; all others are amounts, unless the kind counts. */
const NO_AMOUNTS = new Set(['sequence', 'first', 'last', 'until', 'head', 'original', 'holdSequence', 'lines']);
/** What a sentence may give two values of, `before` and `now`. */
const AMOUNTS = new Set<unknown>(['amount', 'balanceAfter', 'reservedAfter', 'fees', 'netAmount']);
const BLANK = '_'.repeat(30);

/** Ends with a line break. */
export function letterOf(about: Letter): string {
  const { finding, addressee, language, zone, merchant, name, lines } = about;
  const labels = LABELS[language];
  const { letter, finding: heads } = labels.console;
  const wording = wordingOf(zone, { labels, language });
  const said = (text: string, values: MessageValues): string => fill(text, values, wording.speech);
  const amount = (figure: string, of = about.currency): string =>
    `${wording.figure(figure)}\u00a0${of ?? letter.unknown}`;
  const { fingerprint, operationReference: operation, item, concerned, proposal } = finding;
  const title = nameFinding({ words: labels }, finding.kind);
  const worth = { balance: item?.balance, reserved: item?.reserved, concerned };
  const entries = (proposal ?? []).map(({ kind, operationReference, description, ...entry }) => {
    const moved = { kind: nameCode(labels, 'kinds', kind), amount: amount(entry.amount) };
    return said(letter.entry, { ...moved, operation: operationReference, description });
  });
  const posted = lines.map(({ entry: { sequence, kind, createdAt, currency, ...entry }, isJudged }) => {
    const [moved, balance, reserved] = [entry.amount, entry.balanceAfter, entry.reservedAfter].map((figure) =>
      amount(String(figure), currency),
    );
    const line = { sequence, kind: nameCode(labels, 'kinds', kind), at: wording.instant(createdAt) };
    const text = said(letter.line, { ...line, amount: moved!, balance: balance!, reserved: reserved! });
    return isJudged ? text : `${text} (${heads.variant})`;
  });
  const paragraphs: readonly (readonly string[])[] = [
    [letter.to, ...(addressee === null ? [BLANK, BLANK] : [addressee.legalName ?? BLANK, ...addressee.address])],
    [said(letter.date, { day: wording.instant(about.at).slice(0, 10) })],
    [said(letter.subject, { title, merchant, name, operation }), said(letter.reference, { fingerprint })],
    [letter.dear],
    [letter.found],
    [
      sentenceOf(about, { ...wording, amount }),
      ...(finding.status === 'provisional' ? [letter.provisional] : []),
      ...(['balance', 'reserved', 'concerned'] as const).flatMap((of) =>
        (worth[of] ?? '0') === '0' ? [] : [said(letter.worth, { head: heads[of], amount: amount(worth[of]!) })],
      ),
    ],
    posted.length === 0 ? [] : [said(letter.lines, { zone }), ...posted],
    entries.length === 0 ? [letter.answer] : [said(letter.correct, { count: entries.length }), ...entries, letter.keep],
    [letter.close],
    [labels.parties.nameAndDate, '', BLANK],
  ];
  const filled = paragraphs.filter(({ length }) => length > 0);
  return `${filled.map((some) => some.map(printable).join('\n')).join('\n\n')}\n`;
}

/** What was found; each amount in it has its currency. Of a kind that this version does not know, as it was reported. */
function sentenceOf(
  { finding, counts }: Letter,
  { speech, figure, amount }: Pick<Wording, 'speech' | 'figure'> & { readonly amount: (figure: string) => string },
): string {
  if (!Object.hasOwn(speech.words.findings.messages, finding.kind)) return maskPhoneNumbers(finding.message);
  const { before, now, ...figures } = maskFigures(finding.figures);
  const isAmount = AMOUNTS.has(figures.field ?? figures.name);
  const values = isAmount ? { before: amount(String(before)), now: amount(String(now)) } : { before, now };
  // Of a report either a number of payments or their amount is stated, by the name of its key.
  const isCount = counts && !/amount$/i.test(String(figures.name));
  const number = (text: string, name = ''): string => (isCount || NO_AMOUNTS.has(name) ? figure(text) : amount(text));
  return wordFinding({ ...speech, number }, finding.kind, { ...figures, ...values } as ReportedFigures);
}
