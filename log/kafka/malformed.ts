/**
 * Thrown if a record or batch is damaged or exceeds a limit, so that a retry would fail equally. The message contains
 * no bytes of it.
 */
export class Malformed extends Error {
  override readonly name = 'Malformed'
}

/** Creates the error of records that decompress to more than `maxBytes`. */
export function tooLarge(maxBytes: number): Malformed {
  return new Malformed(`The records of the batch decompress to more than ${maxBytes} bytes`)
}
