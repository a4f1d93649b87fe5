import type { Command } from '../../schema/commands/command-log.ts'
import type { Effect } from '../registrar/options.ts'
import { checkerOf } from '../../schema/check.ts'
import { integer, list, object, type Of, oneOf, text, unsafe } from '../../schema/types.ts'
import { compareTexts } from '../timeline/values.ts'
import {
  alarmCodeOf,
  alarmIdentityOf,
  type AlarmIdStore,
  type AlarmInstance,
  type IdentifiedAlarm,
  type NativeCode,
} from '../../schema/alarm-instance.ts'
import { type CompanyRef, type MachineRef, noCompany } from '../../schema/refs.ts'

/** The command by which processors tell the registrar of alarm instances of a company; repeats are harmless. */
export const assignAlarmIds = 'alarms.assignIds'

const whole = integer(1, 0xffffffff)
/** `machineId`: the machine's UUID, what decides the order of equal starts. */
const unidentifiedAlarm = object({
  machineRef: unsafe<MachineRef>(whole),
  machineId: text,
  key: text,
  nativeCode: text,
  message: text,
  level: oneOf(['WARNING', 'FAULT']),
  startMs: integer(-8.64e15, 8.64e15),
})
export type UnidentifiedAlarm = Of<typeof unidentifiedAlarm>

/** `companyRef`: `ref` of the company. */
const payloadSchema = object({
  companyRef: unsafe<CompanyRef>(whole),
  instances: list(unidentifiedAlarm, { maxItems: 100_000 }),
})
export type AssignAlarmIds = Of<typeof payloadSchema>

/** Looked up and written together. */
const lookupSize = 1000

const check = checkerOf(payloadSchema)

/** The highest ints given out in a company, and rows that may or may not have been stored. */
interface Counter {
  instance: number
  code: number
  unfinished: { readonly instances: readonly IdentifiedAlarm[]; readonly codes: readonly NativeCode[] } | null
}

/**
 * Assigns ids to alarm instances without one, in order of start, then machine id, key and code; and to their native
 * codes. The counters are read once per company: the owner of this object is the only one that assigns ids.
 */
export function createAssignAlarmIds(store: AlarmIdStore): Effect {
  const counters = new Map<CompanyRef, Counter>()

  async function counterOf(companyRef: CompanyRef): Promise<Counter> {
    const counter = counters.get(companyRef) ?? { ...(await store.highest(companyRef)), unfinished: null }
    counters.set(companyRef, counter)
    return counter
  }

  /** A failed insert may have succeeded: the retry sends equal rows. */
  async function finish(companyRef: CompanyRef, counter: Counter): Promise<void> {
    if (!counter.unfinished) return
    const { instances, codes } = counter.unfinished
    if (instances.length + codes.length > 0) await store.write(companyRef, instances, codes)
    counter.instance += instances.length
    counter.code += codes.length
    counter.unfinished = null
  }

  async function give(companyRef: CompanyRef, instances: readonly AlarmInstance[]): Promise<void> {
    const counter = await counterOf(companyRef)
    await finish(companyRef, counter)
    const known = await store.known(companyRef, instances)
    counter.unfinished = {
      instances: numbered(firstOf(instances, alarmIdentityOf, known.instances), counter.instance),
      codes: numbered(firstOf(instances, alarmCodeOf, known.codes), counter.code),
    }
    await finish(companyRef, counter)
  }

  return async commands => {
    for (const [companyRef, instances] of byCompany(commands)) {
      for (let from = 0; from < instances.length; from += lookupSize)
        await give(companyRef, instances.slice(from, from + lookupSize))
    }
  }
}

/** Instances in the commands, per company and in order. */
function byCompany(commands: readonly Command[]): ReadonlyMap<CompanyRef, readonly AlarmInstance[]> {
  const told = new Map<CompanyRef, UnidentifiedAlarm[]>()
  for (const { payload } of commands) {
    const { companyRef, instances } = parsed(payload)
    told.set(companyRef, [...(told.get(companyRef) ?? []), ...instances])
  }
  for (const instances of told.values()) instances.sort(byStart)
  return told
}

function byStart(a: UnidentifiedAlarm, b: UnidentifiedAlarm): number {
  return (
    a.startMs - b.startMs ||
    compareTexts(a.machineId, b.machineId) ||
    compareTexts(a.key, b.key) ||
    compareTexts(a.nativeCode, b.nativeCode) ||
    compareTexts(a.level, b.level)
  )
}

function numbered(instances: readonly AlarmInstance[], after: number): readonly IdentifiedAlarm[] {
  return instances.map((instance, i) => Object.assign({ id: after + i + 1 }, instance))
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

function parsed(payload: unknown): AssignAlarmIds {
  const checked = check(payload)
  return 'value' in checked ? checked.value : { companyRef: noCompany, instances: [] }
}
