import { isUtf8 } from 'node:buffer'
import { ownCopy } from '../../shared/own-copy.ts'
import { parseInstantUs } from '../../shared/time/instant.ts'
import { runSync, type Steps } from '../../shared/async/steps.ts'
import { scanXmlInSteps, XmlError, type XmlHandler } from '../../shared/xml/scan-xml.ts'
import { DocumentError } from './document-error.ts'
import { attributeOf, typeOfElement } from './names.ts'
import { ObservationReader, type StreamObservation } from './observations.ts'
import { parseSequence, type Sequence } from './sequence.ts'

/** Limit of the errors of a document that are read. */
const maxErrors = 100
/** Bytes that are decoded between two yields. */
const stepBytes = 1 << 20
/** Limit of the message of an error. */
const maxMessageLength = 1_000

/** Header of a document; null or '': the agent omits it. */
export interface Header {
  /** Number of the agent's run, as sent. */
  readonly instanceId: string
  /** UTC µs. */
  readonly creationUs: number | null
  readonly firstSequence: Sequence | null
  readonly lastSequence: Sequence | null
  readonly nextSequence: Sequence | null
  readonly bufferSize: number | null
}

/** Error of an agent, such as `OUT_OF_RANGE`. */
export interface AgentError {
  readonly code: string
  readonly message: string
}

/** Document of values, which are sorted by sequence. */
export interface StreamsDocument {
  readonly kind: 'streams'
  readonly header: Header
  readonly observations: readonly StreamObservation[]
}

/** A document of an agent. */
export type AgentDocument =
  | StreamsDocument
  | { readonly kind: 'devices'; readonly header: Header; readonly text: string }
  | { readonly kind: 'error'; readonly header: Header; readonly errors: readonly AgentError[] }

/**
 * Reads a document of an MTConnect agent, versions 1.2 to 2.x: UTF-8, with any prefix. Throws a DocumentError, whose
 * message names the fault.
 */
export function readDocument(bytes: Uint8Array): AgentDocument {
  return runSync(readDocumentInSteps(bytes))
}

/** Reads a document as `readDocument`, in small steps: a document of 64 MiB takes seconds. */
export function* readDocumentInSteps(bytes: Uint8Array): Steps<AgentDocument> {
  if (!isUtf8(bytes)) throw new DocumentError('The document is not UTF-8')
  const text = (yield* decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))).trim()
  const reader = new DocumentReader()
  try {
    const encoding = (yield* scanXmlInSteps(text, reader)) ?? 'utf-8'
    if (encoding !== 'utf-8' && encoding !== 'us-ascii')
      throw new DocumentError(`The encoding ${encoding} of the document is not supported: use UTF-8`)
  } catch (error) {
    if (error instanceof XmlError) throw new DocumentError(error.message, { cause: error })
    throw error
  }
  return yield* reader.document(text)
}

/** Decodes valid UTF-8. */
function* decode(bytes: Buffer): Steps<string> {
  const parts: string[] = []
  for (let from = 0, end = 0; from < bytes.length; from = end) {
    end = Math.min(bytes.length, from + stepBytes)
    // Bytes that continue a character.
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end++
    parts.push(bytes.toString('utf8', from, end))
    yield
  }
  return parts.length === 1 ? (parts[0] ?? '') : parts.join('')
}

class DocumentReader implements XmlHandler {
  readonly #observations = new ObservationReader()
  readonly #errors = new ErrorReader()
  #content: XmlHandler | null = null
  #root = ''
  /** Prefix of the document's elements with its colon; '' if it has none. */
  #prefix = ''
  #depth = 0
  #header: Header | null = null

  open(name: string, attributes: readonly string[]): void {
    this.#depth++
    if (this.#depth === 1) this.#openRoot(name)
    const local = this.#localName(name)
    if (this.#depth === 2 && local === 'Header') this.#header ??= readHeader(attributes)
    if (this.#depth > 2) this.#content?.open(local, attributes)
  }

  text(text: string): void {
    if (this.#depth > 2) this.#content?.text(text)
  }

  close(name: string): void {
    if (this.#depth > 2) this.#content?.close(this.#localName(name))
    this.#depth--
  }

  *document(text: string): Steps<AgentDocument> {
    const header = this.#header
    if (header === null) throw new DocumentError(`The document ${this.#root} has no Header`)
    switch (this.#root) {
      case 'MTConnectStreams':
        return { kind: 'streams', header, observations: yield* this.#observations.sorted() }
      case 'MTConnectDevices':
        return { kind: 'devices', header, text }
      case 'MTConnectError':
        return { kind: 'error', header, errors: this.#errors.errors }
      default:
        throw new DocumentError(`The document ${this.#root} is not an MTConnect document of streams, devices or errors`)
    }
  }

  #openRoot(name: string): void {
    this.#prefix = name.slice(0, name.indexOf(':') + 1)
    this.#root = this.#localName(name)
    if (this.#root === 'MTConnectStreams') this.#content = this.#observations
    if (this.#root === 'MTConnectError') this.#content = this.#errors
  }

  #localName(name: string): string {
    return this.#prefix !== '' && name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : name
  }
}

/**
 * Reads the errors below `Errors`: elements `Error` with `errorCode`, or, since MTConnect 2.6, elements whose name is the
 * code, such as `OutOfRange`.
 */
class ErrorReader implements XmlHandler {
  readonly errors: { code: string; message: string }[] = []
  #depth = 0
  #error: { code: string; message: string } | null = null

  open(name: string, attributes: readonly string[]): void {
    this.#depth++
    if (this.#depth > 1 || this.errors.length >= maxErrors) return
    this.#error = { code: attributeOf(attributes, 'errorCode') || typeOfElement(name), message: '' }
    this.errors.push(this.#error)
  }

  text(text: string): void {
    if (this.#error === null || this.#error.message.length >= maxMessageLength) return
    this.#error.message = `${this.#error.message} ${text.trim()}`.trim().slice(0, maxMessageLength)
  }

  close(): void {
    this.#depth--
    if (this.#depth === 0) this.#error = null
  }
}

function readHeader(attributes: readonly string[]): Header {
  const bufferSize = attributeOf(attributes, 'bufferSize')
  return {
    instanceId: ownCopy(attributeOf(attributes, 'instanceId')),
    creationUs: parseInstantUs(attributeOf(attributes, 'creationTime')),
    firstSequence: parseSequence(attributeOf(attributes, 'firstSequence')),
    lastSequence: parseSequence(attributeOf(attributes, 'lastSequence')),
    nextSequence: parseSequence(attributeOf(attributes, 'nextSequence')),
    bufferSize: /^\d{1,10}$/.test(bufferSize) ? Number(bufferSize) : null,
  }
}
