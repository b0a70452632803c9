// The first page, whatever sections follow, and whole on one page but in the largest type: whose
// month it is, what is due and how it came about, the payments by link, and what there is to do.
// Sections go on in the room that is left. Where there is something to ask of the service, the
// letter that asks it is the next page.

import { invariant } from '../../../../core/domain/invariant.ts';
import { fill } from '../../../../core/words/finding.ts';
import { elided, sumInWords } from '../../sentences/amount-in-words.ts';
import { owedByLink } from '../../sentences/link-sentences.ts';
import { merchantPairs } from '../../sentences/parties.ts';
import { asksAnswer, openPosts } from '../../sentences/verdict-reasons.ts';
import { type Block, note, sentence } from '../../tables/block.ts';
import { bridgeBlock, measureBlocks } from '../../tables/bridge.ts';
import { linkColumn } from '../../tables/money.ts';
import { claimOf, letterParagraphs, toDoLines } from '../../text/letter.ts';
import { drawInColumns, type Part } from '../page/columns.ts';
import {
  drawContents,
  drawHeading,
  drawParagraph,
  drawSubheading,
  type Flow,
  hasRoom,
  turnPage,
} from '../page/flow.ts';
import { tagged } from '../page/pen.ts';
import { drawBlocks, isReadable, partsOfBlocks } from '../page/tables.ts';
import { drawHead, type Pair } from './identity.ts';
import { drawVerdict } from './verdict-box.ts';

const MOST_CLAIMS = 10;
const MOST_LINES = 3;

export interface FirstPage {
  /** Whether pages of its own follow it that are not drawn yet. */
  readonly hasMore: () => boolean;
  /** Draws these: the letter, and payments by link where they have no room on the first page. */
  readonly leave: () => void;
}

export function drawFirstPage(flow: Flow): FirstPage {
  const { labels, statement } = flow;
  turnPage(flow);
  drawLogo(flow);
  drawHead(flow, identityOf(flow));
  if (flow.setting.hasContents) drawContents(flow);
  drawVerdict(flow);
  const bridge = bridgeBlock(flow);
  // Read by more people than the tables behind it, and rarely long.
  const larger = isPacked(flow) || bridge.rows.length > 13 ? 0.4 : 1.5;
  const inLarger = (...blocks: readonly Block[]): Part<Flow> => {
    const [part] = partsOfBlocks(blocks);
    return {
      draw: (on) => drawAs(on, larger, part!.draw),
      fits: (on) => part!.fits({ ...on, ...largerBy(on, larger) }),
    };
  };
  const toDo = toDoLines(flow, pageOf(flow.contents, labels.console.letter.download));
  const above = [inLarger(bridge, ...closingBlocks(flow)), toDoPart(flow, toDo)];
  const indicators = measureBlocks(flow).map((block) => inLarger(block));
  const links = linkColumn(flow);
  const linkPart = links.length === 0 ? [] : [inLarger(...links)];
  const whole = [...above, ...indicators, ...linkPart].filter((part) => part !== null);
  const isRoom = links.length === 0 || hasRoom(flow, (probe) => drawOwn(probe, whole));
  const line = { draw: (on: Flow) => drawParagraph(on, lineOfLinks(on)), fits: isReadable };
  drawOwn(flow, isRoom ? whole : [...above, ...indicators, line].filter((part) => part !== null));
  const last = flow.page;
  const hasLetter = toDo.length > 0 && openPosts(statement).some(asksAnswer);
  let hasMore = hasLetter || !isRoom;
  return {
    hasMore: () => hasMore,
    leave: () => {
      if (!hasMore) return;
      hasMore = false;
      invariant(flow.page === last, 'no section goes on behind the first page before its letter');
      if (hasLetter) drawLetter(flow);
      if (isRoom) return;
      flow.section = labels.links.heading;
      turnPage(flow);
      drawHeading(flow, flow.section);
      drawAs(flow, larger, (on) => drawBlocks(on, links));
    },
  };
}

/** The first page leads down one column, but where all that follows is on it or on the next. */
const isPacked = ({ setting }: Flow): boolean => setting.isClose && !setting.hasContents;

function drawOwn(flow: Flow, parts: readonly Part<Flow>[]): void {
  if (isPacked(flow)) drawInColumns(flow, parts);
  else for (const part of parts) part.draw(flow);
}

/** Null: there is nothing to do. */
function toDoPart({ labels }: Flow, lines: readonly string[]): Part<Flow> | null {
  if (lines.length === 0) return null;
  return {
    draw: (flow) => {
      flow.pen.open('Sect');
      drawSubheading(flow, labels.firstPage.toDo.heading);
      for (const line of lines) drawParagraph(flow, line, { mostLines: MOST_LINES });
      flow.pen.close();
    },
    fits: ({ width }) => width >= 260,
  };
}

