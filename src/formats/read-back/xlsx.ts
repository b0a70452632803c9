// Reads the cells of a workbook back: numbers, and the results kept beside formulas.

import { Readable } from 'node:stream';
import type { ReadBack } from './read-back.ts';
import { missingFigures, sawFigure, wantFigures } from './wanted-figures.ts';

export const readXlsx: ReadBack = async (file, { statement }) => {
  const wanted = wantFigures(statement.summary);
  // Loaded when it is needed: it is large, and most commands never read a workbook.
  const { default: exceljs } = await import('exceljs');
  const workbook = new exceljs.stream.xlsx.WorkbookReader(Readable.from(file), {
    entries: 'emit',
    worksheets: 'emit',
    sharedStrings: 'cache',
    styles: 'ignore',
    hyperlinks: 'ignore',
  });
  for await (const sheet of workbook) {
    for await (const row of sheet) {
      row.eachCell((cell) => {
        const shown = cell.formula === undefined ? cell.value : cell.result;
        if (typeof shown === 'number') sawFigure(wanted, String(shown));
      });
    }
  }
  return missingFigures(wanted);
};
