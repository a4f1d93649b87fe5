/** Loaded into a service (`--import`): at SIGUSR2 it writes the longest block of the event loop since the last time (ms) to LONGEST_HOLD_FILE. */
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const path = process.env.LONGEST_HOLD_FILE
const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
process.on('SIGUSR2', () => {
  if (path) writeFileSync(path, (delay.max / 1e6).toFixed(0))
  delay.reset()
})
