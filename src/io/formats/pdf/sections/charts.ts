// Two charts beside each other where the first page has room: the balance at the end of each day,
// and what each operator collected. Each is one figure with its figures in words; what they show
// also stands in the tables behind.

import { balanceText, operatorText } from '../../sentences/chart-sentences.ts';
import { drawParagraph, drawSubheading, type Flow, hasRoom } from '../page/flow.ts';
import { type Point, tagged, widthOf } from '../page/pen.ts';

const GAP = 22;
const HEIGHT = 74;
/** More operators would need a chart of their own. */
const MOST_BARS = 8;
const BAR = 7;

/** Draws nothing where the charts have no room on the page that is open, or have nothing to show. */
export function drawCharts(flow: Flow): void {
  const { summary, days, months } = flow.statement;
  if (!flow.setting.hasCharts || months !== null || days.length < 2 || summary.entryCount === 0)
    return;
  if (hasRoom(flow, drawBoth)) drawBoth(flow);
}

function drawBoth(flow: Flow): void {
  const { byOperator } = flow.statement.summary;
  const areBoth = byOperator.length > 0 && byOperator.length <= MOST_BARS;
  const width = areBoth ? (flow.width - GAP) / 2 : flow.width;
  const left = { ...flow, width, right: flow.left + width };
  const right = { ...flow, left: flow.left + width + GAP, width };
  flow.pen.open('Sect');
  drawBalance(left);
  if (areBoth) drawOperators(right);
  flow.pen.close();
  flow.y = Math.max(left.y, areBoth ? right.y : 0);
}

function drawBalance(flow: Flow): void {
  const { pen, layout, statement, labels, words, regular, left, width } = flow;
  const { colours, sizes } = layout;
  const { currency, days } = statement;
  drawSubheading(flow, `${labels.workbook.charts.balance} (${currency})`, HEIGHT);
  const closings = days.map(({ closing }) => closing);
  const [lowest, highest] = [Math.min(...closings), Math.max(...closings)];
  const small = { face: regular, size: sizes.note, colour: colours.muted };
  const scale = [highest, lowest].map((figure) => regular.shape(words.amount(figure)));
  const axis = Math.max(...scale.map((run) => widthOf(run, small.size))) + 6;
  const top = flow.y + small.size / 2;
  const low = top + HEIGHT - 2 * small.size;
  const room = width - axis;
  const at = (closing: number, i: number): Point => ({
    x: (room * i) / (days.length - 1),
    y:
      highest === lowest
        ? (low - top) / 2
        : ((low - top) * (highest - closing)) / (highest - lowest),
  });
  const bbox = [left, flow.y, left + width, flow.y + HEIGHT] as const;
  const draw = (): void => {
    for (const y of [top, low])
      pen.line({ x: left + axis, y }, { x: left + width, y }, { colour: colours.rule, width: 0.5 });
    pen.path({ x: left + axis, y: top }, closings.map(at), { stroke: colours.chartIn, width: 1.3 });
    scale.forEach((run, i) => {
      if (i > 0 && lowest === highest) return;
      const x = left + axis - 6 - widthOf(run, small.size);
      pen.text({ x, y: (i === 0 ? top : low) + small.size * 0.35 }, run, small);
    });
    const [first, last] = [days[0]!, days.at(-1)!].map(({ day }) => regular.shape(words.day(day)));
    const y = low + small.size * 1.4;
    pen.text({ x: left + axis, y }, first!, small);
    pen.text({ x: left + width - widthOf(last!, small.size), y }, last!, small);
  };
  tagged(pen, 'Figure', draw, { alt: balanceText(flow), bbox });
  flow.y += HEIGHT;
  drawParagraph(flow, balanceText(flow), { tone: 'muted', size: sizes.note });
}

/** Each bar has its operator before it and its amount behind it. */
function drawOperators(flow: Flow): void {
  const { pen, layout, statement, labels, words, regular, left, width } = flow;
  const { colours, sizes } = layout;
  const { byOperator } = statement.summary;
  drawSubheading(flow, `${labels.operators.collections} (${statement.currency})`, HEIGHT);
  const style = { face: regular, size: sizes.note, colour: colours.text };
  const rows = byOperator.map(({ operator, amount }) => ({
    name: regular.cut(operator, { size: style.size, width: width / 3 }),
    figure: regular.shape(words.amount(amount)),
    amount,
  }));
  const before = Math.max(...rows.map(({ name }) => widthOf(name, style.size))) + 6;
  const behind = Math.max(...rows.map(({ figure }) => widthOf(figure, style.size))) + 4;
  const most = Math.max(1, ...rows.map(({ amount }) => amount));
  const step = Math.max(BAR + 2, Math.min(16, HEIGHT / rows.length));
  const top = flow.y;
  const boxes = rows.map(({ amount }, i) => ({
    x: left + before,
    y: top + i * step + (step - BAR) / 2,
    width: (Math.max(0, width - before - behind) * Math.max(0, amount)) / most,
    height: BAR,
  }));
  const bbox = [left, top, left + width, top + rows.length * step] as const;
  tagged(pen, 'Figure', () => pen.fill(boxes, colours.chartIn), { alt: operatorText(flow), bbox });
  rows.forEach(({ name, figure }, i) => {
    const y = top + (i + 0.5) * step + style.size * 0.35;
    tagged(pen, 'P', () => {
      pen.text({ x: left, y }, name, style);
      pen.text({ x: boxes[i]!.x + boxes[i]!.width + 4, y }, figure, style);
    });
  });
  flow.y = top + rows.length * step + 4;
}
