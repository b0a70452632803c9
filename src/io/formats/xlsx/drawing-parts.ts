// The parts of a workbook's package that draw charts, which exceljs does not know.

import { xmlText } from '../port/xml-text.ts';
import { cellText } from './sheet/cell.ts';
import type { Chart, Corner, Drawing, PlacedChart } from './sheet/sheet.ts';

interface Part {
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

/** Of the sheet with that number, from 1, which names the drawing `rId1`. */
export function drawingParts({ charts }: Drawing, sheetNumber: number): readonly Part[] {
  return [
    {
      path: `xl/worksheets/_rels/sheet${sheetNumber}.xml.rels`,
      xml: relationsXml([{ type: 'drawing', target: '../drawings/drawing1.xml' }]),
    },
    {
      path: 'xl/drawings/drawing1.xml',
      xml: `${XML_HEAD}<xdr:wsDr ${DRAWING_NAMESPACES}>${charts.map(anchorXml).join('')}</xdr:wsDr>`,
    },
    {
      path: 'xl/drawings/_rels/drawing1.xml.rels',
      xml: relationsXml(
        charts.map((_, i) => ({ type: 'chart', target: `../charts/chart${i + 1}.xml` })),
      ),
    },
    ...charts.map(({ chart }, i) => ({
      path: `xl/charts/chart${i + 1}.xml`,
      xml: chartXml(chart),
    })),
  ];
}

/** The package's list of types, with those of the drawing. */
export function typeDrawing(xml: string, { charts }: Drawing): string {
  const type = 'application/vnd.openxmlformats-officedocument.drawing';
  const own = [
    `<Override PartName="/xl/drawings/drawing1.xml" ContentType="${type}+xml"/>`,
    ...charts.map(
      (_, i) =>
        `<Override PartName="/xl/charts/chart${i + 1}.xml" ContentType="${type}ml.chart+xml"/>`,
    ),
  ];
  return xml.replace('</Types>', `${own.join('')}</Types>`);
}

function relationsXml(
  relations: readonly { readonly type: string; readonly target: string }[],
): string {
  const rows = relations.map(
    ({ type, target }, i) =>
      `<Relationship Id="rId${i + 1}" Type="${OFFICE_RELATIONS}/${type}" Target="${target}"/>`,
  );
  return `${XML_HEAD}<Relationships xmlns="${PACKAGE_RELATIONS}">${rows.join('')}</Relationships>`;
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

const NAMESPACES =
  'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" ' +
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const COLOUR = '1F3A5F';
const GRID = 'DDE2E8';
const AXIS_TEXT =
  '<c:txPr><a:bodyPr/><a:lstStyle/><a:p><a:pPr><a:defRPr sz="800"><a:solidFill><a:srgbClr val="5B6570"/></a:solidFill>' +
  '</a:defRPr></a:pPr></a:p></c:txPr>';

function chartXml(chart: Chart): string {
  const plot = chart.form === 'line' ? lineXml(chart) : barsXml(chart);
  return (
    `${XML_HEAD}<c:chartSpace ${NAMESPACES}><c:date1904 val="0"/><c:roundedCorners val="0"/><c:chart>` +
    `${titleXml(chart.title)}<c:autoTitleDeleted val="0"/><c:plotArea><c:layout/>${plot}</c:plotArea>` +
    '<c:plotVisOnly val="0"/><c:dispBlanksAs val="gap"/></c:chart>' +
    `<c:spPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill><a:ln w="9525">${solid(GRID)}</a:ln></c:spPr>` +
    '</c:chartSpace>'
  );
}

function titleXml(title: string): string {
  const run = `<a:r><a:rPr sz="1100" b="1">${solid(COLOUR)}</a:rPr><a:t>${quote(title)}</a:t></a:r>`;
  return `<c:title><c:tx><c:rich><a:bodyPr/><a:lstStyle/><a:p>${run}</a:p></c:rich></c:tx><c:overlay val="0"/></c:title>`;
}

function lineXml(chart: Chart): string {
  return (
    '<c:lineChart><c:grouping val="standard"/><c:varyColors val="0"/><c:ser><c:idx val="0"/><c:order val="0"/>' +
    `${nameXml(chart)}<c:spPr><a:ln w="22225" cap="rnd">${solid(COLOUR)}</a:ln></c:spPr>` +
    `<c:marker><c:symbol val="none"/></c:marker>${dataXml(chart)}<c:smooth val="0"/></c:ser>` +
    '<c:marker val="1"/><c:axId val="501"/><c:axId val="502"/></c:lineChart>' +
    `<c:dateAx>${axisHead(501, 'b')}<c:numFmt formatCode="${quote(chart.dayFormat)}" sourceLinked="0"/>` +
    `<c:majorTickMark val="out"/><c:minorTickMark val="none"/><c:tickLblPos val="low"/>${AXIS_TEXT}` +
    '<c:crossAx val="502"/><c:crosses val="autoZero"/><c:auto val="0"/><c:lblOffset val="100"/>' +
    '<c:baseTimeUnit val="days"/><c:majorUnit val="5"/><c:majorTimeUnit val="days"/></c:dateAx>' +
    valueAxis({ id: 502, crosses: 501, place: 'l' })
  );
}

function barsXml(chart: Chart): string {
  return (
    '<c:barChart><c:barDir val="bar"/><c:grouping val="clustered"/><c:varyColors val="0"/><c:ser><c:idx val="0"/>' +
    `<c:order val="0"/>${nameXml(chart)}<c:spPr>${solid(COLOUR)}</c:spPr><c:invertIfNegative val="0"/>` +
    `${dataXml(chart)}</c:ser><c:gapWidth val="60"/><c:axId val="601"/><c:axId val="602"/></c:barChart>` +
    `<c:catAx>${axisHead(601, 'l', '<c:orientation val="maxMin"/>')}<c:numFmt formatCode="General" sourceLinked="0"/>` +
    `<c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="low"/>${AXIS_TEXT}` +
    '<c:crossAx val="602"/><c:crosses val="autoZero"/><c:auto val="0"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/>' +
    `<c:noMultiLvlLbl val="1"/></c:catAx>${valueAxis({ id: 602, crosses: 601, place: 'b', fromZero: true })}`
  );
}

function axisHead(id: number, place: string, scaling = '<c:orientation val="minMax"/>'): string {
  return (
    `<c:axId val="${id}"/><c:scaling>${scaling}</c:scaling>` +
    `<c:delete val="0"/><c:axPos val="${place}"/>`
  );
}

interface ValueAxis {
  readonly id: number;
  readonly crosses: number;
  readonly place: string;
  /** Bars lie about their lengths unless they begin at 0. */
  readonly fromZero?: boolean;
}

function valueAxis({ id, crosses, place, fromZero = false }: ValueAxis): string {
  const scaling = `<c:orientation val="minMax"/>${fromZero ? '<c:min val="0"/>' : ''}`;
  return (
    `<c:valAx>${axisHead(id, place, scaling)}<c:majorGridlines><c:spPr><a:ln w="6350">${solid(GRID)}</a:ln></c:spPr>` +
    '</c:majorGridlines><c:numFmt formatCode="#,##0" sourceLinked="0"/><c:majorTickMark val="none"/>' +
    `<c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/>${AXIS_TEXT}<c:crossAx val="${crosses}"/>` +
    `<c:crosses val="${fromZero ? 'max' : 'autoZero'}"/><c:crossBetween val="between"/></c:valAx>`
  );
}

function nameXml({ seriesName }: Chart): string {
  return `<c:tx><c:v>${quote(seriesName)}</c:v></c:tx>`;
}

function dataXml({ form, categories, values, dayFormat }: Chart): string {
  const names =
    form === 'line'
      ? `<c:numRef><c:f>${quote(categories.range)}</c:f>${cacheXml('num', categories.values, dayFormat)}</c:numRef>`
      : `<c:strRef><c:f>${quote(categories.range)}</c:f>${cacheXml('str', categories.values, null)}</c:strRef>`;
  const figures = `<c:numRef><c:f>${quote(values.range)}</c:f>${cacheXml('num', values.values, '#,##0')}</c:numRef>`;
  return `<c:cat>${names}</c:cat><c:val>${figures}</c:val>`;
}

function cacheXml(
  type: 'num' | 'str',
  values: readonly (string | number)[],
  format: string | null,
): string {
  const points = values
    .map((value, i) => `<c:pt idx="${i}"><c:v>${quote(String(value))}</c:v></c:pt>`)
    .join('');
  const code = format === null ? '' : `<c:formatCode>${quote(format)}</c:formatCode>`;
  return `<c:${type}Cache>${code}<c:ptCount val="${values.length}"/>${points}</c:${type}Cache>`;
}

function solid(colour: string): string {
  return `<a:solidFill><a:srgbClr val="${colour}"/></a:solidFill>`;
}

function quote(text: string): string {
  return xmlText(cellText(text));
}
