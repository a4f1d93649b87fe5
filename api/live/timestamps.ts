/** The last result, because many samples of a batch have the same instant. */
let last = { ms: Number.NaN, text: '' }

/** `YYYY-MM-DD HH:mm:ss.SSS+00:00` */
export function spacedTimestamp(ms: number): string {
  if (ms !== last.ms) last = { ms, text: spaced(ms) }
  return last.text
}

function spaced(ms: number): string {
  const iso = new Date(ms).toISOString()
  return `${iso.slice(0, -14)} ${iso.slice(-13, -1)}+00:00`
}

/** `YYYY-MM-DDTHH:mm:ss.SSS+00:00` */
export function offsetTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}+00:00`
}
