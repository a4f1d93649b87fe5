/**
 * Measures the memory of the latest values: `node --expose-gc --import tsx bench/live/memory.ts`. 5,000 machines with
 * 200 values each.
 */
import { LatestValues } from '../../api/live/values/latest-values.ts'
import { sampleOf } from './plant.ts'
import { asMachineRef } from '../../schema/refs.ts'

const [machines, metrics] = [5_000, 200]
const bytes = () => {
  global.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
const before = bytes()
const values = new LatestValues()
for (let metric = 0; metric < metrics; metric++) {
  for (let machineRef = 1; machineRef <= machines; machineRef++) {
    // As read from the log: each value is a separate string.
    values.apply(
      JSON.parse(
        JSON.stringify(
          sampleOf(asMachineRef(machineRef), metric, Date.now() * 1000 + metric, String(Math.random()).slice(0, 8)),
        ),
      ),
    )
  }
}
const each = (bytes() - before) / machines
console.log(`${(each / 1000).toFixed(1)} kB a machine of ${metrics} values, ${(each / metrics).toFixed(0)} B a value`)
values.each(asMachineRef(1), () => undefined)
