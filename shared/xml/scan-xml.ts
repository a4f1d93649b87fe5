import { runSync, type Steps } from '../async/steps.ts'

/** Characters that are scanned between two yields. */
const stepLength = 65_536
/** Limit of the depth of elements. */
const maxDepth = 100
/** Limit of the attributes of an element. */
const maxAttributes = 256
/** Limit of a name and of the value of an attribute, in UTF-16 units. */
const maxAttributeLength = 65_536

/** Receives the content of a document in its order. */
export interface XmlHandler {
  /** `attributes`: names and values alternate. The array is valid during the call only. */
  open(name: string, attributes: readonly string[]): void
  /** A text of an element may arrive in several parts. */
  text(text: string): void
  close(name: string): void
}

/** Fault of an XML document; the message names the character. */
export class XmlError extends Error {
  override readonly name = 'XmlError'
}

/**
 * Scans a document of XML 1.0 without DOCTYPE: well-formedness, character references and the five entities; prefixes
 * stay. Characters of names beyond ASCII are not checked. Returns the declared encoding in lower case; null: there is none.
 * Throws an XmlError if the document is not well-formed, or has elements with more than 100 levels, 256 attributes or
 * 65,536 characters in an attribute. The caller limits the length of the document.
 */
export function scanXml(text: string, handler: XmlHandler): string | null {
  return runSync(scanXmlInSteps(text, handler))
}

/** Scans as `scanXml`, in small steps. */
export function* scanXmlInSteps(text: string, handler: XmlHandler): Steps<string | null> {
  return yield* new Scanner(yield* withLineFeeds(text.startsWith('\ufeff') ? text.slice(1) : text), handler).scan()
}

const code = {
  tab: 9,
  lineFeed: 10,
  space: 32,
  bang: 33,
  quote: 34,
  apostrophe: 39,
  slash: 47,
  lessThan: 60,
  equals: 61,
  greaterThan: 62,
  question: 63,
} as const

/** By character code of ASCII: 2 begins a name, 1 continues it. */
const nameKinds = Uint8Array.from({ length: 128 }, (_, char) => {
  const text = String.fromCharCode(char)
  return /[A-Za-z_:]/.test(text) ? 2 : /[-.0-9]/.test(text) ? 1 : 0
})

const declaration =
  /^<\?xml[ \t\n]+version[ \t\n]*=[ \t\n]*(?:"[\w.-]+"|'[\w.-]+')(?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*(?:"(?<double>[A-Za-z][\w.-]*)"|'(?<single>[A-Za-z][\w.-]*)'))?(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\n]*\?>/

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

class Scanner {
  readonly #text: string
  readonly #handler: XmlHandler
  /** Names of the open elements. */
  readonly #open: string[] = []
  readonly #attributes: string[] = []
  #at = 0
  #hasRoot = false

  constructor(text: string, handler: XmlHandler) {
    this.#text = text
    this.#handler = handler
  }

