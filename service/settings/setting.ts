/** A setting in an environment variable; `docs/configuration.md` has a row for it. */
export interface Setting<T> {
  readonly default: string
  readonly meaning: string
  /** Parses the value; throws an Error that states the expected form. */
  readonly parse: (text: string) => T
}

export type Settings = Readonly<Record<string, Setting<unknown>>>

/** Declares a setting by its meaning; the method defines its type and default. */
export const setting = (meaning: string) => ({
  int: (value: number, min: number, max: number) => parsed(meaning, String(value), readInt(min, max)),
  text: (value = '') => parsed(meaning, value, text => text),
  /** null for an empty text, which is the default. */
  optional: () => parsed(meaning, '', readOptional),
  parsed: <T>(value: string, parse: (text: string) => T) => parsed(meaning, value, parse),
})

const parsed = <T>(meaning: string, value: string, parse: (text: string) => T): Setting<T> => ({
  default: value,
  meaning,
  parse,
})

/** Parses an optional text: returns null if it is empty. */
export const readOptional = (text: string) => (text === '' ? null : text)

/** Parses the http or https address of a server; returns null if it is empty. */
export function readOptionalUrl(text: string): string | null {
  return text === '' ? null : readUrl(text)
}

/** Parses the http or https address of a server. */
export function readUrl(text: string): string {
  const isWeb = URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)
  if (!isWeb) throw new Error('expected an address that begins with http:// or https://')
  return text
}

/** Removes user, password and query from an address, so that it can be shown and logged. */
export function withoutCredentials(address: string): string {
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname === '/' ? '' : pathname}`
}

/** Parses a list, separated by commas. */
export const readList = (text: string): readonly string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')

/** Creates the parser of an integer in a range. */
function readInt(min: number, max: number, expected = 'a whole number'): (text: string) => number {
  return text => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new Error(`expected ${expected} from ${min} to ${max}`)
  }
}

/** Creates the parser of an integer in a range, or 0, which means no limit. */
export const readZeroOrInt = (min: number, max: number) => (text: string) =>
  /^0+$/.test(text) ? 0 : readInt(min, max, '0 or a whole number')(text)

/** Creates the parser of an integer in a range; the parser returns null for an empty text. */
export const readOptionalInt = (min: number, max: number) => (text: string) =>
  text === '' ? null : readInt(min, max)(text)

/** Creates the parser of one of these texts. */
export function readOneOf<const T extends string>(...allowed: readonly T[]): (text: string) => T {
  return text => {
    const found = allowed.find(value => value === text)
    if (found === undefined) throw new Error(`expected one of ${allowed.join(', ')}`)
    return found
  }
}
