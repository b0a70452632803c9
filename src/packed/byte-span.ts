// Bytes under reading, with the view that reads them four and eight at a time.

export interface ByteSpan {
  readonly bytes: Buffer;
  readonly view: DataView;
}
