// What a line says of itself: its amount, kind, direction, currency and reference.

import type { FindingDraft } from '../../domain/finding.ts';
import type { FindingKind } from '../../domain/finding-kind.ts';
import { directionOf, isEntryKind, type LedgerEntry } from '../../domain/ledger-entry.ts';
import type { Wallet } from '../../domain/wallet.ts';
import { ANOMALY, type ReplayedLine } from '../../replay/replay-state.ts';
import { draftOf, type KindPage, type LineCheck, lineEvidence, operationEvidence } from '../port/check.ts';
import type { FindingFigures } from '../port/finding-figures.ts';

const amount: KindPage<'AMOUNT_NOT_POSITIVE'> = {
  kind: 'AMOUNT_NOT_POSITIVE',
  explanation: 'The amount is zero or negative. Amounts are always positive; the sense is carried by the direction.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 0 1500/0 CI-2
    op CI-1 SUCCEEDED 1000
    op CI-2 SUCCEEDED 500`,
  quiet: `
    line 1 CASHIN_CREDIT 1 1/0 CI-1
    op CI-1 SUCCEEDED 1`,
};

const direction: KindPage<'KIND_DIRECTION_MISMATCH'> = {
  kind: 'KIND_DIRECTION_MISMATCH',
  explanation:
    'The direction is not the one that belongs to the kind. The replay takes the effect that the recorded balance and reserved amount support.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1 direction=DEBIT
    op CI-1 SUCCEEDED 1000`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000`,
};

const unknown: KindPage<'UNKNOWN_KIND'> = {
  kind: 'UNKNOWN_KIND',
  explanation:
    'The kind or the direction is not in the document. The money effect is taken from the recorded figures, and the operation is left unjudged, which makes the verdict incomplete.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 LOYALTY_BONUS 50 1050/0 - direction=CREDIT
    op CI-1 SUCCEEDED 1000`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 ADJUSTMENT_CREDIT 50 1050/0 - description=bonus
    op CI-1 SUCCEEDED 1000`,
};

const currency: KindPage<'CURRENCY_MISMATCH'> = {
  kind: 'CURRENCY_MISMATCH',
  explanation: 'The line is in another currency than the wallet. One wallet holds one currency.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1 currency=XAF
    op CI-1 SUCCEEDED 1000
    wallet 1000/0`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000
    wallet 1000/0`,
};

const reference: KindPage<'REFERENCE_MISSING'> = {
  kind: 'REFERENCE_MISSING',
  explanation: 'A line other than an adjustment names no operation, so nothing says why the money moved.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 -
    op CI-1 SUCCEEDED 1000`,
  quiet: `
    line 1 ADJUSTMENT_CREDIT 1000 1000/0 - description=opening`,
};

/** A check of one line's own content: one anomaly, one kind, one sentence. */
function contentCheck<Kind extends FindingKind>(
  page: KindPage<Kind>,
  anomaly: number,
  figuresOf: (line: ReplayedLine) => FindingFigures[Kind],
): LineCheck {
  return {
    says: [page],
    wokenBy: anomaly,
    find(line) {
      const { sequence, operationReference, createdAt } = line.entry;
      const evidence = [
        lineEvidence(sequence),
        ...(operationReference === null ? [] : [operationEvidence(operationReference)]),
      ];
      return [draftOf(page, figuresOf(line), { sequence, operationReference, evidence, newestEvidence: createdAt })];
    },
  };
}

export const amountCheck = contentCheck(amount, ANOMALY.amount, ({ entry }) => shown(entry));

export const directionCheck = contentCheck(direction, ANOMALY.direction, ({ entry, direction: taken }) => {
  const { sequence, kind, direction: stated } = entry;
  return { sequence, kind, due: isEntryKind(kind) ? directionOf(kind) : '', direction: stated, taken };
});

export const unknownKindCheck = contentCheck(unknown, ANOMALY.unknown, ({ entry, effect }) => {
  const { sequence, kind, direction: stated } = entry;
  return { sequence, kind, direction: stated, effect };
});

export const currencyCheck = contentCheck(currency, ANOMALY.currency, ({ entry }) => ({
  of: 'line',
  sequence: entry.sequence,
  currency: entry.currency,
}));

/** No line at all is in the wallet's currency: the wallet, not each line, is wrong. Placed at the first line. */
export function describeForeignWallet(wallet: Wallet, firstSequence: number | null): FindingDraft {
  const evidence = [{ what: 'wallet', sequence: null, reference: null, note: wallet.currency } as const];
  const figures = { of: 'wallet', currency: wallet.currency } as const;
  return draftOf(currency, figures, {
    sequence: firstSequence,
    actual: wallet.currency,
    evidence,
    newestEvidence: wallet.updatedAt,
  });
}

export const referenceCheck = contentCheck(reference, ANOMALY.reference, ({ entry }) => shown(entry));

function shown({ sequence, kind, amount: stated }: LedgerEntry) {
  return { sequence, kind, amount: stated };
}