  *scan(): Steps<string | null> {
    const text = this.#text
    yield* this.#checkCharacters()
    const encoding = /^<\?xml[ \t\n]/.test(text) ? this.#readDeclaration() : null
    while (this.#at < text.length) {
      this.#scanTo(this.#at + stepLength)
      yield
    }
    if (this.#open.length > 0) this.#fail(`the element ${this.#open.at(-1)} has no end`, text.length)
    if (!this.#hasRoot) this.#fail('the document has no element', text.length)
    return encoding
  }

  *#checkCharacters(): Steps<void> {
    for (let from = 0; from < this.#text.length; from += stepLength) {
      // eslint-disable-next-line no-control-regex
      const invalid = this.#text.slice(from, from + stepLength).search(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/)
      if (invalid >= 0) this.#fail('a character that XML does not permit', from + invalid)
      yield
    }
  }

  /** Reads texts and markup up to the first that ends at or after an index. */
  #scanTo(end: number): void {
    const text = this.#text
    while (this.#at < end && this.#at < text.length) {
      const tag = text.indexOf('<', this.#at)
      const next = tag < 0 ? text.length : tag
      if (next > this.#at) this.#readText(next)
      if (tag >= 0) this.#readMarkup(tag)
    }
  }

  #readDeclaration(): string | null {
    const match = declaration.exec(this.#text)
    if (match === null) return this.#fail('the XML declaration is invalid', 0)
    this.#at = match[0].length
    return (match.groups?.['double'] ?? match.groups?.['single'])?.toLowerCase() ?? null
  }

  #readText(end: number): void {
    const start = this.#at
    const raw = this.#text.slice(start, end)
    this.#at = end
    if (this.#open.length === 0) {
      if (/[^ \t\n]/.test(raw)) this.#fail('text outside of the root element', start)
      return
    }
    if (raw.includes(']]>')) this.#fail("']]>' in a text", start)
    this.#handler.text(raw.includes('&') ? this.#decode(raw, start) : raw)
  }

  #readMarkup(tag: number): void {
    const char = this.#text.charCodeAt(tag + 1)
    if (char === code.slash) this.#readEnd(tag)
    else if (char === code.bang) this.#readBang(tag)
    else if (char === code.question) this.#readInstruction(tag)
    else this.#readStart(tag)
  }

  #readStart(tag: number): void {
    this.#at = tag + 1
    const name = this.#readName()
    if (this.#open.length === 0 && this.#hasRoot) this.#fail('a second root element', tag)
    if (this.#open.length >= maxDepth) this.#fail(`more than ${maxDepth} levels of elements`, tag)
    this.#hasRoot = true
    this.#readAttributes()
    const isEmpty = this.#text.charCodeAt(this.#at) === code.slash
    if (isEmpty) this.#at++
    this.#expect(code.greaterThan)
    this.#handler.open(name, this.#attributes)
    if (isEmpty) this.#handler.close(name)
    else this.#open.push(name)
  }

  #readAttributes(): void {
    const attributes = this.#attributes
    attributes.length = 0
    for (;;) {
      const before = this.#at
      this.#skipBlanks()
      const char = this.#text.charCodeAt(this.#at)
      if (char === code.greaterThan || char === code.slash) return
      if (this.#at === before) this.#fail('a blank is missing')
      const name = this.#readName()
      for (let i = 0; i < attributes.length; i += 2)
        if (attributes[i] === name) this.#fail(`the attribute ${name} is repeated`, before)
      if (attributes.length >= 2 * maxAttributes) this.#fail(`more than ${maxAttributes} attributes of an element`)
      this.#skipBlanks()
      this.#expect(code.equals)
      this.#skipBlanks()
      attributes.push(name, this.#readValue())
    }
  }

  #readValue(): string {
    const quote = this.#text.charCodeAt(this.#at)
    if (quote !== code.quote && quote !== code.apostrophe) this.#fail('a quote is missing')
    const start = this.#at + 1
    const end = this.#text.indexOf(quote === code.quote ? '"' : "'", start)
    if (end < 0) this.#fail('a quote is not closed')
    if (end - start > maxAttributeLength) this.#fail(`an attribute is longer than ${maxAttributeLength} characters`)
    this.#at = end + 1
    const raw = this.#text.slice(start, end)
    if (!/[<&\t\n]/.test(raw)) return raw
    if (raw.includes('<')) this.#fail("'<' in an attribute", start)
    const value = raw.replace(/[\t\n]/g, ' ')
    return value.includes('&') ? this.#decode(value, start) : value
  }

  #readEnd(tag: number): void {
    this.#at = tag + 2
    const name = this.#readName()
    if (this.#open.pop() !== name) this.#fail(`the end tag ${name} does not match its start tag`, tag)
    this.#skipBlanks()
    this.#expect(code.greaterThan)
    this.#handler.close(name)
  }

  #readBang(tag: number): void {
    const text = this.#text
    if (text.startsWith('<!--', tag)) {
      const end = text.indexOf('--', tag + 4)
      if (end < 0 || text.charCodeAt(end + 2) !== code.greaterThan) this.#fail('a comment is invalid', tag)
      this.#at = end + 3
    } else if (text.startsWith('<![CDATA[', tag)) {
      const end = text.indexOf(']]>', tag + 9)
      if (end < 0 || this.#open.length === 0) this.#fail('a CDATA section is invalid', tag)
      this.#at = end + 3
      this.#handler.text(text.slice(tag + 9, end))
    } else this.#fail(text.startsWith('<!DOCTYPE', tag) ? 'a DOCTYPE is not accepted' : 'invalid markup', tag)
  }

  #readInstruction(tag: number): void {
    this.#at = tag + 2
    const target = this.#readName()
    const end = this.#text.indexOf('?>', this.#at)
    const isSeparated = this.#at === end || isBlank(this.#text.charCodeAt(this.#at))
    if (end < 0 || !isSeparated || target.toLowerCase() === 'xml')
      this.#fail('a processing instruction is invalid', tag)
    this.#at = end + 2
  }

