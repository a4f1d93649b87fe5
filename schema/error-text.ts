/** Maximum length of a part of the request that an error message repeats, UTF-16 units. */
const maxRepeatedChars = 200

/** Maximum length of a name that a message repeats, UTF-16 units. */
const maxNameChars = 60

/** Maximum length of an error message, UTF-16 units: a message may list valid values. */
export const maxMessageChars = 1_500

/** Matches the units in which a message can repeat parts of a request: quoted strings, and words without spaces. */
const parts = /"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']+/g

/** Truncates an error message, and each quoted string or word in it, to the maximum lengths. */
export function shortenMessage(message: string): string {
  return truncate(message, maxMessageChars).replaceAll(parts, part => shortenPart(part))
}

/** Truncates a part of a request that an error message repeats. */
export function shortenPart(text: string): string {
  return text.length > maxRepeatedChars ? `${text.slice(0, maxRepeatedChars - 1)}…` : text
}

/** Truncates a name that a sender has chosen, such as a key, for a message. */
export function shortenName(name: string): string {
  return truncate(name, maxNameChars)
}

function truncate(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text
}
