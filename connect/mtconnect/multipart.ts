const dash = 45
const lessThan = 60
const lineFeed = 10

/** Limit of a part: agents send at most their whole buffer in one document. */
export const maxPartBytes = 67_108_864
/** Limit of the lines before the first part, and of the headers of a part. */
export const maxHeaderBytes = 16_384
/** Limit of the memory that stays after a large part: a process reads hundreds of agents. */
const maxIdleBytes = 65_536
/** Limit of a boundary; RFC 2046 permits 70 characters. */
const maxBoundaryLength = 256

/** Fault of a multipart stream, which cannot be read further. */
export class MultipartError extends Error {
  override readonly name = 'MultipartError'
}

/**
 * Reads the bodies of a multipart stream, wherever its chunks begin and end. A body ends by its `Content-length`,
 * otherwise before the next delimiter. Lines end with LF or CRLF; empty lines may precede delimiters and headers. Holds at
 * most one part. https://www.rfc-editor.org/rfc/rfc2046#section-5.1
 */
export class MultipartReader {
  /** The boundary without leading dashes, which some agents count as a part of it. */
  readonly #boundary: Buffer
  #bytes = Buffer.alloc(4096)
  /** Range of the bytes that are not yet read. */
  #start = 0
  #end = 0
  /** Number of bytes from `#start` on that contain no delimiter. */
  #searched = 0
  #step: 'delimiter' | 'headers' | 'body' | 'end' = 'delimiter'
  /** Whether a part was read: only the first one may follow other lines than its delimiter. */
  #hasPart = false
  #hasHeader = false
  /** Bytes of the lines before the first part, or of the headers. */
  #headerBytes = 0
  /** Content-length of the part. */
  #length: number | null = null

  /** Throws a MultipartError if the content type is not multipart or has no boundary. */
  constructor(contentType: string) {
    this.#boundary = parseBoundary(contentType)
  }

  /** Whether the last delimiter of the stream was read: further bytes are ignored. */
  get isEnded(): boolean {
    return this.#step === 'end'
  }

  /** Yields the bodies that these bytes complete. Throws a MultipartError whose message names the fault. */
  *push(chunk: Uint8Array): Iterable<Buffer> {
    this.#append(chunk)
    for (;;) {
      const next = this.#next()
      if (next === 'incomplete') return
      if (next !== 'read') yield next
    }
  }

