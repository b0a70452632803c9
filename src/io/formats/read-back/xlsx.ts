// Reads the cells of a workbook back: numbers, and the results kept beside formulas.

import { Readable } from 'node:stream';
import type { ReadBack } from './read-back.ts';
import { leavePlace, missingFigures, searchOf, seeNumber } from './wanted-figures.ts';

export const readXlsx: ReadBack = async (file, { statement }) => {
  const search = searchOf(statement);
  // Loaded when it is needed: it is large, and most commands never read a workbook.
  const { default: exceljs } = await import('exceljs');
  const workbook = new exceljs.stream.xlsx.WorkbookReader(Readable.from(file), {
    entries: 'emit',
    worksheets: 'emit',
    sharedStrings: 'ignore',
    styles: 'ignore',
    hyperlinks: 'ignore',
  });
  // A workbook written as a stream has its sheets before its list of sheets and texts. The reader would wait for those in
  // temporary files, and break; only numbers are wanted, so it is made to believe that it has them.
  Object.assign(workbook, { model: { sheets: [] }, workbookRels: [], sharedStrings: [] });
  for await (const sheet of workbook) {
    const place = new Set<string>();
    for await (const row of sheet) {
      row.eachCell((cell) => {
        const shown = cell.formula === undefined ? cell.value : cell.result;
        if (typeof shown === 'number') seeNumber(search, place, String(shown));
      });
    }
    leavePlace(search, place);
  }
  return missingFigures(search);
};
