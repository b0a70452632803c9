// The one sentence about a place that cannot be reached: equal for each of its merchants, so that it is counted and not
// repeated, and read back where another language says it.

export interface PlaceDown {
  /** Its address, without credentials. */
  readonly place: string;
  /** `ECONNREFUSED`, `SERVICE_UNAVAILABLE`. */
  readonly why: string;
}

/** `setting`: the one that holds the address. */
export function sayPlaceDown({ place, why }: PlaceDown, setting: string): string {
  return `No answer from ${place} (${why}): check ${setting} and the network.`;
}

/** As a pattern of SQL: what `readPlaceDown` reads, behind the code of its failure. */
export const PLACE_DOWN_LIKE = 'UNREACHABLE: No answer from % (%): check %';

/** Null for any other reason. */
export function readPlaceDown(reason: string): PlaceDown | null {
  const [, place, why] = /^UNREACHABLE: No answer from (\S+) \((\w+)\): check /.exec(reason) ?? [];
  return place === undefined || why === undefined ? null : { place, why };
}
