import { ApiError, validationError } from '../../../schema/errors.ts'

/** The cells of one row of a file, as texts. */
export interface FileRow {
  /** From 1, the heading included: what a spreadsheet shows. */
  readonly row: number
  readonly cells: readonly string[]
}

/** Beyond these a file is refused as too large. */
export const mostRows = 200_000
export const mostColumns = 1000
/** A row with more than this has lost its end. */
export const mostRowChars = 200_000

/** The file can't be read as what it should be. */
export function unreadable(message: string, cause?: unknown): ApiError {
  const {
    status,
    code,
    message: text,
    errors,
  } = validationError([{ field: 'csvFile', code: 'InvalidDataItem', message }])
  return new ApiError(status, code, text, { errors, cause })
}

/** It is a file of another kind. */
export function otherKind(message: string): ApiError {
  return new ApiError(415, 'UnsupportedMediaType', message)
}

export function payloadTooLarge(message: string): ApiError {
  return new ApiError(413, 'PayloadTooLarge', message)
}
