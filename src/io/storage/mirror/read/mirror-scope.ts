// Which part of a merchant's mirror is read.

/** What the streams and the recall need to know of one merchant. */
export interface MirrorScope {
  readonly merchantId: number;
  readonly afterIntake: number | null;
  readonly hasVariants: boolean;
  readonly hasMovedOperations: boolean;
  /** Whether the streams have anything to give: an empty one needs no connection. */
  readonly hasLines: boolean;
  readonly hasOperations: boolean;
}
