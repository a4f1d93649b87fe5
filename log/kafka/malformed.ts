/** The bytes of a record or batch are damaged or exceed a limit: another attempt gives the same error. The message holds none of the bytes. */
export class Malformed extends Error {
  override readonly name = 'Malformed'
}

/** The error of records that decompress to more than `maxBytes`. */
export function tooLarge(maxBytes: number): Malformed {
  return new Malformed(`The records of the batch decompress to more than ${maxBytes} bytes`)
}
