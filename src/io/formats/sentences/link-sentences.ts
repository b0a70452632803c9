// The sentences about a statement's payments by link, in every form that people read: their
// population, how they compare with the service's own report, and the service's file.

import { formatInstant } from '../../../core/domain/instant.ts';
import type { Measure } from '../../../core/domain/summary-keys.ts';
import {
  type AllowedDifference,
  isSizeAsStated,
  type LinkSection,
  type ServiceComparison,
} from '../../../core/statements/comparison.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import { type FindingSpeech, fill } from '../../../core/words/finding.ts';
import { nameFigure, wordReason } from '../../../core/words/names.ts';
import type { Labels } from '../../../core/words/tree.ts';
import type { DocumentContext, Wording } from '../port/wording.ts';

interface Said {
  /** True for a sentence on which a reader has to act. */
  readonly isAlert: boolean;
  readonly text: string;
}

type LinkWords = Labels['links'];

export function linkNote({ summary }: LinkSection, said: LinkWords, speech: FindingSpeech): string {
  const { PENDING: pending, FAILED: failed, SUCCESS: succeeded } = summary.byStatus;
  return fill(said.note, { currency: summary.currency, pending, failed, succeeded }, speech);
}

/** Says whether the service's report agrees, and whether all payments were read. */
export function linkOutcome(
  { comparison, unread }: LinkSection,
  said: LinkWords,
  speech: FindingSpeech,
): readonly Said[] {
  const lacking =
    unread === 0 ? [] : [{ isAlert: true, text: fill(said.unread, { count: unread }, speech) }];
  if (comparison === null) return [...lacking, { isAlert: false, text: said.noReport }];
  const { notCompared, reason } = comparison;
  if (notCompared !== null) {
    const why = wordReason(speech, { why: notCompared, ...reason });
    return [...lacking, { isAlert: false, text: fill(said.notCompared, { why }) }];
  }
  return [...lacking, comparedSentence(comparison, said, speech)];
}

/**
 * Names the first figure that differs, and each tolerance under which the other figures agree, with
 * both sides' figures.
 */
function comparedSentence(
  comparison: ServiceComparison,
  said: LinkWords,
  speech: FindingSpeech,
): Said {
  const { compared, differences, allowed = [] } = comparison;
  const clauses = [
    ...differences.slice(0, 1).map(({ key, service, ours }) => {
      const figures = {
        differences: differences.length,
        service: service ?? '0',
        ours: ours ?? '0',
      };
      return fill(
        said.differ,
        { name: nameFigure(speech, `paymentsByLink.${key}`), ...figures },
        speech,
      );
    }),
    ...allowedClauses(comparison, said, speech),
  ];
  const outcome =
    differences.length + allowed.length === 0 ? said.agree : clauses.join(said.between);
  return {
    isAlert: differences.length > 0,
    text: fill(said.compared, { compared, outcome }, speech),
  };
}

function allowedClauses(
  { differences, allowed = [], madeAt }: ServiceComparison,
  said: LinkWords,
  speech: FindingSpeech,
): readonly string[] {
  const rest = differences.length === 0 ? 'all' : 'others';
  const at = madeAt == null ? null : formatInstant(madeAt);
  return (['pending', 'population', 'days'] as const).flatMap((reason) => {
    const rows = allowed.filter(({ why }) => why === reason);
    if (rows.length === 0) return [];
    const totalOf = (measure: Measure): AllowedDifference | undefined =>
      rows.find(({ total }) => total === measure);
    const [count, amount] = [totalOf('count'), totalOf('amount')];
    const side = (pick: 'service' | 'ours'): string =>
      fill(said.side, { count: figureOf(count, pick), amount: figureOf(amount, pick) }, speech);
    const both =
      (count ?? amount) === undefined
        ? ''
        : fill(said.both, { service: side('service'), ours: side('ours') });
    const off = { count: apart(count), amount: apart(amount), figures: rows.length };
    return [fill(said[reason], { ...off, rest, at, both }, speech)];
  });
}

function figureOf(row: AllowedDifference | undefined, side: 'service' | 'ours'): string | null {
  return row === undefined ? null : (row[side] ?? '0');
}

function apart(row: AllowedDifference | undefined): string | null {
  if (row === undefined) return null;
  const difference = BigInt(row.ours ?? 0) - BigInt(row.service ?? 0);
  return String(difference < 0n ? -difference : difference);
}

/**
 * Says what limits the figure that is still owed, for the row that states it. `most` is 'true' when
 * less may be owed. `doubts` names the payments whose commissions are not known, and another
 * balance that the service stated, with its day and with our balance of that day where that is not
 * the closing.
 */
