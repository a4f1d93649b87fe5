/** The values of the MTConnect type EXECUTION: https://www.mtconnect.org/documents (part 2). */
const executionValues: ReadonlySet<string> = new Set([
  'ACTIVE',
  'FEED_HOLD',
  'INTERRUPTED',
  'OPTIONAL_STOP',
  'PROGRAM_COMPLETED',
  'PROGRAM_OPTIONAL_STOP',
  'PROGRAM_STOPPED',
  'READY',
  'STOPPED',
  'UNAVAILABLE',
  'WAIT',
])

/** Returns whether a word is a value of EXECUTION, in any letter case. */
export function isExecutionValue(word: string): boolean {
  return executionValues.has(word) || executionValues.has(word.toUpperCase())
}
