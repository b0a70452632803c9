// Decodes one monthly report (dashboard API, "Report"). The summary, whose form the document does not show, is kept as it
// is, within bounds; a report whose bounds are not those of its month is refused, since nothing could be counted by them.

import { DAY, type Instant } from '../../../core/domain/instant.ts';
import { monthInUtc, REPORT_STATUSES, type ServiceReport } from '../../../core/domain/service-report.ts';
import {
  type Decoded,
  decodedFrom,
  type Fields,
  fieldsOf,
  isNothing,
  own,
  refuse,
  takeId,
  takeNatural,
  takeOneOf,
  takeOptionalInstant,
  takeOptionalText,
} from '../../../core/rows/decode-object.ts';
import { decodeSummary } from './decode-summary.ts';

const PERIOD = /^(?:19|20|21)\d\d-(?:0[1-9]|1[0-2])$/;

export function decodeServiceReport(value: unknown): Decoded<ServiceReport> {
  const fields = fieldsOf(value);
  const period = takePeriod(fields);
  const report = {
    id: takeId(fields, 'id'),
    period,
    periodLabel: takeOptionalText(fields, 'periodLabel'),
    periodStart: takeOptionalInstant(fields, 'periodStart'),
    periodEnd: takeOptionalInstant(fields, 'periodEnd'),
    status: takeOneOf(fields, 'status', REPORT_STATUSES),
    filename: takeOptionalText(fields, 'filename'),
    fileUrl: takeOptionalText(fields, 'fileUrl'),
    fileSize: isNothing(own(fields.row, 'fileSize')) ? null : takeNatural(fields, 'fileSize'),
    summary: decodeSummary(fields, 'summary'),
    error: takeOptionalText(fields, 'error'),
    generatedAt: takeOptionalInstant(fields, 'generatedAt'),
  };
  if (fields.fault === null) requireBounds(fields, report);
  return decodedFrom(fields, report);
}

function takePeriod(fields: Fields): string {
  const period = takeId(fields, 'period');
  return PERIOD.test(period) ? period : refuse(fields, 'period', 'month', '2000-01');
}

/** Local midnights lie within a day of the month's own in UTC. */
function requireBounds(
  fields: Fields,
  report: { readonly period: string; readonly periodStart: Instant | null; readonly periodEnd: Instant | null },
): void {
  const month = monthInUtc(report.period);
  const isNear = (instant: Instant | null, due: Instant): boolean => instant === null || Math.abs(instant - due) <= DAY;
  const wanted = ['in_month', report.period] as const;
  if (!isNear(report.periodStart, month.from)) refuse(fields, 'periodStart', wanted, null);
  if (!isNear(report.periodEnd, month.until)) refuse(fields, 'periodEnd', wanted, null);
}
