// The head of the first page, whatever sections follow: title, number, whose month it is, and, when the books do not stand,
// a box that says so and where the difference comes from.

import { fill } from '../../../../core/words/message.ts';
import { DASH } from '../../port/wording.ts';
import { partyLines } from '../../sentences/parties.ts';
import { populationBlocks } from '../../tables/money.ts';
import { drawContents, drawTitle, type Flow, turnPage } from '../page/flow.ts';
import { tagged } from '../page/pen.ts';
import { drawBlocks } from '../page/tables.ts';
import { drawIdentity, type Identity } from './identity.ts';
import { drawVerdictBox } from './verdict-box.ts';

export function drawFirstPage(flow: Flow): void {
  turnPage(flow);
  drawLogo(flow);
  drawTitle(flow);
  drawIdentity(flow, identityOf(flow));
  drawVerdictBox(flow);
  drawPopulations(flow);
  drawContents(flow);
}

/** Wallet and payments by link; draws nothing where nothing is by link. */
function drawPopulations(flow: Flow): void {
  const blocks = populationBlocks(flow);
  if (blocks.length === 0) return;
  flow.y += 6;
  flow.pen.open('Sect');
  drawBlocks(flow, blocks);
  flow.pen.close();
}

export function drawLogo(flow: Flow): void {
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

/** Whose wallet it is: the same of every document. */
export function walletRows({ statement, labels }: Pick<Flow, 'statement' | 'labels'>): Identity['first'] {
  const { merchant, walletId } = statement;
  const { identity, countries, document } = labels;
  const country =
    merchant.country === null ? DASH : named(countries, merchant.country, (name, code) => `${name} (${code})`);
  return [
    [identity.merchant, merchant.name ?? document.unknown],
    [identity.reference, merchant.reference],
    [identity.country, country],
    [identity.wallet, walletId ?? document.unknown],
  ];
}

function identityOf({ statement, labels, words }: Flow): Identity {
  const { period, currency, generatedAt, revision, summary } = statement;
  const { identity, currencies, verdict } = labels;
  const { startText, endText } = period;
  const utc = { from: startText.utc.replace('.000Z', 'Z'), to: endText.utc.replace('.000Z', 'Z') };
  const local = { from: words.time(startText.local), to: words.time(endText.local) };
  const ofZone = period.zone === 'UTC' ? identity.boundsOfUtc : fill(identity.boundsOfZone, { zone: period.zone });
  const origin = period.boundsFrom === 'report' ? identity.boundsOfReport : ofZone;
  return {
    first: walletRows({ statement, labels }),
    second: [
      [identity.zone, period.zone],
      [identity.issued, words.instant(generatedAt)],
      [identity.revision, words.amount(revision.number)],
      [identity.verdict, verdict[summary.verdict.state]],
    ],
    wide: [
      ...partyLines({ statement, labels }),
      [identity.currency, named(currencies, currency, (name, code) => `${code} — ${name}`)],
      [identity.period, `${fill(identity.bounds, local)} (${origin})`],
      ['UTC', fill(identity.utc, utc)],
    ],
  };
}

/** A code with its name, where the labels have one. */
export function named(
  names: Readonly<Record<string, string>>,
  code: string,
  join: (name: string, code: string) => string,
): string {
  return Object.hasOwn(names, code) ? join(names[code]!, code) : code;
}
