import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Environment of a child service that writes blocked times of its event loop to the file: see `hold-meter.mjs`. */
export function holdMeterEnv(file: string): Readonly<Record<string, string>> {
  const meter = fileURLToPath(new URL('hold-meter.mjs', import.meta.url))
  return {
    HOLD_METER_FILE: file,
    NODE_OPTIONS: `${process.env['TAKT_TEST_CHILD_OPTIONS'] ?? ''} --import=${meter}`,
  }
}

/** CPU time in ms of the longest event loop iteration that ended between these times of `process.hrtime` (µs), without garbage collection. */
export function heldMs(file: string, fromUs: number, toUs: number): number {
  if (!existsSync(file)) return 0
  const holds = readFileSync(file, 'utf8').split('\n').filter(Boolean).map(parse)
  return holds
    .filter(({ endUs }) => endUs >= fromUs && endUs <= toUs)
    .reduce((longest, { cpuMs, gcMs }) => Math.max(longest, cpuMs - gcMs), 0)
}

interface Hold {
  readonly endUs: number
  readonly cpuMs: number
  readonly gcMs: number
}

function parse(line: string): Hold {
  const hold: Hold = JSON.parse(line)
  return hold
}
