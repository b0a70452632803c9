// What would keep a picture out of a PDF/A document, found before any document is begun. Knows PNG and JPEG, as pdfkit does.

/** The rest of a sentence about the file: `has transparency, …`; null: it can be used. */
export function imageProblem(bytes: Buffer): string | null {
  if (bytes.length > 3 && bytes[0] === 0xff && bytes[1] === 0xd8) return null;
  if (bytes.length < 33 || bytes.toString('latin1', 1, 4) !== 'PNG') return 'is neither a PNG nor a JPEG';
  // Colour types 4 and 6 have an alpha channel; a tRNS chunk makes colours of the others transparent.
  const colourType = bytes[25]!;
  if (colourType === 4 || colourType === 6 || bytes.includes('tRNS')) {
    return 'has transparency, which statements do not hold: save it without an alpha channel';
  }
  return null;
}
