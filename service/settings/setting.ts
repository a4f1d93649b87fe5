/** A setting of the environment; `docs/configuration.md` has the same row. */
export interface Setting<T> {
  readonly default: string
  readonly meaning: string
  /** Throws an Error with the expected form. */
  readonly parse: (text: string) => T
}

export type Settings = Readonly<Record<string, Setting<unknown>>>

/** Returns the text unchanged. */
export const readText = (text: string) => text

/** Returns null for an empty text. */
export const readOptional = (text: string) => (text === '' ? null : text)

/** Parses the address of a server; null for an empty text. */
export function readOptionalUrl(text: string): string | null {
  return text === '' ? null : readUrl(text)
}

/** Parses the address of a server. */
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

/** Parses an integer of this range. */
export function readInt(min: number, max: number): (text: string) => number {
  return text => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) throw new Error(`expected a whole number from ${min} to ${max}`)
    return value
  }
}

/** Parses an integer of this range, or 0 for no limit. */
export function readZeroOrInt(min: number, max: number): (text: string) => number {
  return text => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value !== 0 && !(value >= min && value <= max))
      throw new Error(`expected 0 or a whole number from ${min} to ${max}`)
    return value
  }
}

/** Parses an integer of this range; null for an empty text. */
export const readOptionalInt = (min: number, max: number) => (text: string) =>
  text === '' ? null : readInt(min, max)(text)

/** Parses one of these texts. */
export function readOneOf<const T extends string>(...allowed: readonly T[]): (text: string) => T {
  return text => {
    const found = allowed.find(value => value === text)
    if (found === undefined) throw new Error(`expected one of ${allowed.join(', ')}`)
    return found
  }
}
