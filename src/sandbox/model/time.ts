// Simulated time: an agenda of events in the order of their instants, and of one instant in the order in which they were added; instants
// as the service writes them, for a million lines at a time; and when the clocks of a zone next show a time of day.

import { DAY, formatInstant, HOUR, type Instant, MINUTE, SECOND } from '../../core/domain/instant.ts';
import { invariant } from '../../core/domain/invariant.ts';
import { openZone } from '../../core/domain/zone.ts';

interface Slot<Event> {
  readonly at: Instant;
  readonly event: Event;
}

/** Latest first; of one instant, the last added first. */
export interface EventQueue<Event> {
  slots: Slot<Event>[];
}

export function emptyQueue<Event>(): EventQueue<Event> {
  return { slots: [] };
}

export function addEvent<Event>({ slots }: EventQueue<Event>, slot: Slot<Event>): void {
  let [from, until] = [0, slots.length];
  while (from < until) {
    const middle = (from + until) >> 1;
    if (slots[middle]!.at > slot.at) from = middle + 1;
    else until = middle;
  }
  slots.splice(from, 0, slot);
}

export function nextInstant<Event>({ slots }: EventQueue<Event>): Instant | null {
  return slots.at(-1)?.at ?? null;
}

/** The next event, which stays; null when there is none. */
export function peekEvent<Event>({ slots }: EventQueue<Event>): Event | null {
  return slots.at(-1)?.event ?? null;
}

/** Removes and returns the next event; the queue must not be empty. */
export function takeEvent<Event>({ slots }: EventQueue<Event>): Event {
  return slots.pop()!.event;
}

/** Drops the events that `unwanted` names; the others keep their order. */
export function dropEvents<Event>(queue: EventQueue<Event>, unwanted: (event: Event) => boolean): void {
  queue.slots = queue.slots.filter(({ event }) => !unwanted(event));
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));
const THREE_DIGITS = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0'));
const dayTexts = new Map<number, string>();

/** `2026-08-01T00:49:18.020Z`: UTC, milliseconds; for instants from 1970 on. */
export function writeInstant(instant: Instant): string {
  const rest = instant % DAY;
  const hour = Math.floor(rest / HOUR);
  const minute = Math.floor((rest % HOUR) / MINUTE);
  const second = Math.floor((rest % MINUTE) / SECOND);
  const time = `${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[second]}.${THREE_DIGITS[rest % SECOND]}Z`;
  return dayText((instant - rest) / DAY) + time;
}

function dayText(day: number): string {
  const known = dayTexts.get(day);
  if (known !== undefined) return known;
  const text = formatInstant(day * DAY).slice(0, 11);
  dayTexts.set(day, text);
  return text;
}

/** `HH:mm`, of a zone that is known. The first such instant after `from`. */
export function nextTimeOfDay(
  from: Instant,
  { time, timezone }: { readonly time: string; readonly timezone: string },
): Instant {
  const zone = openZone(timezone);
  invariant(zone !== null, `the zone ${timezone} is known`);
  const [hour, minute] = time.split(':').map(Number) as [number, number];
  const local = from + zone.offsetAt(from);
  const today = Math.floor(local / DAY) * DAY + (hour * 60 + minute) * MINUTE;
  const instants = [-1, 0, 1, 2].map((day) => {
    const clock = today + day * DAY;
    return clock - zone.offsetAt(clock - zone.offsetAt(clock));
  });
  const next = instants.find((at) => at > from);
  invariant(next !== undefined, 'every day has every time of day, or one nearby');
  return next;
}
