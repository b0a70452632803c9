// Key figures: the balances at the cut-off, the balance by day, and the figures of Report.summary that the first page does not have.

import { balanceBlocks } from '../../tables/steps.ts';
import { figureBlocks } from '../../tables/summary.ts';
import { drawBalanceChart } from '../page/charts.ts';
import { ensure, type Flow } from '../page/flow.ts';
import { drawBlocks } from '../page/tables.ts';

/** Points. */
const CHART = 112;

export function drawSummary(flow: Flow): void {
  ensure(flow, CHART);
  drawBalanceChart(flow, { x: flow.left, y: flow.y, width: flow.width, height: CHART });
  flow.y += CHART + 6;
  drawBlocks(flow, [...balanceBlocks(flow), ...figureBlocks(flow)]);
}
