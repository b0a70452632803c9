// Métadonnées: what the statement is, was made from and assumes, as names and values, for readers who must be able to make it
// again or to compare it with another.

import { formatInstant } from '../../../../core/domain/instant.ts';
import type { ServiceComparison } from '../../../../core/statements/comparison.ts';
import type { WalletBridge } from '../../../../core/statements/statement.ts';
import {
  nameAnswer,
  nameCode,
  nameFigure,
  nameFigureValue,
  wordReason,
  wordUnchecked,
} from '../../../../core/words/names.ts';
import { documentSentences } from '../../sentences/link-sentences.ts';
import { partyLines } from '../../sentences/parties.ts';
import { amount, type Cell, count, figure, headers, serial, spread, text, wrapped } from '../sheet/cell.ts';
import {
  addHeading,
  addSection,
  planOf,
  type SheetContext,
  type SheetDraft,
  type SheetPlan,
  startSheet,
} from '../sheet/sheet.ts';

const WIDTHS = [44, 78, 34];

export function planMetadata(context: SheetContext): SheetPlan {
  const { labels } = context;
  const sheet = startSheet(labels.workbook.sheets.metadata);
  addHeading(sheet, context, sheet.name);
  addIdentity(sheet, context);
  addChanges(sheet, context);
  addCircumstances(sheet, context);
  addService(sheet, context);
  addWallet(sheet, context);
  addProfile(sheet, context);
  return planOf(sheet, { widths: WIDTHS, frozenRows: 2, portrait: true });
}

function addPairs(sheet: SheetDraft, pairs: readonly (readonly [string, Cell | string | null])[]): void {
  for (const [name, value] of pairs) {
    sheet.add(spread(2, 'plain', { 1: text(name), 2: typeof value === 'string' ? wrapped(value) : value }));
  }
}

function addIdentity(sheet: SheetDraft, context: SheetContext): void {
  const { labels, statement } = context;
  const { merchant, period, revision, integrity, journal } = statement;
  const words = labels.workbook.metadata;
  addSection(sheet, words.identity, WIDTHS.length);
  addPairs(sheet, [
    [words.reference, merchant.reference],
    [words.name, merchant.name],
    ...partyLines(context),
    [words.country, merchant.country],
    [words.walletId, statement.walletId],
    [words.currency, statement.currency],
    [words.period, period.period],
    [words.zone, period.zone],
    [words.startUtc, period.startText.utc],
    [words.startLocal, period.startText.local],
    [words.endUtc, period.endText.utc],
    [words.endLocal, period.endText.local],
    [words.bounds, labels.workbook.boundsFrom[period.boundsFrom]],
    [words.revision, count(revision.number)],
    [words.engine, statement.engine],
    [words.generatedAt, formatInstant(statement.generatedAt)],
    [words.phoneNumbers, labels.workbook.phoneNumbers[statement.phoneNumbers]],
    [words.chainHead, integrity.chainHead],
    [words.contentHash, integrity.contentHash],
    [words.documentHash, integrity.documentHash],
    [words.journal, `${journal.code} · ${journal.label}`],
    [words.entries, count(journal.entryCount)],
    [words.firstEntry, journal.firstNumber],
    [words.lastEntry, journal.lastNumber],
  ]);
}

function addChanges(sheet: SheetDraft, { labels, statement, speech }: SheetContext): void {
  const { previous, changes } = statement.revision;
  if (previous === null) return;
  const words = labels.workbook.metadata;
  addSection(sheet, words.changes, WIDTHS.length);
  addPairs(sheet, [
    [words.previous, count(previous.number)],
    [words.previousAt, formatInstant(previous.generatedAt)],
    [words.previousHash, previous.documentHash],
  ]);
  sheet.add(headers(words.changeColumns));
  for (const { figure, before, after } of changes)
    sheet.add([
      text(nameFigure(speech, figure)),
      wrapped(nameFigureValue(speech, figure, before)),
      wrapped(nameFigureValue(speech, figure, after)),
    ]);
}

