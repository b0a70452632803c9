// Parts of a page beside each other. Parts that fit into less than its width are set in two columns,
// read down the left one and then down the right one, wherever that leaves the most room below.

import { invariant } from '../../../../core/domain/invariant.ts';
import { valueIn } from '../../../../core/domain/value-in.ts';
import { lowestOf, type PageFlow, turnPage } from './flow.ts';
import { openCountingPen } from './pen.ts';

export interface Part<Own extends PageFlow> {
  /** Draws from `y` on, between `left` and `right`. */
  readonly draw: (flow: Own) => void;
  /** Whether nothing is cut in the width of that flow. */
  readonly fits: (flow: Own) => boolean;
  /** Names the page that it begins. */
  readonly section?: string;
  /** To the right of the part before, where both are narrow. */
  readonly isBeside?: true | undefined;
}

const GAP = 14;
/** Of the width, for the left column. */
const SHARES = [0.5, 0.42, 0.58, 0.34, 0.66, 0.46, 0.54];
/** More of them in one band would take long to try. */
const MOST_IN_BAND = 12;

/** Parts `from` to `split` are in the left column, those up to `to` in the right one. */
interface Band {
  readonly from: number;
  readonly split: number;
  readonly to: number;
  /** Null: one part in the whole width. */
  readonly share: number | null;
  readonly height: number;
}

interface Reached {
  readonly page: number;
  readonly y: number;
  readonly bands: readonly Band[];
}

/** Takes the arrangement that ends highest on the earliest page. */
export function drawInColumns<Own extends PageFlow>(flow: Own, parts: readonly Part<Own>[]): void {
  for (const { from, split, to, share, height } of arrange(flow, parts)) {
    const { section = flow.section } = parts[from]!;
    flow.section = section;
    const isParted = share === null && !isWhole(flow, height);
    if (isParted) {
      parts[from]!.draw(flow);
      continue;
    }
    if (flow.y + height > flow.bottom) turnPage(flow);
    const columns = share === null ? [flow] : columnsOf(flow, share);
    const { y, bottom, page } = flow;
    const own = [parts.slice(from, split), parts.slice(split, to)];
    const ends = columns.map((column, i) => {
      // What is known to have room is not turned to another page for what may follow it.
      Object.assign(column, { y, bottom: Number.POSITIVE_INFINITY });
      for (const part of own[i]!) part.draw(column);
      invariant(column.page === page, 'no page is turned in a column');
      return column.y;
    });
    Object.assign(flow, { y: Math.max(...ends), bottom });
    flow.section = parts[to - 1]!.section ?? section;
  }
}

/** A part in the whole width goes on over pages where it has no room. */
const isWhole = (flow: PageFlow, height: number): boolean => flow.y + height <= flow.bottom;

function columnsOf<Own extends PageFlow>(flow: Own, share: number): readonly Own[] {
  const width = (flow.width - GAP) * share;
  const right = flow.left + width + GAP;
  return [
    { ...flow, width, right: flow.left + width },
    { ...flow, left: right, width: flow.right - right },
  ];
}

function arrange<Own extends PageFlow>(flow: Own, parts: readonly Part<Own>[]): readonly Band[] {
  const { isClose } = flow.setting;
  const whole = parts.map((part) => heightOf(flow, part));
  const isAlone = (i: number): boolean =>
    !isClose && parts[i]!.isBeside !== true && parts[i + 1]?.isBeside !== true;
  const shares = isClose ? SHARES : [0.5];
  const heights = shares.map((share) =>
    columnsOf(flow, share).map((column) =>
      parts.map((part, i) => (isAlone(i) ? TOO_WIDE : heightIn(column, part))),
    ),
  );
  const first: Reached = { page: flow.page, y: flow.y, bands: [] };
  const reached: (Reached | undefined)[] = [first];
  const take = (before: Reached, band: Band): void => {
    const after = placed(flow, parts, { before, band });
    const best = reached[band.to];
    const isBetter =
      after !== null &&
      (best === undefined ||
        after.page < best.page ||
        (after.page === best.page && after.y < best.y));
    if (isBetter) reached[band.to] = after;
  };
  parts.forEach((_, from) => {
    const before = reached[from]!;
    take(before, { from, split: from + 1, to: from + 1, share: null, height: whole[from]! });
    shares.forEach((share, i) => {
      const [left, right] = heights[i]!;
      for (let to = from + 2; to <= lastBeside(flow, parts, from); to++) {
        for (let split = from + 1; split < to; split++) {
          const height = Math.max(sum(left!, from, split), sum(right!, split, to));
          if (height < TOO_WIDE) take(before, { from, split, to, share, height });
        }
      }
    });
  });
  return reached.at(-1)!.bands;
}

/** In an ample setting a part is beside another only where it says so. */
function lastBeside<Own extends PageFlow>(
  { setting }: Own,
  parts: readonly Part<Own>[],
  from: number,
): number {
  if (setting.isClose) return Math.min(parts.length, from + MOST_IN_BAND);
  return parts[from + 1]?.isBeside === true ? from + 2 : from;
}

/** Null: columns do not go on over pages. */
function placed<Own extends PageFlow>(
  flow: Own,
  parts: readonly Part<Own>[],
  { before, band }: { readonly before: Reached; readonly band: Band },
): Reached | null {
  const bands = [...before.bands, band];
  const { page, y } = before;
  const { height, share } = band;
  const bottom = page === flow.page ? flow.bottom : lowestOf(flow);
  if (y + height <= bottom) return { page, y: y + height, bands };
  if (share !== null) {
    const end = flow.top + height;
    return end <= lowestOf(flow) ? { page: page + 1, y: end, bands } : null;
  }
  const probe = { ...flow, pen: openCountingPen().pen, contents: [], page, y, bottom };
  parts[band.from]!.draw(probe);
  return { page: probe.page, y: probe.y, bands };
}

const sum = (heights: readonly number[], from: number, to: number): number => {
  let all = 0;
  for (let i = from; i < to; i++) all += heights[i]!;
  return all;
};

/** Of a part that has no room in a column. */
const TOO_WIDE = Number.POSITIVE_INFINITY;

/** By part and width: each is measured once. */
const measured = new WeakMap<object, Map<number, number>>();

function heightOf<Own extends PageFlow>(flow: Own, part: Part<Own>): number {
  const known = valueIn(measured, part, () => new Map<number, number>());
  return valueIn(known, Math.round(flow.width), () => measure(flow, part));
}

/** Of a column. */
function heightIn<Own extends PageFlow>(column: Own, part: Part<Own>): number {
  const known = valueIn(measured, part, () => new Map<number, number>());
  return valueIn(known, Math.round(column.width), () =>
    part.fits(column) ? measure(column, part) : TOO_WIDE,
  );
}

function measure<Own extends PageFlow>(flow: Own, part: Part<Own>): number {
  const y = flow.top + 1;
  const [pen, bottom] = [openCountingPen().pen, Number.POSITIVE_INFINITY];
  const probe = { ...flow, pen, contents: [], y, bottom };
  part.draw(probe);
  return probe.y - y;
}
