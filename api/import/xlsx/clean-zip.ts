import { type Unzipped, unzipSync, zipSync } from 'fflate'

/** Of all that is read of a workbook, unpacked. */
const mostBytes = 256 << 20
const mostEntries = 2000
/** Cells, texts and how they belong together; no pictures, macros or links to elsewhere. */
const needed = /^(\[Content_Types\]\.xml|_rels\/[^/]*|xl\/[^/]+\.xml|xl\/_rels\/[^/]*|xl\/worksheets\/[^/]*\.xml)$/

interface ZipEntry {
  readonly name: string
  /** Packed and unpacked, as the file says: either may be false, and a stored entry is copied by the first. */
  readonly size: number
  readonly originalSize: number
}

/** The file is no workbook that is taken; `status` is what is answered. */
export class RefusedFile extends Error {
  override readonly name = 'RefusedFile'
  readonly status: 400 | 413

  constructor(status: 400 | 413, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

/**
 * The parts of a workbook that are needed, packed anew without compression: whatever reads them meets no size or place in the file
 * that isn't true. What unpacks to more than the file says is cut off there, so it takes no more memory than allowed.
 */
export function cleanZip(file: Uint8Array): Uint8Array {
  let bytes = 0
  let entries = 0
  const isWanted = ({ name, size, originalSize }: ZipEntry): boolean => {
    if (++entries > mostEntries) throw new RefusedFile(413, `The workbook has more than ${mostEntries} files in it`)
    if (!needed.test(name)) return false
    bytes += Math.max(size, originalSize)
    if (bytes > mostBytes) throw new RefusedFile(413, `The workbook is larger than ${mostBytes} bytes, unpacked`)
    return true
  }
  return zipSync(unzip(file, isWanted), { level: 0 })
}

function unzip(file: Uint8Array, filter: (entry: ZipEntry) => boolean): Unzipped {
  try {
    return unzipSync(file, { filter })
  } catch (error) {
    if (error instanceof RefusedFile) throw error
    throw new RefusedFile(400, 'The file is no workbook', error)
  }
}