function addCircumstances(sheet: SheetDraft, { labels, statement, speech }: SheetContext): void {
  const { circumstances } = statement;
  const { coverage } = circumstances;
  const words = labels.workbook.metadata;
  addSection(sheet, words.circumstances, WIDTHS.length);
  addPairs(sheet, [
    [words.booksVerdict, labels.verdict[circumstances.verdict]],
    [words.booksEntries, count(coverage.entries)],
    [words.booksOperations, count(coverage.operations)],
    [words.firstSequence, serial(coverage.firstSequence)],
    [words.lastSequence, serial(coverage.lastSequence)],
    [words.watermark, coverage.watermark === null ? null : formatInstant(coverage.watermark)],
  ]);
  addSection(sheet, words.assumptions, WIDTHS.length);
  addPairs(
    sheet,
    Object.entries(circumstances.assumptions).map(([question, answer]) => nameAnswer(speech, question, answer)),
  );
  addSection(sheet, words.notChecked, WIDTHS.length);
  if (circumstances.notChecked.length === 0) sheet.add([text(words.allChecked, 'note')]);
  addPairs(
    sheet,
    circumstances.notChecked.map((note) => {
      const { what, why } = wordUnchecked(speech, note);
      return [what, why];
    }),
  );
}

function addService(sheet: SheetDraft, context: SheetContext): void {
  const { labels, statement, speech } = context;
  const { serviceReport, serviceDocument } = statement.circumstances;
  if (serviceReport === null && serviceDocument === null) return;
  addSection(sheet, labels.workbook.metadata.service, WIDTHS.length);
  for (const { text: said, isAlert } of documentSentences(statement, labels.links, speech))
    sheet.add([null, wrapped(said, isAlert ? 'bad' : 'plain')]);
  if (serviceReport !== null) addComparison(sheet, context, serviceReport);
}

function addComparison(
  sheet: SheetDraft,
  { labels, speech }: SheetContext,
  { notCompared, reason, compared, differences }: ServiceComparison,
): void {
  const words = labels.workbook.metadata;
  if (notCompared !== null) {
    addPairs(sheet, [[words.serviceNotCompared, wordReason(speech, { why: notCompared, ...reason })]]);
    return;
  }
  addPairs(sheet, [
    [words.serviceCompared, count(compared)],
    [words.serviceDifferences, count(differences.length)],
  ]);
  if (differences.length === 0) return;
  sheet.add(headers(words.serviceColumns));
  for (const { key, service, ours } of differences)
    sheet.add([text(nameFigure(speech, key)), wrapped(service), wrapped(ours)]);
}

function addWallet(sheet: SheetDraft, { labels, statement, speech }: SheetContext): void {
  const { walletAsRead } = statement.circumstances;
  if (walletAsRead === null) return;
  const words = labels.workbook.metadata;
  addSection(sheet, words.wallet, WIDTHS.length);
  addPairs(sheet, [
    [words.walletStatus, nameCode(speech.words, 'states', walletAsRead.wallet.status)],
    [words.walletUpdated, formatInstant(walletAsRead.wallet.updatedAt)],
    [words.walletAvailable, amount(walletAsRead.wallet.available)],
    [words.totalCollected, amount(walletAsRead.wallet.totalCollected)],
    [words.totalDisbursed, amount(walletAsRead.wallet.totalDisbursed)],
    [words.totalFees, amount(walletAsRead.wallet.totalFees)],
  ]);
  sheet.add(headers(words.bridgeColumns));
  const { balance, reserved } = walletAsRead;
  const row = (name: string, figure: (side: WalletBridge) => number | null): number =>
    sheet.add([text(name), amount(figure(balance)), amount(figure(reserved))]);
  row(words.closing, (side) => side.closing);
  row(words.sinceCutOff, (side) => side.sinceCutOff);
  row(words.recomputedNow, (side) => side.recomputedNow);
  row(words.recordedNow, (side) => side.recordedNow);
  row(words.walletFigure, (side) => side.wallet);
  row(words.difference, (side) => side.difference);
  sheet.add([text(words.unexplained), figure(balance.unexplained), figure(reserved.unexplained)]);
}

function addProfile(sheet: SheetDraft, { labels, statement, speech }: SheetContext): void {
  const { profile } = statement.merchant;
  if (profile === null) return;
  const words = labels.workbook.metadata;
  const { pricing, limits } = profile;
  addSection(sheet, words.profile, WIDTHS.length);
  addPairs(sheet, [
    [words.profileStatus, nameCode(speech.words, 'states', profile.status)],
    [words.profileCountries, profile.allowedCountries.join(', ')],
    [words.profileSince, formatInstant(profile.createdAt)],
    [words.priceIn, `${pricing.cashin.bps} bps + ${pricing.cashin.flat}`],
    [words.priceOut, `${pricing.cashout.bps} bps + ${pricing.cashout.flat}`],
    [words.minCashin, amount(limits.minCashinAmount)],
    [words.maxCashin, amount(limits.maxCashinAmount)],
    [words.minCashout, amount(limits.minCashoutAmount)],
    [words.maxCashout, amount(limits.maxCashoutAmount)],
    [words.dailyCashout, amount(limits.dailyCashoutLimit)],
  ]);
}
