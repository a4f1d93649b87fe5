/** Characters of a request that an error message may repeat. */
const maxRepeatedChars = 200

/** Longest error message, UTF-16 units: it may list what is valid. */
export const maxMessageChars = 1_000

/** Quoted texts, and words without a space: what a message repeats of a request is one of these. */
const parts = /"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']+/g

/** Shortens each part of an error message that repeats more of a request than it may, and the message as a whole. */
export function shortenMessage(message: string): string {
  const text = message.length > maxMessageChars ? `${message.slice(0, maxMessageChars)}…` : message
  return text.replaceAll(parts, part => shortenPart(part))
}

/** Shortens a text that an error message repeats of a request. */
export function shortenPart(text: string): string {
  return text.length > maxRepeatedChars ? `${text.slice(0, maxRepeatedChars - 1)}…` : text
}
