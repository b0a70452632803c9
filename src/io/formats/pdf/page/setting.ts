// How closely a document is set. A short one is set closer where that saves a page: less space, the
// smallest type that is easily read, and parts beside each other.

import type { Layout } from '../../port/template.ts';

export interface Setting {
  readonly isClose: boolean;
  /** Names each section and its page at the foot of the first page. */
  readonly hasContents: boolean;
  /** The setting is for documents that come to so many pages in it, or fewer. */
  readonly mostPages?: number;
}

export const AMPLE: Setting = { isClose: false, hasContents: true };

/**
 * A statement takes the first of these that needs the fewest pages. One of two pages has no list of
 * its sections, because both are in sight.
 */
export const STATEMENT_SETTINGS: readonly Setting[] = [
  AMPLE,
  { ...AMPLE, isClose: true },
  { isClose: true, hasContents: false, mostPages: 2 },
];

/** Points: text that is smaller is not read easily. */
const LEAST_SIZE = 6.5;

/** Parts of the template's sizes. */
const CLOSER: Layout['sizes'] = {
  title: 0.85,
  heading: 0.82,
  subheading: 0.88,
  body: 0.88,
  table: 0.93,
  note: 0.93,
  ledger: 0.94,
};
const MARGIN = 13;

/** The template's layout, as it is in that setting. */
export function layoutIn(layout: Layout, { isClose }: Setting): Layout {
  if (!isClose) return layout;
  const sizes = Object.entries(layout.sizes).map(([name, size]) => {
    const closer = size * CLOSER[name as keyof Layout['sizes']];
    return [name, Math.min(size, Math.max(LEAST_SIZE, closer))];
  });
  const { top, bottom, ...sides } = layout.page.margins;
  const margins = { ...sides, top: closerMargin(top), bottom: closerMargin(bottom) };
  return { ...layout, page: { margins }, sizes: Object.fromEntries(sizes) as Layout['sizes'] };
}

/** Room for the head and the foot of a page stays. */
const closerMargin = (points: number): number => Math.min(points, Math.max(36, points - MARGIN));
