// Métadonnées: what the statement is, was made from and assumes, as names and values, for readers
// who must be able to make it again or to compare it with another.

import { formatInstant } from '../../../../core/domain/instant.ts';
import { nameCode } from '../../../../core/words/names.ts';
import { partyLines } from '../../sentences/parties.ts';
import { type Block, heading, type PairBlock, pairs } from '../../tables/block.ts';
import {
  assumptionTable,
  changeBlocks,
  serviceBlocks,
  uncheckedBlocks,
  verificationPairs,
} from '../../tables/circumstances.ts';
import { walletBlocks } from '../../tables/steps.ts';
import type { SheetContext, SheetPlan } from '../sheet/sheet.ts';
import { planBlocks } from '../sheet/table.ts';

export function planMetadata(context: SheetContext): SheetPlan {
  const { labels, statement } = context;
  const { assumptions, notChecked } = statement.circumstances;
  const blocks = [
    heading(labels.workbook.metadata.identity),
    identityPairs(context),
    verificationPairs(context),
    ...changeBlocks(context),
    heading(labels.workbook.metadata.circumstances),
    circumstancePairs(context),
    heading(labels.annex.assumptions),
    assumptionTable(context, labels.annex, assumptions),
    heading(labels.annex.notChecked),
    ...uncheckedBlocks(context, labels.annex, notChecked),
    ...serviceBlocks(context),
    ...walletBlocks(context),
    ...walletPairs(context),
    ...profileBlocks(context),
  ];
  return planBlocks(context, labels.workbook.sheets.metadata, blocks, { portrait: true }).plan;
}

function identityPairs(context: SheetContext): PairBlock {
  const { labels, statement } = context;
  const { merchant, period, revision, journal } = statement;
  const said = labels.workbook.metadata;
  const { identity } = labels;
  return pairs(
    [identity.reference, merchant.reference],
    [identity.merchant, merchant.name],
    ...partyLines(context),
    [identity.country, merchant.country],
    [identity.currency, statement.currency],
    [identity.period, period.period],
    [identity.zone, period.zone],
    [said.startUtc, period.startText.utc],
    [said.startLocal, period.startText.local],
    [said.endUtc, period.endText.utc],
    [said.endLocal, period.endText.local],
    [said.bounds, labels.workbook.boundsFrom[period.boundsFrom]],
    [identity.revision, revision.number, 'count'],
    [said.generatedAt, formatInstant(statement.generatedAt)],
    [said.phoneNumbers, labels.workbook.phoneNumbers[statement.phoneNumbers]],
    [said.journal, `${journal.code} · ${journal.label}`],
    [said.entries, journal.entryCount, 'count'],
    [said.firstEntry, journal.firstNumber],
    [said.lastEntry, journal.lastNumber],
  );
}

function circumstancePairs({ labels, statement }: SheetContext): PairBlock {
  const { coverage, verdict } = statement.circumstances;
  const said = labels.workbook.metadata;
  return pairs(
    [said.booksVerdict, labels.verdict[verdict]],
    [said.booksEntries, coverage.entries, 'count'],
    [said.booksOperations, coverage.operations, 'count'],
    [said.firstSequence, coverage.firstSequence, 'serial'],
    [said.lastSequence, coverage.lastSequence, 'serial'],
    [said.watermark, coverage.watermark === null ? null : formatInstant(coverage.watermark)],
  );
}

function walletPairs({ labels, statement, words }: SheetContext): readonly Block[] {
  const { walletAsRead } = statement.circumstances;
  if (walletAsRead === null) return [];
  const said = labels.workbook.metadata;
  const { wallet } = walletAsRead;
  return [
    heading(said.wallet),
    pairs(
      [labels.monthOperations.columns.state, nameCode(words.speech.words, 'states', wallet.status)],
      [said.walletUpdated, formatInstant(wallet.updatedAt)],
      [said.walletAvailable, wallet.available, 'amount'],
      [said.totalCollected, wallet.totalCollected, 'amount'],
      [said.totalDisbursed, wallet.totalDisbursed, 'amount'],
      [said.totalFees, wallet.totalFees, 'amount'],
    ),
  ];
}

function profileBlocks({ labels, statement, words }: SheetContext): readonly Block[] {
  const { profile } = statement.merchant;
  if (profile === null) return [];
  const said = labels.workbook.metadata;
  const { pricing, limits } = profile;
  return [
    heading(said.profile),
    pairs(
      [
        labels.monthOperations.columns.state,
        nameCode(words.speech.words, 'states', profile.status),
      ],
      [said.profileCountries, profile.allowedCountries.join(', ')],
      [said.profileSince, formatInstant(profile.createdAt)],
      [said.priceIn, `${pricing.cashin.bps} bps + ${pricing.cashin.flat}`],
      [said.priceOut, `${pricing.cashout.bps} bps + ${pricing.cashout.flat}`],
      [said.minCashin, limits.minCashinAmount, 'amount'],
      [said.maxCashin, limits.maxCashinAmount, 'amount'],
      [said.minCashout, limits.minCashoutAmount, 'amount'],
      [said.maxCashout, limits.maxCashoutAmount, 'amount'],
      [said.dailyCashout, limits.dailyCashoutLimit, 'amount'],
    ),
  ];
}