  #append(chunk: Uint8Array): void {
    const length = this.#end - this.#start
    const isLarge = this.#bytes.length > maxIdleBytes && length + chunk.length < maxIdleBytes / 2
    if (isLarge || this.#end + chunk.length > this.#bytes.length) {
      const isEnough = !isLarge && 2 * (length + chunk.length) <= this.#bytes.length
      const bytes = isEnough ? this.#bytes : Buffer.allocUnsafe(2 * (length + chunk.length))
      this.#bytes.copy(bytes, 0, this.#start, this.#end)
      this.#bytes = bytes
      this.#start = 0
    }
    this.#bytes.set(chunk, this.#start + length)
    this.#end = this.#start + length + chunk.length
  }

  /** Reads one line or one body. */
  #next(): Buffer | 'read' | 'incomplete' {
    switch (this.#step) {
      case 'delimiter':
        return this.#readDelimiter()
      case 'headers':
        return this.#readHeader()
      case 'body':
        return this.#length === null ? this.#readToDelimiter() : this.#readLength(this.#length)
      case 'end':
        this.#start = this.#end
        return 'incomplete'
      default:
        return this.#step satisfies never
    }
  }

  #readDelimiter(): 'read' | 'incomplete' {
    const line = this.#readLine()
    if (line === null) return 'incomplete'
    const delimiter = this.#delimiterIn(line)
    if (delimiter !== null) this.#enterHeaders(delimiter)
    else if (this.#hasPart && line.toString('latin1').trim() !== '')
      throw new MultipartError('The boundary does not follow a part: its Content-length is wrong')
    return 'read'
  }

  #enterHeaders(delimiter: 'next' | 'last'): void {
    this.#step = delimiter === 'last' ? 'end' : 'headers'
    this.#hasHeader = false
    this.#headerBytes = 0
    this.#length = null
  }

  #readHeader(): 'read' | 'incomplete' {
    // A document may follow without headers.
    if (!this.#hasHeader && this.#start < this.#end && this.#bytes[this.#start] === lessThan) return this.#enterBody()
    const line = this.#readLine()
    if (line === null) return 'incomplete'
    const text = line.toString('latin1').trim()
    if (text !== '') this.#addHeader(text)
    else if (this.#hasHeader) return this.#enterBody()
    return 'read'
  }

  #addHeader(text: string): void {
    const colon = text.indexOf(':')
    if (colon < 1) throw new MultipartError(`A header of a part has no name: ${shortened(text)}`)
    this.#hasHeader = true
    if (text.slice(0, colon).trim().toLowerCase() !== 'content-length') return
    const value = text.slice(colon + 1).trim()
    const length = /^\d{1,15}$/.test(value) ? Number(value) : null
    if (length === null) throw new MultipartError(`The Content-length of a part is not a number: ${shortened(value)}`)
    if (this.#length !== null && this.#length !== length)
      throw new MultipartError(`A part has two Content-lengths: ${this.#length} and ${length}`)
    if (length > maxPartBytes) throw partTooLong()
    this.#length = length
  }

  #enterBody(): 'read' {
    this.#step = 'body'
    this.#searched = 0
    return 'read'
  }

  #readLength(length: number): Buffer | 'incomplete' {
    if (this.#end - this.#start < length) return 'incomplete'
    const body = this.#bodyTo(this.#start + length)
    this.#start += length
    this.#step = 'delimiter'
    return body
  }

  /** A body without Content-length ends before the line end that precedes the delimiter. */
  #readToDelimiter(): Buffer | 'incomplete' {
    const found = this.#findDelimiter()
    const bodyEnd = found === null ? this.#start + this.#searched : withoutLineEnd(this.#bytes, this.#start, found.at)
    if (bodyEnd - this.#start > maxPartBytes) throw partTooLong()
    if (found === null) return 'incomplete'
    const body = this.#bodyTo(bodyEnd)
    this.#start = found.end
    this.#enterHeaders(found.delimiter)
    return body
  }

  #bodyTo(end: number): Buffer {
    this.#hasPart = true
    this.#headerBytes = 0
    return Buffer.from(this.#bytes.subarray(this.#start, end))
  }

  /** Returns the next line that is a delimiter: its index, and the index after its line end. */
  #findDelimiter(): { readonly at: number; readonly end: number; readonly delimiter: 'next' | 'last' } | null {
    const bytes = this.#bytes.subarray(0, this.#end)
    const { length } = this.#boundary
    let name = bytes.indexOf(this.#boundary, this.#start + this.#searched)
    for (; name >= 0; name = bytes.indexOf(this.#boundary, name + 1)) {
      const at = lineStartBefore(bytes, this.#start, name)
      if (at === null) continue
      const feed = bytes.subarray(name, name + maxHeaderBytes).indexOf(lineFeed)
      if (feed < 0 && bytes.length - name < maxHeaderBytes) {
        // The line is incomplete: it may be a delimiter.
        this.#searched = name - this.#start
        return null
      }
      const delimiter = feed < 0 ? null : this.#delimiterIn(bytes.subarray(at, name + feed))
      if (delimiter !== null) return { at, end: name + feed + 1, delimiter }
    }
    this.#searched = Math.max(this.#searched, this.#end - this.#start - length + 1)
    return null
  }

  /** Reads a line without its line feed; null: it is incomplete. */
  #readLine(): Buffer | null {
    const feed = this.#bytes.subarray(this.#start, this.#end).indexOf(lineFeed)
    const length = feed < 0 ? this.#end - this.#start : feed + 1
    const isCounted = length > 2 || !this.#hasPart || this.#step === 'headers'
    if (isCounted && this.#headerBytes + length > maxHeaderBytes)
      throw new MultipartError(`The lines before a part are longer than ${maxHeaderBytes} bytes`)
    if (feed < 0) return null
    if (isCounted) this.#headerBytes += length
    const line = this.#bytes.subarray(this.#start, this.#start + feed)
    this.#start += length
    return line
  }

  /** A delimiter is dashes, the boundary, `--` after the last part, and blanks; null: the line is another one. */
  #delimiterIn(line: Buffer): 'next' | 'last' | null {
    const text = line.toString('latin1').trimEnd()
    const boundary = this.#boundary.toString('latin1')
    const name = text.replace(/^-+/, '')
    return name === boundary ? 'next' : name === `${boundary}--` ? 'last' : null
  }
}

/** Index of the line that begins with dashes before an index; null: other text precedes it in the line. */
function lineStartBefore(bytes: Buffer, from: number, index: number): number | null {
  let at = index
  while (at > from && bytes[at - 1] === dash) at--
  return at === from || bytes[at - 1] === lineFeed ? at : null
}

function withoutLineEnd(bytes: Buffer, from: number, end: number): number {
  const line = bytes.toString('latin1', Math.max(from, end - 2), end)
  return end - (line === '\r\n' ? 2 : line.endsWith('\n') ? 1 : 0)
}

/** Parses the boundary of a content type, such as `multipart/mixed; boundary="--abc"`. */
function parseBoundary(contentType: string): Buffer {
  if (!/^\s*multipart\//i.test(contentType))
    throw new MultipartError(`The content type is not multipart: ${shortened(contentType)}`)
  const groups = /;\s*boundary\s*=\s*(?:"(?<quoted>[^"]*)"|(?<plain>[^\s;"]+))/i.exec(contentType)?.groups
  const boundary = (groups?.['quoted'] ?? groups?.['plain'] ?? '').trim().replace(/^-+/, '')
  if (boundary === '' || boundary.length > maxBoundaryLength)
    throw new MultipartError(
      `The content type has no boundary of 1 to ${maxBoundaryLength} characters: ${shortened(contentType)}`,
    )
  return Buffer.from(boundary, 'latin1')
}

function partTooLong(): MultipartError {
  return new MultipartError(`A part is longer than ${maxPartBytes} bytes`)
}

function shortened(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
