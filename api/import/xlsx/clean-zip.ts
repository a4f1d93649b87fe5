import { type Unzipped, unzipSync, zipSync } from 'fflate'

/** Limits of a workbook: unpacked bytes of the parts that are read, and number of all files in it. */
const maxBytes = 256 << 20
const maxEntries = 2000
/** Names of the parts that are read: cells, texts and relations, but no pictures, macros and external links. */
const needed = /^(\[Content_Types\]\.xml|_rels\/[^/]*|xl\/[^/]+\.xml|xl\/_rels\/[^/]*|xl\/worksheets\/[^/]*\.xml)$/

/** Whether a part describes the workbook and holds no cells. */
export function isStructure(name: string): boolean {
  return needed.test(name) && !/^xl\/(?:worksheets\/|sharedStrings\.)/.test(name)
}

interface ZipEntry {
  readonly name: string
  /** Packed and unpacked bytes as the file states them; both may be false. A stored entry is copied by `size`. */
  readonly size: number
  readonly originalSize: number
}

/** The file is rejected as a workbook; `status` is the status of the response. */
export class RefusedFile extends Error {
  override readonly name = 'RefusedFile'
  readonly status: 400 | 413

  constructor(status: 400 | 413, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

/**
 * Packs parts of a workbook (by default those that are read) without compression, so that every size and offset in the
 * result is correct. A part that unpacks to more than its stated size is cut off, so memory stays within the limit.
 * Throws a `RefusedFile`.
 */
export function cleanZip(file: Uint8Array, isIncluded = (name: string) => needed.test(name)): Uint8Array {
  let bytes = 0
  let entries = 0
  const isRequired = ({ name, size, originalSize }: ZipEntry): boolean => {
    if (++entries > maxEntries) throw new RefusedFile(413, `The workbook has more than ${maxEntries} files in it`)
    if (!isIncluded(name)) return false
    bytes += Math.max(size, originalSize)
    if (bytes > maxBytes) throw new RefusedFile(413, `The workbook is larger than ${maxBytes} bytes, unpacked`)
    return true
  }
  return zipSync(unzip(file, isRequired), { level: 0 })
}

function unzip(file: Uint8Array, filter: (entry: ZipEntry) => boolean): Unzipped {
  try {
    return unzipSync(file, { filter })
  } catch (error) {
    if (error instanceof RefusedFile) throw error
    throw new RefusedFile(400, 'The file is not a workbook', error)
  }
}