export function doubtsOf(
  { account }: Pick<LinkSection, 'account'>,
  said: LinkWords,
  { speech, instant }: Pick<Wording, 'speech' | 'instant'>,
) {
  const unknown = account?.perpetual.unknownCount ?? 0;
  const most = String(unknown > 0 || account?.isWhole === false);
  const service = account?.service ?? null;
  const isOther = service !== null && service.difference !== '0';
  const stated = isOther ? service.balance : null;
  const ours = isOther && service.ours !== account!.closing ? service.ours : null;
  const at = isOther ? instant(service.at).slice(0, 10) : null;
  const isDecimal = String(hasDecimals(stated));
  return {
    most,
    doubts: fill(said.doubts, { unknown, most, stated, ours, at, isDecimal }, speech),
  };
}

/**
 * Returns whether a figure has decimals. No franc has, so such a figure is the service's own and no
 * amount of ours.
 */
function hasDecimals(figure: string | null): boolean {
  return figure?.includes('.') === true;
}

/**
 * Says what the service still owes for payments by link, with all that limits the figure; for
 * payments in another currency, what was paid. `day` is the day at whose end it is owed; `null`
 * where the heading above the sentence gives it. `page` has the details; `null` when there is no
 * such page.
 */
export function owedByLink(
  section: LinkSection,
  { labels, words }: Pick<DocumentContext, 'labels' | 'words'>,
  { day, page }: { readonly day: string | null; readonly page: number | null },
): string {
  const { heading: name, line } = labels.links;
  const { totalAmount: amount, currency } = section.summary;
  const closing = section.account?.closing ?? null;
  const doubts = doubtsOf(section, labels.links, words);
  return fill(line, { name, closing, amount, currency, ...doubts, day, page }, words.speech);
}

/** Says what is not known of the account, and how the balance that the service states compares. */
export function accountSentences(
  { account }: LinkSection,
  said: LinkWords,
  { speech, ...words }: Pick<Wording, 'speech' | 'rate'>,
): readonly Said[] {
  if (account == null) return [{ isAlert: false, text: said.noAccount }];
  const { unknownCount: count, unknownAmount: amount, isWhole, service } = account;
  const unknown = count === 0 ? [] : [fill(said.unknownFees, { count, amount }, speech)];
  const lacking = isWhole ? [] : [said.payoutsPartly];
  const after = (['late', 'missing'] as const).flatMap((key) => {
    const paid = account[key];
    return paid === undefined
      ? []
      : [{ isAlert: key === 'missing', text: fill(said[key], { ...paid }, speech) }];
  });
  const plain = [...after, ...[...unknown, ...lacking].map((text) => ({ isAlert: false, text }))];
  if (service === null) return [...plain, { isAlert: false, text: said.noBalance }];
  const phrase = service.difference === '0' ? said.balanceEqual : said.balance;
  const at = formatInstant(service.at);
  const isExplained = String(service.isExplained);
  const rate = service.rate == null ? null : words.rate(service.rate);
  const isDecimal = String(hasDecimals(service.balance));
  const text = fill(phrase, { ...service, at, isExplained, rate, isDecimal }, speech);
  return [...plain, { isAlert: !service.isExplained, text }];
}

/**
 * Says what is kept of the service's own file, and that the file may show figures that are not
 * ours.
 */
export function documentSentences(
  { circumstances, paymentsByLink }: Pick<Statement, 'circumstances' | 'paymentsByLink'>,
  said: LinkWords,
  speech: FindingSpeech,
): readonly Said[] {
  const document = circumstances.serviceDocument;
  if (document === null) return [];
  const { kept, notKept, statedSize, reportId } = document;
  const name = document.fileName ?? reportId;
  if (kept === null) {
    const why = notKept === null ? '' : wordReason(speech, notKept);
    return [{ isAlert: false, text: fill(said.notKept, { name, why }) }];
  }
  const { size, sha256 } = kept;
  const { differences = [], allowed = [] } =
    paymentsByLink?.comparison ?? circumstances.serviceReport ?? {};
  const sentences = [
    { isAlert: false, text: fill(said.kept, { name, size, sha256 }, speech) },
    ...(differences.length + allowed.length === 0
      ? []
      : [{ isAlert: false, text: said.keptDiffers }]),
  ];
  if (isSizeAsStated(document)) return sentences;
  return [
    ...sentences,
    { isAlert: true, text: fill(said.sizeDiffers, { stated: statedSize!, size }, speech) },
  ];
}
