// The head of the first page, whatever sections follow: title, number, whose month it is, and, when the books do not stand,
// a box that says so and where the difference comes from.

import { type Flow, numberOf, titleOf, turnPage } from '../flow.ts';
import { tagged } from '../pen.ts';
import { DASH, fill } from '../wording.ts';
import { drawVerdictBox } from './verdict-box.ts';

export function drawFirstPage(flow: Flow): void {
  turnPage(flow);
  drawLogo(flow);
  drawTitle(flow);
  drawIdentity(flow);
  drawVerdictBox(flow);
}

function drawLogo(flow: Flow): void {
  const { pen, look, logo, left, statement } = flow;
  if (logo === null || look.logo === null) return;
  const { width, height } = look.logo;
  const box = { x: left, y: flow.y, width, height };
  const alt = statement.merchant.name ?? statement.merchant.reference;
  tagged(pen, 'Figure', () => pen.logo(logo, box), {
    alt,
    bbox: [box.x, box.y, box.x + width, box.y + height],
  });
  flow.y += height + 10;
}

function drawTitle(flow: Flow): void {
  const { pen, look, left, right, width, bold, regular } = flow;
  const { sizes, colours } = look;
  const number = regular.cut(numberOf(flow), { size: sizes.body, width: width * 0.45 });
  const numberWidth = (number.width * sizes.body) / 1_000;
  const base = flow.y + sizes.title;
  const title = bold.cut(titleOf(flow), { size: sizes.title, width: width - numberWidth - 16 });
  tagged(pen, 'H1', () =>
    pen.text({ x: left, y: base }, title, { face: bold, size: sizes.title, colour: colours.accent }),
  );
  tagged(pen, 'P', () => {
    pen.text({ x: right - numberWidth, y: base }, number, { face: regular, size: sizes.body, colour: colours.muted });
  });
  pen.decoration(() =>
    pen.line({ x: left, y: base + 8 }, { x: right, y: base + 8 }, { colour: colours.accent, width: 1.4 }),
  );
  flow.y = base + 16;
}

/** Pairs of a word and a value, in two columns. */
function drawIdentity(flow: Flow): void {
  const pairs = identityOf(flow);
  const half = Math.ceil(pairs.length / 2);
  const step = flow.look.sizes.body * 1.62;
  const top = flow.y;
  pairs.forEach((pair, i) => {
    const column = i < half ? 0 : 1;
    const y = top + (i - column * half) * step;
    drawPair(flow, pair, {
      x: flow.left + column * (flow.width * 0.52),
      y,
      width: flow.width * (column === 0 ? 0.5 : 0.48),
    });
  });
  flow.y = top + half * step + 6;
}

function drawPair(
  flow: Flow,
  [name, value]: readonly [string, string],
  at: { readonly x: number; readonly y: number; readonly width: number },
): void {
  const { pen, look, regular, bold } = flow;
  const size = look.sizes.body;
  const indent = at.width * 0.27;
  const base = at.y + size;
  const label = regular.cut(name, { size, width: indent - 4 });
  const shown = bold.cut(value, { size, width: at.width - indent });
  tagged(pen, 'P', () => {
    pen.text({ x: at.x, y: base }, label, { face: regular, size, colour: look.colours.muted });
    pen.text({ x: at.x + indent, y: base }, shown, { face: bold, size, colour: look.colours.text });
  });
}

function identityOf({ statement, labels, words }: Flow): readonly (readonly [string, string])[] {
  const { merchant, period, currency, walletId, generatedAt, findings } = statement;
  const { identity, currencies, countries, document, verdict } = labels;
  const country =
    merchant.country === null ? DASH : `${countries[merchant.country] ?? merchant.country} (${merchant.country})`;
  const { startText, endText } = period;
  const utc = { from: startText.utc.replace('.000Z', 'Z'), to: endText.utc.replace('.000Z', 'Z') };
  const bounds = period.boundsFrom === 'report' ? identity.boundsOfReport : identity.boundsOfConfiguration;
  return [
    [identity.merchant, merchant.name ?? document.unknown],
    [identity.reference, merchant.reference],
    [identity.country, country],
    [identity.wallet, walletId ?? document.unknown],
    [identity.currency, currencies[currency] === undefined ? currency : `${currency} — ${currencies[currency]}`],
    [identity.period, fill(identity.bounds, { from: words.time(startText.local), to: words.time(endText.local) })],
    ['UTC', fill(identity.utc, utc)],
    [identity.zone, `${period.zone} (${bounds})`],
    [identity.issued, words.instant(generatedAt)],
    [identity.verdict, verdict[findings.verdict]],
  ];
}
