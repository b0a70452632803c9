// The page of a certificate that a year is closed: who closed its months and when, each month with
// its revision, hash and closing, the totals by account, and the lines that came since. Computes
// nothing.

import type { Writable } from 'node:stream';
import { invariant } from '../../../core/domain/invariant.ts';
import type { ClosedMonth, YearCertificate } from '../../../core/statements/certificate.ts';
import { ACCOUNTS } from '../../../core/statements/tables/circumstances.ts';
import { field, type Table } from '../../../core/statements/tables/table.ts';
import { fill } from '../../../core/words/finding.ts';
import type { Labels } from '../../../core/words/tree.ts';
import type { FormatOptions } from '../port/format.ts';
import { type Wording, wordingOf } from '../port/wording.ts';
import { walletPairs } from '../sentences/parties.ts';
import { type Block, heading, note, pairs, sentence, tableOf } from '../tables/block.ts';
import { writeBlockPages } from './block-pages.ts';

/**
 * Writes the page and ends `out`. `hash` is the SHA-256 of the certificate as JSON, 64 hexadecimal
 * digits.
 */
export async function writeCertificate(
  certificate: YearCertificate,
  {
    template,
    language,
    hash,
  }: Pick<FormatOptions, 'template' | 'language'> & { readonly hash: string },
  out: Writable,
): Promise<void> {
  invariant(template !== undefined, 'a caller that asks for a PDF hands a template over');
  const labels = template.labels[language];
  const { merchant, year, zone, engine, months, issuer } = certificate;
  const words = wordingOf(zone, { labels, language });
  const pages = {
    name: (merchant.name ?? merchant.reference) || labels.document.unknown,
    title: fill(labels.certificate.title, { year }),
    number: fill(labels.certificate.number, { reference: merchant.reference.slice(0, 80), year }),
    blocks: blocksOf(certificate, { labels, words, hash }),
    issuer: issuer?.legalName ?? null,
    at: Math.max(...months.map(({ closed }) => closed.at)),
  };
  await writeBlockPages({ ...pages, labels, words, engine, hash }, { template, language }, out);
}

/** The closed months. `closing` says when, by whom and why. */
const MONTHS = {
  columns: [
    { key: 'month', form: 'month', width: 14, pick: ({ period }) => period },
    field('revision', 'count', { width: 6 }),
    { key: 'hash', form: 'text', width: 13, pick: ({ contentHash }) => contentHash.slice(0, 12) },
    field('recorded', 'amount', { width: 13 }),
    field('due', 'amount', { width: 13 }),
    { key: 'verdict', form: 'text', width: 11, lines: 2, pick: ({ books }) => books },
    field('closing', 'text', { width: 22, lines: 4 }),
    { key: 'late', form: 'count', width: 8, pick: ({ lateLines }) => lateLines },
  ],
} as const satisfies Table<ClosedMonth & Readonly<Record<'books' | 'closing', string>>>;

function blocksOf(
  certificate: YearCertificate,
  {
    labels,
    words,
    hash,
  }: { readonly labels: Labels; readonly words: Wording; readonly hash: string },
): readonly Block[] {
  const { months, accounts, late } = certificate;
  const { annex, certificate: said } = labels;
  const last = months
    .map(({ closed }) => closed)
    .reduce((latest, one) => (one.at > latest.at ? one : latest));
  const closing = { count: months.length, at: words.instant(last.at), by: last.by };
  const rows = months.map((month) => {
    const { at, by, reason } = month.closed;
    const closed = [words.instant(at).slice(0, 10), by, reason].filter((part) => part !== null);
    return { ...month, books: labels.verdict[month.verdict], closing: closed.join(' · ') };
  });
  const list = late.map((sequence) => words.amount(sequence)).join(', ');
  return [
    pairs(...walletPairs({ statement: certificate, labels }), [annex.documentHash, hash]),
    sentence(fill(said.closed, closing, words.speech)),
    heading(said.months),
    tableOf('closedMonths', MONTHS, { titles: said.columns, rows }),
    sentence(
      late.length === 0 ? said.noLate : fill(said.late, { count: late.length, list }, words.speech),
    ),
    heading(said.accounts),
    tableOf('accounts', ACCOUNTS, { titles: annex, rows: accounts }),
    note(said.bridge),
  ];
}
