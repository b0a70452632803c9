// Made-up operations of one month, for samples of statements: as many as asked for, the same ones
// each time.

import type {
  StatementLine,
  StatementOperation,
} from '../../src/core/statements/statement-line.ts';
import { SAMPLE_END, SAMPLE_START } from './sample-lines.ts';

const OPERATORS = ['ORANGE', 'MTN', 'MOOV', 'WAVE', 'DJAMO'];
const STATUSES = [
  'SUCCEEDED',
  'SUCCEEDED',
  'SUCCEEDED',
  'FAILED',
  'OPEN',
  'EXPIRED',
  'REVERSED',
] as const;
const HOSTILE = [
  '=1+1',
  'ligne 1\nligne 2',
  '\u0000 nul',
  'مرحبا 🎉',
  `${'très long '.repeat(60)}fin`,
  '<b>&',
  '',
];

export function sampleOperation(
  index: number,
  count: number,
  texts: 'plain' | 'hostile',
): StatementOperation {
  const createdAt =
    SAMPLE_START + Math.floor(((SAMPLE_END - SAMPLE_START - 60_000) / count) * index);
  const status = STATUSES[index % STATUSES.length]!;
  const isCashin = index % 3 !== 0;
  const amount = 1_000 + 7 * (index % 900);
  const fees = Math.round(amount / 50);
  const completedAt = status === 'OPEN' ? null : createdAt + 40_000;
  const said = texts === 'hostile' ? HOSTILE[index % HOSTILE.length]! : `Commande ${index}`;
  return {
    reference: `GUI-${isCashin ? 'CI' : 'CO'}-${(0x10000000 + index).toString(36).toUpperCase().padStart(11, '0')}`,
    type: isCashin ? 'CASHIN' : 'CASHOUT',
    operator: OPERATORS[index % OPERATORS.length]!,
    country: 'CI',
    counterpartyName: index % 4 === 0 ? null : texts === 'hostile' ? said : `Awa ${index}`,
    counterpartyNumber: '+225 07 •• •• •• 45',
    description: index % 5 === 0 ? null : said,
    externalReference: `CMD-${String(index).padStart(6, '0')}`,
    amount,
    fees,
    netAmount: isCashin ? amount - fees : amount + fees,
    currency: 'XOF',
    status,
    createdAt,
    completedAt,
    createdLocal: localOf(createdAt),
    completedLocal: completedAt === null ? null : localOf(completedAt),
  };
}

/**
 * Returns the operations that sample lines name, so that the collections are those of the lines.
 */
export function operationsOf(
  lines: readonly StatementLine[],
  texts: 'plain' | 'hostile',
): readonly StatementOperation[] {
  const byReference = Map.groupBy(lines, (line) => line.operationReference);
  byReference.delete(null);
  return [...byReference.values()].map((own, index) => {
    const sample = sampleOperation(index, byReference.size, texts);
    const [first] = own as [StatementLine];
    const of = (...kinds: readonly string[]) => own.find(({ kind }) => kinds.includes(kind));
    const settled = of('CASHIN_CREDIT', 'CASHOUT_DEBIT');
    const isReversal = first.kind.startsWith('REVERSAL_');
    const amount = (settled ?? first).amount;
    const fees = of('CASHIN_FEE', 'CASHOUT_FEE')?.amount ?? 0;
    const ended = settled ?? of('CASHOUT_RELEASE');
    const completedAt = isReversal ? SAMPLE_START - 1_000 : (ended?.createdAt ?? null);
    const isCashin = first.operationReference!.startsWith('GUI-CI-');
    return {
      ...sample,
      reference: first.operationReference!,
      type: isCashin ? 'CASHIN' : 'CASHOUT',
      externalReference: first.externalReference,
      amount,
      fees,
      netAmount: isCashin ? amount - fees : amount + fees,
      status: isReversal
        ? 'REVERSED'
        : settled !== undefined
          ? 'SUCCEEDED'
          : ended !== undefined
            ? 'EXPIRED'
            : 'OPEN',
      createdAt: first.createdAt,
      createdLocal: first.localTime,
      completedAt,
      completedLocal: completedAt === null ? null : localOf(completedAt),
    };
  });
}

function localOf(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
