// An audit as a PDF for people: the document of `pointage audit --format json` on A4 pages. Tagged, with its fonts inside, and
// the same bytes for the same audit. Reads no file: fonts and layout come with the template that it is handed.

import type { Writable } from 'node:stream';
import { parseInstant } from '../../../../core/domain/instant.ts';
import { invariant } from '../../../../core/domain/invariant.ts';
import type { Language } from '../../../../core/statements/statement.ts';
import { fill } from '../../../../core/words/finding.ts';
import type { StatementTemplate } from '../../port/template.ts';
import { wordingOf } from '../../port/wording.ts';
import { openPages, turnPage } from '../page/flow.ts';
import { documentInfo } from '../page/metadata.ts';
import { writePages } from '../page/write-pages.ts';
import { type AuditedBooks, type AuditFlow, asOfText, drawHeadOfAudit } from './first-page.ts';
import { drawMerchant } from './merchant-section.ts';

export interface AuditReportOptions {
  readonly language: Language;
  readonly template: StatementTemplate;
  /** SHA-256 of the document as compact JSON, 64 hexadecimal digits: ties the pages to it. */
  readonly hash: string;
}

/** Writes the whole document to `out`, and ends it; resolves when `out` has taken everything. */
export async function writeAuditReport(
  audited: AuditedBooks,
  { language, template, hash }: AuditReportOptions,
  out: Writable,
): Promise<void> {
  const at = parseInstant(audited.asOf);
  invariant(at !== null, 'an audit says as of when');
  const { audit: said, ...labels } = template.labels[language];
  const words = wordingOf('UTC', { labels, language });
  const running = runningOf({ audited, said, words, hash });
  const { title, number: subject, name } = running;
  const document = { ...labels.document, more: said.more };
  const parts = { audited, hash, said, words, running, labels: { document } };
  await writePages<AuditFlow>(
    {
      info: documentInfo({ title: `${title} — ${name}`, subject, hash, engine: audited.engine, at }),
      language,
      template,
      begin: (drawn) => openPages({ ...drawn, ...parts }),
      draw: drawParts,
    },
    out,
  );
}

/** Yields after each part, so that what was drawn can be taken away. */
function* drawParts(flow: AuditFlow): Generator<void> {
  const { merchants } = flow.audited;
  flow.pen.open('Sect');
  drawHeadOfAudit(flow);
  flow.pen.close();
  for (const report of merchants) {
    yield;
    if (merchants.length !== 1) turnPage(flow);
    flow.pen.open('Sect');
    drawMerchant(flow, report);
    flow.pen.close();
  }
  yield;
}

function runningOf(about: Pick<AuditFlow, 'audited' | 'said' | 'words' | 'hash'>): AuditFlow['running'] {
  const { audited, said, words, hash } = about;
  const [only] = audited.merchants;
  const count = audited.merchants.length;
  return {
    name: only !== undefined && count === 1 ? only.merchant : fill(said.manyMerchants, { count: words.amount(count) }),
    title: said.title,
    number: fill(said.number, { instant: asOfText(about) }),
    hash: hash.slice(0, 12),
  };
}
