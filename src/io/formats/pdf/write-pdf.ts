// Writes the statement as a PDF, the same bytes for the same statement. Reads no file: fonts, words and layout come with the
// template that it is handed.

import type { Writable } from 'node:stream';
import { invariant } from '../../../core/domain/invariant.ts';
import type { FormatOptions, StatementDocument } from '../format.ts';
import { labelsOf } from '../template.ts';
import { drawPages } from './document.ts';
import { type Flow, openFlow } from './flow.ts';
import { infoOf } from './metadata.ts';
import { wordingOf } from './wording.ts';
import { writePages } from './write-pages.ts';

/** Ends `out`. */
export async function writePdf(document: StatementDocument, options: FormatOptions, out: Writable): Promise<void> {
  const { statement } = document;
  const { template, language, verifyAt } = options;
  invariant(template !== undefined, 'a caller that asks for a PDF hands a template over');
  const { logo } = template;
  const labels = labelsOf(template, statement)[language];
  const words = wordingOf(statement.period.zone, { labels, language });
  await writePages<Flow>(
    {
      info: infoOf({ statement, language, labels }),
      language,
      template,
      begin: (drawn) => openFlow({ ...drawn, statement, language, labels, words, logo, verifyAt }),
      draw: (flow, isCounted) => drawPages(flow, isCounted ? null : document),
    },
    out,
  );
}
