import type { Command } from '../../schema/commands/command-log.ts'
import type { Effect } from '../registrar/options.ts'
import { createChecker } from '../../schema/check.ts'
import { integer, list, object, type Infer, oneOf, text, unsafe } from '../../schema/types.ts'
import {
  alarmCodeOf,
  alarmIdentityOf,
  type AlarmIdStore,
  type AlarmInstance,
  type IdentifiedAlarm,
  type NativeCode,
} from '../../schema/alarm-instance.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { compareTexts } from '../../shared/collections/compare-texts.ts'

/** Name of the command by which processors request ids of alarm instances; repeating it has no effect. */
export const assignAlarmIds = 'alarms.assignIds'

const uint32 = integer(1, 0xffffffff)
/** `machineId`: UUID of the machine, by which instances with equal starts are ordered. */
const unidentifiedAlarm = object({
  machineRef: unsafe<MachineRef>(uint32),
  machineId: text,
  key: text,
  nativeCode: text,
  message: text,
  level: oneOf(['WARNING', 'FAULT']),
  startMs: integer(-8.64e15, 8.64e15),
})
export type UnidentifiedAlarm = Infer<typeof unidentifiedAlarm>

/** `companyRef`: `ref` of the company. */
const payloadSchema = object({
  companyRef: unsafe<CompanyRef>(uint32),
  instances: list(unidentifiedAlarm, { maxItems: 100_000 }),
})
export type AssignAlarmIds = Infer<typeof payloadSchema>

/** Number of instances per lookup and write. */
const lookupSize = 1000

const check = createChecker(payloadSchema)

/** The highest ids assigned in a company, and rows whose write failed or is in progress. */
interface Counter {
  instance: number
  code: number
  unfinished: { readonly instances: readonly IdentifiedAlarm[]; readonly codes: readonly NativeCode[] } | null
}

/**
 * Creates the effect that assigns ids to alarm instances without one, in order of start, then machine id, key and code;
 * and to their native codes. It reads the counters once per company: only the owner of this object may assign ids.
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

  async function assignIds(companyRef: CompanyRef, instances: readonly AlarmInstance[]): Promise<void> {
    const counter = await counterOf(companyRef)
    await finish(companyRef, counter)
    const known = await store.known(companyRef, instances)
    counter.unfinished = {
      instances: withIds(firstOfEach(instances, alarmIdentityOf, known.instances), counter.instance),
      codes: withIds(firstOfEach(instances, alarmCodeOf, known.codes), counter.code),
    }
    await finish(companyRef, counter)
  }

  return async commands => {
    for (const [companyRef, instances] of byCompany(commands)) {
      for (let from = 0; from < instances.length; from += lookupSize)
        await assignIds(companyRef, instances.slice(from, from + lookupSize))
    }
  }
}

/** Returns the instances in the commands by company, in the order in which they get ids. */
function byCompany(commands: readonly Command[]): ReadonlyMap<CompanyRef, readonly AlarmInstance[]> {
  const byCompanyRef = new Map<CompanyRef, UnidentifiedAlarm[]>()
  for (const { payload } of commands) {
    const checked = check(payload)
    if (!('value' in checked)) continue
    const ofCompany = getOrCreate(byCompanyRef, checked.value.companyRef, () => [])
    for (const instance of checked.value.instances) ofCompany.push(instance)
  }
  for (const instances of byCompanyRef.values()) instances.sort(byStart)
  return byCompanyRef
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

function withIds(instances: readonly AlarmInstance[], after: number): readonly IdentifiedAlarm[] {
  return instances.map((instance, i) => Object.assign({ id: after + i + 1 }, instance))
}

/** Returns the first instance of each key that is not among the known ones. */
function firstOfEach(
  instances: readonly AlarmInstance[],
  keyOf: (instance: AlarmInstance) => string,
  known: ReadonlySet<string>,
): readonly AlarmInstance[] {
  const seen = new Set(known)
  return instances.filter(instance => {
    const isNew = !seen.has(keyOf(instance))
    seen.add(keyOf(instance))
    return isNew
  })
}
