// The charts of one sheet as parts of the package: the drawing that places them, the relations between the parts, their
// types. The library writes neither charts nor drawings of charts, so these parts are added to what it writes.

import { xmlText } from '../xml-text.ts';
import { cellText } from './cell-text.ts';
import { chartXml } from './chart.ts';
import type { Corner, Drawing, PlacedChart } from './placed-chart.ts';

export interface Part {
  readonly path: string;
  readonly xml: string;
}

const XML_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE_RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE_RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const DRAWING_NAMESPACES =
  'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" ' +
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
const CHART_NAMESPACE = 'http://schemas.openxmlformats.org/drawingml/2006/chart';

/** `sheetNumber` counts from 1; one workbook has at most one sheet with a drawing. */
export function drawingParts({ charts }: Drawing, sheetNumber: number): readonly Part[] {
  return [
    {
      path: `xl/worksheets/_rels/sheet${sheetNumber}.xml.rels`,
      xml: relationsXml([{ type: 'drawing', target: '../drawings/drawing1.xml' }]),
    },
    { path: 'xl/drawings/drawing1.xml', xml: drawingXml(charts) },
    {
      path: 'xl/drawings/_rels/drawing1.xml.rels',
      xml: relationsXml(charts.map((_, i) => ({ type: 'chart', target: `../charts/chart${i + 1}.xml` }))),
    },
    ...charts.map(({ chart }, i) => ({ path: `xl/charts/chart${i + 1}.xml`, xml: chartXml(chart) })),
  ];
}

/** The sheet with its drawing named at the end, where the schema wants it. */
export function nameDrawing(sheetXml: string): string {
  return sheetXml.replace(/<\/worksheet>\s*$/, '<drawing r:id="rId1"/></worksheet>');
}

export function typeDrawing(contentTypesXml: string, { charts }: Drawing): string {
  const type = 'application/vnd.openxmlformats-officedocument.drawing';
  const own = [
    `<Override PartName="/xl/drawings/drawing1.xml" ContentType="${type}+xml"/>`,
    ...charts.map((_, i) => `<Override PartName="/xl/charts/chart${i + 1}.xml" ContentType="${type}ml.chart+xml"/>`),
  ];
  return contentTypesXml.replace('</Types>', `${own.join('')}</Types>`);
}

function relationsXml(relations: readonly { readonly type: string; readonly target: string }[]): string {
  const rows = relations.map(
    ({ type, target }, i) => `<Relationship Id="rId${i + 1}" Type="${OFFICE_RELATIONS}/${type}" Target="${target}"/>`,
  );
  return `${XML_HEAD}<Relationships xmlns="${PACKAGE_RELATIONS}">${rows.join('')}</Relationships>`;
}

function drawingXml(charts: readonly PlacedChart[]): string {
  return `${XML_HEAD}<xdr:wsDr ${DRAWING_NAMESPACES}>${charts.map(anchorXml).join('')}</xdr:wsDr>`;
}

function anchorXml({ chart, description, from, to }: PlacedChart, i: number): string {
  const name = `name="${xmlText(cellText(chart.title))}" descr="${xmlText(cellText(description))}"`;
  return (
    `<xdr:twoCellAnchor><xdr:from>${cornerXml(from)}</xdr:from><xdr:to>${cornerXml(to)}</xdr:to>` +
    `<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="${i + 2}" ${name}/><xdr:cNvGraphicFramePr/>` +
    '</xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic>' +
    `<a:graphicData uri="${CHART_NAMESPACE}"><c:chart xmlns:c="${CHART_NAMESPACE}" ` +
    `xmlns:r="${OFFICE_RELATIONS}" r:id="rId${i + 1}"/></a:graphicData></a:graphic></xdr:graphicFrame>` +
    '<xdr:clientData/></xdr:twoCellAnchor>'
  );
}

function cornerXml({ column, row }: Corner): string {
  return `<xdr:col>${column}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>${row}</xdr:row><xdr:rowOff>0</xdr:rowOff>`;
}
