// Texts of the tree, filled: places in braces, plurals, choices, and tags around codes that have a name, as ICU messages. Each
// text is parsed once. How figures and times are written is the speaker's.

import { invariant } from '../domain/invariant.ts';
import { valueIn } from '../domain/value-in.ts';
import { type IcuMessage, type IcuValues, parseMessage, writtenName } from '../icu.ts';
import type { LabelLanguage } from './tree.ts';

export interface Speech {
  readonly language: LabelLanguage;
  /** What `{x, number}` becomes; `name` is `x`. */
  readonly number: (text: string, name?: string) => string;
  /** What `{x, time}` becomes. */
  readonly time: (text: string) => string;
}

/** Whole numbers may come as text: they may pass 2^53. */
export type MessageValues = IcuValues;

const parsed = new Map<string, IcuMessage>();

/** Figures and times as they come. */
const PLAIN: Speech = { language: 'fr', number: String, time: String };

/**
 * A place without a value stays as it is; values are not searched for places. Without `speech` a text is refused whose words
 * depend on how many there are: each language counts in its own way. Throws SyntaxError where the text is no message.
 */
export function fill(text: string, values: MessageValues, speech: Speech = PLAIN): string {
  if (!/[{<']/.test(text)) return text;
  const message = messageOf(text);
  invariant(speech !== PLAIN || !message.isCounted, `a text with plurals needs a language: ${text}`);
  const whole: Record<string, IcuValues[string]> = { ...values };
  for (const name of message.names) if (!Object.hasOwn(values, name)) whole[name] = `{${name}}`;
  for (const name of message.numbers) whole[writtenName(name, 'number')] = speech.number(String(whole[name]), name);
  for (const name of message.times) whole[writtenName(name, 'time')] = speech.time(String(whole[name]));
  return message.format(speech.language, whole);
}

/** The names that a text has places, choices or tags for. Throws SyntaxError where it is no message. */
export function namesIn(text: string): readonly string[] {
  return messageOf(text).names;
}

function messageOf(text: string): IcuMessage {
  return valueIn(parsed, text, parseMessage);
}