  #readName(): string {
    const text = this.#text
    const start = this.#at
    let at = start
    let char = text.charCodeAt(at)
    if (!(char >= 128 || nameKinds[char] === 2)) this.#fail('a name is missing')
    while (char >= 128 || (nameKinds[char] ?? 0) > 0) char = text.charCodeAt(++at)
    if (at - start > maxAttributeLength) this.#fail(`a name is longer than ${maxAttributeLength} characters`)
    this.#at = at
    return text.slice(start, at)
  }

  #skipBlanks(): void {
    while (isBlank(this.#text.charCodeAt(this.#at))) this.#at++
  }

  #expect(char: number): void {
    if (this.#text.charCodeAt(this.#at) !== char) this.#fail(`'${String.fromCharCode(char)}' is missing`)
    this.#at++
  }

  /** Replaces references; `start` is the index of the text in the document. */
  #decode(text: string, start: number): string {
    let decoded = ''
    let from = 0
    for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', from)) {
      const end = text.indexOf(';', at)
      const char = end < 0 ? null : referenced(text.slice(at + 1, end))
      if (char === null) return this.#fail('an unknown reference', start + at)
      decoded += text.slice(from, at) + char
      from = end + 1
    }
    return decoded + text.slice(from)
  }

  #fail(reason: string, at = this.#at): never {
    throw new XmlError(`The XML is invalid at character ${at}: ${reason}`)
  }
}

/** Replaces carriage returns, and those before a line feed. */
function* withLineFeeds(text: string): Steps<string> {
  if (!text.includes('\r')) return text
  const parts: string[] = []
  for (let from = 0, end = 0; from < text.length; from = end) {
    end = Math.min(text.length, from + stepLength)
    if (text.startsWith('\r\n', end - 1)) end++
    parts.push(text.slice(from, end).replace(/\r\n?/g, '\n'))
    yield
  }
  return parts.join('')
}

function isBlank(char: number): boolean {
  return char === code.space || char === code.lineFeed || char === code.tab
}

/** Returns the text of a reference; null: it is unknown or XML does not permit its character. */
function referenced(name: string): string | null {
  const digits = /^#(?:x(?<hex>[\da-f]+)|(?<decimal>\d+))$/i.exec(name)?.groups
  if (digits === undefined) return Object.hasOwn(entities, name) ? (entities[name] ?? null) : null
  const char = digits['hex'] === undefined ? Number(digits['decimal']) : Number.parseInt(digits['hex'], 16)
  const isPermitted =
    char === 9 ||
    char === 10 ||
    char === 13 ||
    (char >= 0x20 && char <= 0xd7ff) ||
    (char >= 0xe000 && char <= 0xfffd) ||
    (char >= 0x10000 && char <= 0x10ffff)
  return isPermitted && !name.startsWith('#X') ? String.fromCodePoint(char) : null
}