/** Known once all pages have been counted. */
const pageOf = (contents: Flow['contents'], heading: string) =>
  contents.find(({ title }) => title === heading)?.page;

/** Returns what remains to be paid by link, and the page that explains it. */
function lineOfLinks(flow: Flow): string {
  const { labels, contents, statement } = flow;
  const page = pageOf(contents, labels.links.heading) ?? null;
  return `${owedByLink(statement.paymentsByLink!, flow, { day: null, page })} ${labels.links.apart}`;
}

function largerBy({ layout }: Flow, by: number): Pick<Flow, 'layout'> {
  const { table, note, ...sizes } = layout.sizes;
  return {
    layout: { ...layout, sizes: { ...sizes, table: table + by, note: note + by / 2 } },
  };
}

function drawAs(flow: Flow, by: number, draw: (flow: Flow) => void): void {
  const larger = { ...flow, ...largerBy(flow, by) };
  flow.pen.open('Sect');
  draw(larger);
  flow.pen.close();
  Object.assign(flow, { y: larger.y, page: larger.page, bottom: larger.bottom });
}

/**
 * What of it is held, and the sum in words, of books that agree: a disputed figure closes no
 * account.
 */
function closingBlocks({ statement, labels, words, language }: Flow): readonly Block[] {
  const { verdict, due, recorded } = statement.summary;
  const { reserved, available } = due ?? recorded;
  const held = { reserved: words.amount(reserved), available: words.amount(available) };
  const sum = sumInWords(recorded.balance, statement.currency, { labels, language });
  const day = words.day(statement.days.at(-1)!.day);
  return [
    ...(reserved === 0 ? [] : [note(fill(labels.firstPage.held, held))]),
    ...(verdict.state === 'clean' && due !== null
      ? [sentence(elided(fill(labels.due.closed, { day, sum })))]
      : []),
  ];
}

function drawLetter(flow: Flow): void {
  const { statement, labels, layout, language } = flow;
  const posts = openPosts(statement).filter(asksAnswer);
  const { merchant, currency, issuer, period, revision } = statement;
  flow.section = labels.console.letter.download;
  turnPage(flow);
  flow.pen.open('Sect');
  drawHeading(flow, flow.section);
  const paragraphs = letterParagraphs({
    merchant: merchant.reference,
    name: merchant.name,
    statement: {
      number: `${merchant.reference} · ${period.period} · r${revision.number}`,
      others: Math.max(0, posts.length - MOST_CLAIMS) + statement.due.others.count,
      holder: merchant.holder,
    },
    currency,
    claims: posts.slice(0, MOST_CLAIMS).map(claimOf),
    addressee: issuer,
    zone: period.zone,
    at: null,
    language,
  });
  for (const lines of paragraphs) {
    for (const line of lines) drawParagraph(flow, line, { size: layout.sizes.body + 1 });
    flow.y += layout.sizes.body;
  }
  flow.pen.close();
  // It is sent alone.
  flow.y = flow.bottom;
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

function identityOf({ statement, labels, words }: Flow): readonly Pair[] {
  const { identity } = labels;
  const at = fill(identity.issuedAt, { at: words.instant(statement.generatedAt) });
  const when = [boundsText({ statement, labels, words }), statement.currency, at].join(' · ');
  return [...merchantPairs({ statement, labels }), [identity.period, when]];
}

/** Days where the bounds are those of days; then whose clocks count. */
function boundsText({
  statement,
  labels,
  words,
}: Pick<Flow, 'statement' | 'labels' | 'words'>): string {
  const { period, days } = statement;
  const { identity } = labels;
  const [start, end] = [period.startText.local, period.endText.local];
  const isDays = [start, end].every((text) => text.endsWith('00:00:00'));
  const bounds = isDays
    ? fill(identity.days, { from: words.day(days[0]!.day), to: words.day(days.at(-1)!.day) })
    : fill(identity.bounds, { from: words.time(start), to: words.time(end) });
  const city = period.zone.split('/').at(-1)!.replaceAll('_', ' ');
  const zone =
    period.zone === 'UTC'
      ? identity.boundsOfUtc
      : fill(
          identity.clock,
          { city, vowel: /^[AEIOUYÉ]/u.test(city) ? 'true' : 'false' },
          words.speech,
        );
  return `${bounds}, ${zone}${period.boundsFrom === 'report' ? ` (${identity.boundsOfReport})` : ''}`;
}
