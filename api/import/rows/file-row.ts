import { ApiError, validationError } from '../../../schema/errors.ts'

/** The cells of one row of a file. */
export interface FileRow {
  /** From 1, the heading included, as a spreadsheet numbers rows. */
  readonly row: number
  readonly cells: readonly FileCell[]
}

/** A cell of a file: a text; or, in a workbook, a number or a cell without a readable value. */
export type FileCell = string | number | SheetNumber | UnreadableCell

/** A number of a workbook that its number format or the date system of the workbook gives a meaning. */
export interface SheetNumber {
  readonly number: number
  /** The text that the spreadsheet shows, if the format writes an identifier: leading zeros, fixed letters. */
  readonly shown?: string
  /** Days since 1899-12-30, if the workbook counts from 1904. */
  readonly serial?: number
  readonly isDate?: boolean
  readonly isPercent?: boolean
}

/** A cell that holds something, which cannot be read. */
export interface UnreadableCell {
  /** Description of the cell, as the end of a sentence. */
  readonly unreadable: string
}

/** Whether a cell holds nothing or only space. */
export function isBlank(cell: FileCell): boolean {
  return typeof cell === 'string' && cell.trim() === ''
}

export const maxRows = 200_000
export const maxColumns = 1000
export const maxRowChars = 200_000

/** The error for a file that cannot be parsed. */
export function unreadable(message: string, cause?: unknown): ApiError {
  const {
    status,
    code,
    message: text,
    errors,
  } = validationError([{ field: 'csvFile', code: 'InvalidDataItem', message }])
  return new ApiError(status, code, text, { errors, cause })
}

/** The error for a file of another kind. */
export function otherKind(message: string): ApiError {
  return new ApiError(415, 'UnsupportedMediaType', message)
}

export function payloadTooLarge(message: string): ApiError {
  return new ApiError(413, 'PayloadTooLarge', message)
}
