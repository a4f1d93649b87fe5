import type { DiscoverInput, Discovery } from '../../../schema/requests/connector-trial.ts'
import { enteredSecrets, type Plan, topicsOf } from './plan.ts'

/** Limits of a recording that the service accepts: lines, and characters that have at most its bytes. */
const limits = { lines: 20_000, chars: 1_048_576 / 3 } as const

/** The request that reads the source of a plan. */
export function discoverOf({ source, stored }: Plan): DiscoverInput {
  const { kind, address, user, machineId } = source
  if (kind === 'http') return { kind, machineId }
  const devices = stored?.options.devices ?? null
  return { kind, address, user: user === '' ? null : user, secrets: enteredSecrets(source), devices }
}

/** The request that reads the values of the rules for two minutes. */
export function longDiscoverOf(plan: Plan): DiscoverInput {
  return { ...discoverOf(plan), topics: [...topicsOf(plan)], seconds: 120 }
}

/** A line of `POST /connectors/discover`. */
export function toDiscovery(line: unknown): Discovery {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service keeps to its schemas, as its tests check
  return line as Discovery
}

/** Adds what was found to what was found before; of the recording, the newest lines stay. */
export function withFound(before: Discovery | null, { devices, values, recording, problem }: Discovery): Discovery {
  if (before === null) return { devices, values, recording, problem }
  const byName = new Map(before.values.map(each => [each.name, each]))
  for (const { name, count, example } of values)
    byName.set(name, { name, example, count: count + (byName.get(name)?.count ?? 0) })
  return {
    devices: [...before.devices, ...devices],
    values: [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    recording: newestOf([...before.recording, ...recording]),
    problem: problem ?? before.problem,
  }
}

function newestOf(recording: readonly string[]): string[] {
  let chars = 0
  let first = recording.length
  while (first > 0 && recording.length - first < limits.lines) {
    chars += (recording[first - 1]?.length ?? 0) + 1
    if (chars > limits.chars) break
    first--
  }
  return recording.slice(first)
}
