import type { Command } from '../../schema/records.ts'
import type { Records } from '../records/records.ts'
import type { Effect } from '../registrar/options.ts'
import { payloadParser } from '../registrar/payload.ts'
import { Refusal } from '../registrar/refusal.ts'
import { integer, list, oneOf, payloadOf } from '../registrar/shapes.ts'
import { compareTexts } from '../timeline/values.ts'
import {
  codeOf,
  identityOf,
  type AlarmIdStore,
  type AlarmInstance,
  type IdentifiedAlarm,
  type NativeCode,
} from './types.ts'

/** The command by which processors tell the registrar of alarm instances of a company; repeats are harmless. */
export const seeAlarms = 'alarms.see'

export interface SeeAlarms {
  readonly instances: readonly AlarmInstance[]
}

/** Looked up and written together. */
const lookupSize = 1000

const parse = payloadParser(
  payloadOf<SeeAlarms>(
    {
      instances: list(
        {
          type: 'object',
          properties: {
            machine: integer(1, 0xffffffff),
            key: { type: 'string' },
            nativeCode: { type: 'string' },
            message: { type: 'string' },
            level: oneOf(['WARNING', 'FAULT']),
            startMs: integer(-8.64e15, 8.64e15),
          },
          required: ['machine', 'key', 'nativeCode', 'message', 'level', 'startMs'],
        },
        100_000,
      ),
    },
    ['instances'],
  ),
)

/** The highest ints given out in a company, and rows that may or may not have been stored. */
interface Counter {
  instance: number
  code: number
  unfinished: { readonly instances: readonly IdentifiedAlarm[]; readonly codes: readonly NativeCode[] } | null
}

/**
 * Gives ids to the alarm instances that have none, in order of start, then machine id, key and code; and to their native codes.
 * The counters are read once for each company: whoever holds this is the only one that gives ids out.
 */
export function createSeeAlarms(store: AlarmIdStore): Effect {
  const counters = new Map<number, Counter>()

  async function counterOf(company: number): Promise<Counter> {
    const counter = counters.get(company) ?? { ...(await store.highest(company)), unfinished: null }
    counters.set(company, counter)
    return counter
  }

  /** An insert that failed may have been made all the same: what is sent again is the very same. */
  async function finish(company: number, counter: Counter): Promise<void> {
    if (!counter.unfinished) return
    const { instances, codes } = counter.unfinished
    if (instances.length + codes.length > 0) await store.write(company, instances, codes)
    counter.instance += instances.length
    counter.code += codes.length
    counter.unfinished = null
  }

  async function give(company: number, seen: readonly AlarmInstance[]): Promise<void> {
    const counter = await counterOf(company)
    await finish(company, counter)
    const known = await store.known(company, seen)
    counter.unfinished = {
      instances: firstOf(seen, identityOf, known.instances).map((each, i) => ({
        ...each,
        id: counter.instance + i + 1,
      })),
      codes: firstOf(seen, codeOf, known.codes).map((each, i) => ({ ...each, id: counter.code + i + 1 })),
    }
    await finish(company, counter)
  }

  return async (commands, records) => {
    for (const [company, seen] of byCompany(commands, records)) {
      for (let from = 0; from < seen.length; from += lookupSize)
        await give(company, seen.slice(from, from + lookupSize))
    }
  }
}

/** What the commands tell of, per company (ref) and in order; what fits no company's machine is passed over. */
function byCompany(commands: readonly Command[], records: Records): ReadonlyMap<number, readonly AlarmInstance[]> {
  const told = new Map<number, AlarmInstance[]>()
  for (const { companyId, payload } of commands) {
    const company = companyId === null ? null : records.company(companyId)
    if (!company) continue
    const instances = parsed(payload).instances.filter(
      ({ machine }) => records.machineByRef(machine)?.companyId === companyId,
    )
    told.set(company.ref, [...(told.get(company.ref) ?? []), ...instances])
  }
  const idOf = (machine: number) => records.machineByRef(machine)?.id ?? ''
  for (const instances of told.values()) {
    instances.sort(
      (a, b) =>
        a.startMs - b.startMs ||
        compareTexts(idOf(a.machine), idOf(b.machine)) ||
        compareTexts(a.key, b.key) ||
        compareTexts(a.nativeCode, b.nativeCode) ||
        compareTexts(a.level, b.level),
    )
  }
  return told
}

/** The first of each that isn't known. */
function firstOf(
  instances: readonly AlarmInstance[],
  keyOf: (instance: AlarmInstance) => string,
  known: ReadonlySet<string>,
): readonly AlarmInstance[] {
  const met = new Set(known)
  return instances.filter(instance => {
    const isNew = !met.has(keyOf(instance))
    met.add(keyOf(instance))
    return isNew
  })
}

function parsed(payload: unknown): SeeAlarms {
  try {
    return parse(payload)
  } catch (error) {
    if (error instanceof Refusal) return { instances: [] }
    throw error
  }
}
