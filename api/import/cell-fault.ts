import type { FaultCode } from '../../schema/errors.ts'

/** The error of a cell that does not fit its column; the message is short however long the cell is. */
export class CellFault extends Error {
  override readonly name = 'CellFault'
  readonly code: FaultCode

  constructor(code: FaultCode, message: string) {
    super(message)
    this.code = code
  }
}

/** A text for messages: its beginning, if it is long. */
export function shortened(text: string): string {
  return text.length > 50 ? `${text.slice(0, 50)}…` : text
}
