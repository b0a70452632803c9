// The first page, whatever sections follow, and whole on one page: whose month it is, what is due and how it came about, the payments
// by link, and what there is to do. Sections go on in the room that is left. Where there is something to ask of the service, the letter
// that asks it is the next page.

import { fill, wordFinding } from '../../../../core/words/finding.ts';
import { elided, sumInWords } from '../../sentences/amount-in-words.ts';
import { merchantPairs } from '../../sentences/parties.ts';
import { itemLine, openPosts } from '../../sentences/verdict-reasons.ts';
import { type Block, note, sentence } from '../../tables/block.ts';
import { bridgeBlock, measureBlocks } from '../../tables/bridge.ts';
import { linkColumn } from '../../tables/money.ts';
import { claimOf, entryLines, letterParagraphs } from '../../text/letter.ts';
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
import { drawBlocks } from '../page/tables.ts';
import { drawHead, type Pair } from './identity.ts';
import { drawVerdict } from './verdict-box.ts';

const MOST_POSTS = 5;
const MOST_CLAIMS = 10;
const MOST_LINES = 3;
/** So many posts have room for what was found. */
const FEW = 2;

/** Returns how it is left, for the first section without room on it: by the letter, and payments by link where they have none. */
export function drawFirstPage(flow: Flow): () => void {
  const { statement, labels } = flow;
  turnPage(flow);
  drawLogo(flow);
  drawHead(flow, identityOf(flow));
  drawContents(flow);
  drawVerdict(flow);
  const bridge = bridgeBlock(flow);
  // Read by more people than the tables behind it, and rarely long.
  const larger = bridge.rows.length > 13 ? 0.4 : 1.5;
  drawLarger(flow, larger, [bridge, ...closingBlocks(flow)]);
  const posts = statement.summary.verdict.state === 'clean' ? [] : openPosts(statement);
  if (posts.length > 0) drawToDo(flow, posts);
  flow.y += 5;
  drawLarger(flow, larger, measureBlocks(flow));
  const links = linkColumn(flow);
  const isRoom = hasRoom(flow, (probe) => drawLarger(probe, larger, links));
  if (isRoom) drawLarger(flow, larger, links);
  else drawParagraph(flow, `${linkLine(flow)} ${labels.links.apart}`);
  return () => {
    if (flow.page > 1) return;
    if (posts.length > 0) drawLetter(flow, posts);
    if (isRoom) return;
    flow.section = labels.links.heading;
    turnPage(flow);
    drawHeading(flow, flow.section);
    drawLarger(flow, larger, links);
  };
}

/** What remains to be paid of them, and where the rest is: the page is known once all have been counted. */
function linkLine({ statement, labels, words, contents }: Flow): string {
  const { summary, account } = statement.paymentsByLink!;
  const { heading: name, line } = labels.links;
  const page = contents.find(({ title }) => title === name)?.page ?? null;
  const figures = { closing: account?.closing ?? null, amount: summary.totalAmount, currency: summary.currency };
  return fill(line, { name, ...figures, page }, words.speech);
}

function drawLarger(flow: Flow, by: number, blocks: readonly Block[]): void {
  const { table, note, ...sizes } = flow.layout.sizes;
  const layout = { ...flow.layout, sizes: { ...sizes, table: table + by, note: note + by / 2 } };
  const larger = { ...flow, layout };
  flow.pen.open('Sect');
  drawBlocks(larger, blocks);
  flow.pen.close();
  Object.assign(flow, { y: larger.y, page: larger.page });
}

/** What of it is held, and the sum in words, of books that agree: a disputed figure closes no account. */
function closingBlocks({ statement, labels, words, language }: Flow): readonly Block[] {
  const { verdict, due, recorded } = statement.summary;
  const { reserved, available } = due ?? recorded;
  const held = { reserved: words.amount(reserved), available: words.amount(available) };
  const sum = sumInWords(recorded.balance, statement.currency, { labels, language });
  const day = words.day(statement.days.at(-1)!.day);
  return [
    ...(reserved === 0 ? [] : [note(fill(labels.firstPage.held, held))]),
    ...(verdict.state === 'clean' && due !== null ? [sentence(elided(fill(labels.due.closed, { day, sum })))] : []),
  ];
}

type Posts = ReturnType<typeof openPosts>;

/** What there is to ask, and of items without an entry, or that are few, what was found; the letter has all. */
function drawToDo(flow: Flow, posts: Posts): void {
  const { statement, labels, words } = flow;
  const said = labels.firstPage.toDo;
  drawSubheading(flow, said.heading);
  const service = statement.issuer?.legalName ?? null;
  drawParagraph(flow, fill(said.write, { service, page: flow.page + 1 }, words.speech));
  const amount = (figure: string): string => `${words.figure(figure)}\u00a0${statement.currency}`;
  for (const [i, post] of posts.slice(0, MOST_POSTS).entries()) {
    const found =
      'proposal' in post
        ? itemLine(post, labels.due, words.speech)
        : wordFinding(words.speech, post.kind, post.figures);
    const entries = entryLines(claimOf(post), labels, { ...words, amount }).map((line) => line.replace(/^- /, ''));
    const ask = entries.length === 0 ? said.answer : fill(said.entry, { entry: entries.join(' ; ') });
    const day = post.at === null ? null : words.instant(post.at).slice(0, 10);
    const since = day === null ? [] : [fill(labels.console.letter.since, { day })];
    const texts = entries.length > 0 && posts.length > FEW ? [ask] : [found, ...since, ask];
    drawParagraph(flow, `${i + 1}. ${texts.join(' ')}`, { mostLines: MOST_LINES });
  }
  const beyond = posts.length - MOST_POSTS + statement.due.others.count;
  if (beyond > 0) drawParagraph(flow, fill(labels.due.otherItems, { count: words.amount(beyond) }));
}

function drawLetter(flow: Flow, posts: Posts): void {
  const { statement, labels, layout, language } = flow;
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
function boundsText({ statement, labels, words }: Pick<Flow, 'statement' | 'labels' | 'words'>): string {
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
      : fill(identity.clock, { city, vowel: /^[AEIOUYÉ]/u.test(city) ? 'true' : 'false' }, words.speech);
  return `${bounds}, ${zone}${period.boundsFrom === 'report' ? ` (${identity.boundsOfReport})` : ''}`;
}
