/** The values of EXECUTION in MTConnect: https://www.mtconnect.org/documents (part 2). */
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

/** Whether a word is a value of EXECUTION, in any letter case. */
export function isExecutionValue(word: string): boolean {
  return executionValues.has(word) || executionValues.has(word.toUpperCase())
}
