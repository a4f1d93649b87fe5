import { otherKind, unreadable } from '../rows/file-row.ts'

/** Start of a ZIP file, a workbook for example. */
export const zipStart = Buffer.from([0x50, 0x4b, 0x03, 0x04])

/** Throws an `ApiError` if a file that begins with these bytes is another kind of file than text in bytes. */
export function rejectOtherKinds(start: Uint8Array): void {
  if (zipStart.equals(start.subarray(0, 4))) throw otherKind('The file is an XLSX or ZIP file, not CSV')
  const [first, second] = start
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw unreadable('The file is UTF-16; it must be UTF-8 or Windows-1252')
}
