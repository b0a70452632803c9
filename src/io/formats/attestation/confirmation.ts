// A request to confirm balances (ISA 505), in the positive form: the wallet's balance and that of
// payments by link, and the slip on which the answer goes to the auditor alone. Computes nothing.

import type { Writable } from 'node:stream';
import { invariant } from '../../../core/domain/invariant.ts';
import { labelOf, parseDay } from '../../../core/domain/period.ts';
import type { LinkSection } from '../../../core/statements/comparison.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import { BALANCES, type LineStep } from '../../../core/statements/tables/steps.ts';
import { fill } from '../../../core/words/finding.ts';
import type { FormatOptions } from '../port/format.ts';
import { labelsOf } from '../port/template.ts';
import { type DocumentContext, wordingOf } from '../port/wording.ts';
import { doubtsOf } from '../sentences/link-sentences.ts';
import { walletPairs } from '../sentences/parties.ts';
import { type Block, heading, pairs, sentence, tableOf } from '../tables/block.ts';
import { writeBlockPages } from './block-pages.ts';

/**
 * The auditor (name and address) to whom the answer goes, the day of the request, and the day by
 * which to answer; both `YYYY-MM-DD`. For each that is `null`, the page has a line to write on.
 */
export interface ConfirmationTerms {
  readonly auditor: string | null;
  readonly requestedOn: string | null;
  readonly answerBy: string | null;
}

/** Writes the request and ends `out`. `statement` must be the last one of the period. */
export async function writeConfirmation(
  statement: Statement,
  { auditor, requestedOn, answerBy, template, language }: FormatOptions & ConfirmationTerms,
  out: Writable,
): Promise<void> {
  const { merchant, period, currency, integrity, engine, generatedAt: at, issuer } = statement;
  invariant(template !== undefined, 'a caller that asks for a PDF hands a template over');
  const labels = labelsOf(template, statement)[language];
  const words = wordingOf(period.zone, { labels, language });
  const { annex, due, parties, confirmation: said } = labels;
  const name = merchant.name ?? merchant.reference;
  const when = { at: words.instant(period.end - 1), zone: period.zone };
  const known = walletPairs({ statement, labels });
  const section = statement.paymentsByLink;
  const links = section?.account;
  const dayOf = (day: string | null): string =>
    day === null ? said.blank : labelOf(parseDay(day)!, language);
  const rows: readonly LineStep[] = [
    { key: 'wallet', name: said.wallet, ...statement.due.recorded },
    ...(links
      ? [
          {
            key: 'links',
            name: nameLinks(section!, { labels, words }),
            balance: links.closing,
            reserved: null,
          },
        ]
      : []),
  ];
  const answers = rows.map(({ key, balance }) =>
    sentence(
      fill(said.answer, {
        of: key === 'wallet' ? said.wallet : fill(said.links, { most: 'false' }, words.speech),
        balance: words.amount(Number(balance)),
        currency,
      }),
    ),
  );
  const blocks: readonly Block[] = [
    pairs(
      [said.addressee, known.find(([of]) => of === parties.issuer)?.[1] ?? said.blank],
      ...known.filter(([of]) => of !== parties.issuer),
      [said.to, auditor ?? said.blank],
      [said.requestedOn, dayOf(requestedOn)],
      [said.answerBy, dayOf(answerBy)],
      [annex.documentHash, integrity.documentHash],
    ),
    sentence(fill(said.request, { ...when, name })),
    heading(fill(said.balances, when)),
    tableOf('balances', BALANCES, { titles: due, rows }),
    heading(said.reply),
    ...answers,
    ...said.rest.map((text) => sentence(text)),
    // This is beside the stamps, because both stamps are the parties' and the answer goes to
    // neither of them.
    sentence(fill(said.toAuditor, { auditor: auditor ?? said.theAuditor })),
  ];
  const title = fill(said.title, { period: period.label[language] });
  const number = fill(said.number, {
    reference: merchant.reference.slice(0, 80),
    period: period.period,
  });
  const second =
    issuer?.legalName == null ? said.answerer : fill(parties.forNamed, { name: issuer.legalName });
  const made = { engine, at, hash: integrity.documentHash };
  await writeBlockPages(
    { name, title, number, labels, words, blocks, issuer: name, second, ...made },
    { template, language },
    out,
  );
}

/**
 * Names the row of payments by link, with what limits its figure, because the service answers with
 * a figure of its own.
 */
function nameLinks(
  section: LinkSection,
  { labels, words }: Pick<DocumentContext, 'labels' | 'words'>,
): string {
  const { most, doubts } = doubtsOf(section, labels.links, words);
  return `${fill(labels.confirmation.links, { most }, words.speech)}${doubts}`;
}
