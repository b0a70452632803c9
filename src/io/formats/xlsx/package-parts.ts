// What happens to every part of the workbook on its way into the archive: fixed dates, and the charts that the library does not know. Equal workbooks give equal archives.

import { drawingParts, nameDrawing, type Part, typeDrawing } from './drawing.ts';
import type { Drawing } from './placed-chart.ts';

/** The earliest date that a zip archive can hold, less trouble with zones: the library writes it in UTC. */
export const ARCHIVE_DATE = new Date(Date.UTC(1980, 0, 1));

/** Set while the sheets are written, complete when the types of the parts are. */
export interface PackageParts {
  drawing: { readonly drawing: Drawing; readonly sheetNumber: number } | null;
}

export function startParts(): PackageParts {
  return { drawing: null };
}

const CONTENT_TYPES = '[Content_Types].xml';

export function rewritesPart(parts: PackageParts, path: string): boolean {
  return path === CONTENT_TYPES || isDrawingSheet(parts, path);
}

/** The part as it is to stand in the archive. */
export function rewritePart(parts: PackageParts, { path, xml }: Part): string {
  if (parts.drawing === null) return xml;
  if (path === CONTENT_TYPES) return typeDrawing(xml, parts.drawing.drawing);
  return isDrawingSheet(parts, path) ? nameDrawing(xml) : xml;
}

/** Parts beside those of the library. */
export function addedParts({ drawing }: PackageParts): readonly Part[] {
  return drawing === null ? [] : drawingParts(drawing.drawing, drawing.sheetNumber);
}

/** The library puts a slash before some names; the archive has none. */
export function archivePath(name: string): string {
  return name.replace(/^\/+/, '');
}

function isDrawingSheet({ drawing }: PackageParts, path: string): boolean {
  return drawing !== null && path === `xl/worksheets/sheet${drawing.sheetNumber}.xml`;
}
