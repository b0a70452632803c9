// What an attempt says of itself: one short line, whatever came from outside.

import { cutTo, oneLine } from '../formats/port/one-line.ts';

const LONGEST = 300;

export function detailOf(text: string): string {
  return cutTo(oneLine(text), LONGEST);
}
