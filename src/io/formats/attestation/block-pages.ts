// Pages with one part, for documents that a person signs: a title, blocks, and the boxes for
// signatures.

import type { Writable } from 'node:stream';
import type { Language } from '../../../core/statements/statement.ts';
import type { Labels } from '../../../core/words/tree.ts';
import { drawTitle, openPages, type PageFlow, turnPage } from '../pdf/page/flow.ts';
import { documentInfo } from '../pdf/page/metadata.ts';
import { drawBlocks } from '../pdf/page/tables.ts';
import { writePages } from '../pdf/page/write-pages.ts';
import { drawVisa } from '../pdf/sections/visa.ts';
import type { StatementTemplate } from '../port/template.ts';
import type { Wording } from '../port/wording.ts';
import type { Block } from '../tables/block.ts';

/**
 * The content of such pages. `hash` is 64 hexadecimal digits. `issuer` signs first; `null` leaves
 * the name out. `second` replaces the verifier.
 */
interface BlockPages extends Pick<Parameters<typeof documentInfo>[0], 'engine' | 'at' | 'hash'> {
  readonly name: string;
  readonly title: string;
  readonly number: string;
  readonly labels: Labels;
  readonly words: Wording;
  readonly blocks: readonly Block[];
  readonly issuer: string | null;
  readonly second?: string;
}

/** Writes the pages and ends `out`. */
export async function writeBlockPages(
  { name, title, number, labels, words, blocks, issuer, second, ...made }: BlockPages,
  drawing: { readonly template: StatementTemplate; readonly language: Language },
  out: Writable,
): Promise<void> {
  const running = { name, title, number, hash: made.hash.slice(0, 12) };
  const boxes = second === undefined ? labels.parties : { ...labels.parties, verifiedBy: second };
  await writePages<PageFlow>(
    {
      info: documentInfo({ title: `${title} — ${name}`, subject: number, ...made }),
      ...drawing,
      begin: (drawn) => openPages({ ...drawn, labels, words, running }),
      *draw(flow) {
        turnPage(flow);
        flow.pen.open('Sect');
        drawTitle(flow);
        drawBlocks(flow, blocks);
        drawVisa(flow, boxes, issuer);
        flow.pen.close();
        yield;
      },
    },
    out,
  );
}
