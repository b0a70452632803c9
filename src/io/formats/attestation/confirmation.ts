// A request to confirm balances (ISA 505), in the positive form, with the slip on which the answer goes to the auditor alone. Computes
// nothing but the account of payments by link over several months.

import type { Writable } from 'node:stream';
import { invariant } from '../../../core/domain/invariant.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import { fill } from '../../../core/words/message.ts';
import type { FormatOptions } from '../port/format.ts';
import { labelsOf } from '../port/template.ts';
import { wordingOf } from '../port/wording.ts';
import { partyLines } from '../sentences/parties.ts';
import { type Block, heading, note, sentence } from '../tables/block.ts';
import { balanceBlocks } from '../tables/steps.ts';
import { writeBlockPages } from './block-pages.ts';

/** Ends `out`. The statements of a period, ascending. `auditor`: name and address; null: lines to write them on. */
export async function writeConfirmation(
  statements: readonly Statement[],
  { auditor, template, language }: FormatOptions & { readonly auditor: string | null },
  out: Writable,
): Promise<void> {
  const statement = statements.at(-1)!;
  const { merchant, period, currency, walletId, integrity, engine, generatedAt: at, issuer } = statement;
  invariant(template !== undefined, 'a caller that asks for a PDF hands a template over');
  const labels = labelsOf(template, statement)[language];
  const words = wordingOf(period.zone, { labels, language });
  const { identity, annex, document, parties, confirmation: said } = labels;
  const name = merchant.name ?? merchant.reference;
  const when = { at: words.time(period.endText.local), zone: period.zone };
  const pairs = [
    [said.to, auditor ?? said.blank] as const,
    [identity.merchant, `${name} (${merchant.reference})`] as const,
    ...partyLines({ statement, labels }),
    [identity.wallet, walletId ?? document.unknown] as const,
    [identity.currency, currency] as const,
    [annex.documentHash, integrity.documentHash] as const,
  ];
  const accounts = statements.flatMap(({ paymentsByLink }) => paymentsByLink?.account ?? []);
  const bounds = { opening: accounts[0]?.opening, closing: accounts.at(-1)?.closing };
  const figures = (['opening', 'collected', 'commissions', 'paidOut', 'payoutFees', 'closing'] as const).map((key) => {
    const sum = (): number => accounts.reduce((all, account) => all + account[key], 0);
    return {
      name: said[key],
      value: key in bounds ? bounds[key as keyof typeof bounds] : sum(),
      form: 'amount' as const,
    };
  });
  const blocks: readonly Block[] = [
    { form: 'pairs', pairs: pairs.map(([key, value]) => ({ name: key, value })) },
    sentence(fill(said.request, { ...when, name })),
    ...balanceBlocks({ statement, language, labels, words }),
    heading(said.links),
    accounts.length === statements.length ? { form: 'pairs', pairs: figures } : note(said.noLinks),
    heading(said.reply),
    ...said.answers.map((text) => sentence(text)),
  ];
  const title = fill(said.title, { period: period.label[language] });
  const number = fill(said.number, { reference: merchant.reference.slice(0, 80), period: period.period });
  const signed = { issuer: issuer?.legalName ?? null, second: fill(parties.forNamed, { name }) };
  const made = { engine, at, hash: integrity.documentHash };
  await writeBlockPages(
    { name, title, number, labels, words, blocks, ...signed, ...made },
    { template, language },
    out,
  );
}
