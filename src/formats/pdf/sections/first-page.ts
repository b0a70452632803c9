// The head of the first page, whatever sections follow: title, number, whose month it is, and, when the books do not stand,
// a box that says so and where the difference comes from.

import { fill } from '../../../words/message.ts';
import { partyLines } from '../../parties.ts';
import { drawTitle, type Flow, turnPage } from '../flow.ts';
import { tagged } from '../pen.ts';
import { drawQrCode } from '../qr-code.ts';
import { DASH } from '../wording.ts';
import { drawVerdictBox } from './verdict-box.ts';

export function drawFirstPage(flow: Flow): void {
  turnPage(flow);
  drawLogo(flow);
  drawTitle(flow);
  drawIdentity(flow);
  drawVerdictBox(flow);
}

function drawLogo(flow: Flow): void {
  const { pen, layout, logo, left, statement } = flow;
  if (logo === null || layout.logo === null) return;
  const { width, height } = layout.logo;
  const box = { x: left, y: flow.y, width, height };
  const alt = statement.merchant.name ?? statement.merchant.reference;
  tagged(pen, 'Figure', () => pen.logo(logo, box), {
    alt,
    bbox: [box.x, box.y, box.x + width, box.y + height],
  });
  flow.y += height + 10;
}

const QR_SIZE = 66;

type Pair = readonly [string, string];

/** Pairs of a word and a value, beside them the code with which the document is verified. */
function drawIdentity(flow: Flow): void {
  const { left, right, width } = flow;
  const step = stepOf(flow);
  const top = flow.y;
  const room = width - QR_SIZE - 22;
  const rightColumn = room * 0.6;
  const draw = (
    pairs: readonly Pair[],
    at: { readonly x: number; readonly y: number; readonly width: number },
  ): void => {
    pairs.forEach((pair, i) => {
      drawPair(flow, pair, { ...at, y: at.y + i * step, mostLines: 1 });
    });
  };
  const { first, second, wide } = identityOf(flow);
  draw(first, { x: left, y: top, width: rightColumn - 10 });
  draw(second, { x: left + rightColumn, y: top, width: room - rightColumn });
  let below = top + first.length * step;
  for (const pair of wide) below += drawPair(flow, pair, { x: left, y: below, width: room, mostLines: 3 }) * step;
  drawCode(flow, { x: right - QR_SIZE, y: top + 2 });
  flow.y = Math.max(below, top + QR_SIZE + 16) + 6;
}

function drawCode(flow: Flow, at: { readonly x: number; readonly y: number }): void {
  const { pen, layout, statement, regular } = flow;
  const size = layout.sizes.note;
  drawQrCode(flow, { ...at, size: QR_SIZE });
  const hash = regular.shape(statement.integrity.shortHash);
  const x = at.x + (QR_SIZE - (hash.width * size) / 1_000) / 2;
  tagged(pen, 'P', () =>
    pen.text({ x, y: at.y + QR_SIZE + size + 2 }, hash, { face: regular, size, colour: layout.colours.muted }),
  );
}

const INDENT = 58;

/** Returns how many lines it took. */
function drawPair(
  flow: Flow,
  [name, value]: Pair,
  at: { readonly x: number; readonly y: number; readonly width: number; readonly mostLines: number },
): number {
  const { pen, layout, regular, bold } = flow;
  const size = layout.sizes.body;
  const base = at.y + size;
  const label = regular.cut(name, { size, width: INDENT - 4 });
  const lines = bold.wrap(value, { size, width: at.width - INDENT, mostLines: at.mostLines });
  tagged(pen, 'P', () => {
    pen.text({ x: at.x, y: base }, label, { face: regular, size, colour: layout.colours.muted });
    lines.forEach((run, i) => {
      const place = { x: at.x + INDENT, y: base + i * stepOf(flow) };
      pen.text(place, run, { face: bold, size, colour: layout.colours.text });
    });
  });
  return lines.length;
}

const stepOf = ({ layout }: Flow): number => layout.sizes.body * 1.62;

/** A revision says which one it takes the place of. */
function revisionOf(
  { number, previous }: Flow['statement']['revision'],
  { identity }: Flow['labels'],
  words: Flow['words'],
): string {
  if (previous === null) return words.amount(number);
  const numbers = { revision: words.amount(number), previous: words.amount(previous.number) };
  return fill(identity.replaces, numbers);
}

function identityOf({
  statement,
  labels,
  words,
}: Flow): Readonly<Record<'first' | 'second' | 'wide', readonly Pair[]>> {
  const { merchant, period, currency, walletId, generatedAt, revision, summary } = statement;
  const { identity, currencies, countries, document, verdict, parties } = labels;
  const country =
    merchant.country === null ? DASH : named(countries, merchant.country, (name, code) => `${name} (${code})`);
  const { startText, endText } = period;
  const utc = { from: startText.utc.replace('.000Z', 'Z'), to: endText.utc.replace('.000Z', 'Z') };
  const local = { from: words.time(startText.local), to: words.time(endText.local) };
  const ofZone = period.zone === 'UTC' ? identity.boundsOfUtc : fill(identity.boundsOfZone, { zone: period.zone });
  const origin = period.boundsFrom === 'report' ? identity.boundsOfReport : ofZone;
  return {
    first: [
      [identity.merchant, merchant.name ?? document.unknown],
      [identity.reference, merchant.reference],
      [identity.country, country],
      [identity.wallet, walletId ?? document.unknown],
    ],
    second: [
      [identity.zone, period.zone],
      [identity.issued, words.instant(generatedAt)],
      [identity.revision, revisionOf(revision, labels, words)],
      [identity.verdict, verdict[summary.verdict.state]],
    ],
    wide: [
      ...partyLines({ statement, parties }),
      [identity.currency, named(currencies, currency, (name, code) => `${code} — ${name}`)],
      [identity.period, `${fill(identity.bounds, local)} (${origin})`],
      ['UTC', fill(identity.utc, utc)],
    ],
  };
}

/** A code with its name, where the labels have one. */
function named(
  names: Readonly<Record<string, string>>,
  code: string,
  join: (name: string, code: string) => string,
): string {
  return Object.hasOwn(names, code) ? join(names[code]!, code) : code;
}
